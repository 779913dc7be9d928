//! Tiles of bit patterns chosen to reach every path: specials, edges, near cancellation.

use tilewright_tile::{Lanes, SimdLevel, TILE_VALUES, dispatch};

use std::sync::{Mutex, PoisonError};

/// A small generator; a seed reproduces a test.
pub struct Random(u64);

impl Random {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next 32 bits (xorshift*).
    pub fn bits(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.bits() % bound
    }

    /// Any sign and mantissa, with an exponent field from `low` to `high`.
    pub fn with_exponent(&mut self, low: u32, high: u32) -> u32 {
        let e = low + self.below(high - low + 1);
        (self.bits() & 0x807f_ffff) | e << 23
    }
}

const SPECIALS: [u32; 24] = [
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x8080_0000,
    0x0080_0001,
    0x3f80_0000,
    0xbf80_0000,
    0x3f80_0001,
    0x3f7f_ffff,
    0x3f80_8000,
    0x3f81_8000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f7f_8000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc0_0000,
    0x7f80_0001,
    0xffff_ffff,
    0x0100_0000,
];

/// What kind of values a tile is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any bits.
    Bits,
    /// Moderate exponents, where fast paths apply.
    Moderate,
    /// Few exponents, so that sums cancel and round to ties.
    Close,
    /// A quarter each of specials, small, large and any bits.
    Mixed,
    /// Exponents near the smallest normal ones, and products there.
    Tiny,
    /// Exponents near the largest, and products there.
    Huge,
}

/// Every kind.
pub const KINDS: [Kind; 6] =
    [Kind::Bits, Kind::Moderate, Kind::Close, Kind::Mixed, Kind::Tiny, Kind::Huge];

/// One value of a kind.
pub fn value(random: &mut Random, kind: Kind) -> u32 {
    match kind {
        Kind::Bits => random.bits(),
        Kind::Moderate => random.with_exponent(100, 150),
        Kind::Close => {
            // Few mantissa bits make ties and exact cancellations likely.
            let keep = [0xffff_ffff, 0xffff_e000, 0xfff8_0000][random.below(3) as usize];
            random.with_exponent(124, 130) & keep
        }
        Kind::Mixed => match random.below(4) {
            0 => SPECIALS[random.below(24) as usize],
            1 => random.with_exponent(0, 30),
            2 => random.with_exponent(225, 255),
            _ => random.bits(),
        },
        Kind::Tiny => match random.below(3) {
            0 => random.with_exponent(0, 12),
            _ => random.with_exponent(56, 72),
        },
        Kind::Huge => match random.below(3) {
            0 => random.with_exponent(250, 255),
            _ => random.with_exponent(186, 194),
        },
    }
}

/// A tile of a kind, masked to what its register holds.
pub fn tile(random: &mut Random, kind: Kind, mask: u32) -> Lanes {
    std::array::from_fn(|_| value(random, kind) & mask)
}

/// Makes about a third of `b` nearly equal to `a` or its negative.
pub fn pair_up(random: &mut Random, a: &Lanes, b: &mut Lanes, mask: u32) {
    for i in 0..TILE_VALUES {
        if random.below(3) == 0 {
            let near = a[i].wrapping_add(random.below(5)).wrapping_sub(2);
            let low = random.below(4) << 13;
            b[i] = (near.wrapping_add(low) ^ random.bits() & 0x8000_0000) & mask;
        }
    }
}

/// The level is process-wide, and tests run side by side.
static LEVEL: Mutex<()> = Mutex::new(());

/// Runs `check` once on every level this machine has.
pub fn on_every_level(mut check: impl FnMut(SimdLevel)) {
    let guard = LEVEL.lock().unwrap_or_else(PoisonError::into_inner);
    for level in SimdLevel::ALL {
        if dispatch::force(Some(level)).is_ok() {
            check(level);
        }
    }
    dispatch::force(None).expect("the detected level is there");
    drop(guard);
}

/// Compares two tiles and names the first value that differs.
#[track_caller]
pub fn assert_tiles(actual: &[u32], expected: &[u32], what: impl Fn(usize) -> String) {
    for (i, (actual, expected)) in actual.iter().zip(expected).enumerate() {
        assert!(actual == expected, "{}: {actual:08x}, not {expected:08x}", what(i));
    }
}
