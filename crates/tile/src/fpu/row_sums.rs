//! Sums of rows of ordinary values by the same scaler, mostly 1.0: the same bits as `dot` and
//! `accumulate` give, by the steps of `blocks`, whose proofs hold here.
//!
//! Sixteen rows at a time. A group's largest exponent is that of its largest value, and a phase
//! whose part of the scaler is zero adds nothing.

use super::SourceFormats;
use super::blocks::{
    ORDINARY, SRCA_WEIGHT, SRCB_WEIGHT, Seen, enlarge, is_kept, is_ordinary_dst, narrow, places,
    start_of, wide,
};
use super::dot::{Dot, FloatParts, GROUP, Register};
use crate::bits::{SIGN, exponent};
use crate::tilize::transpose;
use crate::vector16::{LANES, Vector16, VectorLoop};
use crate::{FACE_SIDE, FACE_VALUES, Lanes, TILE_SIDE, index};

/// `reduce_tile` along rows, with the data in SrcB. Says whether it was computed; otherwise Dst is
/// as before.
pub(super) struct RowSums<'a, const WIDE: bool> {
    pub(super) phases: u32,
    pub(super) formats: SourceFormats,
    pub(super) data: &'a Lanes,
    pub(super) scaler: &'a Lanes,
    pub(super) dot: &'a mut Dot,
    pub(super) dst: &'a mut Lanes,
}

impl<const WIDE: bool> VectorLoop for RowSums<'_, WIDE> {
    type Output = bool;

    #[inline(always)]
    fn run<V: Vector16>(self) -> bool {
        let Some(scale) = self.scale() else { return false };
        let mask = self.formats.b.source_mask();
        let mut sums = [0; TILE_SIDE];
        for (row, sum) in sums.iter_mut().enumerate() {
            *sum = self.dst[index(row, 0)];
        }
        if !is_ordinary_dst::<WIDE>(&sums) {
            return false;
        }
        let faulty_sum = self.dot.faulty_sum;
        let columns = self.dot.lanes.parts[0].as_flattened_mut();
        let columns = columns.first_chunk_mut().expect("a tile's values");
        transpose(self.data, columns);
        let (mut faults, mut is_ordinary) = (0, true);
        for (part, sums) in sums.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            let rows = Rows { columns, part, mask };
            let starts = rows.starts::<V>(scale, &mut is_ordinary);
            let mut sum = V::load(sums);
            for phase in 0..self.phases {
                if phase > 0 {
                    let more = places(phase) as i32 - places(phase - 1) as i32;
                    enlarge(std::slice::from_mut(&mut sum), more);
                }
                for half in 0..2 {
                    let starts = [starts[2 * half], starts[2 * half + 1]];
                    let factor = part_of_scale(scale, phase);
                    if factor == 0 && is_kept(starts, sum) {
                        continue;
                    }
                    let terms = rows.terms(half, phase, V::splat(factor), starts);
                    sum = if WIDE {
                        wide(terms, sum, faulty_sum, &mut faults)
                    } else {
                        narrow(terms, sum)
                    };
                }
            }
            enlarge(std::slice::from_mut(&mut sum), -(places(self.phases - 1) as i32));
            sum.store(sums);
        }
        // A sum that the matrix unit renormalises the wrong way is left to `accumulate`.
        if !is_ordinary | (faults != 0) {
            return false;
        }
        for (row, sum) in sums.into_iter().enumerate() {
            self.dst[index(row, 0)] = sum;
        }
        true
    }
}

impl<const WIDE: bool> RowSums<'_, WIDE> {
    /// The scaler, if it is the same for all values and ordinary.
    #[inline(always)]
    fn scale(&self) -> Option<u32> {
        let first = self.scaler[0];
        let mut others = 0;
        for face in 0..2 {
            for scaler in &self.scaler[face * FACE_VALUES..][..FACE_SIDE] {
                others |= scaler ^ first;
            }
        }
        let scale = first & self.formats.a.source_mask();
        (others == 0 && ORDINARY.contains(&exponent(scale))).then_some(scale)
    }
}

/// The part of the scaler that a phase multiplies, as bits of a float of both parts' weight.
#[inline(always)]
fn part_of_scale(scale: u32, phase: u32) -> u32 {
    let [high, low] = Register::SrcA.split(scale);
    let part = if phase & 1 == 0 { high } else { low * SRCA_WEIGHT };
    let weight = if phase & 2 == 0 { 1.0 } else { SRCB_WEIGHT };
    (part * Register::SrcA.float_parts().scale * weight).to_bits()
}

/// Sixteen rows of the data: the upper or the lower part of a tile.
struct Rows<'a> {
    /// The transposed tile.
    columns: &'a Lanes,
    part: usize,
    mask: u32,
}

impl Rows<'_> {
    /// The columns of a group.
    #[inline(always)]
    fn group(&self, group: usize) -> &[[u32; LANES]; GROUP] {
        let face = group / 2 * 2 + self.part;
        &self.columns.as_chunks().0.as_chunks().0[2 * face + group % 2]
    }

    /// Where the sums of all four groups of products start.
    #[inline(always)]
    fn starts<V: Vector16>(&self, scale: u32, is_ordinary: &mut bool) -> [V; 4] {
        let mut starts = [V::splat(0); 4];
        let mut all = Seen::nothing();
        for (group, start) in starts.iter_mut().enumerate() {
            let mut seen = Seen::<V>::nothing();
            for column in self.group(group) {
                seen.look_at(V::load(column).and(V::splat(!SIGN & self.mask)));
            }
            // Without a product the sum of exponents is too small to matter: the scaler's alone.
            let exponents = seen.most.shift_right::<23>().add(V::splat(exponent(scale)));
            *start = start_of(exponents);
            all.join(seen);
        }
        *is_ordinary &= all.is_ordinary();
        starts
    }

    /// The sums of both groups of a half in one phase, as running sums of floats, and where they
    /// started.
    #[inline(always)]
    fn terms<V: Vector16>(
        &self,
        half: usize,
        phase: u32,
        factor: V,
        starts: [V; 2],
    ) -> [(V, V); 2] {
        let FloatParts { high_mask, used_mask, .. } = Register::SrcB.float_parts();
        let mut sums = starts;
        for (group, sum) in sums.iter_mut().enumerate() {
            let columns = self.group(2 * half + group);
            let (high_mask, used_mask) =
                (V::splat(high_mask & self.mask), V::splat(used_mask & self.mask));
            if phase & 2 == 0 {
                for column in columns {
                    *sum = V::load(column).and(high_mask).mul_add(factor, *sum);
                }
            } else {
                for column in columns {
                    let value = V::load(column);
                    let low = value.and(used_mask).sub_floats(value.and(high_mask));
                    *sum = low.mul_add(factor, *sum);
                }
            }
        }
        [(sums[0], starts[0]), (sums[1], starts[1])]
    }
}
