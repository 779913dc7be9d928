//! Which places exist, and which pairs of addresses a transfer may have.

use crate::core::Core;
use crate::noc::NocAddress;
use crate::stop::StopReason;
use crate::units::L1Address;

impl Core {
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

    /// Whether bytes lie inside this core's L1.
    pub(crate) fn check_l1(&self, at: L1Address, bytes: u32) -> Result<(), StopReason> {
        if self.l1.get(at, bytes as usize).is_none() {
            let l1_bytes = self.arch.l1_bytes;
            return Err(StopReason::OutsideL1 { at, bytes, l1_bytes });
        }
        Ok(())
    }

    pub(super) fn check_place(&self, at: NocAddress, bytes: u32) -> Result<(), StopReason> {
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
