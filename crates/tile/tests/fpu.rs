//! Whole-tile FPU operations against the scalar model, on every SIMD level.

mod model;

use model::data::{KINDS, Kind, Random, assert_tiles, on_every_level, pair_up, tile};
use model::fpu::Reduction;
use proptest::prelude::*;
use tilewright_tile::fpu::{self, Bfloat16Tile, Elementwise, ElementwiseOp, Pool, ReduceDim};
use tilewright_tile::{
    Broadcast, Chip, DataFormat, DstWidth, Fidelity, Lanes, Magnitudes, SourceFormats, TILE_SIDE,
    TILE_VALUES, index, position, unpack,
};

fn widths() -> impl Strategy<Value = DstWidth> {
    prop_oneof![Just(DstWidth::Bits16), Just(DstWidth::Bits32)]
}

fn fidelities() -> impl Strategy<Value = Fidelity> {
    proptest::sample::select(Fidelity::ALL.to_vec())
}

fn kinds() -> impl Strategy<Value = Kind> {
    proptest::sample::select(KINDS.to_vec())
}

fn source_formats() -> impl Strategy<Value = SourceFormats> {
    let format = || proptest::sample::select(DataFormat::ALL.to_vec());
    (format(), format()).prop_map(|(a, b)| SourceFormats { a, b })
}

/// Two source tiles: tf32 patterns, whatever the ALU is configured for.
fn sources(random: &mut Random, kind: Kind) -> (Lanes, Lanes) {
    let mask = 0xffff_e000;
    let a = tile(random, kind, mask);
    let mut b = tile(random, kind, mask);
    pair_up(random, &a, &mut b, mask);
    (a, b)
}

fn broadcast_index(broadcast: Broadcast, i: usize) -> usize {
    let (row, column) = position(i);
    match broadcast {
        Broadcast::None => i,
        Broadcast::Column => index(row, 0),
        Broadcast::Row => index(0, column),
        Broadcast::Scalar => 0,
    }
}

fn model_elementwise(op: &ElementwiseOp, a: u32, b: u32, dst: u32) -> u32 {
    let added_to = if op.accumulate { dst } else { 0 };
    match op.op {
        Elementwise::Add => model::fpu::add(a, b, added_to, op.width, op.formats),
        Elementwise::Sub => model::fpu::add(a, b ^ 0x8000_0000, added_to, op.width, op.formats),
        Elementwise::Mul => model::fpu::multiply(a, b, dst, op.width, op.formats, op.fidelity),
    }
}

/// What counts as zero: of both signs, and without an exponent.
#[derive(Clone, Copy, Debug)]
struct Zeros {
    a: bool,
    dst: bool,
}

fn check_elementwise(op: &ElementwiseOp, seed: u64, kind: Kind, zeros: Zeros) {
    let random = &mut Random::new(seed);
    let (mut a, b) = sources(random, kind);
    if zeros.a {
        a.iter_mut().for_each(|value| *value &= 0x807f_ffff);
    }
    let dst_is_zero = zeros.dst;
    let mut old = tile(random, kind, op.width.mask());
    if kind == Kind::Moderate || kind == Kind::Close {
        // Chunks of zeros between others, as masked or cleared faces leave them.
        old[128..512].fill(0);
    }
    let expected: Lanes = std::array::from_fn(|i| {
        let dst = if dst_is_zero { 0 } else { old[i] };
        model_elementwise(op, a[i], b[broadcast_index(op.broadcast, i)], dst)
    });
    on_every_level(|level| {
        let mut dst = old;
        fpu::elementwise(op, &a, &b, &mut dst, dst_is_zero);
        assert_tiles(&dst, &expected, |i| {
            let b = b[broadcast_index(op.broadcast, i)];
            format!("{level:?} {op:?} value {i}: {:08x}, {b:08x}, dst {:08x}", a[i], old[i])
        });
    });
}

/// What a reduction multiplies by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scalers {
    One,
    /// Any value, the same everywhere.
    Same,
    Vary,
}

const SCALERS: [Scalers; 3] = [Scalers::One, Scalers::Same, Scalers::Vary];

fn check_reduce(reduction: Reduction, seed: u64, kind: Kind, scalers: Scalers) {
    let random = &mut Random::new(seed);
    let mask = 0xffff_e000;
    let tiles = [tile(random, kind, mask), tile(random, kind, mask)];
    let mut scaler = [0; TILE_VALUES];
    let fixed = match scalers {
        Scalers::One | Scalers::Vary => 0x3f80_0000,
        Scalers::Same => model::data::value(random, kind) & mask,
    };
    for face in 0..4 {
        scaler[face * 256..][..16].fill_with(|| {
            let value = model::data::value(random, kind) & mask;
            // Maxima leave out what has a scaler of zero.
            let is_zero = random.bits().is_multiple_of(4);
            if scalers == Scalers::Vary { if is_zero { 0 } else { value } } else { fixed }
        });
    }
    check_reductions(&reduction, &tiles, &scaler);
}

/// Tile after tile into one Dst, against the model.
fn check_reductions(reduction: &Reduction, tiles: &[Lanes], scaler: &Lanes) {
    let is_maximum = matches!(reduction.pool, Pool::Max | Pool::BlockMax);
    let start = if is_maximum { u32::MAX } else { 0 };
    let mut expected = [start; TILE_VALUES];
    for tile in tiles {
        model::fpu::reduce(reduction, tile, scaler, &mut expected);
    }
    let Reduction { pool, dim, width, fidelity, formats } = *reduction;
    on_every_level(|level| {
        let mut dst = [start; TILE_VALUES];
        for tile in tiles {
            fpu::reduce(
                Chip::Wormhole,
                pool,
                dim,
                width,
                fidelity,
                formats,
                tile,
                scaler,
                &mut dst,
            );
        }
        for i in 0..TILE_VALUES {
            let is_kept = match dim {
                ReduceDim::Row => position(i).1 == 0,
                ReduceDim::Column => position(i).0 == 0,
                ReduceDim::Scalar => i == 0,
            };
            let (actual, expected) = (dst[i], expected[i]);
            assert!(
                !is_kept || actual == expected,
                "{level:?} {reduction:?} value {i}: {actual:08x}, not {expected:08x}"
            );
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn elementwise_agrees_with_the_model(
        seed: u64,
        kind in kinds(),
        width in widths(),
        fidelity in fidelities(),
        formats in source_formats(),
        op in proptest::sample::select(vec![Elementwise::Add, Elementwise::Sub, Elementwise::Mul]),
        broadcast in proptest::sample::select(
            vec![Broadcast::None, Broadcast::Column, Broadcast::Row, Broadcast::Scalar]),
        accumulate: bool,
        a: bool,
        dst: bool,
    ) {
        let chip = Chip::Wormhole;
        let op = ElementwiseOp { op, broadcast, accumulate, fidelity, width, formats, chip };
        check_elementwise(&op, seed, kind, Zeros { a, dst });
    }

    #[test]
    fn reduce_agrees_with_the_model(
        seed: u64,
        kind in kinds(),
        width in widths(),
        fidelity in fidelities(),
        formats in source_formats(),
        pool in proptest::sample::select(
            vec![Pool::Sum, Pool::PooledSum, Pool::Max, Pool::BlockMax]),
        dim in proptest::sample::select(
            vec![ReduceDim::Row, ReduceDim::Column, ReduceDim::Scalar]),
        scalers in proptest::sample::select(SCALERS.to_vec()),
    ) {
        let reduction = Reduction { pool, dim, width, fidelity, formats };
        check_reduce(reduction, seed, kind, scalers);
    }

    /// Large values that cancel, or nearly, beside small ones: a phase whose products are zero
    /// still aligns Dst to its exponents, and bits below are lost.
    #[test]
    fn sums_of_rows_that_cancel_agree_with_the_model(
        seed: u64,
        width in widths(),
        fidelity in fidelities(),
        scale in proptest::sample::select(vec![0x3f80_0000_u32, 0xbf80_0000, 0x3d55_4000]),
    ) {
        let random = &mut Random::new(seed);
        let mut tiles = [[0; TILE_VALUES]; 3];
        for tile in &mut tiles {
            for row in 0..TILE_SIDE {
                let large = random.with_exponent(127, 145) & 0xffff_e000;
                let nearly = large.wrapping_add((random.bits() & 1) << 13) ^ 0x8000_0000;
                let small = 100 + random.bits() % 27;
                for column in 0..TILE_SIDE {
                    let value = random.with_exponent(small, small) & 0xffff_e000;
                    tile[index(row, column)] = if random.bits() & 3 == 0 { 0 } else { value };
                }
                let half = 16 * (random.bits() as usize & 1);
                tile[index(row, half + random.bits() as usize % 8)] = large;
                tile[index(row, half + 8 + random.bits() as usize % 8)] = nearly;
            }
        }
        let scaler: Lanes = std::array::from_fn(|i| if i & 0xf0 == 0 { scale } else { 0 });
        let formats = SourceFormats { a: DataFormat::Tf32, b: DataFormat::Tf32 };
        let (pool, dim) = (Pool::Sum, ReduceDim::Row);
        check_reductions(&Reduction { pool, dim, width, fidelity, formats }, &tiles, &scaler);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn matmul_agrees_with_the_model(
        seed: u64,
        kind in kinds(),
        width in widths(),
        fidelity in fidelities(),
        formats in source_formats(),
        is_transposed: bool,
    ) {
        let random = &mut Random::new(seed);
        let (in0, in1) = sources(random, kind);
        let old = tile(random, kind, width.mask());
        let mut expected = old;
        model::fpu::matmul(width, fidelity, formats, &in0, &in1, is_transposed, &mut expected);
        on_every_level(|level| {
            let mut dst = old;
            let chip = Chip::Wormhole;
            fpu::matmul(chip, width, fidelity, formats, &in0, &in1, is_transposed, &mut dst);
            assert_tiles(&dst, &expected, |i| {
                format!("{level:?} {width:?} {fidelity:?} value {i}")
            });
        });
    }

    #[test]
    fn single_instructions_agree_with_the_model(seed: u64, kind in kinds(), width in widths()) {
        let formats = SourceFormats { a: DataFormat::Tf32, b: DataFormat::Tf32 };
        let random = &mut Random::new(seed);
        let (a, b) = sources(random, kind);
        let dst = tile(random, kind, width.mask());
        for i in 0..TILE_VALUES {
            let expected = model::fpu::add(a[i], b[i], dst[i], width, formats);
            prop_assert_eq!(fpu::lane::add((Chip::Wormhole, width), a[i], b[i], dst[i]), expected);
            let expected = model::fpu::multiply(a[i], b[i], dst[i], width, formats, Fidelity::LoFi);
            let actual = fpu::lane::multiply_phase((Chip::Wormhole, width), 0, a[i], b[i], dst[i]);
            prop_assert_eq!(actual, expected);
        }
        for start in (0..64).step_by(16) {
            let a: [u32; 16] = std::array::from_fn(|k| a[start + k]);
            let b: [u32; 16] = std::array::from_fn(|k| b[start + k]);
            for phase in 0..4 {
                let expected = model::fpu::dot16(a, b, dst[start], width, phase);
                let unit = (Chip::Wormhole, width);
                let actual = fpu::lane::dot16_phase(unit, phase, &a, &b, dst[start]);
                prop_assert_eq!(actual, expected);
            }
        }
    }

    #[test]
    fn moves_follow_the_specification(seed: u64, kind in kinds(), formats in source_formats()) {
        let a = tile(&mut Random::new(seed), kind, 0xffff_e000);
        on_every_level(|_| {
            let mut narrow = [0; TILE_VALUES];
            fpu::copy(DstWidth::Bits16, formats, &a, &mut narrow);
            let mut wide = [0; TILE_VALUES];
            fpu::copy(DstWidth::Bits32, formats, &a, &mut wide);
            for i in 0..TILE_VALUES {
                let is_zero = a[i] & 0x7f80_0000 == 0;
                assert_eq!(narrow[i], if is_zero { 0 } else { a[i] & 0xffff_0000 });
                assert_eq!(wide[i], model::fpu::add(a[i], 0, 0, DstWidth::Bits32, formats));
            }
        });
        let mut moved = [0; TILE_VALUES];
        fpu::move_dst_to_source(DstWidth::Bits32, formats.a, &a, &mut moved);
        let keeps = if formats.a == DataFormat::Tf32 { 0xffff_e000 } else { 0xffff_0000 };
        assert_tiles(&moved, &a.map(|v| v & keeps), |i| format!("moved value {i}"));
        let mut transposed = a;
        fpu::transpose_dst(DstWidth::Bits32, &mut transposed);
        for (i, &value) in a.iter().enumerate() {
            let (row, column) = position(i);
            prop_assert_eq!(transposed[index(column, row)], value);
        }
    }
}

/// 1.0 + (-1.0000001) is -16.0: the sum of -1 unit that the silicon renormalises wrongly.
#[test]
fn a_sum_of_minus_one_unit_shows_the_silicon_fault() {
    let formats = SourceFormats { a: DataFormat::Tf32, b: DataFormat::Tf32 };
    let op = ElementwiseOp {
        chip: Chip::Wormhole,
        op: Elementwise::Add,
        broadcast: Broadcast::None,
        accumulate: true,
        fidelity: Fidelity::HiFi4,
        width: DstWidth::Bits32,
        formats,
    };
    let mut dst = [(-1.000_000_1_f32).to_bits(); TILE_VALUES];
    fpu::elementwise(&op, &[1.0_f32.to_bits(); TILE_VALUES], &[0; TILE_VALUES], &mut dst, false);
    assert_eq!(f32::from_bits(dst[0]), -16.0);
}

/// 2^100 * 2^100 is Inf after the first phase; the second adds nothing, at an exponent so large
/// that Inf is aligned to nothing as well.
#[test]
fn an_overflowing_product_without_low_bits_is_zero() {
    let formats = SourceFormats { a: DataFormat::Tf32, b: DataFormat::Tf32 };
    let large = [2_f32.powi(100).to_bits(); TILE_VALUES];
    for (fidelity, expected) in [(Fidelity::LoFi, f32::INFINITY), (Fidelity::HiFi4, 0.0)] {
        let op = ElementwiseOp {
            chip: Chip::Wormhole,
            op: Elementwise::Mul,
            broadcast: Broadcast::None,
            accumulate: false,
            fidelity,
            width: DstWidth::Bits32,
            formats,
        };
        let mut dst = [0; TILE_VALUES];
        fpu::elementwise(&op, &large, &large, &mut dst, true);
        assert_eq!(f32::from_bits(dst[0]), expected);
    }
}

/// Products into a clear 32-bit Dst against the model.
fn check_products(fidelity: Fidelity, formats: SourceFormats, a: &Lanes, b: &Lanes) {
    for width in [DstWidth::Bits16, DstWidth::Bits32] {
        check_products_in(width, fidelity, formats, a, b);
    }
}

fn check_products_in(
    width: DstWidth,
    fidelity: Fidelity,
    formats: SourceFormats,
    a: &Lanes,
    b: &Lanes,
) {
    let op = ElementwiseOp {
        chip: Chip::Wormhole,
        op: Elementwise::Mul,
        broadcast: Broadcast::None,
        accumulate: false,
        fidelity,
        width,
        formats,
    };
    let expected: Lanes = std::array::from_fn(|i| model_elementwise(&op, a[i], b[i], 0));
    on_every_level(|level| {
        let mut dst = [0; TILE_VALUES];
        fpu::elementwise(&op, a, b, &mut dst, true);
        assert_tiles(&dst, &expected, |i| {
            format!("{level:?} {width:?} {fidelity:?} of {:08x} and {:08x}", a[i], b[i])
        });
    });
}

/// Each run of 64 values has one sum of exponents, around those where phases begin to underflow
/// or Dst to overflow, so that no other value keeps a run off the fast path.
#[test]
fn products_at_the_edges_of_the_fast_path_are_exact() {
    let formats = SourceFormats { a: DataFormat::Tf32, b: DataFormat::Tf32 };
    let mut random = Random::new(11);
    for first_sum in [124, 136, 372, 378] {
        let (mut a, mut b) = ([0; TILE_VALUES], [0; TILE_VALUES]);
        for i in 0..TILE_VALUES {
            let sum = first_sum + i as u32 / 64;
            let middle = sum / 2 + random.bits() % 9 - 4;
            a[i] = random.with_exponent(middle, middle) & 0xffff_e000;
            b[i] = random.with_exponent(sum - middle, sum - middle) & 0xffff_e000;
        }
        for fidelity in Fidelity::ALL {
            check_products(fidelity, formats, &a, &b);
        }
    }
}

/// Whole tiles of one kind, zeros of both signs among them, so that no value keeps a tile off the
/// host's arithmetic but those on the edge: small operands, denormals, products that overflow.
#[test]
fn products_of_whole_tiles_are_exact_where_the_host_begins_to_be_trusted() {
    let formats = SourceFormats { a: DataFormat::Tf32, b: DataFormat::Tf32 };
    let mut random = Random::new(13);
    let kinds = [
        (1, 90, 1, 60),
        (69, 73, 69, 73),
        (0, 0, 130, 254),
        (190, 191, 188, 191),
        (87, 89, 87, 166),
        (85, 89, 100, 120),
        (160, 166, 165, 166),
        (100, 167, 120, 130),
    ];
    for (a_first, a_last, b_first, b_last) in kinds {
        let mut values = |first, last| -> Lanes {
            std::array::from_fn(|i| {
                let value = random.with_exponent(first, last) & 0xffff_e000;
                if i % 11 == 0 { value & 0x8000_0000 } else { value }
            })
        };
        let (a, b) = (values(a_first, a_last), values(b_first, b_last));
        for fidelity in Fidelity::ALL {
            check_products(fidelity, formats, &a, &b);
        }
    }
}

/// Operands and old values at the bounds of where products go block by block: few exponents, so
/// that sums cancel, and are halves of what is left of them.
#[test]
fn matmul_by_blocks_is_exact() {
    let formats = SourceFormats { a: DataFormat::Tf32, b: DataFormat::Tf32 };
    let mut random = Random::new(34);
    let exponents = [
        ((0, 0), "none"),
        ((62, 84), "too small"),
        ((83, 86), "some too small"),
        ((84, 160), "all of them"),
        ((158, 161), "some too large"),
        ((110, 130), "usual"),
        ((120, 124), "close"),
        ((127, 127), "one"),
    ];
    let old = [(0, 0), (1, 41), (60, 90), (114, 134), (126, 128), (198, 201)];
    for (((low, high), name), (least, most)) in
        exponents.into_iter().flat_map(|e| old.map(|o| (e, o)))
    {
        let mut pick = |low, high, mask| -> Lanes {
            std::array::from_fn(|_| match random.bits() % 9 {
                0 => 0,
                _ => random.with_exponent(low, high) & mask,
            })
        };
        let sources = [pick(low, high, 0xffff_0000), pick(low, high, 0xffff_e000)];
        for width in [DstWidth::Bits16, DstWidth::Bits32] {
            let old = pick(least, most, width.mask());
            for (in0, in1) in [(&sources[0], &sources[0]), (&sources[0], &sources[1])] {
                let mut expected = old;
                let fidelity = Fidelity::HiFi4;
                model::fpu::matmul(width, fidelity, formats, in0, in1, false, &mut expected);
                on_every_level(|level| {
                    let (mut dst, chip) = (old, Chip::Wormhole);
                    fpu::matmul(chip, width, fidelity, formats, in0, in1, false, &mut dst);
                    assert_tiles(&dst, &expected, |i| {
                        format!("{level:?} {width:?} {name}, {least}..={most}, value {i}")
                    });
                });
            }
        }
    }
}

/// A group of products that is rounded twice, to 2^-13 of a unit and then to the unit: a second
/// group, whose products cancel, has an exponent so much larger that half a unit is left or not.
#[test]
fn matmul_by_blocks_rounds_small_groups_twice() {
    let formats = SourceFormats { a: DataFormat::Bfloat16, b: DataFormat::Bfloat16 };
    let (width, fidelity, chip) = (DstWidth::Bits16, Fidelity::LoFi, Chip::Wormhole);
    let mut random = Random::new(56);
    for round in 0..200 {
        let shift = 13 + round % 4;
        let mut pick = |in0: bool| -> Lanes {
            let mut tile = [0; TILE_VALUES];
            for (k, at) in (0..8).flat_map(|k| (0..TILE_SIDE).map(move |at| (k, at))) {
                let (row, column) = if in0 { (at, k) } else { (k, at) };
                tile[index(row, column)] = random.with_exponent(120, 120) & 0x7fff_0000;
            }
            for (k, at) in [8, 9].into_iter().flat_map(|k| (0..TILE_SIDE).map(move |at| (k, at))) {
                let (row, column) = if in0 { (at, k) } else { (k, at) };
                let sign = if in0 && k == 9 { 0x8000_0000 } else { 0 };
                tile[index(row, column)] = sign | (120 + if in0 { shift } else { 0 }) << 23;
            }
            tile
        };
        let (in0, in1) = (pick(true), pick(false));
        let mut expected = [0; TILE_VALUES];
        model::fpu::matmul(width, fidelity, formats, &in0, &in1, false, &mut expected);
        on_every_level(|level| {
            let mut dst = [0; TILE_VALUES];
            fpu::matmul(chip, width, fidelity, formats, &in0, &in1, false, &mut dst);
            assert_tiles(&dst, &expected, |i| format!("{level:?} round {round} value {i}"));
        });
    }
}

/// Operands whose exponents straddle the bounds of the fused multiply-add path.
#[test]
fn matmul_at_the_edges_of_the_fast_path_is_exact() {
    let formats = SourceFormats { a: DataFormat::Tf32, b: DataFormat::Tf32 };
    let (width, fidelity) = (DstWidth::Bits32, Fidelity::HiFi4);
    let mut random = Random::new(12);
    for (low, high) in [(16, 183), (14, 183), (16, 186), (176, 183), (1, 183), (16, 24), (180, 190)]
    {
        let pick = |random: &mut Random| match (high - low < 12, random.bits() % 2) {
            (true, _) => random.with_exponent(low, high),
            (false, 0) => random.with_exponent(low, low + 8),
            (false, _) => random.with_exponent(high - 8, high),
        };
        let in0: Lanes = std::array::from_fn(|_| pick(&mut random) & 0xffff_e000);
        let in1: Lanes = std::array::from_fn(|_| pick(&mut random) & 0xffff_e000);
        let mut expected = [0; TILE_VALUES];
        model::fpu::matmul(width, fidelity, formats, &in0, &in1, false, &mut expected);
        on_every_level(|level| {
            let mut dst = [0; TILE_VALUES];
            fpu::matmul(Chip::Wormhole, width, fidelity, formats, &in0, &in1, false, &mut dst);
            assert_tiles(&dst, &expected, |i| format!("{level:?} {low}..={high} value {i}"));
        });
    }
}

const BFLOAT16: SourceFormats = SourceFormats { a: DataFormat::Bfloat16, b: DataFormat::Bfloat16 };

/// Tiles that have all patterns of bf16, and for each how they are in a source register.
fn bfloat16_tiles() -> impl Iterator<Item = (Bfloat16Tile, Lanes)> {
    (0..=u16::MAX).step_by(TILE_VALUES).map(|first| {
        let mut tile = [0; 2 * TILE_VALUES];
        for (place, bytes) in tile.as_chunks_mut().0.iter_mut().enumerate() {
            *bytes = (first + place as u16).to_le_bytes();
        }
        let mut lanes = [0; TILE_VALUES];
        unpack(&tile, BFLOAT16.a, BFLOAT16.a, &mut lanes).expect("a whole tile");
        (tile, lanes)
    })
}

fn check_claims(known: Option<Magnitudes>, got: &Lanes, wanted: &Lanes) {
    assert_eq!(got, wanted);
    let is_claimed = |value: &u32| known.is_none_or(|known| known.holds(*value));
    assert!(got.iter().all(is_claimed), "{known:?}: {got:x?}");
}

#[test]
fn copies_of_bfloat16_are_those_of_unpacked_tiles() {
    on_every_level(|_| {
        for (tile, lanes) in bfloat16_tiles() {
            for width in [DstWidth::Bits16, DstWidth::Bits32] {
                let (mut got, mut wanted) = ([1; TILE_VALUES], [2; TILE_VALUES]);
                let known = fpu::copy_bfloat16(width, &tile, &mut got);
                fpu::copy(width, BFLOAT16, &lanes, &mut wanted);
                check_claims(known, &got, &wanted);
            }
        }
    });
}

#[test]
fn rows_of_bfloat16_are_sums_with_a_tile_of_zeros() {
    on_every_level(|_| {
        for (tile, b) in bfloat16_tiles() {
            for op in [Elementwise::Add, Elementwise::Sub] {
                let (mut got, mut wanted) = ([1; TILE_VALUES], [0; TILE_VALUES]);
                let known = fpu::row_of_bfloat16(op, &tile, &mut got);
                let op = ElementwiseOp {
                    chip: Chip::Wormhole,
                    op,
                    broadcast: Broadcast::Row,
                    accumulate: false,
                    fidelity: Fidelity::HiFi4,
                    width: DstWidth::Bits32,
                    formats: BFLOAT16,
                };
                fpu::elementwise(&op, &[0; TILE_VALUES], &b, &mut wanted, true);
                check_claims(known, &got, &wanted);
            }
        }
    });
}

#[test]
fn broadcasts_spread_copied_values_and_claim_what_holds() {
    on_every_level(|_| {
        for (_, lanes) in bfloat16_tiles() {
            for broadcast in [Broadcast::Scalar, Broadcast::Column, Broadcast::Row] {
                for width in [DstWidth::Bits16, DstWidth::Bits32] {
                    let (mut got, mut copied) = ([1; TILE_VALUES], [2; TILE_VALUES]);
                    let known = fpu::unary_broadcast(width, BFLOAT16, broadcast, &lanes, &mut got);
                    fpu::copy(width, BFLOAT16, &lanes, &mut copied);
                    let wanted =
                        std::array::from_fn(|place| copied[broadcast_index(broadcast, place)]);
                    check_claims(known, &got, &wanted);
                }
            }
        }
    });
}

#[test]
fn products_of_bfloat16_bytes_are_those_of_unpacked_tiles() {
    let mut tiles: Vec<_> = bfloat16_tiles().collect();
    // Each with zeros of either sign among its values, where products are of either sign, too.
    for (tile, lanes) in &mut tiles {
        for (place, zero) in [(3, 0_u16), (40, 0x8000), (700, 0), (1023, 0x8000)] {
            tile[2 * place..][..2].copy_from_slice(&zero.to_le_bytes());
            lanes[place] = u32::from(zero) << 16;
        }
    }
    let fidelities = [Fidelity::LoFi, Fidelity::HiFi2, Fidelity::HiFi3, Fidelity::HiFi4];
    on_every_level(|_| {
        for (number, fidelity) in fidelities.into_iter().cycle().enumerate().take(8) {
            let width = [DstWidth::Bits16, DstWidth::Bits32][number / 4];
            let served = products_of(&tiles, fidelity, width);
            assert!(served >= 300, "{fidelity:?} {width:?}: {served} products by bytes");
        }
    });
}

/// Compares products of all pairs; says how many were made of bytes.
fn products_of(tiles: &[(Bfloat16Tile, Lanes)], fidelity: Fidelity, width: DstWidth) -> usize {
    let mut served = 0;
    for (number, (a, a_lanes)) in tiles.iter().enumerate() {
        for (other, (b, b_lanes)) in tiles.iter().enumerate() {
            let op = ElementwiseOp {
                chip: Chip::Wormhole,
                op: Elementwise::Mul,
                broadcast: [Broadcast::None, Broadcast::Row][(number + other) % 2],
                accumulate: false,
                fidelity,
                width,
                formats: BFLOAT16,
            };
            let (mut got, mut wanted) = ([0; TILE_VALUES], [0; TILE_VALUES]);
            let known = fpu::multiply_bfloat16(&op, a, b, &mut got);
            if known.is_some() {
                fpu::elementwise(&op, a_lanes, b_lanes, &mut wanted, true);
                served += 1;
            }
            check_claims(known, &got, &wanted);
        }
    }
    served
}

#[test]
fn zeros_of_either_sign_and_denormals_count_as_zero() {
    let mut tile = [0; 2 * TILE_VALUES];
    tile[6..8].copy_from_slice(&0x8000_u16.to_le_bytes());
    tile[8..10].copy_from_slice(&0x007f_u16.to_le_bytes());
    assert!(fpu::is_zero_bfloat16(&tile));
    tile[2046..].copy_from_slice(&0x0080_u16.to_le_bytes());
    assert!(!fpu::is_zero_bfloat16(&tile));
}
