//! Copy in tile layout: the shortest way through all five processors.

mod compute;
mod program_factory;
mod reader;
mod writer;

use tilewright_metal::Device;
use tilewright_tile::bound::Approx;

use crate::operation::{Expected, OpError, Operation, Prepared, Request};
use crate::parallel;
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

    fn prepare(&self, device: &mut Device, request: &Request) -> Result<Prepared, OpError> {
        request.check(self)?;
        let input = tensors::input(device, request, request.shape, 0)?;
        let output = tensors::output(device, request, request.shape)?;
        let program = program_factory::program(device, request, &input.tensor, &output)?;
        let steps = Steps::new(&request.compute_config(), request.format);
        let copied = move |value: f32| -> Approx { steps.pack(steps.copy(steps.stored(value))) };
        let stored = input.values;
        let output = Expected {
            name: "y",
            tensor: output,
            reference: Box::new(move || parallel::map(stored.len(), |at| copied(stored[at]))),
        };
        let input_tiles = request.shape.tiles() as u64;
        Ok(Prepared { programs: vec![program], input_tiles, outputs: vec![output] })
    }
}
