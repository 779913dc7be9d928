//! Named families of inputs, so that no test rests on mean-zero noise alone.

use std::fmt;

use crate::Shape;

/// A kind of data. The values depend on the family, the seed and the shape alone, and are the
/// same on every host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Between -1 and 1.
    Uniform,
    /// Mean 0, deviation 1.
    Normal,
    /// One half everywhere.
    Constant,
    /// Mean 100, spread 1: hides nothing that depends on a mean of zero.
    ShiftedMean,
    /// Growing along each row, from -1 to 1.
    Ramp,
    /// 1 and -1 in turn.
    Alternating,
    /// A single 1; everything else is zero.
    Impulse,
    /// One row of ones; everything else is zero.
    OneHotRow,
    /// Magnitudes from 2^-60 to 2^60, both signs.
    WideRange,
    /// Magnitudes from 2^-130 to 2^-100, denormals among them.
    Tiny,
    /// All zero.
    Zeros,
    /// Uniform, with NaN, infinities, signed zeros and denormals sprinkled in.
    Special,
}

impl Family {
    /// Every family.
    pub const ALL: [Family; 12] = [
        Family::Uniform,
        Family::Normal,
        Family::Constant,
        Family::ShiftedMean,
        Family::Ramp,
        Family::Alternating,
        Family::Impulse,
        Family::OneHotRow,
        Family::WideRange,
        Family::Tiny,
        Family::Zeros,
        Family::Special,
    ];

    /// The name that `--input` takes.
    pub fn name(self) -> &'static str {
        match self {
            Family::Uniform => "uniform",
            Family::Normal => "normal",
            Family::Constant => "constant",
            Family::ShiftedMean => "shifted-mean",
            Family::Ramp => "ramp",
            Family::Alternating => "alternating",
            Family::Impulse => "impulse",
            Family::OneHotRow => "one-hot-row",
            Family::WideRange => "wide-range",
            Family::Tiny => "tiny",
            Family::Zeros => "zeros",
            Family::Special => "special",
        }
    }

    /// The family with a name.
    pub fn from_name(name: &str) -> Option<Family> {
        Family::ALL.into_iter().find(|family| family.name() == name)
    }

    /// The values of a tensor in row-major order. `stream` tells the inputs of an operation apart.
    pub fn values(self, shape: &Shape, seed: u64, stream: u64) -> Vec<f32> {
        let mut random = Random::new(seed, stream);
        let (width, volume) = (shape.width(), shape.volume());
        let chosen = random.below(volume as u64) as usize;
        let value = |index: usize| match self {
            Family::Uniform => random.unit(),
            Family::Normal => random.normal(),
            Family::Constant => 0.5,
            Family::ShiftedMean => 100.0 + random.unit(),
            Family::Ramp => (2.0 * ((index % width) as f64 + 0.5) / width as f64 - 1.0) as f32,
            Family::Alternating => [1.0, -1.0][index % 2],
            Family::Impulse => f32::from(u8::from(index == chosen)),
            Family::OneHotRow => f32::from(u8::from(index / width == chosen / width)),
            Family::WideRange => random.power(-60, 60),
            Family::Tiny => random.power(-130, -100),
            Family::Zeros => 0.0,
            Family::Special => random.special(),
        };
        (0..volume).map(value).collect()
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A stream of numbers that is the same on every host (splitmix64; no transcendental functions).
struct Random(u64);

impl Random {
    fn new(seed: u64, stream: u64) -> Random {
        let mut random = Random(seed ^ stream.wrapping_mul(0xd6e8_feb8_6659_fd93));
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Between -1 and 1, in steps of 2^-23.
    fn unit(&mut self) -> f32 {
        ((self.next() >> 40) as i64 - (1 << 23)) as f32 / (1 << 23) as f32
    }

    /// Twelve terms of variance 1/3 make 4; halved, they have mean 0 and deviation 1.
    fn normal(&mut self) -> f32 {
        (0..12).map(|_| self.unit()).sum::<f32>() / 2.0
    }

    /// A random significand and sign times a power of two between two.
    fn power(&mut self, low: i32, high: i32) -> f32 {
        let exponent = low + self.below((high - low + 1) as u64) as i32;
        let significand = 1.0 + self.below(1 << 20) as f64 / f64::from(1 << 20);
        let sign = [1.0, -1.0][self.below(2) as usize];
        (sign * significand * 2.0_f64.powi(exponent)) as f32
    }

    fn special(&mut self) -> f32 {
        const SPECIAL: [f32; 8] =
            [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, 1e-40, -1e-40, f32::MAX];
        match self.below(64) {
            place @ 0..8 => SPECIAL[place as usize],
            _ => self.unit(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Family;
    use crate::Shape;

    #[test]
    fn families_are_named_and_reproducible() {
        let shape = Shape::new(&[3, 40]).expect("a shape");
        for family in Family::ALL {
            assert_eq!(Family::from_name(family.name()), Some(family));
            let bits = |seed| -> Vec<u32> {
                family.values(&shape, seed, 1).iter().map(|value| value.to_bits()).collect()
            };
            assert_eq!(bits(7), bits(7), "{family}");
        }
    }

    #[test]
    fn families_are_what_they_say() {
        let shape = Shape::new(&[64, 64]).expect("a shape");
        let values = |family: Family| family.values(&shape, 3, 0);
        let mean = |family| values(family).iter().sum::<f32>() / 4096.0;
        assert!(values(Family::Uniform).iter().all(|value| (-1.0..1.0).contains(value)));
        assert!(mean(Family::Uniform).abs() < 0.05 && mean(Family::Normal).abs() < 0.1);
        assert!((mean(Family::ShiftedMean) - 100.0).abs() < 0.1);
        assert_eq!(values(Family::Impulse).iter().sum::<f32>(), 1.0);
        assert_eq!(values(Family::OneHotRow).iter().sum::<f32>(), 64.0);
        let variance = values(Family::Normal).iter().map(|v| v * v).sum::<f32>() / 4096.0;
        assert!((variance - 1.0).abs() < 0.1, "{variance}");
        assert!(values(Family::Special).iter().any(|value| value.is_nan()));
    }
}
