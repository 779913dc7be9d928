//! What the matrix unit is asked for and the simulator does not model: operands that it refuses.

use tilewright_tile::DataFormat;
use tilewright_tile::fpu::{self, Elementwise, SourceFormats};

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
