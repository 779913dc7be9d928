//! `reduce_tile`: sums and maxima along rows, columns or the whole tile.
//!
//! Only the positions a reduction keeps are written as the hardware would; the packer masks the
//! leftovers elsewhere. The row of partial maxima that a row reduction keeps is one of them.

use super::accumulate::overwrite;
use super::dot::{Dot, Place, Register, Source, Table};
use super::elementwise::sum;
use super::matmul::row_major;
use super::moves::source_move_mask;
use super::row_sums::RowSums;
use super::{Pool, ReduceDim, SourceFormats, half, half16};
use crate::bits::{INFINITY, SIGN, exponent, flush};
use crate::dispatch::{self, SimdLoop};
use crate::vector16;
use crate::{
    Chip, DataFormat, DstWidth, FACE_SIDE, FACE_VALUES, Fidelity, Lanes, Small, TILE_SIDE, index,
};

/// `reduce_tile`: reduces `data` into the kept positions of `dst`, adding to what is there.
///
/// For Max, rows of `dst` that are undefined hold 0xffff_ffff; for Sum, zero. `formats` are those
/// of the registers SrcA and SrcB, whichever operand sits in them.
#[allow(clippy::too_many_arguments)] // The instruction has that many.
pub fn reduce(
    chip: Chip,
    pool: Pool,
    dim: ReduceDim,
    width: DstWidth,
    fidelity: Fidelity,
    formats: SourceFormats,
    data: &Lanes,
    scaler: &Lanes,
    dst: &mut Lanes,
) {
    if half::has_half(formats) && width == DstWidth::Bits16 {
        return half16::reduce(dim, fidelity.phases(), data, scaler, dst);
    }
    if half::has_half(formats) {
        let (data, scaler) = (&half::enlarged(data), &half::enlarged(scaler));
        return reduce(chip, pool, dim, width, fidelity, half::ENLARGED, data, scaler, dst);
    }
    // The golden data has zeros for row sums of Bfp4_b, whatever the values: nothing is added.
    if (pool, dim, formats.b) == (Pool::Sum, ReduceDim::Row, DataFormat::Small(Small::Bfp4)) {
        return;
    }
    let phases = fidelity.phases();
    if (pool, dim) == (Pool::Sum, ReduceDim::Row) {
        let level = dispatch::level();
        let is_done = Dot::lend(chip, |dot| match width {
            DstWidth::Bits16 => {
                vector16::run(level, RowSums::<false> { phases, formats, data, scaler, dot, dst })
            }
            DstWidth::Bits32 => {
                vector16::run(level, RowSums::<true> { phases, formats, data, scaler, dot, dst })
            }
        });
        if is_done == Some(true) {
            return;
        }
    }
    let configuration = Configuration { pool, dim, width, phases, formats };
    match (pool, width) {
        (Pool::Sum | Pool::PooledSum, DstWidth::Bits16) => Dot::lend(chip, |dot| {
            dispatch::run(Sum::<false> { configuration, data, scaler, dot, dst });
        }),
        (Pool::Sum | Pool::PooledSum, DstWidth::Bits32) => Dot::lend(chip, |dot| {
            dispatch::run(Sum::<true> { configuration, data, scaler, dot, dst });
        }),
        (Pool::Max | Pool::BlockMax, DstWidth::Bits16 | DstWidth::Bits32) => {
            dispatch::run(Max { configuration, data, scaler, dst });
        }
    }
}

#[derive(Clone, Copy)]
struct Configuration {
    pool: Pool,
    dim: ReduceDim,
    width: DstWidth,
    phases: u32,
    formats: SourceFormats,
}

impl Configuration {
    /// Moves a row of results into column 0 of its faces: to SrcB, transposed, and added to zero.
    #[inline(always)]
    fn move_to_column(&self, row: [u32; FACE_SIDE], dst: &mut Lanes, start: usize) {
        let (width, formats) = (self.width, self.formats);
        let moved = source_move_mask(width, formats.a) & formats.b.source_mask();
        for (place, value) in row.into_iter().enumerate() {
            let (m, e) = sum(0, value & moved);
            dst[start + place * FACE_SIDE] = match (self.pool, width) {
                (Pool::BlockMax, _) => value & moved,
                (Pool::Sum | Pool::PooledSum | Pool::Max, DstWidth::Bits16) => {
                    overwrite::<false>(m, e)
                }
                (Pool::Sum | Pool::PooledSum | Pool::Max, DstWidth::Bits32) => {
                    overwrite::<true>(m, e)
                }
            };
        }
    }
}

struct Sum<'a, const WIDE: bool> {
    configuration: Configuration,
    data: &'a Lanes,
    scaler: &'a Lanes,
    dot: &'a mut Dot,
    dst: &'a mut Lanes,
}

impl<const WIDE: bool> SimdLoop for Sum<'_, WIDE> {
    type Output = ();
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        match (self.configuration.dim, self.configuration.pool) {
            (ReduceDim::Row, Pool::PooledSum) => self.pooled_rows::<FUSED>(),
            (ReduceDim::Row, Pool::Sum | Pool::Max | Pool::BlockMax) => self.rows::<FUSED>(),
            (ReduceDim::Column, _) => {
                self.columns::<FUSED>();
            }
            (ReduceDim::Scalar, _) => self.scalar::<FUSED>(),
        }
    }
}

impl<const WIDE: bool> Sum<'_, WIDE> {
    /// Data in SrcA, scaler in SrcB: per half of the tile a row of 16 sums, which stays for the
    /// next tile, then moved into column 0.
    #[inline(always)]
    fn pooled_rows<const FUSED: bool>(self) {
        let formats = self.configuration.formats;
        self.dot.fill::<FUSED>(
            source(Register::SrcA, formats, &row_major(self.data, true), TILE_SIDE),
            source(Register::SrcB, formats, &scaler_rows(self.scaler), 4),
        );
        for half in 0..2 {
            let start = half * 2 * FACE_VALUES;
            let mut sums = row_of(self.dst, start);
            for side in 0..2 {
                let place = Place {
                    lane_row: side * FACE_SIDE,
                    first_lane: half * FACE_SIDE,
                    scalar_row: 2 * half + side,
                    scalar_column: 0,
                };
                self.add(place, &mut sums);
            }
            self.dst[start..][..FACE_SIDE].copy_from_slice(&sums);
            self.configuration.move_to_column(sums, self.dst, start);
        }
    }

    /// Data in SrcB, scaler in SrcA.
    #[inline(always)]
    fn rows<const FUSED: bool>(self) {
        let Configuration { phases, formats, .. } = self.configuration;
        let (columns, scaler) = (row_major(self.data, true), scaler_rows(self.scaler));
        let dot = self.dot;
        dot.fill::<FUSED>(
            source(Register::SrcB, formats, &columns, TILE_SIDE),
            source(Register::SrcA, formats, &scaler, 2),
        );
        let places = [0, 1].map(|half| Place {
            lane_row: half * FACE_SIDE,
            first_lane: 0,
            scalar_row: half,
            scalar_column: 0,
        });
        let tops = [dot.tops::<TILE_SIDE>(places[0]), dot.tops(places[1])];
        let mut sums: [u32; TILE_SIDE] = std::array::from_fn(|row| self.dst[index(row, 0)]);
        for phase in 0..phases {
            dot.add::<WIDE, TILE_SIDE>(places[0], &tops[0], phase, &mut sums);
            dot.add::<WIDE, TILE_SIDE>(places[1], &tops[1], phase, &mut sums);
        }
        for (row, sum) in sums.into_iter().enumerate() {
            self.dst[index(row, 0)] = sum;
        }
    }

    /// Data in SrcA, scaler in SrcB, face by face.
    #[inline(always)]
    fn columns<const FUSED: bool>(mut self) {
        self.split::<FUSED>();
        for face in 0..4 {
            let start = (face & 1) * FACE_VALUES;
            let mut sums = row_of(self.dst, start);
            self.face(face, &mut sums);
            self.dst[start..][..FACE_SIDE].copy_from_slice(&sums);
        }
    }

    /// Columns into one row of 16, then that row; the scaler is applied both times.
    #[inline(always)]
    fn scalar<const FUSED: bool>(mut self) {
        let Configuration { width, formats, .. } = self.configuration;
        self.split::<FUSED>();
        let mut sums = [0; FACE_SIDE];
        for face in 0..4 {
            self.face(face, &mut sums);
        }
        let mut column = [[0; TILE_SIDE]; TILE_SIDE];
        let moved = source_move_mask(width, formats.a);
        for (row, sum) in column.iter_mut().zip(sums) {
            row[0] = flush(sum & moved);
        }
        self.dot.fill::<FUSED>(
            source(Register::SrcA, formats, &column, FACE_SIDE),
            source(Register::SrcB, formats, &scaler_rows(self.scaler), 4),
        );
        let mut result = [self.dst[0]; FACE_SIDE];
        let place = Place { lane_row: 0, first_lane: 0, scalar_row: 3, scalar_column: 0 };
        self.add(place, &mut result);
        self.dst[0] = result[0];
    }

    #[inline(always)]
    fn split<const FUSED: bool>(&mut self) {
        let formats = self.configuration.formats;
        self.dot.fill::<FUSED>(
            source(Register::SrcA, formats, &row_major(self.data, false), TILE_SIDE),
            source(Register::SrcB, formats, &scaler_rows(self.scaler), 4),
        );
    }

    /// All phases of one face's columns.
    #[inline(always)]
    fn face(&self, face: usize, sums: &mut [u32; FACE_SIDE]) {
        let place = Place {
            lane_row: (face >> 1) * FACE_SIDE,
            first_lane: (face & 1) * FACE_SIDE,
            scalar_row: face,
            scalar_column: 0,
        };
        self.add(place, sums);
    }

    #[inline(always)]
    fn add(&self, place: Place, sums: &mut [u32; FACE_SIDE]) {
        let tops = self.dot.tops(place);
        for phase in 0..self.configuration.phases {
            self.dot.add::<WIDE, FACE_SIDE>(place, &tops, phase, sums);
        }
    }
}

#[inline(always)]
fn source(
    register: Register,
    formats: SourceFormats,
    rows: &Table<u32>,
    used: usize,
) -> Source<'_> {
    let format = match register {
        Register::SrcA => formats.a,
        Register::SrcB => formats.b,
    };
    Source { register, mask: format.source_mask(), rows, used }
}

/// Row 0 of each face of the scaler tile, as rows 0 to 3.
#[inline(always)]
fn scaler_rows(scaler: &Lanes) -> Table<u32> {
    let mut rows = [[0; TILE_SIDE]; TILE_SIDE];
    for (face, row) in rows.iter_mut().take(4).enumerate() {
        row[..FACE_SIDE].copy_from_slice(&scaler[face * FACE_VALUES..][..FACE_SIDE]);
    }
    rows
}

#[inline(always)]
fn row_of(dst: &Lanes, start: usize) -> [u32; FACE_SIDE] {
    std::array::from_fn(|column| dst[start + column])
}

/// Maxima by GMPOOL, which scales by the exponents of SrcB: an element whose scaler is zero takes
/// no part (tt-isa-documentation, GMPOOL.md).
struct Max<'a> {
    configuration: Configuration,
    data: &'a Lanes,
    scaler: &'a Lanes,
    dst: &'a mut Lanes,
}

impl SimdLoop for Max<'_> {
    type Output = ();
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        match self.configuration.dim {
            ReduceDim::Row => self.rows(),
            ReduceDim::Column => self.columns(),
            ReduceDim::Scalar => self.scalar(),
        }
    }
}

impl Max<'_> {
    /// Per half of the tile: a row of 16 maxima, one of each row, then moved into column 0.
    ///
    /// The hardware transposes the faces first and pools over their rows; a maximum is the same in
    /// any order.
    #[inline(always)]
    fn rows(self) {
        let lines = self.data.as_chunks::<FACE_SIDE>().0;
        let mask = self.configuration.formats.a.source_mask();
        for half in 0..2 {
            let start = half * 2 * FACE_VALUES;
            let mut maxima = row_of(self.dst, start);
            for face in [2 * half, 2 * half + 1] {
                let (scales, mut keys) = (self.scales(face), self.keys(maxima));
                let most = scales.map(|scale| if scale == 0 { i32::MIN } else { i32::MAX });
                for (key, line) in keys.iter_mut().zip(&lines[face * FACE_SIDE..]) {
                    // Apart from their maximum, so that the host computes many at a time.
                    let mut scaled = [0; FACE_SIDE];
                    for k in 0..FACE_SIDE {
                        scaled[k] = scaled_by(line[k] & mask, scales[k]).min(most[k]);
                    }
                    *key = scaled.into_iter().fold(*key, i32::max);
                }
                maxima = self.patterns(keys);
            }
            self.dst[start..][..FACE_SIDE].copy_from_slice(&maxima);
            self.configuration.move_to_column(maxima, self.dst, start);
        }
    }

    #[inline(always)]
    fn columns(self) {
        for face in 0..4 {
            let start = (face & 1) * FACE_VALUES;
            let mut maxima = row_of(self.dst, start);
            self.pool_face(&mut maxima, face);
            self.dst[start..][..FACE_SIDE].copy_from_slice(&maxima);
        }
    }

    #[inline(always)]
    fn scalar(self) {
        // The lowest of all patterns, all ones.
        let mut maxima = [u32::MAX; FACE_SIDE];
        for face in 0..4 {
            self.pool_face(&mut maxima, face);
        }
        let mut result = [self.dst[0]];
        self.pool(&mut result, maxima.chunks_exact(1), &self.scales(3));
        self.dst[0] = result[0];
    }

    #[inline(always)]
    fn pool_face(&self, maxima: &mut [u32; FACE_SIDE], face: usize) {
        let rows = self.data[face * FACE_VALUES..][..FACE_VALUES].chunks_exact(FACE_SIDE);
        self.pool(maxima, rows, &self.scales(face));
    }

    /// The exponents of the scalers of a face's rows. The maximum of a row of tiles unpacks one
    /// face of its scaler (tt-llk, `llk_unpack_AB_reduce_custom.h`).
    #[inline(always)]
    fn scales(&self, face: usize) -> [i32; FACE_SIDE] {
        let face = if self.configuration.pool == Pool::BlockMax { 0 } else { face };
        std::array::from_fn(|k| exponent(self.scaler[face * FACE_VALUES + k]) as i32)
    }

    /// One GMPOOL: from Dst, over 16 rows, and back.
    #[inline(always)]
    fn pool<'a, const LANES: usize>(
        &self,
        maxima: &mut [u32; LANES],
        rows: impl Iterator<Item = &'a [u32]>,
        scales: &[i32; FACE_SIDE],
    ) {
        let mask = self.configuration.formats.a.source_mask();
        let mut keys = self.keys(*maxima);
        for (row, &scale) in rows.zip(scales).filter(|(_, scale)| **scale != 0) {
            for (key, &value) in keys.iter_mut().zip(row) {
                *key = (*key).max(scaled_by(value & mask, scale));
            }
        }
        *maxima = self.patterns(keys);
    }

    /// What Dst's values are compared as.
    #[inline(always)]
    fn keys<const LANES: usize>(&self, maxima: [u32; LANES]) -> [i32; LANES] {
        maxima.map(|value| comparable(value & self.dst_mask(), BIAS))
    }

    /// What goes back to Dst.
    #[inline(always)]
    fn patterns<const LANES: usize>(&self, keys: [i32; LANES]) -> [u32; LANES] {
        keys.map(|key| pattern(key) & self.dst_mask())
    }

    /// The bits of Dst that take part.
    #[inline(always)]
    fn dst_mask(&self) -> u32 {
        match self.configuration.width {
            DstWidth::Bits16 => 0xffff_0000,
            DstWidth::Bits32 => 0xffff_e000,
        }
    }
}

/// The exponent field of 1.0.
const BIAS: i32 = 127;
/// Bits of a source register's mantissa.
const SOURCE_MANTISSA: u32 = 10;

/// What an element of SrcA is compared as.
#[inline(always)]
fn scaled_by(value: u32, scale: i32) -> i32 {
    if value & INFINITY == 0 { 0 } else { comparable(value, scale) }
}

/// What GMPOOL compares: sign and magnitude, with both exponents added up in nine bits.
#[inline(always)]
fn comparable(value: u32, scale: i32) -> i32 {
    let magnitude = (value & !SIGN) >> (23 - SOURCE_MANTISSA);
    let magnitude = magnitude as i32 + (scale << SOURCE_MANTISSA);
    if value & SIGN == 0 { magnitude } else { -magnitude }
}

/// The pattern of what was compared. Scalers other than 1.0 can make the exponent wrap around.
#[inline(always)]
fn pattern(key: i32) -> u32 {
    let magnitude = key.unsigned_abs();
    let unbiased = magnitude.wrapping_sub((BIAS as u32) << SOURCE_MANTISSA);
    let bits = unbiased << (23 - SOURCE_MANTISSA) & !SIGN;
    if magnitude >> SOURCE_MANTISSA == 0 { 0 } else { bits | key as u32 & SIGN }
}
