//! Unmodelled uses of the matrix unit: operands that are refused by name.

use tilewright_tile::fpu::{self, Elementwise, SourceFormats};
use tilewright_tile::{DataFormat, DstWidth};

use crate::config::MathOperation;
use crate::core::Core;
use crate::dst::DstTile;
use crate::processor::SourceId;
use crate::stop::StopReason;
use crate::tensix::sources_of;

impl Core {
    /// Refuses operands that go straight to Dst: a source register cannot hold their 32 bits, and
    /// what the matrix unit makes of them is garbage on the device.
    pub(crate) fn check_raw(&self, op: MathOperation) -> Result<(), StopReason> {
        let moves = matches!(op, MathOperation::Copy | MathOperation::Broadcast { .. });
        let is_raw = |source: &SourceId| self.sources[*source as usize].is_raw();
        if moves || !sources_of(op).iter().any(is_raw) {
            return Ok(());
        }
        let what = "an operand of the matrix unit that is unpacked straight to Dst: its buffer is \
                    set to UnpackToDestFp32, which only copies, transposes and broadcasts can read";
        Err(StopReason::NotModelled(what.to_owned()))
    }

    /// Refuses tiles of 32-bit integers in a 16-bit Dst where they lie in the room of others: each
    /// takes that of two tiles (Dst.md; notes of a tilize for tt-metal say that it is exact with
    /// 4 tiles in a half, and not with 8).
    pub(crate) fn check_wide(
        &self,
        op: MathOperation,
        formats: SourceFormats,
        index: u32,
    ) -> Result<(), StopReason> {
        let is_wide = formats.a.is_integer32() && self.settings.width == DstWidth::Bits16;
        if op != MathOperation::Copy || !is_wide {
            return Ok(());
        }
        let most = self.dst.section_tiles() as u32 / 2;
        if index >= most {
            let name = formats.a.name();
            let what = format!(
                "{name} in tile {index} of a 16-bit Dst: each value takes the room of two, so that \
                 a section holds {most} tiles; set fp32_dest_acc_en, or use tiles 0 to {}",
                most - 1
            );
            return Err(StopReason::NotModelled(what));
        }
        match self.dst.is_beside_narrow(self.dst.math_tile(index)) {
            true => Err(beside_narrow(formats.a)),
            false => Ok(()),
        }
    }

    /// Refuses what is not modelled of Float16 sources.
    pub(crate) fn check_half(
        &mut self,
        op: MathOperation,
        formats: SourceFormats,
        tile: DstTile,
    ) -> Result<(), StopReason> {
        let reduction = match op {
            MathOperation::Copy => return Ok(()),
            MathOperation::Move => {
                return Err(StopReason::NotModelled("fast tilize of Float16".to_owned()));
            }
            MathOperation::Broadcast { .. } => {
                return Err(StopReason::NotModelled("the broadcast of a Float16 tile".to_owned()));
            }
            MathOperation::Elementwise { reuse: Some(_), .. } => {
                let what = "a tile of Dst as Float16 source (binary_dest_reuse_tiles)";
                return Err(StopReason::NotModelled(what.to_owned()));
            }
            MathOperation::Elementwise { reuse: None, .. } | MathOperation::Matmul { .. } => None,
            MathOperation::Reduce { pool, dim } => Some((pool, dim)),
        };
        let overwrites = matches!(
            op,
            MathOperation::Elementwise {
                op: Elementwise::Add | Elementwise::Sub,
                accumulate: false,
                ..
            }
        );
        if overwrites {
            self.scratch.fill(0);
        } else {
            self.dst.read(tile, &mut self.scratch);
        }
        match fpu::half_refusal(self.settings.width, formats, reduction, &self.scratch) {
            Some(what) => Err(StopReason::NotModelled(what.to_owned())),
            None => Ok(()),
        }
    }
}

/// Refuses arithmetic on whole numbers: the golden data has none but copies.
pub(crate) fn check_whole_numbers(
    op: MathOperation,
    formats: SourceFormats,
) -> Result<(), StopReason> {
    if op == MathOperation::Copy {
        return Ok(());
    }
    let format = |source: &SourceId| match source {
        SourceId::A => formats.a,
        SourceId::B => formats.b,
    };
    let mut used = sources_of(op).iter().map(format);
    match used.find(|format| matches!(format, DataFormat::Integer(_))) {
        Some(format) => {
            Err(StopReason::NotModelled(format!("{} in the matrix unit", format.name())))
        }
        None => Ok(()),
    }
}

/// Tiles of 32-bit integers in a section of a 16-bit Dst that has others.
pub(crate) fn beside_narrow(format: DataFormat) -> StopReason {
    let name = format.name();
    StopReason::NotModelled(format!("tiles of {name} beside others in a section of a 16-bit Dst"))
}
