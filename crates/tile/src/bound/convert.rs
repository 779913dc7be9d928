//! Conversions without arithmetic: unpack, moves, fill, masks and maxima (section 3, 4.5, 4.6).

use super::approx::Approx;
use super::grid::{self, BF16_BITS, FP32_BITS, TF32_BITS};
use super::source::significant_bits;
use crate::sfpu::Mask;
use crate::{DataFormat, DstWidth, UnsupportedConversion};

/// L1 to a source register, or to Dst (`to` is Float32): truncation to the register's format.
///
/// Refuses what [`crate::unpack()`] refuses.
pub fn unpack(
    x: Approx,
    from: DataFormat,
    to: DataFormat,
) -> Result<Approx, UnsupportedConversion> {
    match (from, to) {
        (DataFormat::Float32, DataFormat::Tf32) => Ok(grid::truncate(x, TF32_BITS)),
        // Denormals are flushed on this way only.
        (DataFormat::Float32, DataFormat::Bfloat16) => {
            Ok(grid::truncate(grid::flush(x), BF16_BITS))
        }
        (DataFormat::Float32, DataFormat::Float32)
        | (DataFormat::Bfloat16, DataFormat::Bfloat16)
        | (DataFormat::Bfp8, DataFormat::Bfp8) => Ok(x),
        (DataFormat::Float32, DataFormat::Bfp8 | DataFormat::Integer(_) | DataFormat::Small(_))
        | (
            DataFormat::Tf32
            | DataFormat::Bfloat16
            | DataFormat::Bfp8
            | DataFormat::Integer(_)
            | DataFormat::Small(_),
            _,
        ) => Err(UnsupportedConversion { step: "unpack", from, to }),
    }
}

/// The ALU reading a register through another format than it was filled with (section 2).
pub fn mask_source(x: Approx, register: DataFormat, alu: DataFormat) -> Approx {
    let bits = significant_bits(alu);
    if bits < significant_bits(register) { grid::truncate(x, bits) } else { x }
}

/// MOVD2A, MOVD2B: Dst to a source register, truncated to the format of *SrcA* (4.6).
pub fn move_to_source(width: DstWidth, srca_format: DataFormat, x: Approx) -> Approx {
    match width {
        DstWidth::Bits16 => x,
        DstWidth::Bits32 => grid::truncate(x, significant_bits(srca_format)),
    }
}

/// `fill_tile`: an fp32 pattern everywhere, truncated in a bf16 Dst (7.6).
pub fn fill(width: DstWidth, bits: u32) -> Approx {
    let x = grid::flush(Approx::from_bits(bits));
    match width {
        DstWidth::Bits16 => grid::truncate(x, BF16_BITS),
        DstWidth::Bits32 => grid::truncate(x, FP32_BITS),
    }
}

/// The mask functions: `data` where the mask is not +0; -0 does not mask (7.5). The mask must be
/// exact.
pub fn mask(kind: Mask, data: Approx, mask: Approx) -> Approx {
    debug_assert!(mask.is_exact(), "whether a lane is masked cannot be uncertain");
    if mask.value.to_bits() != 0 {
        return data;
    }
    match kind {
        Mask::Zero => Approx::ZERO,
        Mask::PositiveInfinity => Approx::special(),
    }
}

/// The maximum of values that are in their format already: MAX reductions, `binary_max_tile`.
///
/// Choosing is exact: the device's maximum lies between the largest of the values' lower ends
/// and the largest of their upper ends. Special without any value.
pub fn maximum(values: impl IntoIterator<Item = Approx>) -> Approx {
    let (mut low, mut value, mut high) = (f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY);
    for x in values {
        if !x.is_finite() {
            return Approx::special();
        }
        low = low.max(x.value - x.error);
        value = value.max(x.value);
        high = high.max(x.value + x.error);
    }
    Approx::computed(value, (high - value).max(value - low))
}

/// The minimum, in the same way.
pub fn minimum(values: impl IntoIterator<Item = Approx>) -> Approx {
    -maximum(values.into_iter().map(|x| -x))
}
