//! Tensors put on the device: inputs filled from families or files, outputs empty.

use std::collections::BTreeMap;
use std::path::Path;

use tilewright_metal::{
    Device, DeviceTensor, Layout, Shape, Storage, Tensor as HostTensor, tensor_io,
};

use crate::family::Family;
use crate::manifest::at::At;
use crate::manifest::document::{Document, Tensor};
use crate::manifest::problem::{Problem, Problems};
use crate::manifest::scope::{Scope, in_order};
use crate::manifest::{Overrides, names};
use crate::nearest;

/// What an input holds on the device, and where its values came from.
pub(super) struct Filled {
    pub(super) values: Vec<f32>,
    pub(super) family: Option<Family>,
}

/// A tensor of a file beside the manifest.
pub(super) fn load(
    folder: &Path,
    file: &At<String>,
    name: Option<&str>,
) -> Result<HostTensor, Problem> {
    let path = folder.join(&file.value);
    let loaded = match name {
        Some(name) => tensor_io::load_named(&path, name),
        None => tensor_io::load(&path),
    };
    loaded.map_err(|error| {
        let message = format!("{}: {}", file.value, error.problem);
        Problem::new(file.span.clone(), message)
    })
}

/// The tensors of all files.
pub(super) fn files(
    document: &Document,
    folder: &Path,
    problems: &mut Problems,
) -> BTreeMap<String, HostTensor> {
    let mut files = BTreeMap::new();
    for (key, tensor) in &document.tensors {
        let Some(file) = &tensor.file else { continue };
        let loaded = load(folder, file, tensor.file_tensor.as_deref());
        if let Some(loaded) = problems.keep(loaded) {
            files.insert(key.value.clone(), loaded);
        }
    }
    files
}

/// Puts every tensor on the device, in the order of the manifest, and gives what inputs hold.
pub(super) fn place(
    device: &mut Device,
    scope: &mut Scope<'_>,
    overrides: &Overrides,
    problems: &mut Problems,
) -> BTreeMap<String, Filled> {
    let mut filled = BTreeMap::new();
    let mut streams = 0;
    for (key, tensor) in in_order(&scope.document.tensors) {
        check(key, tensor, problems);
        let stream = tensor.stream.unwrap_or(streams);
        streams += u64::from(tensor.input.is_some());
        if tensor.file.is_some() && !scope.files.contains_key(&key.value) {
            continue;
        }
        let Some(shape) = problems.keep(scope.shape(key, tensor)) else { continue };
        let placed = empty(device, key, tensor, shape);
        let Some(placed) = problems.keep(placed) else { continue };
        scope.placed.insert(key.value.clone(), placed);
        let host = match (&tensor.input, scope.files.get(&key.value)) {
            (Some(family), _) => family_values(tensor, family, overrides, &shape, stream).map(Some),
            (None, Some(file)) => file_values(tensor, file, &shape).map(Some),
            (None, None) => Ok(None),
        };
        let Some(Some((host, family))) = problems.keep(host) else { continue };
        let written = fill(device, key, tensor, (&placed, &host));
        if let Some(values) = problems.keep(written) {
            filled.insert(key.value.clone(), Filled { values, family });
        }
    }
    filled
}

/// Keys that mean nothing together.
fn check(key: &At<String>, tensor: &Tensor, problems: &mut Problems) {
    problems.keep(names::check(key));
    let name = &key.value;
    if tensor.input.is_some() && tensor.file.is_some() {
        let message = format!("tensor `{name}` has both `input` and `file`");
        problems.add(Problem::new(key.span.clone(), message).help("one of them fills it"));
    }
    let of_a_family = [
        ("seed", tensor.seed.is_some()),
        ("stream", tensor.stream.is_some()),
        ("scale", tensor.scale.is_some()),
        ("offset", tensor.offset.is_some()),
    ];
    for (what, _) in of_a_family.iter().filter(|(_, is_given)| *is_given && tensor.input.is_none())
    {
        let message = format!("tensor `{name}` has `{what}`, which says nothing without `input`");
        problems.add(Problem::new(key.span.clone(), message));
    }
}

fn empty(
    device: &mut Device,
    key: &At<String>,
    tensor: &Tensor,
    shape: Shape,
) -> Result<DeviceTensor, Problem> {
    let storage: Storage = tensor.storage.into();
    DeviceTensor::empty(device, shape, tensor.layout.into(), tensor.format.into(), storage)
        .map_err(|error| wrong(key, &error))
}

fn wrong(key: &At<String>, error: &dyn std::error::Error) -> Problem {
    Problem::new(key.span.clone(), format!("tensor `{}`: {error}", key.value))
}

type Values = (HostTensor, Option<Family>);

fn family_values(
    tensor: &Tensor,
    input: &At<String>,
    overrides: &Overrides,
    shape: &Shape,
    stream: u64,
) -> Result<Values, Problem> {
    let family = Family::from_name(&input.value).ok_or_else(|| {
        let names = Family::ALL.map(Family::name);
        let problem = Problem::new(
            input.span.clone(),
            format!("there is no family of inputs `{}`", input.value),
        );
        match nearest(&input.value, names) {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None => problem.help(format!("there is {}", names.join(", "))),
        }
    })?;
    let family = overrides.family.unwrap_or(family);
    let seed = tensor.seed.unwrap_or(overrides.data_seed);
    let (scale, offset) = (tensor.scale.unwrap_or(1.0), tensor.offset.unwrap_or(0.0));
    let mut values = family.values(shape, seed, stream);
    if (scale, offset) != (1.0, 0.0) {
        values.iter_mut().for_each(|value| *value = offset + scale * *value);
    }
    let host = HostTensor::from_f32(*shape, &values)
        .map_err(|error| Problem::new(input.span.clone(), error.to_string()))?;
    Ok((host, Some(family)))
}

/// A file's values, which must be of the shape that is declared, if one is.
fn file_values(tensor: &Tensor, file: &HostTensor, shape: &Shape) -> Result<Values, Problem> {
    match &tensor.shape {
        Some(sizes) if file.shape() != shape => {
            let message = format!("the file has shape {}, not {shape}", file.shape());
            Err(Problem::new(sizes.span.clone(), message).help("leave `shape` out, or change it"))
        }
        Some(_) | None => Ok((file.clone(), None)),
    }
}

/// Writes values to a tensor, in its format and layout, and gives what it then holds.
fn fill(
    device: &mut Device,
    key: &At<String>,
    tensor: &Tensor,
    (placed, host): (&DeviceTensor, &HostTensor),
) -> Result<Vec<f32>, Problem> {
    let (layout, padding): (Layout, f32) = (tensor.layout.into(), tensor.padding.unwrap_or(0.0));
    let host = host.convert_padded(layout, tensor.format.into(), padding);
    let host = host.map_err(|error| wrong(key, &error))?;
    placed.buffer.write(device, host.bytes()).map_err(|error| wrong(key, &error))?;
    Ok(host.to_f32())
}
