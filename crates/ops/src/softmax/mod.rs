//! Softmax over the last dimension, in tile layout.
//!
//! Each row is shifted by its maximum, exponentiated and divided by its sum. Columns of padding
//! count as minus infinity, so that they come out as zero; rows of padding hold no promise.

mod compute;
mod plan;
mod program_factory;
mod reader;
mod reference;
mod writer;

use tilewright_metal::Device;

use crate::operation::{Choice, Expected, OpError, Operation, Prepared, Request};
use crate::reference::{self as given, Given, Roles, Wanted};
use crate::tensors;

/// The operation.
pub struct Softmax;

const PATH: Choice = Choice {
    name: "path",
    values: &["auto", "row", "blocks"],
    about: "keep a whole row of tiles in L1, or read it in three passes; auto: row if it fits",
};

impl Operation for Softmax {
    fn name(&self) -> &'static str {
        "softmax"
    }

    fn about(&self) -> &'static str {
        "softmax over the last dimension, shifted by the row's maximum"
    }

    fn choices(&self) -> &'static [Choice] {
        &[PATH]
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
        let shape = request.shape;
        let [x] = given::taken(&self.roles(), given, [shape])?;
        let reference = reference::Reference::new(request);
        Ok(vec![Wanted { name: "y", shape, values: reference.of(x) }])
    }

    fn prepare(&self, device: &mut Device, request: &Request) -> Result<Prepared, OpError> {
        request.check(self)?;
        let path = request.choice(&PATH)?;
        let x = tensors::input(device, request, request.shape, ("x", 0))?;
        let y = tensors::output(device, request, request.shape)?;
        let program = program_factory::program(device, request, path, &x.tensor, &y)?;
        let wanted = self.exact(device, request, vec![x.given()])?;
        let input_tiles = request.shape.tiles() as u64;
        let outputs = Expected::all(wanted, &[y]);
        Ok(Prepared { programs: vec![program], input_tiles, outputs })
    }
}
