//! Counts, indices and addresses that must not be mixed up, each with a type of its own.

use std::fmt;
use std::ops::{Add, AddAssign};

/// Simulated time of one clock, in cycles. Wall time has no name in this crate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cycle(pub u64);

impl Cycle {
    /// When nothing happens: later than all others.
    pub(crate) const NEVER: Cycle = Cycle(u64::MAX);
}

impl Add<u64> for Cycle {
    type Output = Cycle;
    fn add(self, cycles: u64) -> Cycle {
        Cycle(self.0 + cycles)
    }
}

impl AddAssign<u64> for Cycle {
    fn add_assign(&mut self, cycles: u64) {
        self.0 += cycles;
    }
}

impl fmt::Display for Cycle {
    /// Groups of three digits, as all reports print cycles: `18_432`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
        for (place, digit) in digits.chars().enumerate() {
            if place > 0 && (digits.len() - place).is_multiple_of(3) {
                grouped.push('_');
            }
            grouped.push(digit);
        }
        f.write_str(&grouped)
    }
}

/// The index of a circular buffer, as kernels name it (`c_0` is 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CbId(pub u8);

impl fmt::Display for CbId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "c_{}", self.0)
    }
}

/// A byte address in one core's L1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct L1Address(pub u32);

impl Add<u32> for L1Address {
    type Output = L1Address;
    fn add(self, bytes: u32) -> L1Address {
        L1Address(self.0.wrapping_add(bytes))
    }
}

/// A byte address in one bank of DRAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DramAddress {
    /// The bank, counted as interleaved pages count them.
    pub bank: u8,
    /// The byte offset in the bank.
    pub offset: u64,
}

#[cfg(test)]
mod tests {
    use super::Cycle;

    #[test]
    fn cycles_are_printed_in_groups_of_three() {
        let shown: Vec<String> =
            [0, 999, 1000, 18_432, 1_234_567].map(|c| Cycle(c).to_string()).into();
        assert_eq!(shown, ["0", "999", "1_000", "18_432", "1_234_567"]);
    }
}
