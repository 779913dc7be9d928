//! What operation_name is tested with; see SPECIFICATION.md.

#![allow(dead_code, reason = "each stage uses a part of it")]

use operation_name::operation::{self, Attributes};
use operation_name::queue::{Error, Queue, Simulator};
use tilewright_run::prelude::*;

use crate::host;

pub const PARAMETERS: &[&str] = &["a", "b", "memory"];
/// M, K and N.
const SIZES: [usize; 3] = [64, 96, 128];
pub const SHAPES: [&[usize]; 2] = [&[64, 96], &[96, 128]];
pub const OUTPUT_SHAPE: [usize; 2] = [64, 128];
/// Tiles of the output.
pub const UNITS: u32 = 8;
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

/// The exact values, and how far from them the device may be: the output is rounded to the eight
/// bits of bf16. The matrix unit rounds eight products to 2^-10 of the largest of them; what each
/// loses, in all its phases, is less than that.
pub fn expected(inputs: &[Vec<f64>]) -> Vec<(f64, f64)> {
    let [rows, depth, columns] = SIZES;
    let product = |index: usize| {
        let (row, column) = (index / columns, index % columns);
        let term = |k: usize| inputs[0][row * depth + k] * inputs[1][k * columns + column];
        let wanted: f64 = (0..depth).map(term).sum();
        let largest = (0..depth).fold(0.0, |most: f64, k| most.max(term(k).abs()));
        (
            wanted,
            wanted.abs() / 256.0 + depth as f64 * largest / 1024.0,
        )
    };
    (0..rows * columns).map(product).collect()
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
        with("a must be tiled", 0, SHAPES[0], other_layout),
        with("a must be bf16", 0, SHAPES[0], other_format),
        with("a must have rank 2", 0, &[1, 64, 96], FORM),
        with(
            "the dimensions of a must be multiples of 32",
            0,
            &[33, 96],
            FORM,
        ),
        with("b must be tiled", 1, SHAPES[1], other_layout),
        with("b must be bf16", 1, SHAPES[1], other_format),
        with("b must have rank 2", 1, &[1, 96, 128], FORM),
        with(
            "the dimensions of b must be multiples of 32",
            1,
            &[96, 100],
            FORM,
        ),
        with("a must be as wide as b is high", 1, &[64, 128], FORM),
    ]
}
