//! Families of data, operands with what is known of them, and the judge.

use std::fmt::Display;

use tilewright_tile::bound::{self, Approx};
use tilewright_tile::{DataFormat, DstWidth, Lanes, SourceFormats, TILE_VALUES};

pub const WIDTHS: [DstWidth; 2] = [DstWidth::Bits16, DstWidth::Bits32];
pub const TF32: SourceFormats = SourceFormats { a: DataFormat::Tf32, b: DataFormat::Tf32 };
pub const BF16: SourceFormats = SourceFormats { a: DataFormat::Bfloat16, b: DataFormat::Bfloat16 };
pub const MIXED: SourceFormats = SourceFormats { a: DataFormat::Tf32, b: DataFormat::Bfloat16 };

/// Data that differ in what they do to a sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Family {
    /// Spread evenly between -1 and 1.
    Uniform,
    /// Evenly between 0 and 1: sums grow, and ties all go up.
    Positive,
    /// Around 3, all in one or two binades.
    Biased,
    /// Both signs, 2^-20 to 2^20.
    Wide,
    /// Neighbours nearly cancel.
    Near,
    /// Whole numbers up to 255: much is exact.
    Integers,
    /// One value everywhere: roundings go one way.
    Constant,
    /// 2^-130 to 2^-55: products and sums underflow.
    Tiny,
    /// Any pattern, special values included: much overflows and has no bound.
    Bits,
}

pub const FAMILIES: [Family; 9] = [
    Family::Uniform,
    Family::Positive,
    Family::Biased,
    Family::Wide,
    Family::Near,
    Family::Integers,
    Family::Constant,
    Family::Tiny,
    Family::Bits,
];

impl Family {
    /// What share of the bound some element must reach, if anything can be asked for.
    pub fn demand(self, share: f64) -> Option<f64> {
        match self {
            Family::Constant => Some(0.0), // One value alone may happen to be exact.
            Family::Bits => None,
            Family::Uniform
            | Family::Positive
            | Family::Biased
            | Family::Wide
            | Family::Near
            | Family::Integers
            | Family::Tiny => Some(share),
        }
    }
}

/// SplitMix64: seeded, so that a failure comes again.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Evenly in 0..1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Evenly in -1..1.
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// ±1..2 times 2 to a power in the range.
    pub fn scaled(&mut self, from: i32, to: i32) -> f64 {
        let exponent = from + (self.unit() * f64::from(to - from)) as i32;
        let sign = if self.bits() & 1 == 0 { 1.0 } else { -1.0 };
        sign * (1.0 + self.unit()) * 2f64.powi(exponent)
    }

    /// Any fp32 pattern, with more zeros, denormals, powers of two and last digits than usual.
    fn pattern(&mut self) -> u32 {
        let bits = self.bits();
        let pattern = bits as u32;
        match bits >> 60 {
            0 => pattern & 0x8000_0000,
            1 => pattern & 0x807f_ffff,
            2 => pattern & 0xff80_0000,
            3 => pattern | 0x007f_ffff,
            4..=9 => (pattern & 0x9fff_ffff) | 0x2000_0000, // nearer to 1
            _ => pattern,
        }
    }

    fn value(&mut self, family: Family, at: usize) -> f64 {
        match family {
            Family::Uniform => self.signed(),
            Family::Positive => self.unit(),
            Family::Biased => 3.0 + 0.5 * self.signed(),
            Family::Wide => self.scaled(-20, 20),
            Family::Near => {
                let sign = if at.is_multiple_of(2) { 1.0 } else { -1.0 };
                sign * (1.0 + (at / 2 % 7) as f64 / 8.0) * (1.0 + 0.01 * self.signed())
            }
            Family::Integers => (self.signed() * 255.0).round(),
            Family::Constant => 0.3,
            Family::Tiny => self.scaled(-130, -55),
            Family::Bits => f64::from(f32::from_bits(self.pattern())),
        }
    }

    /// fp32 patterns of a tile.
    pub fn tile(&mut self, family: Family) -> Lanes {
        std::array::from_fn(|at| (self.value(family, at) as f32).to_bits())
    }
}

/// A tile in a register, and what the bound knows of it.
pub struct Operand {
    pub lanes: Lanes,
    pub approx: Vec<Approx>,
}

impl Operand {
    /// Values that registers with this mask hold exactly.
    pub fn exact(random: &mut Random, family: Family, mask: u32) -> Operand {
        let lanes = random.tile(family).map(|bits| bits & mask);
        Operand { lanes, approx: lanes.iter().map(|&bits| Approx::from_bits(bits)).collect() }
    }

    /// fp32 values truncated on their way into a source register, as `unpack` does.
    pub fn unpacked(random: &mut Random, family: Family, format: DataFormat) -> Operand {
        let lanes = random.tile(family);
        let unpack = |&bits: &u32| {
            bound::unpack(Approx::from_bits(bits), DataFormat::Float32, format).expect("modelled")
        };
        let approx = lanes.iter().map(unpack).collect();
        Operand { lanes: lanes.map(|bits| bits & format.source_mask()), approx }
    }
}

impl Operand {
    /// The same registers, as if the exact values were up to 2^-9 of themselves away.
    pub fn blurred(&self, random: &mut Random) -> Vec<Approx> {
        let blur = |x: &Approx| {
            let error = x.value.abs() / 512.0;
            Approx::new(x.value + error * random.signed(), error)
        };
        self.approx.iter().map(blur).collect()
    }
}

/// The format that fp32 tiles get in source registers.
pub fn widest_source(width: DstWidth) -> DataFormat {
    match width {
        DstWidth::Bits16 => DataFormat::Bfloat16,
        DstWidth::Bits32 => DataFormat::Tf32,
    }
}

/// What a device register holds.
pub fn float(bits: u32) -> f64 {
    f64::from(f32::from_bits(bits))
}

/// How near errors came to their bounds.
#[derive(Default)]
pub struct Judge {
    worst: f64,
    sum: f64,
    rounded: u64,
    judged: u64,
    unjudged: u64,
}

impl Judge {
    /// Compares one element with its bound.
    #[track_caller]
    pub fn see(&mut self, approx: Approx, device: u32, what: impl Fn() -> String) {
        if !approx.is_finite() {
            self.unjudged += 1;
            return;
        }
        self.judged += 1;
        let ratio = approx.ratio(float(device));
        assert!(ratio <= 1.0, "{}: {approx:?}, device {:e}: {ratio}", what(), float(device));
        if !approx.is_exact() {
            self.rounded += 1;
            self.sum += ratio;
            self.worst = self.worst.max(ratio);
        }
    }

    /// Compares a whole tile.
    #[track_caller]
    pub fn see_tile(
        &mut self,
        approx: impl Fn(usize) -> Approx,
        device: &Lanes,
        name: &dyn Display,
    ) {
        for (at, &bits) in device.iter().enumerate() {
            self.see(approx(at), bits, || format!("{name} at {at}"));
        }
        assert_eq!(device.len(), TILE_VALUES);
    }

    /// The largest share of its bound that an element reached.
    pub fn worst(&self) -> f64 {
        self.worst
    }

    /// Prints the figures, and insists that a bound exists and that errors come near it.
    #[track_caller]
    pub fn expect(&self, name: &dyn Display, share: Option<f64>) {
        let mean = self.sum / self.rounded.max(1) as f64;
        println!("{name}: worst {:.3}, mean {mean:.3}, {} without", self.worst, self.unjudged);
        let Some(share) = share else { return };
        assert!(self.worst >= share || self.rounded == 0, "{name}: only {} of it", self.worst);
        assert!(self.judged > 20 * self.unjudged, "{name}: {} without a bound", self.unjudged);
    }
}
