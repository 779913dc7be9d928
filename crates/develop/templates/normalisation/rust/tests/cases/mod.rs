//! What operation_name is tested with; see SPECIFICATION.md.

#![allow(dead_code, reason = "each stage uses a part of it")]

use operation_name::operation::{self, Attributes};
use operation_name::queue::{Error, Queue, Simulator};
use tilewright_run::prelude::*;

use crate::host;

pub const PARAMETERS: &[&str] = &["input", "gamma", "beta", "epsilon", "memory"];
/// Sizes of the tensor.
const SHAPE: [usize; 3] = [2, 64, 96];
pub const SHAPES: [&[usize]; 3] = [&SHAPE, &[96], &[96]];
pub const OUTPUT_SHAPE: [usize; 3] = SHAPE;
/// Tile-rows of 32 sticks.
pub const UNITS: u32 = 4;
pub const BUFFER_PAGES: [(u8, u32); 14] = [
    (0, 6),
    (1, 3),
    (2, 1),
    (4, 3),
    (5, 3),
    (6, 3),
    (7, 3),
    (16, 6),
    (24, 3),
    (25, 1),
    (26, 3),
    (27, 1),
    (28, 3),
    (29, 3),
];
const EPSILON: f32 = 1e-5;

/// The form of its tensors.
const FORM: (Layout, DataFormat) = (Layout::RowMajor, DataFormat::Bfloat16);

/// The function with its parameters.
pub fn exported() {
    let _: fn(
        &mut Simulator,
        &DeviceTensor,
        &DeviceTensor,
        &DeviceTensor,
        f32,
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
        epsilon: EPSILON,
    }
}

pub fn validate(tensors: &[DeviceTensor]) -> Result<(), Error> {
    operation::validate(&tensors[0], &tensors[1], &tensors[2], EPSILON)
}

pub fn call(queue: &mut impl Queue, tensors: &[DeviceTensor]) -> Result<DeviceTensor, Error> {
    let [input, gamma, beta] = tensors else {
        return Err("three tensors".into());
    };
    operation_name::operation_name(queue, input, gamma, beta, EPSILON, None)
}

/// The exact values, and how far from them the device may be. The matrix unit takes eleven bits of
/// an fp32 value: what is lost of the mean counts in units of std, the rest in units of y.
pub fn expected(inputs: &[Vec<f64>]) -> Vec<(f64, f64)> {
    let width = SHAPE[2];
    let row = |x: &[f64]| {
        let mean = x.iter().sum::<f64>() / width as f64;
        let squares: f64 = x.iter().map(|x| (x - mean) * (x - mean)).sum();
        let std = (squares / width as f64 + f64::from(EPSILON)).sqrt();
        let value = |(x, (gamma, beta)): (&f64, (&f64, &f64))| {
            let scaled = (x - mean) / std * gamma;
            let of_mean = (mean / std * gamma).abs() / 512.0;
            (scaled + beta, (scaled.abs() + beta.abs()) / 128.0 + of_mean)
        };
        x.iter()
            .zip(inputs[1].iter().zip(&inputs[2]))
            .map(value)
            .collect::<Vec<_>>()
    };
    inputs[0].chunks(width).flat_map(row).collect()
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
    let other_layout = (Layout::Tile, DataFormat::Bfloat16);
    let other_format = (Layout::RowMajor, DataFormat::Float32);
    let call_without_epsilon = |queue: &mut Simulator| {
        let all = arguments(queue);
        operation_name::operation_name(queue, &all[0], &all[1], &all[2], 0.0, None)
    };
    let epsilon: Refused = ("epsilon must be positive", Box::new(call_without_epsilon));
    vec![
        with("input must be row-major", 0, &SHAPE, other_layout),
        with("input must be bf16", 0, &SHAPE, other_format),
        with("input must have rank 2 or more", 0, &[96], FORM),
        with(
            "the width of input must be a multiple of 32",
            0,
            &[64, 100],
            FORM,
        ),
        with(
            "the height of input must be a multiple of 32",
            0,
            &[33, 96],
            FORM,
        ),
        with("gamma must be row-major", 1, &[96], other_layout),
        with("gamma must be bf16", 1, &[96], other_format),
        with("gamma must have as many values", 1, &[64], FORM),
        with("beta must be row-major", 2, &[96], other_layout),
        with("beta must be bf16", 2, &[96], other_format),
        with("beta must have as many values", 2, &[128], FORM),
        epsilon,
    ]
}
