//! Matrix products of ordinary values, block by block: the same bits as `dot` and `accumulate`
//! give, with the host's floating-point unit where it provably rounds as the hardware does.
//!
//! A block is four rows of sixteen outputs. A loaded vector of SrcA serves all rows, and the
//! additions to Dst, which wait for each other, alternate between them. No closures: the compiler
//! leaves some of them, and with them every instruction, in functions of their own.

use std::ops::RangeInclusive;

use super::SourceFormats;
use super::dot::{Dot, FloatParts, GROUP, NO_EXPONENT, Register, Split};
use crate::bits::{HIDDEN, INFINITY, MANTISSA, SIGN, exponent};
use crate::vector16::{LANES, Vector16, VectorLoop};
use crate::{FACE_SIDE, Lanes, TILE_SIDE, index};

/// Exponent fields of operands that are ordinary; zeros are, too. Neither a product nor a sum
/// leaves the range of normal floats.
const ORDINARY: RangeInclusive<u32> = 84..=160;

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

/// One vector for each row of a block.
type Block<V> = [V; ROWS];

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
        let (mut faults, before) = (0, *self.dst);
        for row in (0..TILE_SIDE).step_by(ROWS) {
            for column in (0..TILE_SIDE).step_by(LANES) {
                let at = Corner { lanes, scalars, row, column };
                let mut sums = [V::splat(0); ROWS];
                for (r, sum) in sums.iter_mut().enumerate() {
                    *sum = load(self.dst, row + r, column);
                }
                at.add::<V, WIDE>(self.phases, *faulty_sum, &mut sums, &mut faults);
                for (r, sum) in sums.into_iter().enumerate() {
                    store(self.dst, row + r, column, sum);
                }
            }
        }
        // A sum that the matrix unit renormalises the wrong way is left to `accumulate`.
        if faults != 0 {
            *self.dst = before;
        }
        faults == 0
    }
}

/// Whether additions to these values of Dst can be computed here.
#[inline(always)]
fn is_ordinary_dst<const WIDE: bool>(dst: &Lanes) -> bool {
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
    let FloatParts { high_mask, used_mask, scale } = register.float_parts();
    let (mut least, mut most) = (V::splat(*ORDINARY.end()), V::splat(0));
    for row in 0..TILE_SIDE {
        for column in (0..TILE_SIDE).step_by(LANES) {
            let value = load::<V>(tile, row, column).and(V::splat(mask));
            let e = value.shift_left::<1>().shift_right::<24>();
            let value = value.where_not_zero(e);
            // All ones for zeros.
            let none = e.min(V::splat(1)).sub(V::splat(1));
            let exponents = e.add(none.and(V::splat(NO_EXPONENT as u32)));
            exponents.store_signed(part_of(&mut to.exponents[row], column));
            (least, most) = (least.min(e.or(none.and(V::splat(127)))), most.max(e));
            let high = value.and(V::splat(high_mask));
            let low = value.and(V::splat(used_mask)).sub_floats(high);
            let scaled = [high, low].into_iter().zip(&mut to.parts);
            for (part, table) in scaled {
                let part = part.mul_add(float(scale), V::splat(0));
                part.store(part_of(&mut table[row], column));
            }
        }
    }
    let (mut lows, mut highs) = ([0; LANES], [0; LANES]);
    least.store(&mut lows);
    most.store(&mut highs);
    let is_high = lows.iter().all(|least| least >= ORDINARY.start());
    is_high && highs.iter().all(|most| most <= ORDINARY.end())
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

/// Turns where sums start in phase 0 into where they start in another one: SrcA's lower part
/// weighs 2^-5, SrcB's 2^-7.
#[inline(always)]
fn lower<V: Vector16>(starts: &mut [Block<V>; 2], phase: u32) {
    let places = V::splat(((phase & 1) * 5 + (phase >> 1) * 7) << 23);
    for start in starts.as_flattened_mut() {
        *start = start.sub(places);
    }
}

/// A block's operands: columns of SrcA, rows of SrcB.
struct Corner<'a> {
    lanes: &'a Split,
    scalars: &'a Split,
    row: usize,
    column: usize,
}

impl Corner<'_> {
    /// Adds all phases to a block of sums. Notes in `faults` where a sum is one that the matrix
    /// unit gets wrong.
    #[inline(always)]
    fn add<V: Vector16, const WIDE: bool>(
        &self,
        phases: u32,
        faulty_sum: i32,
        sums: &mut Block<V>,
        faults: &mut u32,
    ) {
        let starts: [Block<V>; 4] = self.starts();
        for phase in 0..phases {
            for half in 0..2 {
                let mut starts = [starts[2 * half], starts[2 * half + 1]];
                lower(&mut starts, phase);
                let terms = self.terms(phase, half, &starts);
                for (r, sum) in sums.iter_mut().enumerate() {
                    let terms = [(terms[0][r], starts[0][r]), (terms[1][r], starts[1][r])];
                    *sum = if WIDE {
                        wide(terms, *sum, faulty_sum, faults)
                    } else {
                        narrow(terms, *sum)
                    };
                }
            }
        }
    }

    /// Where the sums of all four groups of products start in phase 0.
    #[inline(always)]
    fn starts<V: Vector16>(&self) -> [Block<V>; 4] {
        let mut starts = [[V::splat(0); ROWS]; 4];
        for (group, starts) in starts.iter_mut().enumerate() {
            let mut tops = [V::splat(NO_EXPONENT as u32); ROWS];
            for k in group * GROUP..(group + 1) * GROUP {
                let exponents = &self.lanes.exponents[k][self.column..];
                let exponents = V::load_signed(exponents.first_chunk().expect("half a row"));
                for (r, top) in tops.iter_mut().enumerate() {
                    let scalar = V::splat(self.scalars.exponents[self.row + r][k] as u32);
                    *top = top.max(exponents.add(scalar));
                }
            }
            for (start, top) in starts.iter_mut().zip(tops) {
                let e = top.sub(V::splat(127)).max(V::splat(LEAST_EXPONENT));
                *start = e.shift_left::<23>().add(V::splat(START));
            }
        }
        starts
    }

    /// The sums of both groups of a half in one phase, as running sums of floats.
    #[inline(always)]
    fn terms<V: Vector16>(&self, phase: u32, half: usize, starts: &[Block<V>; 2]) -> [Block<V>; 2] {
        let lanes = &self.lanes.parts[(phase & 1) as usize];
        let scalars = &self.scalars.parts[(phase >> 1) as usize];
        let mut sums = *starts;
        for (group, sums) in sums.iter_mut().enumerate() {
            let first = half * FACE_SIDE + group * GROUP;
            for k in first..first + GROUP {
                let lane = V::load(lanes[k][self.column..].first_chunk().expect("half a row"));
                for (r, sum) in sums.iter_mut().enumerate() {
                    *sum = lane.mul_add(V::splat(scalars[self.row + r][k]), *sum);
                }
            }
        }
        sums
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
fn narrow<V: Vector16>(terms: [(V, V); 2], dst: V) -> V {
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
fn wide<V: Vector16>(terms: [(V, V); 2], dst: V, faulty_sum: i32, faults: &mut u32) -> V {
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

/// Half of integers, halves up.
#[inline(always)]
fn halved<V: Vector16>(doubled: V) -> V {
    doubled.add(V::splat(1)).shift_right_signed::<1>()
}

#[inline(always)]
fn float<V: Vector16>(value: f32) -> V {
    V::splat(value.to_bits())
}
