//! What operation_name is tested with; see SPECIFICATION.md.

#![allow(dead_code, reason = "each stage uses a part of it")]

use operation_name::operation::{self, Attributes};
use operation_name::queue::{Error, Queue, Simulator};
use tilewright_run::prelude::*;

use crate::host;

pub const PARAMETERS: &[&str] = &["a", "b", "memory"];
/// Sizes of both tensors.
const SHAPE: [usize; 4] = [1, 2, 64, 96];
pub const SHAPES: [&[usize]; 2] = [&SHAPE, &SHAPE];
pub const OUTPUT_SHAPE: [usize; 4] = SHAPE;
/// Tiles of the output.
pub const UNITS: u32 = 12;
pub const BUFFER_PAGES: [(u8, u32); 3] = [(0, 2), (1, 2), (16, 2)];

/// The form of its tensors.
const FORM: (Layout, DataFormat) = (Layout::Tile, DataFormat::Bfloat16);

/// The function with its parameters.
pub fn exported() {
    let _: fn(
        &mut Simulator,
        &DeviceTensor,
        &DeviceTensor,
        Option<MemoryConfig>,
    ) -> Result<DeviceTensor, Error> = operation_name::operation_name;
}

pub fn tensors(queue: &mut impl Queue, inputs: &[Vec<f32>]) -> Vec<DeviceTensor> {
    let inputs = SHAPES.iter().zip(inputs);
    inputs
        .map(|(sizes, values)| host::tensor(queue, sizes, values, FORM))
        .collect()
}

pub fn arguments(queue: &mut impl Queue) -> Vec<DeviceTensor> {
    SHAPES
        .iter()
        .map(|sizes| host::zeros(queue, sizes, FORM))
        .collect()
}

pub fn attributes(tensors: &[DeviceTensor]) -> Attributes {
    Attributes {
        memory: tensors[0].memory(),
    }
}

pub fn validate(tensors: &[DeviceTensor]) -> Result<(), Error> {
    operation::validate(&tensors[0], &tensors[1])
}

pub fn call(queue: &mut impl Queue, tensors: &[DeviceTensor]) -> Result<DeviceTensor, Error> {
    operation_name::operation_name(queue, &tensors[0], &tensors[1], None)
}

/// The exact values, and how far from them the device may be: a bf16 value has eight bits, and the
/// sum is rounded twice at most.
pub fn expected(inputs: &[Vec<f64>]) -> Vec<(f64, f64)> {
    let sum = |(a, b): (&f64, &f64)| {
        let (wanted, larger) = (a + b, a.abs().max(b.abs()));
        (wanted, wanted.abs() / 128.0 + larger / 512.0)
    };
    inputs[0].iter().zip(&inputs[1]).map(sum).collect()
}

/// A call that is refused, and its message.
type Refused = (
    &'static str,
    Box<dyn Fn(&mut Simulator) -> Result<DeviceTensor, Error>>,
);

/// Calls that are refused, by message.
pub fn refused() -> Vec<Refused> {
    // Arguments of which one is made in another way.
    let with = |message, place: usize, sizes: &'static [usize], form| -> Refused {
        let call = move |queue: &mut Simulator| {
            let mut tensors = arguments(queue);
            tensors[place] = host::zeros(queue, sizes, form);
            call(queue, &tensors)
        };
        (message, Box::new(call))
    };
    let other_layout = (Layout::RowMajor, DataFormat::Bfloat16);
    let other_format = (Layout::Tile, DataFormat::Float32);
    vec![
        with("a must be tiled", 0, &SHAPE, other_layout),
        with("a must be bf16", 0, &SHAPE, other_format),
        with("b must be tiled", 1, &SHAPE, other_layout),
        with("b must be bf16", 1, &SHAPE, other_format),
        with("a and b must have the same shape", 1, &[1, 2, 64, 32], FORM),
    ]
}
