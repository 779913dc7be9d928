//! Identity, row-major to row-major: sticks are tilized, untilized again and written back.
//!
//! What it changes is what the way through the registers changes: Float32 is cut to Tf32,
//! denormals and negative zeros become zero.

mod blocks;
mod compute;
mod program_factory;
mod reader;
mod reference;
mod writer;

use tilewright_metal::{Device, DeviceTensor, Layout, Storage, Tensor};

use crate::operation::{Expected, OpError, Operation, Prepared, Request};
use crate::reference::{self as given, Given, Roles, Wanted};

/// The operation.
pub struct Identity;

impl Operation for Identity {
    fn name(&self) -> &'static str {
        "identity"
    }

    fn about(&self) -> &'static str {
        "row-major sticks through tilize and pack_untilize and back"
    }

    fn roles(&self) -> Roles {
        Roles { inputs: &["x"], outputs: &["y"] }
    }

    fn exact(
        &self,
        _: &Device,
        request: &Request,
        given: Vec<Given>,
    ) -> Result<Vec<Wanted>, OpError> {
        request.check(self)?;
        let (shape, format, config) = (request.shape, request.format, request.compute_config());
        let [stored] = given::taken(&self.roles(), given, [shape])?;
        let values = reference::identity(&config, format, stored);
        Ok(vec![Wanted { name: "y", shape, values }])
    }

    fn prepare(&self, device: &mut Device, request: &Request) -> Result<Prepared, OpError> {
        request.check(self)?;
        let shape = request.shape;
        let generate = || request.family.values(&shape, request.data_seed, 0);
        let values = request.values("x", &shape, generate)?;
        let input = Tensor::from_f32(shape, &values)?.convert(Layout::RowMajor, request.format)?;
        let from = input.to_device(device, Storage::Dram)?;
        let to =
            DeviceTensor::zeros(device, shape, Layout::RowMajor, request.format, Storage::Dram)?;
        let program = program_factory::program(device, request, &from, &to)?;
        let wanted = self.exact(device, request, vec![Given { tensor: input }])?;
        Ok(Prepared {
            programs: vec![program],
            input_tiles: shape.tiles() as u64,
            outputs: Expected::all(wanted, &[to]),
        })
    }
}
