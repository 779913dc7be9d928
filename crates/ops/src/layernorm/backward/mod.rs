//! LayerNorm backward in tile layout: dx, dγ and dβ from x, γ, mean, 1/std and dy.
//!
//! Two programs: one goes along tile-rows and makes dx, the other goes down tile-columns and
//! makes dγ and dβ, so that no sum over rows leaves the device.

mod input;
mod parameters;

use std::sync::Arc;

use tilewright_metal::{
    ComputeSettings, Device, DeviceTensor, Exact, Family, Layout, Shape, Storage, Tensor,
};
use tilewright_tile::DataFormat;

use super::forward::check;
use super::inputs::{column_shape, row_shape};
use super::reference::{self, BackwardInputs};
use super::{PATH, SETTINGS};
use crate::operation::{Choice, Expected, OpError, Operation, Prepared, Request};
use crate::reference::{self as given, Given, Roles, Wanted};
use crate::{parallel, tensors};

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

    fn roles(&self) -> Roles {
        Roles { inputs: &["x", "gamma", "mean", "rstd", "dy"], outputs: &["dx", "dgamma", "dbeta"] }
    }

    fn exact(
        &self,
        device: &Device,
        request: &Request,
        given: Vec<Given>,
    ) -> Result<Vec<Wanted>, OpError> {
        check(request, self.name())?;
        let shape = request.shape;
        let (row, column) = (row_shape(&shape), column_shape(&shape));
        let shapes = [shape, row, column, column, shape];
        let [x, gamma, mean, rstd, dy] = given::taken(&self.roles(), given, shapes)?;
        let inputs = Arc::new(BackwardInputs {
            format: request.format,
            family: request.known_family(),
            features: shape.width(),
            height: shape.height(),
            shares: parameters::program_factory::row_shares(device, request)?,
            x,
            gamma,
            mean,
            rstd,
            dy,
        });
        let shapes = [shape, row, row];
        let wanted = self.roles().outputs.iter().zip(shapes).zip(exact(&inputs));
        Ok(wanted.map(|((name, shape), values)| Wanted { name, shape, values }).collect())
    }

    fn prepare(&self, device: &mut Device, request: &Request) -> Result<Prepared, OpError> {
        check(request, self.name())?;
        let shape = &request.shape;
        let generate = |stream| request.family.values(shape, request.data_seed, stream);
        let values = |role, stream| request.values(role, shape, || generate(stream));
        let (x, dy) = parallel::both(|| values("x", 0), || values("dy", 3));
        let gamma = request.values("gamma", &row_shape(shape), || gamma(request))?;
        let kind = (request.format, request.known_family());
        let mut inputs = BackwardInputs::new(kind, shape, [&x?, &gamma, &dy?]);
        let column = column_shape(shape);
        inputs.mean = request.values("mean", &column, || inputs.mean.clone())?;
        inputs.rstd = request.values("rstd", &column, || inputs.rstd.clone())?;
        prepare(device, request, inputs)
    }
}

/// The operation on inputs that are given; shape and format are the request's.
///
/// # Errors
///
/// If the request cannot be served, or tensors do not fit.
pub fn prepare(
    device: &mut Device,
    request: &Request,
    mut inputs: BackwardInputs,
) -> Result<Prepared, OpError> {
    let shape = request.shape;
    let (row, column) = (row_shape(&shape), column_shape(&shape));
    let host = |shape, values: &[f32]| tensors::host(request, (shape, Layout::Tile), values);
    let (dy, x) = parallel::both(|| host(shape, &inputs.dy), || host(shape, &inputs.x));
    let mut place = |tensor: Result<Tensor, OpError>| -> Result<DeviceTensor, OpError> {
        Ok(tensor?.to_device(device, Storage::Dram)?)
    };
    let (x, gamma) = (place(x)?, place(host(row, &inputs.gamma))?);
    let (mean, rstd) = (place(host(column, &inputs.mean))?, place(host(column, &inputs.rstd))?);
    let dy = place(dy)?;
    let mut output = |shape: Shape| tensors::output(device, request, shape);
    let (dx, dgamma, dbeta) = (output(shape)?, output(row)?, output(row)?);
    let tensors = Tensors { x, gamma, mean, rstd, dy, dx, dgamma, dbeta };
    inputs.shares = parameters::program_factory::row_shares(device, request)?;
    let programs = vec![
        input::program_factory::program(device, request, &tensors)?,
        parameters::program_factory::program(device, request, &tensors)?,
    ];
    let input_tiles =
        [x, gamma, mean, rstd, dy].iter().map(|tensor| tensor.shape.tiles() as u64).sum();
    Ok(Prepared { programs, input_tiles, outputs: outputs(&tensors, &Arc::new(inputs)) })
}

fn outputs(tensors: &Tensors, inputs: &Arc<BackwardInputs>) -> Vec<Expected> {
    let names = Backward.roles().outputs.iter();
    let places = [tensors.dx, tensors.dgamma, tensors.dbeta];
    let outputs = names.zip(places).zip(exact(inputs));
    outputs.map(|((name, tensor), values)| Expected::of(name, tensor, values)).collect()
}

/// What dx, dγ and dβ must be.
fn exact(inputs: &Arc<BackwardInputs>) -> [Exact; 3] {
    let [of_dx, of_dgamma, of_dbeta] = [(); 3].map(|()| Arc::clone(inputs));
    let (values, row) = (inputs.x.len(), inputs.features);
    [
        given::in_parts(values, row, move |row, dx| reference::dx_of_row(&of_dx, row, dx)),
        Box::new(move || reference::dgamma(&of_dgamma)),
        Box::new(move || reference::dbeta(&of_dbeta)),
    ]
}

/// γ between 0 and 1, as the published backward tests have it.
fn gamma(request: &Request) -> Vec<f32> {
    let unit = Family::Uniform.values(&row_shape(&request.shape), request.data_seed, 1);
    unit.iter().map(|unit| 0.5 + 0.5 * unit).collect()
}
