//! Matrix products of ordinary values, block by block: the same bits as `dot` and `accumulate`
//! give, with the host's floating-point unit where it provably rounds as the hardware does.
//!
//! A block is four rows of sixteen outputs, or of twice as many where the host has the registers. A
//! loaded vector of SrcA serves all rows, and the additions to Dst, which wait for each other,
//! alternate between them. No closures: the compiler leaves some of them, and with them every
//! instruction, in functions of their own.

use std::ops::RangeInclusive;

use super::SourceFormats;
use super::dot::{BYTE_BIAS, Dot, FloatParts, GROUP, Register, Split};
use crate::bits::{HIDDEN, INFINITY, MANTISSA, SIGN, exponent};
use crate::vector16::{LANES, Vector16, VectorLoop};
use crate::{FACE_SIDE, Lanes, TILE_SIDE, index};

/// Exponent fields of operands that are ordinary; zeros are, too. Neither a product nor a sum
/// leaves the range of normal floats.
pub(super) const ORDINARY: RangeInclusive<u32> = 84..=160;

/// The exponent that a group without a product is given in phase 0: below that of every other
/// group, and high enough for [`narrow`]'s smallest numbers to be normal.
const LEAST_EXPONENT: u32 = 38;

/// Exponent fields of what Dst may hold; zeros may be there, too. Sums stay among them: a sum has
/// at least the unit of its group, and grows by less than 2^16 units a step.
const DST: RangeInclusive<u32> = LEAST_EXPONENT + 2..=200;

/// Rows of a block.
const ROWS: usize = 4;

/// A tile product, `dst += in0 * in1`, with in0 in SrcB and in1 in SrcA. Says whether it was
/// computed; otherwise Dst is as before.
pub(super) struct Blocks<'a, const WIDE: bool> {
    pub(super) phases: u32,
    pub(super) formats: SourceFormats,
    pub(super) in0: &'a Lanes,
    pub(super) in1: &'a Lanes,
    pub(super) dot: &'a mut Dot,
    pub(super) dst: &'a mut Lanes,
}

/// A vector or more for each row of a block.
type Block<V, const WIDTH: usize> = [[V; WIDTH]; ROWS];

impl<const WIDE: bool> VectorLoop for Blocks<'_, WIDE> {
    type Output = bool;

    #[inline(always)]
    fn run<V: Vector16>(self) -> bool {
        let Dot { lanes, scalars, faulty_sum, .. } = self.dot;
        let is_ordinary = is_ordinary_dst::<WIDE>(self.dst)
            && split::<V>(Register::SrcA, self.formats.a.source_mask(), self.in1, lanes)
            && split::<V>(Register::SrcB, self.formats.b.source_mask(), self.in0, scalars);
        if !is_ordinary {
            return false;
        }
        let before = *self.dst;
        let product = Product { lanes, scalars, phases: self.phases, faulty_sum: *faulty_sum };
        let faults = if V::HAS_MANY {
            product.add::<V, WIDE, 2>(self.dst)
        } else {
            product.add::<V, WIDE, 1>(self.dst)
        };
        // A sum that the matrix unit renormalises the wrong way is left to `accumulate`.
        if faults != 0 {
            *self.dst = before;
        }
        faults == 0
    }
}

/// Whether additions to these values of Dst can be computed here.
#[inline(always)]
pub(super) fn is_ordinary_dst<const WIDE: bool>(dst: &[u32]) -> bool {
    let unused = if WIDE { 0 } else { 0xffff };
    let mut doubt = 0;
    for &value in dst {
        let e = exponent(value);
        doubt |= u32::from((e != 0) & !DST.contains(&e)) | value & unused;
    }
    doubt == 0
}

/// Splits a tile into exponents and parts, row by row. Whether all of it is ordinary.
#[inline(always)]
fn split<V: Vector16>(register: Register, mask: u32, tile: &Lanes, to: &mut Split) -> bool {
    let FloatParts { high_mask, used_mask, .. } = register.float_parts();
    let mut seen = Seen::<V>::nothing();
    for row in 0..TILE_SIDE {
        for column in (0..TILE_SIDE).step_by(LANES) {
            let value = load::<V>(tile, row, column).and(V::splat(mask));
            let magnitude = value.and(V::splat(!SIGN));
            seen.look_at(magnitude);
            let exponent = magnitude.shift_right::<23>().sub(V::splat(BYTE_BIAS as u32));
            exponent.store_bytes(part_of(&mut to.bytes[row], column));
            let high = value.and(V::splat(high_mask));
            let low = value.and(V::splat(used_mask)).sub_floats(high);
            for (part, table) in weighted(register, high, low).into_iter().zip(&mut to.parts) {
                part.store(part_of(&mut table[row], column));
            }
        }
    }
    seen.is_ordinary()
}

/// Parts as products take them: SrcA's enlarged, and lower ones with the weight of upper ones.
#[inline(always)]
fn weighted<V: Vector16>(register: Register, high: V, low: V) -> [V; 2] {
    let (scale, none) = (register.float_parts().scale, V::splat(0));
    match register {
        Register::SrcA => {
            [high.mul_add(float(scale), none), low.mul_add(float(scale * SRCA_WEIGHT), none)]
        }
        Register::SrcB => [high, low.mul_add(float(SRCB_WEIGHT), none)],
    }
}

/// How much more the upper parts of a register's values weigh than the lower ones.
pub(super) const SRCA_WEIGHT: f32 = 32.0;
pub(super) const SRCB_WEIGHT: f32 = 128.0;

/// The least and the largest of magnitudes.
pub(super) struct Seen<V> {
    /// Less 1, without a sign: zero is above everything.
    least: V,
    pub(super) most: V,
}

impl<V: Vector16> Seen<V> {
    #[inline(always)]
    pub(super) fn nothing() -> Seen<V> {
        Seen { least: V::splat(u32::MAX), most: V::splat(0) }
    }

    #[inline(always)]
    pub(super) fn look_at(&mut self, magnitude: V) {
        self.least = self.least.min_unsigned(magnitude.sub(V::splat(1)));
        self.most = self.most.max(magnitude);
    }

    #[inline(always)]
    pub(super) fn join(&mut self, other: Seen<V>) {
        self.least = self.least.min_unsigned(other.least);
        self.most = self.most.max(other.most);
    }

    /// Whether each is zero or has an exponent in [`ORDINARY`].
    #[inline(always)]
    pub(super) fn is_ordinary(&self) -> bool {
        let (mut lows, mut highs) = ([0; LANES], [0; LANES]);
        self.least.store(&mut lows);
        self.most.store(&mut highs);
        let least = lows.into_iter().fold(u32::MAX, u32::min);
        let most = highs.into_iter().fold(0, u32::max);
        (least >= (*ORDINARY.start() << 23) - 1) & (most < (*ORDINARY.end() + 1) << 23)
    }
}

#[inline(always)]
fn part_of<T>(row: &mut [T; TILE_SIDE], column: usize) -> &mut [T; LANES] {
    row[column..].first_chunk_mut().expect("half a row")
}

#[inline(always)]
fn load<V: Vector16>(dst: &Lanes, row: usize, column: usize) -> V {
    V::load(dst[index(row, column)..].first_chunk().expect("a row of a face"))
}

#[inline(always)]
fn store<V: Vector16>(dst: &mut Lanes, row: usize, column: usize, values: V) {
    values.store(dst[index(row, column)..].first_chunk_mut().expect("a row of a face"));
}

/// Where a running sum of floats starts so that its last place is the unit of a group whose
/// products are aligned to exponent 0; see `dot::sum_by_host`.
const START: u32 = 13 << 23 | 0x40_0000;

/// How much lower the exponents of a phase's products lie than those of phase 0: SrcA's lower part
/// weighs 2^-5, SrcB's 2^-7.
#[inline(always)]
pub(super) fn places(phase: u32) -> u32 {
    (phase & 1) * 5 + (phase >> 1) * 7
}

/// Both operands, split.
struct Product<'a> {
    lanes: &'a Split,
    scalars: &'a Split,
    phases: u32,
    faulty_sum: i32,
}

/// The largest sums of two exponents of four groups of products, for each row of a block.
type Tops = [[[i8; TILE_SIDE]; ROWS]; 4];

impl Product<'_> {
    /// Adds the product to Dst, in blocks of `WIDTH` vectors. Not 0 if a sum is one that the matrix
    /// unit gets wrong.
    #[inline(always)]
    fn add<V: Vector16, const WIDE: bool, const WIDTH: usize>(&self, dst: &mut Lanes) -> u32 {
        let mut faults = 0;
        for row in (0..TILE_SIDE).step_by(ROWS) {
            let tops = self.tops::<V>(row);
            for column in (0..TILE_SIDE).step_by(LANES * WIDTH) {
                let mut sums = [[V::splat(0); WIDTH]; ROWS];
                for (r, sums) in sums.iter_mut().enumerate() {
                    for (c, sum) in sums.iter_mut().enumerate() {
                        *sum = load(dst, row + r, column + c * LANES);
                    }
                }
                let starts = starts(&tops, column);
                self.add_block::<V, WIDE, WIDTH>((row, column), &starts, &mut sums, &mut faults);
                for (r, sums) in sums.into_iter().enumerate() {
                    for (c, sum) in sums.into_iter().enumerate() {
                        store(dst, row + r, column + c * LANES, sum);
                    }
                }
            }
        }
        faults
    }

    /// In bytes, which hold every sum of two ordinary exponents: a row of outputs is one register
    /// of the host.
    #[inline(always)]
    fn tops<V: Vector16>(&self, row: usize) -> Tops {
        let mut tops = [[[0; TILE_SIDE]; ROWS]; 4];
        for (group, tops) in tops.iter_mut().enumerate() {
            let lanes = &self.lanes.bytes.as_chunks::<GROUP>().0[group];
            for (r, top) in tops.iter_mut().enumerate() {
                let scalars = &self.scalars.bytes[row + r].as_chunks::<GROUP>().0[group];
                V::most_of_sums(lanes, scalars, top);
            }
        }
        tops
    }

    /// Adds all phases to a block of sums. Notes in `faults` where a sum is one that the matrix
    /// unit gets wrong.
    ///
    /// Groups start at the same places in all phases: Dst is enlarged by what the exponents of a
    /// phase lie lower, which changes no rounding.
    #[inline(always)]
    fn add_block<V: Vector16, const WIDE: bool, const WIDTH: usize>(
        &self,
        at: (usize, usize),
        starts: &[Block<V, WIDTH>; 4],
        sums: &mut Block<V, WIDTH>,
        faults: &mut u32,
    ) {
        for phase in 0..self.phases {
            if phase > 0 {
                enlarge(sums.as_flattened_mut(), places(phase) as i32 - places(phase - 1) as i32);
            }
            for half in 0..2 {
                let starts = [&starts[2 * half], &starts[2 * half + 1]];
                let terms = self.terms(at, phase, half, starts);
                for (r, sums) in sums.iter_mut().enumerate() {
                    for (c, sum) in sums.iter_mut().enumerate() {
                        let terms =
                            [(terms[0][r][c], starts[0][r][c]), (terms[1][r][c], starts[1][r][c])];
                        *sum = if WIDE {
                            wide(terms, *sum, self.faulty_sum, faults)
                        } else {
                            narrow(terms, *sum)
                        };
                    }
                }
            }
        }
        enlarge(sums.as_flattened_mut(), -(places(self.phases - 1) as i32));
    }

    /// The sums of both groups of a half in one phase, as running sums of floats.
    #[inline(always)]
    fn terms<V: Vector16, const WIDTH: usize>(
        &self,
        (row, column): (usize, usize),
        phase: u32,
        half: usize,
        starts: [&Block<V, WIDTH>; 2],
    ) -> [Block<V, WIDTH>; 2] {
        let lanes = &self.lanes.parts[(phase & 1) as usize];
        let scalars = &self.scalars.parts[(phase >> 1) as usize];
        let mut sums = [*starts[0], *starts[1]];
        for (group, sums) in sums.iter_mut().enumerate() {
            let first = half * FACE_SIDE + group * GROUP;
            for k in first..first + GROUP {
                let mut lane = [V::splat(0); WIDTH];
                for (c, lane) in lane.iter_mut().enumerate() {
                    let values = &lanes[k][column + c * LANES..];
                    *lane = V::load(values.first_chunk().expect("half a row"));
                }
                for (r, sums) in sums.iter_mut().enumerate() {
                    let scalar = V::splat(scalars[row + r][k]);
                    for (c, sum) in sums.iter_mut().enumerate() {
                        *sum = lane[c].mul_add(scalar, *sum);
                    }
                }
            }
        }
        sums
    }
}

/// Where the sums of all four groups of a block's products start.
#[inline(always)]
fn starts<V: Vector16, const WIDTH: usize>(tops: &Tops, column: usize) -> [Block<V, WIDTH>; 4] {
    let mut starts = [[[V::splat(0); WIDTH]; ROWS]; 4];
    for (starts, tops) in starts.iter_mut().zip(tops) {
        for (starts, tops) in starts.iter_mut().zip(tops) {
            for (c, start) in starts.iter_mut().enumerate() {
                let top = tops[column + c * LANES..].first_chunk().expect("half a row");
                *start = start_of(V::load_bytes(top).add(V::splat(2 * BYTE_BIAS as u32)));
            }
        }
    }
    starts
}

/// Where the sum of a group starts whose largest sum of two exponent fields is given.
#[inline(always)]
pub(super) fn start_of<V: Vector16>(top: V) -> V {
    let e = top.sub(V::splat(127)).max(V::splat(LEAST_EXPONENT));
    e.shift_left::<23>().add(V::splat(START))
}

/// Multiplies by 2^`places`; makes +0 of -0.
#[inline(always)]
pub(super) fn enlarge<V: Vector16>(sums: &mut [V], places: i32) {
    let factor = V::splat(((127 + places) as u32) << 23);
    for sum in sums {
        *sum = sum.mul_add(factor, V::splat(0));
    }
}

/// Adds two groups to a 16-bit Dst, each given by its running sum and where that started.
///
/// `accumulate_pair` rounds each group's sum and Dst to units of 2^(top - 137), adds them, and
/// rounds the result to eight bits. All of these have fewer than 24 bits, so that floats hold them:
/// - The largest start M is 1.5 * 2^23 of those units, and what is added to it is rounded to them.
/// - Halves of groups go up, after a first rounding to 2^-13 of a unit: floor(t + 1/2 + 2^-14). The
///   host rounds halves to even, so that t is enlarged until it is no half: by 3/16 of its own last
///   place, which is exact, and by 1.125 * 2^-14 units. The second matters only where the last
///   place is 2^-14 or 2^-15 of a unit: in larger sums their own last place decides, and smaller
///   ones stay below half a unit, being at most 8 * 31 * 127 last places.
/// - Halves of Dst go up in magnitude. It has eight bits, and a factor of 1 + 2^-12 moves it by
///   less than its last place.
/// - Halves of the result go up in magnitude: half of the last of its bits is added to its pattern.
#[inline(always)]
pub(super) fn narrow<V: Vector16>(terms: [(V, V); 2], dst: V) -> V {
    let own = dst.and(V::splat(INFINITY)).add(V::splat(START));
    let start = terms[0].1.max(terms[1].1).max(own);
    // 2^-26 of a start is 3/16 of its unit; `twice` times M is 1.125 * 2^-14 of M's.
    let (tie, twice) = (float(1.0 / 67_108_864.0), float(0.75 / 137_438_953_472.0));
    let mut sum = dst.mul_add(float(1.0 + 1.0 / 4096.0), start);
    for (running, began) in terms {
        let term = began.mul_add(tie, running.sub_floats(began));
        sum = sum.add_floats(start.mul_add(twice, term));
    }
    sum.sub_floats(start).add(V::splat(0x8000)).and(V::splat(0xffff_0000))
}

/// Adds two groups to a 32-bit Dst, as `accumulate_pair` does it where nothing leaves the range of
/// normal floats. Notes in `faults` where the sum is one that the matrix unit gets wrong.
#[inline(always)]
pub(super) fn wide<V: Vector16>(
    terms: [(V, V); 2],
    dst: V,
    faulty_sum: i32,
    faults: &mut u32,
) -> V {
    let own = dst.and(V::splat(INFINITY)).add(V::splat(START));
    let start = terms[0].1.max(terms[1].1).max(own);
    // Twice the value is shifted, so that its last bit says whether half a unit is left. Zero has
    // no significand, and is shifted out.
    let significand = dst.and(V::splat(MANTISSA)).or(V::splat(HIDDEN)).shift_left::<1>();
    let doubled = significand.shift_right_by(start.sub(own).shift_right::<23>());
    let sign = dst.shift_right_signed::<31>();
    let mut sum = halved(doubled).xor(sign).sub(sign);
    for (running, began) in terms {
        let term = running.sub(began).shift_left::<14>();
        let doubled = term.shift_right_signed_by(start.sub(began).shift_right::<23>());
        sum = sum.add(halved(doubled));
    }
    if faulty_sum != 0 {
        *faults |= sum.equal(V::splat(faulty_sum as u32));
    }
    // The host rounds to 24 bits, halves to even; one more bit makes a larger one of a half, and a
    // sum of 24 bits or fewer needs none.
    let magnitude = sum.abs();
    let sticky = magnitude.shift_right::<24>().min(V::splat(1));
    let rounded = magnitude.add(magnitude).add(sticky).to_floats();
    let scaled = rounded.add(start.sub(V::splat(START + (151 << 23))));
    scaled.or(sum.and(V::splat(SIGN))).where_not_zero(sum)
}

/// Whether groups that add nothing leave Dst as it is: it is aligned to no larger exponent than its
/// own, and has all its bits there.
#[inline(always)]
pub(super) fn is_kept<V: Vector16>(starts: [V; 2], dst: V) -> bool {
    let own = dst.and(V::splat(INFINITY)).add(V::splat(START));
    starts[0].max(starts[1]).max(own).equal(own) == (1 << LANES) - 1
}

/// Half of integers, halves up.
#[inline(always)]
fn halved<V: Vector16>(doubled: V) -> V {
    doubled.add(V::splat(1)).shift_right_signed::<1>()
}

#[inline(always)]
pub(super) fn float<V: Vector16>(value: f32) -> V {
    V::splat(value.to_bits())
}
