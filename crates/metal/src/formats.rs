//! The formats that a compute kernel is compiled for, derived from its buffers' formats.
//!
//! The derivation is tt-metal's (`tt_metal/jit_build/data_format.cpp`); numerics specification,
//! sections 3 and 6.

use tilewright_machine::{CbId, PackFormats, UnpackFormats};
use tilewright_tile::{DataFormat, DstWidth, Small};

pub(crate) const HALF: DataFormat = DataFormat::Small(Small::Float16);

/// What decides the derived formats besides the buffer's own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FormatRules {
    pub(crate) width: DstWidth,
    pub(crate) bfp8_pack_precise: bool,
    /// Whether a buffer of the core is Float16: then Float32 is too, in a 16-bit Dst.
    pub(crate) has_half: bool,
}

/// A buffer's formats as the kernel sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BufferFormats {
    pub(crate) unpack: UnpackFormats,
    pub(crate) pack: PackFormats,
}

impl BufferFormats {
    /// The formats of one buffer; `unpack_to_dst` asks for Float32 to go straight to Dst.
    pub(crate) fn of(l1: DataFormat, unpack_to_dst: bool, rules: FormatRules) -> BufferFormats {
        let register = match (l1, rules.width) {
            (DataFormat::Float32, _) if unpack_to_dst => DataFormat::Float32,
            (DataFormat::Float32, DstWidth::Bits32) => DataFormat::Tf32,
            (DataFormat::Float32, DstWidth::Bits16) if rules.has_half => HALF,
            (DataFormat::Float32, DstWidth::Bits16) => DataFormat::Bfloat16,
            (
                DataFormat::Tf32
                | DataFormat::Bfloat16
                | DataFormat::Bfp8
                | DataFormat::Integer(_)
                | DataFormat::Small(_),
                _,
            ) => l1,
        };
        let source = match (l1, rules.width) {
            (DataFormat::Float32, DstWidth::Bits16) if rules.has_half => HALF,
            (DataFormat::Float32 | DataFormat::Bfloat16, DstWidth::Bits16) => DataFormat::Bfloat16,
            (DataFormat::Bfp8 | DataFormat::Small(Small::Bfp4 | Small::Bfp2), DstWidth::Bits16)
                if rules.bfp8_pack_precise =>
            {
                DataFormat::Bfloat16
            }
            (DataFormat::Bfp8 | DataFormat::Small(Small::Bfp4 | Small::Bfp2), DstWidth::Bits32)
                if rules.bfp8_pack_precise =>
            {
                DataFormat::Float32
            }
            (DataFormat::Small(Small::Bfp4 | Small::Bfp2), _) => DataFormat::Bfp8,
            (
                DataFormat::Bfp8 | DataFormat::Tf32 | DataFormat::Integer(_) | DataFormat::Small(_),
                _,
            )
            | (DataFormat::Float32 | DataFormat::Bfloat16, DstWidth::Bits32) => l1,
        };
        BufferFormats {
            unpack: UnpackFormats { l1, register },
            pack: PackFormats { source, output: l1 },
        }
    }
}

/// The formats of every buffer of a core, by index.
#[derive(Clone, Debug, Default)]
pub(crate) struct FormatTable {
    buffers: Vec<Option<BufferFormats>>,
}

impl FormatTable {
    pub(crate) fn set(&mut self, cb: CbId, formats: BufferFormats) {
        let place = usize::from(cb.0);
        if self.buffers.len() <= place {
            self.buffers.resize(place + 1, None);
        }
        self.buffers[place] = Some(formats);
    }

    pub(crate) fn get(&self, cb: CbId) -> Option<BufferFormats> {
        self.buffers.get(usize::from(cb.0)).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(
        l1: DataFormat,
        width: DstWidth,
        precise: bool,
        register: DataFormat,
        source: DataFormat,
    ) {
        let rules = FormatRules { width, bfp8_pack_precise: precise, has_half: false };
        let formats = BufferFormats::of(l1, false, rules);
        assert_eq!((formats.unpack.register, formats.pack.source), (register, source));
        assert_eq!((formats.unpack.l1, formats.pack.output), (l1, l1));
    }

    #[test]
    fn registers_and_packers_get_what_tt_metal_derives() {
        use DataFormat::{Bfloat16, Bfp8, Float32, Tf32};
        use DstWidth::{Bits16, Bits32};
        check(Float32, Bits32, false, Tf32, Float32);
        check(Float32, Bits16, false, Bfloat16, Bfloat16);
        check(Bfloat16, Bits32, false, Bfloat16, Bfloat16);
        check(Bfloat16, Bits16, false, Bfloat16, Bfloat16);
        check(Bfp8, Bits32, false, Bfp8, Bfp8);
        check(Bfp8, Bits32, true, Bfp8, Float32);
        check(Bfp8, Bits16, true, Bfp8, Bfloat16);
        let half = FormatRules { width: Bits16, bfp8_pack_precise: false, has_half: true };
        let formats = BufferFormats::of(Float32, false, half);
        assert_eq!((formats.unpack.register, formats.pack.source), (HALF, HALF));
        let rules = FormatRules { width: Bits32, bfp8_pack_precise: false, has_half: false };
        assert_eq!(BufferFormats::of(Float32, true, rules).unpack.register, Float32);
    }
}
