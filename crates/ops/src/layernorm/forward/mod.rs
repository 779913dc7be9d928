//! LayerNorm forward in tile layout: y, mean and 1/std.

pub(super) mod compute;
mod program_factory;
mod reader;
mod writer;

use std::sync::Arc;

pub(super) use program_factory::compute_config;
use tilewright_metal::{ComputeSettings, Device, Layout};
use tilewright_tile::DataFormat;

use super::inputs::{column_shape, row_shape, scale_and_shift};
use super::reference::{ForwardInputs, ForwardRows};
use super::{EPSILON, PATH, SETTINGS};
use crate::operation::{Choice, Expected, OpError, Operation, Prepared, Request};
use crate::reference::{self as given, Given, Roles, Wanted};
use crate::tensors;

/// The operation.
pub struct Forward;

impl Operation for Forward {
    fn name(&self) -> &'static str {
        "layernorm-fw"
    }

    fn about(&self) -> &'static str {
        "LayerNorm over the last dimension: y, mean and 1/std"
    }

    fn choices(&self) -> &'static [Choice] {
        &[PATH]
    }

    fn settings(&self, _format: DataFormat) -> ComputeSettings {
        SETTINGS
    }

    fn roles(&self) -> Roles {
        Roles { inputs: &["x", "gamma", "beta"], outputs: &["y", "mean", "rstd"] }
    }

    fn exact(
        &self,
        _: &Device,
        request: &Request,
        given: Vec<Given>,
    ) -> Result<Vec<Wanted>, OpError> {
        check(request, self.name())?;
        let shape = request.shape;
        let (row, column) = (row_shape(&shape), column_shape(&shape));
        let [x, gamma, beta] = given::taken(&self.roles(), given, [shape, row, row])?;
        let inputs = ForwardInputs {
            format: request.format,
            is_tilized: false,
            family: request.known_family(),
            features: shape.width(),
            epsilon: request.epsilon.unwrap_or(EPSILON),
            x,
            gamma,
            beta,
        };
        // The three come from the same statistics.
        let rows = Arc::new(ForwardRows::new(inputs));
        let [of_y, of_mean, of_rstd] = [(); 3].map(|()| Arc::clone(&rows));
        let y = given::in_parts(shape.volume(), shape.width(), move |row, y| of_y.y(row, y));
        let wanted = |name, shape, values| Wanted { name, shape, values };
        Ok(vec![
            wanted("y", shape, y),
            wanted("mean", column, Box::new(move || of_mean.mean())),
            wanted("rstd", column, Box::new(move || of_rstd.rstd())),
        ])
    }

    fn prepare(&self, device: &mut Device, request: &Request) -> Result<Prepared, OpError> {
        check(request, self.name())?;
        let shape = &request.shape;
        let x = tensors::input(device, request, *shape, ("x", 0))?;
        let (gamma, beta) = scale_and_shift(request)?;
        let (row, column) = (row_shape(shape), column_shape(shape));
        let gamma = tensors::place(device, request, (row, Layout::Tile), &gamma)?;
        let beta = tensors::place(device, request, (row, Layout::Tile), &beta)?;
        let y = tensors::output(device, request, *shape)?;
        let mean = tensors::output(device, request, column)?;
        let rstd = tensors::output(device, request, column)?;
        let tensors = program_factory::Tensors {
            x: &x.tensor,
            gamma: &gamma.tensor,
            beta: &beta.tensor,
            y: &y,
            mean: &mean,
            rstd: &rstd,
        };
        let program = program_factory::program(device, request, &tensors)?;
        let tiles = |input: &tensors::Input| input.tensor.shape.tiles() as u64;
        let input_tiles = tiles(&x) + tiles(&gamma) + tiles(&beta);
        let wanted = self.exact(device, request, vec![x.given(), gamma.given(), beta.given()])?;
        let outputs = Expected::all(wanted, &[y, mean, rstd]);
        Ok(Prepared { programs: vec![program], input_tiles, outputs })
    }
}

/// What every LayerNorm of this crate needs of a request.
pub(super) fn check(request: &Request, name: &str) -> Result<(), OpError> {
    check_settings(request, name)?;
    match request.format {
        DataFormat::Bfloat16 | DataFormat::Float32 => Ok(()),
        DataFormat::Tf32 | DataFormat::Bfp8 | DataFormat::Integer(_) | DataFormat::Small(_) => {
            let why = format!("{name} takes bf16 or fp32, not {}", request.format.name());
            Err(OpError::Invalid(why))
        }
    }
}

/// Sums need a 32-bit Dst; broadcasts are products with ones, exact at full fidelity alone.
pub(super) fn check_settings(request: &Request, name: &str) -> Result<(), OpError> {
    let ComputeSettings { width, fidelity, .. } = request.settings;
    if width != SETTINGS.width {
        let why = format!("{name} keeps its sums in a 32-bit Dst; ask for --dst 32");
        return Err(OpError::Invalid(why));
    }
    if fidelity != SETTINGS.fidelity {
        let why = format!("{name} needs whole products; ask for fidelity HiFi4, not {fidelity:?}");
        return Err(OpError::Invalid(why));
    }
    Ok(())
}
