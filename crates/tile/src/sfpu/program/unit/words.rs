//! Words as instructions carry them, and how Dst is read and written.

use super::super::run::Mode;
use crate::bits::SIGN;
use crate::{Chip, DstWidth};

/// The fp32 pattern of a 16-bit float of 5 exponent bits; exponent 0 stays 0 (SFPLOADI).
pub fn half_word(half: u32) -> u32 {
    let (exponent, mantissa) = (half >> 10 & 31, (half & 0x3ff) << 13);
    let exponent = if exponent == 0 { 0 } else { exponent + 112 };
    (half << 16 & SIGN) | exponent << 23 | mantissa
}

/// How SFPLOAD and SFPSTORE take a value, by the number in the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadMode(pub u32);

impl LoadMode {
    /// What it means for a chip and a width of Dst.
    ///
    /// # Errors
    ///
    /// If it is not modelled: what it is.
    pub fn mode(self, chip: Chip, width: DstWidth) -> Result<Mode, String> {
        use DstWidth::{Bits16, Bits32};
        match (self.0, width) {
            (0, _) | (2, Bits16) | (3, Bits32) => Ok(Mode::Float),
            (2, Bits32) => Ok(Mode::Half),
            (4, Bits32) => Ok(Mode::Int32),
            (6, Bits16) => Ok(Mode::UInt16),
            (6, Bits32) => Ok(Mode::StoredHalf),
            (9, Bits32) => Ok(Mode::Exchanged),
            (12, Bits32) => Ok(Mode::signed(chip)),
            (mode, Bits16) => Err(format!("mode {mode} of SFPLOAD and SFPSTORE in a 16-bit Dst")),
            (mode, Bits32) => Err(format!("mode {mode} of SFPLOAD and SFPSTORE in a 32-bit Dst")),
        }
    }
}
