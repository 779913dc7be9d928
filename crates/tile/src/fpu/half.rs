//! Float16 sources of the matrix unit: what is computed with them, and how.
//!
//! A source register holds the 5-bit exponent in the low bits of its exponent field. With a 32-bit
//! Dst the unit adds 97 to the sum of two such fields (numerics specification 2, section 5), which
//! is what it does to fields larger by 112: 112 + 112 - 127 = 97. So the fields are enlarged, and
//! everything else is as for Tf32.
//!
//! One difference is left: a zero product takes part in the alignment with an exponent of 97 or
//! less, where one of Tf32 has none. Products and sums are whole multiples of 2^-48, and the unit
//! at exponent 97 is 2^-53, so that aligning a Dst of such multiples loses nothing, and no sum is
//! a single unit. Any other Dst is refused. With a 16-bit Dst, `half16` computes.

use super::{Pool, ReduceDim, SourceFormats};
use crate::bits::{HIDDEN, exponent, significand};
use crate::{DataFormat, DstWidth, Lanes, Small};

const HALF: DataFormat = DataFormat::Small(Small::Float16);

/// What fields are enlarged by: the difference of the biases of fp32 and fp16.
const BIAS: u32 = 112;

/// Exponent field of a value whose last place is 2^-48.
const EXACT_FROM: u32 = 127 - 48 + 23;

/// As what enlarged values count.
pub(super) const ENLARGED: SourceFormats =
    SourceFormats { a: DataFormat::Tf32, b: DataFormat::Tf32 };

/// Whether a source register is configured for Float16.
pub fn has_half(formats: SourceFormats) -> bool {
    formats.a == HALF || formats.b == HALF
}

/// Why a sum or product of Float16 sources is refused, if it is.
pub fn refusal(
    width: DstWidth,
    formats: SourceFormats,
    reduction: Option<(Pool, ReduceDim)>,
    dst: &Lanes,
) -> Option<&'static str> {
    if formats.a != formats.b {
        return Some("sums and products of Float16 and another format");
    }
    match reduction {
        Some((Pool::Max | Pool::BlockMax, _)) => return Some("the maximum of Float16 values"),
        Some((Pool::PooledSum, _)) => return Some("the pooled sum of Float16 values"),
        Some((Pool::Sum, ReduceDim::Scalar)) if width == DstWidth::Bits32 => {
            return Some("the sum of a whole tile of Float16 with a 32-bit Dst");
        }
        Some((Pool::Sum, _)) | None => {}
    }
    if width == DstWidth::Bits16 {
        return None;
    }
    let is_exact = dst.iter().all(|&value| is_multiple(value));
    (!is_exact).then_some("adding Float16 products to values that are no multiples of 2^-48")
}

/// Whether a value is a whole multiple of 2^-48.
fn is_multiple(value: u32) -> bool {
    let below = EXACT_FROM.saturating_sub(exponent(value)).min(31);
    significand(value) & ((1 << below) - 1) == 0
}

/// The source with its exponent fields enlarged; what has none is zero.
pub(super) fn enlarged(source: &Lanes) -> Lanes {
    source.map(|value| if exponent(value) == 0 { 0 } else { value + BIAS * HIDDEN })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_are_told_by_their_last_place() {
        let value = |exponent: i32, mantissa: u32| ((exponent + 127) as u32) << 23 | mantissa;
        assert!(is_multiple(0) && is_multiple(value(-48, 0)) && is_multiple(value(-25, 1)));
        assert!(!is_multiple(value(-49, 0)) && !is_multiple(value(-26, 1)));
        assert!(is_multiple(value(-26, 2)) && is_multiple(value(100, 1)));
    }
}
