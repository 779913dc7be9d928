//! What operation_name is tested with; see SPECIFICATION.md.

#![allow(dead_code, reason = "each stage uses a part of it")]

use operation_name::operation::{self, Attributes};
use operation_name::queue::{Error, Queue, Simulator};
use tilewright_run::prelude::*;

use crate::host;

pub const PARAMETERS: &[&str] = &["x", "memory"];
/// Sizes of the tensor.
const SHAPE: [usize; 4] = [1, 2, 64, 96];
pub const SHAPES: [&[usize]; 1] = [&SHAPE];
pub const OUTPUT_SHAPE: [usize; 4] = [1, 2, 64, 1];
/// Rows of tiles.
pub const UNITS: u32 = 4;
pub const BUFFER_PAGES: [(u8, u32); 3] = [(0, 2), (1, 1), (16, 2)];

/// The form of its tensors.
const FORM: (Layout, DataFormat) = (Layout::Tile, DataFormat::Bfloat16);

/// The function with its parameters.
pub fn exported() {
    let _: fn(&mut Simulator, &DeviceTensor, Option<MemoryConfig>) -> Result<DeviceTensor, Error> =
        operation_name::operation_name;
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
    operation::validate(&tensors[0])
}

pub fn call(queue: &mut impl Queue, tensors: &[DeviceTensor]) -> Result<DeviceTensor, Error> {
    operation_name::operation_name(queue, &tensors[0], None)
}

/// The exact values, and how far from them the device may be: the output is rounded to the eight
/// bits of bf16. The matrix unit rounds eight terms to 2^-10 of the largest of them; what each
/// loses, in all phases of a product, is less than that.
pub fn expected(inputs: &[Vec<f64>]) -> Vec<(f64, f64)> {
    let sum = |row: &[f64]| {
        let wanted: f64 = row.iter().sum();
        let largest = row.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        (
            wanted,
            wanted.abs() / 256.0 + row.len() as f64 * largest / 1024.0,
        )
    };
    inputs[0].chunks(SHAPE[3]).map(sum).collect()
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
        with("x must be tiled", 0, &SHAPE, other_layout),
        with("x must be bf16", 0, &SHAPE, other_format),
        with("x must have rank 2 or more", 0, &[64], FORM),
        with(
            "the width of x must be a multiple of 32",
            0,
            &[64, 33],
            FORM,
        ),
        with(
            "the height of x must be a multiple of 32",
            0,
            &[33, 64],
            FORM,
        ),
    ]
}
