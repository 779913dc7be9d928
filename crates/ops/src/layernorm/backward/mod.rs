//! LayerNorm backward in tile layout: dx, dγ and dβ from x, γ, mean, 1/std and dy.
//!
//! Two programs: one goes along tile-rows and makes dx, the other goes down tile-columns and
//! makes dγ and dβ, so that no sum over rows leaves the device.

mod input;
mod parameters;

use std::sync::Arc;

use tilewright_metal::{ComputeSettings, Device, DeviceTensor, Ending, RunOptions, Shape};
use tilewright_tile::DataFormat;

use super::forward::check;
use super::inputs::{Input, column_shape, output, row_shape};
use super::reference::{self, BackwardInputs};
use super::{EPSILON, PATH, SETTINGS};
use crate::family::Family;
use crate::operation::{Choice, Expected, OpError, Operation, Prepared, Request};

/// The operation.
pub struct Backward;

/// Inputs and outputs on the device.
struct Tensors {
    x: DeviceTensor,
    gamma: DeviceTensor,
    mean: DeviceTensor,
    rstd: DeviceTensor,
    dy: DeviceTensor,
    dx: DeviceTensor,
    dgamma: DeviceTensor,
    dbeta: DeviceTensor,
}

impl Operation for Backward {
    fn name(&self) -> &'static str {
        "layernorm-bw"
    }

    fn about(&self) -> &'static str {
        "gradients of LayerNorm: dx, dγ and dβ, summed over all rows on the device"
    }

    fn choices(&self) -> &'static [Choice] {
        &[PATH]
    }

    fn settings(&self, _format: DataFormat) -> ComputeSettings {
        SETTINGS
    }

    fn prepare(&self, device: &mut Device, request: &Request) -> Result<Prepared, OpError> {
        check(request, self.name())?;
        let shape = &request.shape;
        let x = Input::new(
            device,
            request,
            shape,
            &request.family.values(shape, request.data_seed, 0),
        )?;
        let gamma = Input::new(device, request, &row_shape(shape), &gamma(request))?;
        let (mean, rstd) = reference::statistics(&x.values, shape.width(), EPSILON);
        let mean = Input::new(device, request, &column_shape(shape), &mean)?;
        let rstd = Input::new(device, request, &column_shape(shape), &rstd)?;
        let dy = Input::new(
            device,
            request,
            shape,
            &request.family.values(shape, request.data_seed, 3),
        )?;
        let tensors = Tensors {
            x: x.device,
            gamma: gamma.device,
            mean: mean.device,
            rstd: rstd.device,
            dy: dy.device,
            dx: output(device, request, shape)?,
            dgamma: output(device, request, &row_shape(shape))?,
            dbeta: output(device, request, &row_shape(shape))?,
        };
        let shares = parameters::program_factory::row_shares(device, request)?;
        let programs = vec![
            input::program_factory::program(device, request, &tensors)?,
            parameters::program_factory::program(device, request, &tensors)?,
        ];
        let inputs = Arc::new(BackwardInputs {
            format: request.format,
            family: request.family,
            features: shape.width(),
            height: shape.height(),
            shares,
            x: x.values,
            gamma: gamma.values,
            mean: mean.values,
            rstd: rstd.values,
            dy: dy.values,
        });
        let input_tiles = [tensors.x, tensors.gamma, tensors.mean, tensors.rstd, tensors.dy]
            .iter()
            .map(|tensor| tensor.shape.tiles() as u64)
            .sum();
        Ok(Prepared { programs, input_tiles, outputs: outputs(&tensors, &inputs) })
    }
}

/// dx alone, for inputs that are given.
pub(super) fn run_dx(
    shape: &Shape,
    inputs: &BackwardInputs,
    options: RunOptions,
) -> Result<Vec<f32>, OpError> {
    let device = &mut Device::n150();
    let request = &super::repro::request(shape);
    let (row, column) = (row_shape(shape), column_shape(shape));
    let upload = super::repro::upload;
    let tensors = Tensors {
        x: upload(device, shape, &inputs.x, 0.0)?,
        gamma: upload(device, &row, &inputs.gamma, 0.0)?,
        mean: upload(device, &column, &inputs.mean, 0.0)?,
        rstd: upload(device, &column, &inputs.rstd, 0.0)?,
        dy: upload(device, shape, &inputs.dy, 0.0)?,
        dx: output(device, request, shape)?,
        dgamma: output(device, request, &row)?,
        dbeta: output(device, request, &row)?,
    };
    let program = input::program_factory::program(device, request, &tensors)?;
    let outcome = program.run(device, options, &mut [])?;
    assert_eq!(outcome.ending, Ending::Completed, "our kernel completes");
    Ok(tensors.dx.to_host(device)?.to_f32())
}

fn outputs(tensors: &Tensors, inputs: &Arc<BackwardInputs>) -> Vec<Expected> {
    let expected = |name, tensor, compute: fn(&BackwardInputs) -> Vec<_>| {
        let inputs = Arc::clone(inputs);
        Expected { name, tensor, reference: Box::new(move || compute(&inputs)) }
    };
    vec![
        expected("dx", tensors.dx, reference::dx),
        expected("dgamma", tensors.dgamma, reference::dgamma),
        expected("dbeta", tensors.dbeta, reference::dbeta),
    ]
}

/// γ between 0 and 1, as the published backward tests have it.
fn gamma(request: &Request) -> Vec<f32> {
    let unit = Family::Uniform.values(&row_shape(&request.shape), request.data_seed, 1);
    unit.iter().map(|unit| 0.5 + 0.5 * unit).collect()
}
