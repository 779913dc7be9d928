//! The steps that every kernel's values go through, as bounds: L1 to a register, Dst to L1.

use tilewright_metal::ComputeConfig;
use tilewright_tile::bound::{self, Approx, ApproxLanes};
use tilewright_tile::{DataFormat, DstWidth, PackMask, Packing, Relu, Small, SourceFormats};

/// The formats of a kernel whose buffers all have one format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps {
    pub(crate) width: DstWidth,
    pub(crate) format: DataFormat,
}

impl Steps {
    pub(crate) fn new(config: &ComputeConfig, format: DataFormat) -> Steps {
        Steps { width: config.settings.width, format }
    }

    /// What the source registers hold (numerics specification, section 3).
    pub(crate) fn register(self) -> DataFormat {
        match (self.format, self.width) {
            (DataFormat::Float32, DstWidth::Bits32) => DataFormat::Tf32,
            (DataFormat::Float32, DstWidth::Bits16) => DataFormat::Bfloat16,
            (
                DataFormat::Tf32
                | DataFormat::Bfloat16
                | DataFormat::Bfp8
                | DataFormat::Integer(_)
                | DataFormat::Small(_),
                _,
            ) => self.format,
        }
    }

    /// The matrix unit's formats when both operands come from such buffers.
    pub(crate) fn sources(self) -> SourceFormats {
        SourceFormats { a: self.register(), b: self.register() }
    }

    /// A stored value as the kernel's first step finds it.
    pub(crate) fn stored(self, value: f32) -> Approx {
        Approx::from_bits(value.to_bits())
    }

    /// What the matrix unit takes from a source register that was filled with a stored value:
    /// cut to the register's format, denormals zero (sections 2 and 3). Known exactly, so that
    /// the steps after it start from an exact operand; see [`estimate_of`].
    pub(crate) fn operand(self, value: f32) -> Approx {
        masked(self.register().source_mask(), value)
    }

    /// L1 to a source register.
    pub(crate) fn unpack(self, x: Approx) -> Approx {
        bound::unpack(x, self.format, self.register()).unwrap_or(Approx::special())
    }

    /// L1 through a source register to Dst.
    pub(crate) fn copy(self, x: Approx) -> Approx {
        bound::copy(self.unpack(x))
    }

    /// A stored value that goes through Dst and back, and nothing else. A NaN comes back as an
    /// infinity with its sign: the matrix unit's way to a 32-bit Dst makes it one, and so do the
    /// packers from a 16-bit Dst (numerics specification, sections 5 and 6).
    pub(crate) fn moved(self, value: f32) -> Approx {
        if value.is_finite() {
            return self.pack(self.copy(self.stored(value)));
        }
        Approx::exact(f64::INFINITY.copysign(f64::from(value)))
    }

    /// Dst to L1. Block formats have no bound of their own here.
    #[inline]
    pub(crate) fn pack(self, x: Approx) -> Approx {
        bound::pack(&self.packing(), x).unwrap_or(Approx::special())
    }

    /// The same of many values.
    pub(crate) fn pack_lanes(self, x: &ApproxLanes, out: &mut ApproxLanes) {
        if bound::pack_lanes_to(&self.packing(), x, out).is_err() {
            *out = ApproxLanes::splat(Approx::special());
        }
    }

    /// What the packer takes Dst to hold.
    #[inline]
    pub(crate) fn pack_source(self) -> DataFormat {
        match (self.format, self.width) {
            (DataFormat::Float32 | DataFormat::Bfloat16, DstWidth::Bits16) => DataFormat::Bfloat16,
            (DataFormat::Small(Small::Bfp4 | Small::Bfp2), _) => DataFormat::Bfp8,
            (DataFormat::Float32 | DataFormat::Bfloat16, DstWidth::Bits32)
            | (
                DataFormat::Tf32
                | DataFormat::Bfp8
                | DataFormat::Integer(_)
                | DataFormat::Small(Small::Float16),
                _,
            ) => self.format,
        }
    }

    #[inline]
    fn packing(self) -> Packing {
        Packing {
            width: self.width,
            source: self.pack_source(),
            output: self.format,
            relu: Relu::Off,
            mask: PackMask::None,
            accumulate: false,
        }
    }
}

/// What a register that has the bits of a mask holds of a stored value: denormals are zero.
#[inline]
pub(crate) fn masked(mask: u32, value: f32) -> Approx {
    let bits = value.to_bits() & mask;
    let is_denormal = f32::from_bits(bits).abs() < f32::MIN_POSITIVE;
    Approx::from_bits(if is_denormal { 0 } else { bits })
}

/// What was computed from operands as the registers hold them, as an estimate of the exact value
/// that the stored operands have: what the registers cut off is added to the bound.
pub(crate) fn estimate_of(exact: f64, x: Approx) -> Approx {
    let moved = (x.value - exact).abs();
    if moved == 0.0 || !x.is_finite() {
        return x;
    }
    if !exact.is_finite() {
        return Approx::special();
    }
    // Both were computed in f64.
    Approx::new(exact, x.error + moved + (x.value.abs() + exact.abs()) * f64::EPSILON)
}

/// A sum in f64 that keeps what each addition loses (Neumaier).
pub(crate) fn exact_sum(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0_f64);
    for value in values {
        let next = sum + value;
        lost += if sum.abs() >= value.abs() { sum - next + value } else { value - next + sum };
        sum = next;
    }
    sum + lost
}
