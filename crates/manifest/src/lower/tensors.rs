//! Tensors put on the device: inputs filled from families or files, outputs empty.

use std::collections::BTreeMap;
use std::path::Path;

use tilewright_metal::{
    Device, DeviceTensor, Family, HOST_BYTES_PER_VALUE, Layout, Shape, Storage,
    Tensor as HostTensor, nearest, tensor_io,
};
use tilewright_tile::DataFormat;

use crate::at::At;
use crate::document::{Document, Format, Tensor};
use crate::problem::{Problem, Problems};
use crate::scope::{Scope, in_order};
use crate::word::Padding;
use crate::{Overrides, names};

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
    let mut room = Room { values: 0, values_max: overrides.values_max };
    for (key, tensor) in in_order(&scope.document.tensors) {
        check(key, tensor, problems);
        let stream = tensor.stream.unwrap_or(streams);
        streams += u64::from(tensor.input.is_some());
        if tensor.file.is_some() && !scope.files.contains_key(&key.value) {
            continue;
        }
        let Some(shape) = problems.keep(scope.shape(key, tensor)) else { continue };
        if problems.keep(room.take(key, &shape)).is_none() {
            continue;
        }
        let placed = empty(device, key, tensor, shape);
        let Some(placed) = problems.keep(placed) else { continue };
        scope.placed.insert(key.value.clone(), placed);
        let host = match (&tensor.input, scope.files.get(&key.value)) {
            (Some(family), _) => {
                let below = problems.keep(below(scope, key, tensor)).flatten();
                let seed = (tensor.seed.unwrap_or(overrides.data_seed), stream);
                match (tensor.format.is_integer(), below) {
                    (false, _) => {
                        family_values(tensor, family, overrides, (&shape, seed)).map(Some)
                    }
                    (true, Some(below)) => integers(family, below, (&shape, seed)).map(Some),
                    (true, None) => Ok(None),
                }
            }
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

/// The host's memory, counted in values of tensors.
struct Room {
    values: u64,
    values_max: Option<u64>,
}

impl Room {
    /// Refuses a tensor that there is no memory for, before anything is allocated for it.
    fn take(&mut self, key: &At<String>, shape: &Shape) -> Result<(), Problem> {
        self.values = self.values.saturating_add(shape.volume() as u64);
        let Some(most) = self.values_max.filter(|most| self.values > *most) else { return Ok(()) };
        let mebibytes = |values: u64| values.saturating_mul(HOST_BYTES_PER_VALUE) >> 20;
        let message = format!(
            "tensor `{}`: up to here, tensors take about {} MiB of this computer's memory; {} are \
             available",
            key.value,
            mebibytes(self.values),
            mebibytes(most)
        );
        Err(Problem::new(key.span.clone(), message).help("give smaller sizes"))
    }
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
        ("below", tensor.below.is_some()),
        ("scale", tensor.scale.is_some()),
        ("offset", tensor.offset.is_some()),
    ];
    for (what, _) in of_a_family.iter().filter(|(_, is_given)| *is_given && tensor.input.is_none())
    {
        let message = format!("tensor `{name}` has `{what}`, which says nothing without `input`");
        problems.add(Problem::new(key.span.clone(), message));
    }
    let is_filled = tensor.input.is_some() || tensor.file.is_some();
    if tensor.uses_padding && !is_filled {
        let message = format!("tensor `{name}` has `uses_padding`, which is for inputs");
        problems.add(Problem::new(key.span.clone(), message));
    }
    if tensor.scratch && (is_filled || !tensor.holds.is_empty()) {
        let message = format!("tensor `{name}` is `scratch`, and filled or held to something");
        problems.add(Problem::new(key.span.clone(), message).help("it is one of these"));
    }
    if is_filled {
        problems.keep(input_padding(tensor));
    }
}

/// The number that an input's tiles hold beyond its values.
fn input_padding(tensor: &Tensor) -> Result<f32, Problem> {
    match &tensor.padding {
        None => Ok(0.0),
        Some(At { value: Padding::Number(number), .. }) => Ok(*number),
        Some(At { value: Padding::Word(word), span }) => {
            Err(Problem::new(span.clone(), format!("`padding` of an input is `{word}`"))
                .help("say which number the host puts there"))
        }
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
    (shape, (seed, stream)): (&Shape, (u64, u64)),
) -> Result<Values, Problem> {
    let family = overrides.family.unwrap_or(family(input, &Family::ALL)?);
    let (scale, offset) = (tensor.scale.unwrap_or(1.0), tensor.offset.unwrap_or(0.0));
    let mut values = family.values(shape, seed, stream);
    if (scale, offset) != (1.0, 0.0) {
        values.iter_mut().for_each(|value| *value = offset + scale * *value);
    }
    let host = HostTensor::from_f32(*shape, &values)
        .map_err(|error| Problem::new(input.span.clone(), error.to_string()))?;
    Ok((host, Some(family)))
}

/// One of some families, by its name.
fn family(input: &At<String>, known: &[Family]) -> Result<Family, Problem> {
    let found = Family::from_name(&input.value).filter(|family| known.contains(family));
    found.ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|family| family.name()).collect();
        let problem = Problem::new(
            input.span.clone(),
            format!("there is no family of inputs `{}`", input.value),
        );
        match nearest(&input.value, names.iter().copied()) {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None => problem.help(format!("there is {}", names.join(", "))),
        }
    })
}

/// Numbers up to this are told apart by fp32, in which inputs are made.
const BELOW_MAX: i64 = 1 << 24;

/// What whole numbers of an input are below; nothing for other formats.
fn below(scope: &Scope<'_>, key: &At<String>, tensor: &Tensor) -> Result<Option<u32>, Problem> {
    let wrong = |why: &str| Problem::new(key.span.clone(), format!("tensor `{}` {why}", key.value));
    match (&tensor.below, tensor.format.is_integer()) {
        (Some(below), true) => scope.in_range(below, "`below`", 1..=BELOW_MAX).map(Some),
        (Some(_), false) => Err(wrong("has `below`, which is for formats of whole numbers")),
        (None, true) => Err(wrong("has no `below`").help("say what its whole numbers are below")),
        (None, false) => Ok(None),
    }
}

/// Whole numbers of a family from 0 on, below a number.
fn integers(
    input: &At<String>,
    below: u32,
    (shape, (seed, stream)): (&Shape, (u64, u64)),
) -> Result<Values, Problem> {
    let known = [Family::Uniform, Family::Ramp, Family::Zeros];
    let family = family(input, &known)?;
    let values: Vec<f32> = if family == Family::Ramp {
        let counted = |index: usize| (index % shape.width()) as u32 % below;
        (0..shape.volume()).map(|index| counted(index) as f32).collect()
    } else if family == Family::Uniform {
        // Steps of 2^-23 from -1 on: every number below 2^24 is reached.
        let units = family.values(shape, seed, stream);
        let number = |unit: f32| ((f64::from(unit) + 1.0) / 2.0 * f64::from(below)).floor();
        units.into_iter().map(|unit| number(unit) as f32).collect()
    } else {
        vec![0.0; shape.volume()]
    };
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
        Some(_) | None => Ok((as_integers(tensor, file), None)),
    }
}

/// Numpy's uint16 stands for bf16 patterns, unless the tensor is one of whole numbers itself.
fn as_integers(tensor: &Tensor, file: &HostTensor) -> HostTensor {
    let is_npy = tensor.file.as_ref().is_some_and(|file| file.value.ends_with(".npy"));
    if !is_npy || tensor.format != Format::UInt16 || file.format() != DataFormat::Bfloat16 {
        return file.clone();
    }
    let (shape, layout, format) = (*file.shape(), Layout::RowMajor, tensor.format.into());
    let numbers = HostTensor::from_bytes(shape, layout, format, file.bytes().to_vec());
    numbers.expect("as many bytes in either format")
}

/// Writes values to a tensor, in its format and layout, and gives what it then holds.
fn fill(
    device: &mut Device,
    key: &At<String>,
    tensor: &Tensor,
    (placed, host): (&DeviceTensor, &HostTensor),
) -> Result<Vec<f32>, Problem> {
    // A word has been told.
    let padding = input_padding(tensor).unwrap_or_default();
    let layout: Layout = tensor.layout.into();
    let host = host.convert_padded(layout, tensor.format.into(), padding);
    let host = host.map_err(|error| wrong(key, &error))?;
    placed.buffer.write(device, host.bytes()).map_err(|error| wrong(key, &error))?;
    Ok(host.to_f32())
}
