//! Which places exist, and which pairs of addresses a transfer may have.

use crate::core::Core;
use crate::noc::NocAddress;
use crate::stop::StopReason;
use crate::transfer::Target;
use crate::units::L1Address;

impl Core {
    /// Whether both ends of a transfer exist and are congruent.
    pub(super) fn check_transfer(
        &self,
        local: L1Address,
        remote: NocAddress,
        bytes: u32,
        alignment: u32,
    ) -> Result<(), StopReason> {
        self.check_l1(local, bytes)?;
        self.check_place(remote, bytes)?;
        let mask = u64::from(alignment) - 1;
        if u64::from(local.0) & mask != remote.low_bits() & mask {
            return Err(StopReason::Misaligned { local, remote, alignment });
        }
        Ok(())
    }

    /// Whether a word that a request carries or changes exists and is aligned.
    pub(super) fn check_word(&self, at: NocAddress, what: &str) -> Result<(), StopReason> {
        self.check_place(at, 4)?;
        if !at.low_bits().is_multiple_of(4) {
            let why = format!("{what} to address {:#x}, no multiple of 4", at.low_bits());
            return Err(StopReason::NotModelled(why));
        }
        Ok(())
    }

    /// Whether all cores of a rectangle exist. Its first core has been looked at.
    pub(super) fn check_rectangle(&self, to: Target) -> Result<(), StopReason> {
        let Target::Cores { range, address, .. } = to else { return Ok(()) };
        self.check_place(NocAddress::L1 { core: range.end, address }, 0)?;
        if range.start.x > range.end.x || range.start.y > range.end.y {
            let why = format!("a multicast to {range}, which would go round the grid's edge");
            return Err(StopReason::NotModelled(why));
        }
        Ok(())
    }

    /// Whether bytes lie inside this core's L1.
    pub(crate) fn check_l1(&self, at: L1Address, bytes: u32) -> Result<(), StopReason> {
        if self.l1.get(at, bytes as usize).is_none() {
            let l1_bytes = self.arch.l1_bytes;
            return Err(StopReason::OutsideL1 { at, bytes, l1_bytes });
        }
        Ok(())
    }

    fn check_place(&self, at: NocAddress, bytes: u32) -> Result<(), StopReason> {
        let exists = match at {
            NocAddress::L1 { core, address } => {
                self.arch.has_core(core) && self.l1.get(address, bytes as usize).is_some()
            }
            NocAddress::Dram(dram) => {
                dram.bank < self.arch.dram_banks
                    && dram.offset.saturating_add(u64::from(bytes)) <= self.run.dram_bytes
            }
        };
        if exists { Ok(()) } else { Err(StopReason::NoSuchPlace { at, bytes }) }
    }
}
