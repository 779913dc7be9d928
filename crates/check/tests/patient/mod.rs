//! The published LayerNorm backward kernel, ready to run, for the tests that need it ill.

use tilewright_metal::{Device, Family, Program, Shape};
use tilewright_ops::layernorm::published::Faults;
use tilewright_ops::layernorm::reference::BackwardInputs;
use tilewright_ops::layernorm::repro::prepare_published;
use tilewright_tile::DataFormat;

/// The kernel with some faults, on uniform data.
pub fn published(shape: &str, faults: Faults) -> (Device, Program) {
    let shape: Shape = shape.parse().expect("a shape");
    let row = Shape::new(&[shape.width()]).expect("a width");
    let values = |shape: &Shape, stream| Family::Uniform.values(shape, 7, stream);
    let (x, gamma, dy) = (values(&shape, 0), values(&row, 1), values(&shape, 3));
    let family = (DataFormat::Bfloat16, Family::Uniform);
    let inputs = BackwardInputs::new(family, &shape, [&x, &gamma, &dy]);
    let mut device = Device::n150();
    let prepared = prepare_published(&mut device, &shape, &inputs, faults, 0.0);
    let (program, _) = prepared.expect("a program that fits");
    (device, program)
}
