//! A kernel's own instructions for the vector unit: what they do to Dst, and what is told of it.

use tilewright_tile::DstWidth;
use tilewright_tile::sfpu::program::unit::{Code, Register, Rows, Touched};

use crate::context::Context;
use crate::core::Core;
use crate::dst::{Dst, DstUse};
use crate::event::EventKind;
use crate::stop::{StopReason, Unset};
use crate::vector::VectorOperation;
use crate::{Processor, Site};

/// Accesses that cover a tile.
const WHOLE_TILE: u32 = !0;
/// Instructions that timing takes for one pass of the vector unit over a tile.
const PASS_INSTRUCTIONS: u64 = 32;

/// What has no value on any chip.
const UNSEEDED: &str = "numbers of a generator that nothing has seeded";

impl Context<'_> {
    /// The vector unit executes a kernel's own instructions.
    pub fn vector_code(&self, site: Site, code: &Code) {
        if self.skips(site) {
            return;
        }
        let passes = (code.len() as u64).div_ceil(PASS_INSTRUCTIONS);
        self.step(
            site,
            |timing| timing.operation + timing.sfpu_instruction * passes,
            |core| {
                core.check_started(Processor::Math, Unset::AluFormats)?;
                let Core { dst, configuration, vector, .. } = core;
                if code.touched().takes_random_numbers && !vector.is_seeded() {
                    return Err(StopReason::NotModelled(UNSEEDED.to_owned()));
                }
                let unit = &mut configuration.vector_unit;
                unit.set_constants(configuration.vector_constants);
                unit.run(core.arch.chip, code, &mut Section(dst), vector);
                configuration.vector_constants = unit.constants();
                vector.forget_registers();
                let operation = VectorOperation::Code;
                for (reads, writes) in uses(code.touched(), &core.dst) {
                    let writes = Some(writes);
                    core.emit(Processor::Math, EventKind::Vectored { operation, reads, writes });
                }
                Ok(())
            },
        );
    }

    /// The width of Dst that the kernel was compiled for.
    pub fn dst_width(&self, site: Site) -> DstWidth {
        self.at_once(site, |core| Ok(core.settings.width))
    }
}

/// Dst from the section that math owns.
struct Section<'a>(&'a mut Dst);

impl Rows for Section<'_> {
    fn width(&self) -> DstWidth {
        self.0.width()
    }

    fn read(&self, row: u32) -> Register {
        self.0.read_lanes(row)
    }

    fn write(&mut self, row: u32, values: &Register, mask: &Register) {
        self.0.write_lanes(row, values, mask);
    }

    fn read_narrow(&self, row: u32) -> Register {
        self.0.read_lanes16(row)
    }

    fn write_narrow(&mut self, row: u32, values: &Register, mask: &Register) {
        self.0.write_lanes16(row, values, mask);
    }
}

/// What code has used, as events: a tile that it writes may come from all that it reads, and from
/// itself if a part of it stays.
fn uses(touched: &Touched, dst: &Dst) -> Vec<([Option<DstUse>; 2], DstUse)> {
    let used = |index: u32| DstUse { index, tile: dst.math_tile(index) };
    let loads = &touched.loads;
    let mut events = Vec::new();
    for &(index, accesses) in &touched.stores {
        let writes = used(index);
        let mut reads: Vec<DstUse> = loads.iter().map(|index| used(*index)).collect();
        if accesses != WHOLE_TILE && !loads.contains(&index) {
            reads.push(writes);
        }
        // The written tile first, while its old value is there; then two at a time.
        reads.sort_by_key(|read| read.tile != writes.tile);
        let (first, rest) = reads.split_at(reads.len().min(2));
        events.push(([first.first().copied(), first.get(1).copied()], writes));
        events.extend(rest.iter().map(|read| ([Some(*read), Some(writes)], writes)));
    }
    events
}
