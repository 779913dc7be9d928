//! Copy in tile layout: the shortest way through all five processors.

mod compute;
mod program_factory;
mod reader;
mod writer;

use tilewright_metal::Device;

use crate::operation::{Expected, OpError, Operation, Prepared, Request};
use crate::reference::{self as given, Given, Roles, Wanted};
use crate::steps::Steps;
use crate::tensors;

/// The operation.
pub struct Copy;

impl Operation for Copy {
    fn name(&self) -> &'static str {
        "copy"
    }

    fn about(&self) -> &'static str {
        "tiles from DRAM through Dst and back"
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
        let [stored] = given::taken(&self.roles(), given, [shape])?;
        let steps = Steps::new(&request.compute_config(), request.format);
        let values = given::one_by_one(stored.len(), move |at| steps.moved(stored[at]));
        Ok(vec![Wanted { name: "y", shape, values }])
    }

    fn prepare(&self, device: &mut Device, request: &Request) -> Result<Prepared, OpError> {
        request.check(self)?;
        let input = tensors::input(device, request, request.shape, ("x", 0))?;
        let output = tensors::output(device, request, request.shape)?;
        let program = program_factory::program(device, request, &input.tensor, &output)?;
        let wanted = self.exact(device, request, vec![input.given()])?;
        let input_tiles = request.shape.tiles() as u64;
        let outputs = Expected::all(wanted, &[output]);
        Ok(Prepared { programs: vec![program], input_tiles, outputs })
    }
}
