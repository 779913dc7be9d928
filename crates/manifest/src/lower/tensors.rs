//! Tensors placed on the device, and where the values of inputs come from.

use std::collections::BTreeMap;
use std::path::Path;

use tilewright_metal::{
    Architecture, Device, DeviceTensor, HOST_BYTES_PER_VALUE, MemoryConfig, Shape, ShardSpec,
    Storage, Tensor as HostTensor, tensor_io,
};

use super::cores;
use super::filling::{self, Source, input_padding};
use crate::at::At;
use crate::document::{Document, Tensor};
use crate::problem::{Problem, Problems};
use crate::scope::{Scope, in_order};
use crate::{Overrides, names};

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

/// Places every tensor on the device, in the order of the manifest. Gives the sources of inputs.
pub(super) fn place(
    device: &mut Device,
    scope: &mut Scope<'_>,
    overrides: &Overrides,
    problems: &mut Problems,
) -> BTreeMap<String, Source> {
    let mut sources = BTreeMap::new();
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
        let Some(memory) = problems.keep(memory(device.architecture(), scope, tensor)) else {
            continue;
        };
        let placed = empty(device, key, tensor, (shape, memory));
        let Some(placed) = problems.keep(placed) else { continue };
        scope.placed.insert(key.value.clone(), placed);
        let seed = (tensor.seed.unwrap_or(overrides.data_seed), stream);
        let source = filling::source(scope, (key, tensor), &shape, (overrides.family, seed));
        if let Some(Some(source)) = problems.keep(source) {
            sources.insert(key.value.clone(), source);
        }
    }
    sources
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
        let message = format!("tensor `{name}` is `scratch`, and filled or compared");
        problems.add(Problem::new(key.span.clone(), message).help("it is one of these"));
    }
    if is_filled {
        problems.keep(input_padding(tensor));
    }
}

fn empty(
    device: &mut Device,
    key: &At<String>,
    tensor: &Tensor,
    (shape, memory): (Shape, MemoryConfig),
) -> Result<DeviceTensor, Problem> {
    let span = tensor.shards.as_ref().map_or(&key.span, |shards| &shards.span);
    DeviceTensor::empty(device, shape, tensor.layout.into(), tensor.format.into(), memory)
        .map_err(|error| Problem { span: span.clone(), ..wrong(key, &error) })
}

/// Where a tensor's pages go.
fn memory(
    arch: &Architecture,
    scope: &Scope<'_>,
    tensor: &Tensor,
) -> Result<MemoryConfig, Problem> {
    let storage: Storage = tensor.storage.into();
    let Some(At { value: shards, .. }) = &tensor.shards else { return Ok(storage.into()) };
    let size = |size| scope.in_range(size, "a size of a shard", 1..=i64::from(u32::MAX));
    let spec = ShardSpec {
        layout: shards.layout.into(),
        grid: cores::places(arch, scope, &shards.cores)?,
        shape: shards.shape.iter().map(size).collect::<Result<_, _>>()?,
        orientation: shards.orientation.into(),
    };
    Ok(MemoryConfig { storage, shards: Some(spec) })
}

pub(super) fn wrong(key: &At<String>, error: &dyn std::error::Error) -> Problem {
    Problem::new(key.span.clone(), format!("tensor `{}`: {error}", key.value))
}
