//! The values of inputs: where they come from, and how they get onto the device.
//!
//! A source is checked when its tensor is placed. Values are made only once nothing is known to be
//! wrong with the manifest, because they can take most of the host's memory.

use std::collections::BTreeMap;

use tilewright_metal::{
    Device, DeviceTensor, Family, Layout, Shape, Tensor as HostTensor, TensorError, nearest,
};
use tilewright_tile::DataFormat;

use super::tensors::wrong;
use crate::at::At;
use crate::document::{Format, Tensor};
use crate::problem::{Problem, Problems};
use crate::scope::{Scope, in_order};
use crate::word::Padding;

/// A seed and the stream of numbers drawn from it.
pub(super) type Seed = (u64, u64);

/// Where an input's values come from.
pub(super) enum Source {
    /// A family of values, scaled and moved as the tensor says.
    Values(Family, Seed),
    /// Whole numbers from 0 on, below a number.
    Integers(Family, u32, Seed),
    /// The file that the tensor names.
    File,
}

impl Source {
    /// The family that its values are drawn from, which bounds depend on.
    pub(super) fn family(&self) -> Option<Family> {
        match self {
            Source::Values(family, _) | Source::Integers(family, _, _) => Some(*family),
            Source::File => None,
        }
    }
}

/// What an input holds on the device, and where its values came from.
pub(super) struct Filled {
    /// Its contents; none as long as something is wrong with the manifest.
    pub(super) contents: Option<HostTensor>,
    pub(super) family: Option<Family>,
}

/// Where a tensor's values come from, if it is an input.
pub(super) fn source(
    scope: &Scope<'_>,
    (key, tensor): (&At<String>, &Tensor),
    shape: &Shape,
    (replaced, seed): (Option<Family>, Seed),
) -> Result<Option<Source>, Problem> {
    match (&tensor.input, scope.files.get(&key.value)) {
        (Some(input), _) => {
            let below = below(scope, key, tensor)?;
            Ok(Some(match below {
                Some(below) => {
                    let known = [Family::Uniform, Family::Ramp, Family::Zeros];
                    Source::Integers(family(input, &known)?, below, seed)
                }
                None => {
                    let own = family(input, &Family::ALL)?;
                    Source::Values(replaced.unwrap_or(own), seed)
                }
            }))
        }
        (None, Some(file)) => check_file_shape(tensor, file, shape).map(|()| Some(Source::File)),
        (None, None) => Ok(None),
    }
}

/// Writes every input's values to the device, unless something is wrong with the manifest.
pub(super) fn fill(
    device: &mut Device,
    scope: &Scope<'_>,
    sources: &BTreeMap<String, Source>,
    problems: &mut Problems,
) -> BTreeMap<String, Filled> {
    let mut filled = BTreeMap::new();
    for (key, tensor) in in_order(&scope.document.tensors) {
        let Some(source) = sources.get(&key.value) else { continue };
        let mut contents = None;
        if problems.is_empty() {
            let written = write(device, scope, (key, tensor), source);
            contents = problems.keep(written.map_err(|error| wrong(key, &error)));
        }
        filled.insert(key.value.clone(), Filled { contents, family: source.family() });
    }
    filled
}

/// Writes an input's values, in its tensor's format and layout, and gives what it then holds.
fn write(
    device: &mut Device,
    scope: &Scope<'_>,
    (key, tensor): (&At<String>, &Tensor),
    source: &Source,
) -> Result<HostTensor, TensorError> {
    let placed = &scope.placed[&key.value];
    // A word in its place has been refused.
    let padding = input_padding(tensor).unwrap_or_default();
    let host = host_values(scope, (key, tensor), source, placed)?;
    let host = host.convert_padded(tensor.layout.into(), tensor.format.into(), padding)?;
    placed.buffer.write(device, host.bytes())?;
    Ok(host)
}

/// An input's values in row-major order.
fn host_values(
    scope: &Scope<'_>,
    (key, tensor): (&At<String>, &Tensor),
    source: &Source,
    placed: &DeviceTensor,
) -> Result<HostTensor, TensorError> {
    let shape = &placed.shape;
    let values = match source {
        Source::Values(family, (seed, stream)) => {
            let (scale, offset) = (tensor.scale.unwrap_or(1.0), tensor.offset.unwrap_or(0.0));
            let mut values = family.values(shape, *seed, *stream);
            if (scale, offset) != (1.0, 0.0) {
                values.iter_mut().for_each(|value| *value = offset + scale * *value);
            }
            values
        }
        Source::Integers(family, below, seed) => integers(*family, *below, shape, *seed),
        Source::File => return Ok(as_integers(tensor, &scope.files[&key.value])),
    };
    HostTensor::from_f32(*shape, &values)
}

/// The number that an input's tiles hold beyond its values.
pub(super) fn input_padding(tensor: &Tensor) -> Result<f32, Problem> {
    match &tensor.padding {
        None => Ok(0.0),
        Some(At { value: Padding::Number(number), .. }) => Ok(*number),
        Some(At { value: Padding::Word(word), span }) => {
            Err(Problem::new(span.clone(), format!("`padding` of an input is `{word}`"))
                .help("say which number the host puts there"))
        }
    }
}

/// One of some families, by its name.
fn family(input: &At<String>, known: &[Family]) -> Result<Family, Problem> {
    let found = Family::from_name(&input.value).filter(|family| known.contains(family));
    found.ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|family| family.name()).collect();
        let problem =
            Problem::new(input.span.clone(), format!("unknown family of inputs `{}`", input.value));
        match nearest(&input.value, names.iter().copied()) {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None => problem.help(format!("known: {}", names.join(", "))),
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
fn integers(family: Family, below: u32, shape: &Shape, (seed, stream): Seed) -> Vec<f32> {
    if family == Family::Ramp {
        let counted = |index: usize| (index % shape.width()) as u32 % below;
        (0..shape.volume()).map(|index| counted(index) as f32).collect()
    } else if family == Family::Uniform {
        // Steps of 2^-23 from -1 on: every number below 2^24 is reached.
        let units = family.values(shape, seed, stream);
        let number = |unit: f32| ((f64::from(unit) + 1.0) / 2.0 * f64::from(below)).floor();
        units.into_iter().map(|unit| number(unit) as f32).collect()
    } else {
        vec![0.0; shape.volume()]
    }
}

/// Refuses a file of another shape than the one declared.
fn check_file_shape(tensor: &Tensor, file: &HostTensor, shape: &Shape) -> Result<(), Problem> {
    match &tensor.shape {
        Some(sizes) if file.shape() != shape => {
            let message = format!("the file has shape {}, not {shape}", file.shape());
            Err(Problem::new(sizes.span.clone(), message).help("leave `shape` out, or change it"))
        }
        Some(_) | None => Ok(()),
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
