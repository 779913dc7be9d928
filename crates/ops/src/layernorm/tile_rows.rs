//! Programs that deal tile-rows out to cores: a reader, a compute kernel and a writer on each.

use tilewright_metal::api::{Compute, DataMovement};
use tilewright_metal::{
    CbSpec, CompileTimeArgs, ComputeConfig, CoreSet, DataMovementPlace, Device, DeviceTensor,
    Program, ProgramBuilder, WorkSplit,
};

use crate::operation::OpError;

/// All but the kernels.
pub(super) struct TileRows<'a> {
    pub(super) name: &'static str,
    /// Tile-rows of all matrices, and the most cores they are dealt out to.
    pub(super) rows: u32,
    pub(super) cores: u32,
    pub(super) buffers: Vec<CbSpec>,
    pub(super) config: ComputeConfig,
    pub(super) inputs: &'a [&'a DeviceTensor],
    pub(super) outputs: &'a [&'a DeviceTensor],
    /// Declares what is in the outputs.
    pub(super) declare: &'a dyn Fn(&mut ProgramBuilder),
}

impl TileRows<'_> {
    /// The reader and the writer get their tensors' addresses, then the first row and how many;
    /// compute gets how many.
    pub(super) fn program(
        self,
        device: &Device,
        reader: impl Fn(&DataMovement<'_>) + Send + Sync + 'static,
        compute: impl Fn(&Compute<'_>) + Send + Sync + 'static,
        writer: impl Fn(&DataMovement<'_>) + Send + Sync + 'static,
    ) -> Result<Program, OpError> {
        let split = WorkSplit::new(device.architecture(), self.cores, self.rows)?;
        let cores: CoreSet = split.shares().iter().map(|share| share.core).collect();
        let mut builder = Program::builder(self.name);
        for spec in self.buffers {
            builder.circular_buffer(&cores, spec);
        }
        (self.declare)(&mut builder);
        let (read_at, write_at) = (DataMovementPlace::Reader, DataMovementPlace::Writer);
        let (inputs, outputs) = (addresses(self.inputs), addresses(self.outputs));
        let args = accessors(self.inputs);
        let read = builder.data_movement("reader", &cores, read_at, args, reader);
        let no_args = CompileTimeArgs::default();
        let compute = builder.compute("compute", &cores, self.config, no_args, compute);
        let args = accessors(self.outputs);
        let write = builder.data_movement("writer", &cores, write_at, args, writer);
        for share in split.shares() {
            let work = [share.first_unit, share.units];
            builder.runtime_args(read, share.core, &[&inputs[..], &work].concat());
            builder.runtime_args(compute, share.core, &[share.units]);
            builder.runtime_args(write, share.core, &[&outputs[..], &work].concat());
        }
        Ok(builder.build(device.architecture(), device.l1_lowest())?)
    }
}

/// The words of tensors' accessors, one after the other.
pub(super) fn accessors(tensors: &[&DeviceTensor]) -> CompileTimeArgs {
    let mut words = Vec::new();
    tensors.iter().for_each(|tensor| tensor.accessor_args().append_to(&mut words));
    CompileTimeArgs::positional(&words)
}

/// The addresses of tensors.
pub(super) fn addresses(tensors: &[&DeviceTensor]) -> Vec<u32> {
    tensors.iter().map(|tensor| tensor.buffer.address_word()).collect()
}
