//! Formats, layout, unpacking and packing against the scalar model, on every SIMD level.

mod model;

use model::data::{KINDS, Kind, Random, assert_tiles, on_every_level, tile};
use proptest::prelude::*;
use tilewright_tile::{
    DataFormat, DstWidth, Lanes, PackMask, Packing, Relu, TILE_VALUES, bfloat16, block_float,
    index, pack, pack_row_major, position, tilize, transpose, unpack, unpack_row_major, untilize,
};

fn kinds() -> impl Strategy<Value = Kind> {
    proptest::sample::select(KINDS.to_vec())
}

fn bytes_of(tile: &Lanes, format: DataFormat) -> Vec<u8> {
    match format {
        DataFormat::Bfloat16 => {
            tile.iter().flat_map(|v| ((v >> 16) as u16).to_le_bytes()).collect()
        }
        DataFormat::Float32 | DataFormat::Tf32 => {
            tile.iter().flat_map(|v| v.to_le_bytes()).collect()
        }
        DataFormat::Bfp8 => tile.iter().flat_map(|v| v.to_le_bytes()).take(1088).collect(),
        DataFormat::Integer(_) | DataFormat::Small(_) => {
            unreachable!("no unit computes with whole numbers")
        }
    }
}

fn value_at(l1: &[u8], format: DataFormat, i: usize) -> u32 {
    match format {
        DataFormat::Bfloat16 => u32::from(u16::from_le_bytes([l1[2 * i], l1[2 * i + 1]])),
        DataFormat::Float32 | DataFormat::Tf32 => {
            u32::from_le_bytes(std::array::from_fn(|k| l1[4 * i + k]))
        }
        DataFormat::Bfp8 => model::formats::decode_block(l1[i / 16], l1[64 + i]),
        DataFormat::Integer(_) | DataFormat::Small(_) => {
            unreachable!("no unit computes with whole numbers")
        }
    }
}

fn model_pack(dst: &Lanes, p: &Packing, old: &[u8]) -> Vec<u8> {
    let values: Vec<u32> = (0..TILE_VALUES)
        .map(|i| {
            let (row, column) = position(i);
            let is_kept = match p.mask {
                PackMask::None => true,
                PackMask::Row => column == 0,
                PackMask::Column => row == 0,
                PackMask::Scalar => i == 0,
            };
            let value = model::formats::pack_source(dst[i], p.width, p.source, p.relu);
            if is_kept { value } else { 0 }
        })
        .collect();
    if p.output == DataFormat::Bfp8 {
        let mut out = vec![0; 1088];
        for block in 0..64 {
            let halves = std::array::from_fn(|k| {
                model::formats::block_input(values[block * 16 + k], p.source)
            });
            let (shared, bytes) = model::formats::encode_block(halves);
            out[block] = shared;
            out[64 + block * 16..][..16].copy_from_slice(&bytes);
        }
        return out;
    }
    let mut out = Vec::new();
    for (i, &value) in values.iter().enumerate() {
        let before = value_at(old, p.output, i);
        if p.output == DataFormat::Bfloat16 {
            let new = (value >> 16) as u16;
            let sum = model::formats::add_bfloat16(before as u16, new);
            out.extend(if p.accumulate { sum } else { new }.to_le_bytes());
        } else {
            let sum = model::formats::add_float32(before, value);
            out.extend(if p.accumulate { sum } else { value }.to_le_bytes());
        }
    }
    out
}

/// What tt-metal configures: Dst width, pack source, output.
const PACKINGS: [(DstWidth, DataFormat, DataFormat); 10] = {
    use DataFormat::{Bfloat16, Bfp8, Float32};
    use DstWidth::{Bits16, Bits32};
    [
        (Bits32, Float32, Float32),
        (Bits32, Float32, Bfp8),
        (Bits32, Bfloat16, Bfloat16),
        (Bits32, Bfloat16, Float32),
        (Bits32, Bfloat16, Bfp8),
        (Bits32, Bfp8, Bfp8),
        (Bits16, Bfloat16, Bfloat16),
        (Bits16, Bfloat16, Float32),
        (Bits16, Bfloat16, Bfp8),
        (Bits16, Bfp8, Bfp8),
    ]
};

fn check_pack(dst: &Lanes, packing: &Packing, old: &[u8]) {
    let expected = model_pack(dst, packing, old);
    on_every_level(|level| {
        let mut l1 = old.to_vec();
        pack(dst, packing, &mut l1).unwrap();
        assert!(l1 == expected, "{level:?} {packing:?}");
        let Some(value_bytes) = packing.output.value_bytes() else { return };
        let stride = 40 * value_bytes;
        let mut rows = vec![0; 32 * stride];
        for i in 0..TILE_VALUES {
            let (row, column) = position(i);
            rows[row * stride + column * value_bytes..][..value_bytes]
                .copy_from_slice(&old[i * value_bytes..][..value_bytes]);
        }
        pack_row_major(dst, packing, &mut rows, stride).unwrap();
        for i in 0..TILE_VALUES {
            let (row, column) = position(i);
            let actual = &rows[row * stride + column * value_bytes..][..value_bytes];
            assert_eq!(actual, &expected[i * value_bytes..][..value_bytes], "{packing:?} {i}");
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn packing_agrees_with_the_model(
        seed: u64,
        kinds in (kinds(), kinds()),
        combination in proptest::sample::select(PACKINGS.to_vec()),
        threshold in 0_u16..0x7f80,
        relu in 0..4,
        mask in proptest::sample::select(
            vec![PackMask::None, PackMask::Row, PackMask::Column, PackMask::Scalar]),
        accumulate: bool,
    ) {
        let (width, source, output) = combination;
        let relu = match relu {
            0 => Relu::Off,
            1 => Relu::Zero,
            2 => Relu::MinThreshold(threshold),
            _ => Relu::MaxThreshold(threshold),
        };
        let accumulate = accumulate && output != DataFormat::Bfp8;
        let packing = Packing { width, source, output, relu, mask, accumulate };
        let random = &mut Random::new(seed);
        let dst = tile(random, kinds.0, width.mask());
        let old = bytes_of(&tile(random, kinds.1, u32::MAX), output);
        check_pack(&dst, &packing, &old);
    }

    /// A tile with a single NaN is packed value by value, one without any all at once.
    #[test]
    fn packing_edges_with_and_without_a_nan_agrees_with_the_model(seed: u64, nans in 0..2) {
        const EDGES: [u32; 12] = [
            0, 1, 0x7fff, 0x8000, 0x007f_7fff, 0x007f_8000, 0x007f_ffff, 0x0080_0000, 0x3f80_8000,
            0x7f7f_7fff, 0x7f7f_8000, 0x7f80_0000,
        ];
        const NANS: [u32; 4] = [0x7f80_0001, 0x7f80_ffff, 0x7fc0_0000, 0x7fff_ffff];
        let random = &mut Random::new(seed);
        let edge = |random: &mut Random, edges: &[u32]| {
            edges[random.bits() as usize % edges.len()] | random.bits() & 0x8000_0000
        };
        let mut dst: Lanes = std::array::from_fn(|_| edge(random, &EDGES));
        for _ in 0..nans {
            dst[random.bits() as usize % TILE_VALUES] = edge(random, &NANS);
        }
        for width in [DstWidth::Bits16, DstWidth::Bits32] {
            let dst = dst.map(|value| value & width.mask());
            let (source, output) = (DataFormat::Bfloat16, DataFormat::Bfloat16);
            let (relu, mask) = (Relu::Off, PackMask::None);
            let packing = Packing { width, source, output, relu, mask, accumulate: false };
            check_pack(&dst, &packing, &[0; 2 * TILE_VALUES]);
        }
    }

    #[test]
    fn unpacking_agrees_with_the_model(seed: u64, kind in kinds()) {
        let tile = tile(&mut Random::new(seed), kind, u32::MAX);
        for from in DataFormat::ALL {
            let l1 = bytes_of(&tile, from);
            for to in DataFormat::ALL {
                check_unpack(&l1, from, to);
            }
        }
    }

    #[test]
    fn tilize_and_untilize_are_inverse(seed: u64, stride in 32_usize..50) {
        let random = &mut Random::new(seed);
        let matrix: Vec<u32> = (0..32 * stride).map(|_| random.bits()).collect();
        let mut tile = [0; TILE_VALUES];
        tilize(&matrix, stride, &mut tile);
        for (i, &value) in tile.iter().enumerate() {
            let (row, column) = position(i);
            prop_assert_eq!(index(row, column), i);
            prop_assert_eq!(value, matrix[row * stride + column]);
        }
        let mut back = vec![0; 32 * stride];
        untilize(&tile, &mut back, stride);
        for row in 0..32 {
            prop_assert_eq!(&back[row * stride..][..32], &matrix[row * stride..][..32]);
        }
        let (mut once, mut twice) = ([0; TILE_VALUES], [0; TILE_VALUES]);
        transpose(&tile, &mut once);
        transpose(&once, &mut twice);
        prop_assert_eq!(twice, tile);
        prop_assert_eq!(once[index(3, 20)], tile[index(20, 3)]);
    }

    #[test]
    fn tilizing_unpack_and_untilizing_pack_are_inverse(seed: u64, kind in kinds()) {
        use DataFormat::{Bfloat16, Float32};
        let tile = tile(&mut Random::new(seed), kind, u32::MAX);
        for (format, width) in [(Float32, DstWidth::Bits32), (Bfloat16, DstWidth::Bits16)] {
            let bytes = format.value_bytes().unwrap();
            let mut rows = bytes_of(&tile, format);
            if format == Bfloat16 {
                // What the packer would change: denormals, -0 and NaN.
                for pair in rows.chunks_exact_mut(2) {
                    let h = u16::from_le_bytes([pair[0], pair[1]]);
                    let is_changed = h & 0x7f80 == 0 || h & 0x7f80 == 0x7f80;
                    pair.copy_from_slice(&if is_changed { 0 } else { h }.to_le_bytes());
                }
            }
            let mut lanes = [0; TILE_VALUES];
            unpack_row_major(&rows, 32 * bytes, format, format, &mut lanes).unwrap();
            let packing = Packing {
                width,
                source: format,
                output: format,
                relu: Relu::Off,
                mask: PackMask::None,
                accumulate: false,
            };
            let mut back = vec![0; rows.len()];
            pack_row_major(&lanes, &packing, &mut back, 32 * bytes).unwrap();
            prop_assert!(back == rows, "{}", format);
        }
    }

    #[test]
    fn block_floats_survive_decoding_and_encoding(seed: u64) {
        let random = &mut Random::new(seed);
        let mut l1: Vec<u8> = (0..1088).map(|_| random.bits() as u8).collect();
        for block in 0..64 {
            // Normalised: some magnitude uses the shared exponent, and none underflows it.
            l1[block] |= 8;
            l1[64 + block * 16] |= 64;
        }
        l1[64..].iter_mut().for_each(|byte| *byte = if *byte == 128 { 0 } else { *byte });
        let mut lanes = [0; TILE_VALUES];
        block_float::decode(&l1, DataFormat::Bfp8, &mut lanes);
        let mut back = vec![0; 1088];
        block_float::encode(&lanes, &mut back);
        prop_assert_eq!(back, l1);
    }
}

fn check_unpack(l1: &[u8], from: DataFormat, to: DataFormat) {
    let mut out = [0; TILE_VALUES];
    let is_block = from == DataFormat::Bfp8 && to == DataFormat::Bfp8;
    if !is_block && model::formats::unpack(0, from, to).is_none() {
        let error = unpack(l1, from, to, &mut out).unwrap_err();
        assert_eq!(error.to_string(), format!("unpack from {from} to {to} is not modelled"));
        return;
    }
    let expected: Lanes = std::array::from_fn(|i| {
        let value = value_at(l1, from, i);
        if is_block { value } else { model::formats::unpack(value, from, to).unwrap() }
    });
    on_every_level(|level| {
        unpack(l1, from, to, &mut out).unwrap();
        assert_tiles(&out, &expected, |i| format!("{level:?} {from} to {to}, value {i}"));
        let Some(value_bytes) = from.value_bytes() else { return };
        unpack_row_major(l1, 32 * value_bytes, from, to, &mut out).unwrap();
        for (i, &value) in out.iter().enumerate() {
            let (row, column) = position(i);
            assert_eq!(value, expected[row * 32 + column], "{level:?} {from} to {to}, value {i}");
        }
    });
}

#[test]
fn every_block_float_byte_decodes_as_the_model_says() {
    for shared in 0..=255_u8 {
        let mut l1 = vec![shared; 1088];
        (0..1024).for_each(|i| l1[64 + i] = i as u8);
        let mut out = [0; TILE_VALUES];
        block_float::decode(&l1, DataFormat::Bfp8, &mut out);
        for (i, &actual) in out.iter().enumerate() {
            assert_eq!(actual, model::formats::decode_block(shared, i as u8));
        }
    }
}

#[test]
fn names_are_those_of_tt_metal_and_errors_say_why() {
    for format in DataFormat::ALL {
        assert_eq!(DataFormat::from_name(format.name()), Ok(format));
    }
    assert_eq!(DataFormat::from_name("bf16"), Ok(DataFormat::Bfloat16));
    assert_eq!(DataFormat::from_name("bfp8"), Ok(DataFormat::Bfp8));
    assert_eq!(DataFormat::from_name("fp32"), Ok(DataFormat::Float32));
    let accepted = "accepted: Float32 (fp32), Tf32, Float16_b (bf16, bfloat16), Bfp8_b (bfp8), \
                    Bfp4_b, Bfp2_b, Float16, Int32, UInt32, UInt16, Int8, UInt8";
    let message = |name| DataFormat::from_name(name).unwrap_err().to_string();
    for name in ["Bfp8", "Bfp4", "Lf8"] {
        let reason = "is a Tensix data format that is not modelled";
        assert_eq!(message(name), format!("`{name}` {reason}; {accepted}"));
    }
    assert_eq!(message("float33"), format!("`float33` is not a data format; {accepted}"));
}

#[test]
fn hosts_round_to_nearest_even_and_keep_nan() {
    assert_eq!(bfloat16::from_f32(1.0), 0x3f80);
    assert_eq!(bfloat16::from_f32(f32::from_bits(0x3f80_8000)), 0x3f80);
    assert_eq!(bfloat16::from_f32(f32::from_bits(0x3f81_8000)), 0x3f82);
    assert_eq!(bfloat16::from_f32(f32::MAX), 0x7f80);
    assert_eq!(bfloat16::from_f32(f32::from_bits(0x7f80_0001)), 0x7fc0);
    assert_eq!(bfloat16::truncate_f32(f32::from_bits(0x3f81_ffff)), 0x3f81);
    assert_eq!(bfloat16::to_f32(0xbf80), -1.0);
}
