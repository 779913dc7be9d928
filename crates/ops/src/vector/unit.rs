//! A tile's way through a kernel that calls the vector unit: L1 to Dst, its calls, Dst to L1.
//!
//! Formats in between are those that tt-metal derives from the buffers' (numerics specification,
//! sections 3 and 6), as `Steps` has them.

use tilewright_tile::{
    Chip, DataFormat, DstWidth, Lanes, PackMask, Packing, Relu, SourceFormats, TILE_VALUES, fpu,
    pack, unpack,
};

use super::call::Call;
use crate::operation::Request;
use crate::steps::Steps;

/// The calls of a kernel.
#[derive(Clone, Debug)]
pub(super) struct Calls {
    /// On each operand alone, before the others.
    pub(super) first: Vec<Vec<Call>>,
    /// The format of buffers after those, if the kernel has any there.
    pub(super) intermediates: Option<DataFormat>,
    /// On all operands, then on the result.
    pub(super) then: Vec<Call>,
}

/// What decides the values between a kernel's calls.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    chip: Chip,
    width: DstWidth,
    unpacks_to_dst: bool,
}

impl Unit {
    pub(super) fn new(request: &Request) -> Unit {
        let (kernel, width) = (&request.kernel, request.settings.width);
        Unit { chip: kernel.chip, width, unpacks_to_dst: kernel.unpacks_to_dst }
    }

    /// One tile of the output's format, for tiles of the inputs'; or why it is not known.
    pub(super) fn tile(
        self,
        calls: &Calls,
        inputs: &[(DataFormat, &[u8])],
        output: DataFormat,
    ) -> Result<Vec<u8>, String> {
        let unit = (self.chip, self.width);
        let mut tiles = vec![[0; TILE_VALUES]; inputs.len()];
        for ((tile, (format, bytes)), first) in tiles.iter_mut().zip(inputs).zip(&calls.first) {
            self.fill(*format, bytes, tile)?;
            for call in first {
                call.run(unit, std::slice::from_mut(tile))?;
            }
            if let Some(between) = calls.intermediates.filter(|_| !first.is_empty()) {
                let bytes = self.pack(tile, between)?;
                self.fill(between, &bytes, tile)?;
            }
        }
        for call in &calls.then {
            call.run(unit, &mut tiles)?;
        }
        self.pack(&tiles[0], output)
    }

    /// Dst to L1.
    fn pack(self, tile: &Lanes, output: DataFormat) -> Result<Vec<u8>, String> {
        let mut bytes = vec![0; output.tile_bytes()];
        let source = Steps { width: self.width, format: output }.pack_source();
        let packing = Packing {
            width: self.width,
            source,
            output,
            relu: Relu::Off,
            mask: PackMask::None,
            accumulate: false,
        };
        pack(tile, &packing, &mut bytes).map_err(|error| error.to_string())?;
        Ok(bytes)
    }

    /// L1 to Dst, straight or through a source register.
    fn fill(self, format: DataFormat, bytes: &[u8], tile: &mut Lanes) -> Result<(), String> {
        let is_straight = self.unpacks_to_dst && format == DataFormat::Float32;
        let register = match is_straight {
            true => format,
            false => Steps { width: self.width, format }.register(),
        };
        if register.is_unpacked_to_dst() {
            if self.width == DstWidth::Bits16 {
                return Err(format!("{format} straight to a 16-bit Dst has no reference"));
            }
            return unpack(bytes, format, register, tile).map_err(|error| error.to_string());
        }
        let mut source = [0; TILE_VALUES];
        unpack(bytes, format, register, &mut source).map_err(|error| error.to_string())?;
        fpu::copy(self.width, SourceFormats { a: register, b: register }, &source, tile);
        Ok(())
    }
}
