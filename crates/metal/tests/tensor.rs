//! Tensors keep their values through every layout, format and memory.

use proptest::prelude::*;
use tilewright_metal::{
    AllocationError, Device, DeviceTensor, Layout, Shape, Storage, Tensor, TensorError,
};
use tilewright_tile::{DataFormat, Integer, bfloat16, index};

const SHAPES: [&str; 14] = [
    "1",
    "5",
    "33",
    "1x1",
    "1x32",
    "32x1",
    "31x33",
    "32x32",
    "64x96",
    "2x1x1",
    "3x33x31",
    "2x32x64",
    "1x2x3x40",
    "2x2x33x65",
];

/// Numbers whose bf16, and whose Bfp8 with others like them in a row, is exact.
fn ramp(shape: &Shape) -> Vec<f32> {
    (0..shape.volume()).map(|at| (at % 127) as f32 - 63.0).collect()
}

fn shapes() -> impl Iterator<Item = Shape> {
    SHAPES.iter().map(|text| text.parse().unwrap())
}

fn formats(layout: Layout) -> &'static [DataFormat] {
    match layout {
        Layout::RowMajor => &[DataFormat::Float32, DataFormat::Bfloat16],
        Layout::Tile => &[DataFormat::Float32, DataFormat::Bfloat16, DataFormat::Bfp8],
    }
}

#[test]
fn every_conversion_and_memory_keeps_the_values() {
    let layouts = [Layout::RowMajor, Layout::Tile];
    let mut device = Device::n150();
    for shape in shapes() {
        let values = ramp(&shape);
        let tensor = Tensor::from_f32(shape, &values).unwrap();
        for layout in layouts {
            for &format in formats(layout) {
                let converted = tensor.convert(layout, format).unwrap();
                assert_eq!(converted.to_f32(), values, "{converted:?}");
                for storage in [Storage::Dram, Storage::L1] {
                    device.reset();
                    let there = converted.to_device(&mut device, storage).unwrap();
                    assert_eq!(there.to_host(&mut device).unwrap(), converted);
                }
                for again in layouts {
                    for &format in formats(again) {
                        let again = converted.convert(again, format).unwrap();
                        assert_eq!(again.to_f32(), values, "{converted:?} to {again:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn tiles_are_stored_face_by_face_and_matrix_by_matrix() {
    let shape: Shape = "2x33x40".parse().unwrap();
    let values: Vec<u16> = (0..shape.volume() as u16).collect();
    let tensor = Tensor::from_bf16(shape, &values).unwrap();
    let tiles = tensor.convert_padded(Layout::Tile, DataFormat::Bfloat16, 1.5).unwrap();
    let stored: Vec<u16> =
        tiles.bytes().as_chunks().0.iter().map(|value| u16::from_le_bytes(*value)).collect();
    assert_eq!(stored.len(), 2 * 2 * 2 * 1024);
    for (place, value) in stored.iter().enumerate() {
        let (tile, within) = (place / 1024, place % 1024);
        let (row, column) = tilewright_tile::position(within);
        assert_eq!(index(row, column), within);
        let (row, column) = (tile / 2 % 2 * 32 + row, tile % 2 * 32 + column);
        let is_padding = row >= 33 || column >= 40;
        let expected = match is_padding {
            true => bfloat16::from_f32(1.5),
            false => values[(tile / 4 * 33 + row) * 40 + column],
        };
        assert_eq!(*value, expected, "row {row}, column {column} of tile {tile}");
    }
    // Padding does not come back, and is not replaced in tiles that have it.
    assert_eq!(tiles.to_bf16(), values);
    assert_eq!(tiles.convert(Layout::Tile, DataFormat::Bfloat16).unwrap(), tiles);
}

#[test]
fn pages_are_sticks_or_tiles() {
    let mut device = Device::n150();
    let shape: Shape = "2x3x33".parse().unwrap();
    let paging = |device: &mut Device, layout, format| {
        let tensor = DeviceTensor::empty(device, shape, layout, format, Storage::Dram).unwrap();
        (tensor.buffer.page_bytes, tensor.buffer.page_stride, tensor.buffer.pages)
    };
    assert_eq!(paging(&mut device, Layout::RowMajor, DataFormat::Bfloat16), (66, 96, 6));
    assert_eq!(paging(&mut device, Layout::RowMajor, DataFormat::Float32), (132, 160, 6));
    assert_eq!(paging(&mut device, Layout::Tile, DataFormat::Bfloat16), (2048, 2048, 4));
    assert_eq!(paging(&mut device, Layout::Tile, DataFormat::Bfp8), (1088, 1088, 4));
}

#[test]
fn zeros_replace_what_was_there() {
    let mut device = Device::n150();
    let shape: Shape = "40x40".parse().unwrap();
    let ones = Tensor::from_f32(shape, &[1.0; 1600]).unwrap();
    for storage in [Storage::Dram, Storage::L1] {
        ones.to_device(&mut device, storage).unwrap();
        device.reset();
        let (layout, format) = (Layout::Tile, DataFormat::Bfp8);
        let zeros = DeviceTensor::zeros(&mut device, shape, layout, format, storage).unwrap();
        assert_eq!(zeros.to_host(&mut device).unwrap().to_f32(), [0.0; 1600]);
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let shape: Shape = "2x3".parse().unwrap();
    let error = Tensor::from_f32(shape, &[0.0; 5]).unwrap_err();
    assert_eq!(error.to_string(), "5 values for a tensor of shape 2x3, which has 6");
    let error = Tensor::from_bytes(shape, Layout::Tile, DataFormat::Bfp8, vec![0; 6]).unwrap_err();
    assert_eq!(error.to_string(), "6 bytes for a tensor of shape 2x3, which needs 1088");
    let tensor = Tensor::from_bf16(shape, &[0; 6]).unwrap();
    let error = tensor.convert(Layout::RowMajor, DataFormat::Bfp8).unwrap_err();
    assert_eq!(error.to_string(), "a row-major tensor cannot be Bfp8_b; use tile layout");
    let error = tensor.convert(Layout::Tile, DataFormat::Tf32).unwrap_err();
    assert_eq!(error.to_string(), "Tf32 exists in registers only; store the tensor as Float32");

    let device = &mut Device::n150();
    let (layout, format) = (Layout::RowMajor, DataFormat::Float32);
    let long: Shape = "2147483648".parse().unwrap();
    let error = DeviceTensor::empty(device, long, layout, format, Storage::Dram).unwrap_err();
    assert_eq!(error, TensorError::StickTooLong { shape: long });
    let large: Shape = "1024x65536x32".parse().unwrap();
    let error = DeviceTensor::zeros(device, large, layout, format, Storage::L1).unwrap_err();
    let full = AllocationError::Full {
        storage: Storage::L1,
        banks: 64,
        bank_bytes: 1 << 27,
        free: 1_393_472,
    };
    assert_eq!(error, TensorError::Allocation(full));
}

#[test]
fn bf16_is_the_nearest_with_ties_to_even() {
    let halves = [0x3f80_8000, 0x3f81_8000, 0x3f80_8001, 0xff7f_ffff, 0x7f80_0001, 0x8000_0000u32];
    let values = halves.map(f32::from_bits);
    let tensor = Tensor::from_f32("6".parse().unwrap(), &values).unwrap();
    let expected = [0x3f80, 0x3f82, 0x3f81, 0xff80, 0x7fc0, 0x8000];
    assert_eq!(tensor.to_bf16(), expected);
    let tiles = tensor.convert(Layout::Tile, DataFormat::Bfloat16).unwrap();
    assert_eq!(tiles.to_bf16(), expected);
}

/// Whole numbers keep their bits through layouts; what is none of the format is refused.
#[test]
fn integers_are_whole_numbers_in_any_layout() {
    let shape = Shape::new(&[33, 40]).unwrap();
    let values: Vec<f32> = (0..shape.volume()).map(|at| at as f32 * 7.0).collect();
    let tensor = Tensor::from_f32(shape, &values).unwrap();
    for integer in [Integer::UInt32, Integer::Int32, Integer::UInt16] {
        let format = DataFormat::Integer(integer);
        let tiles = tensor.convert_padded(Layout::Tile, format, 3.0).unwrap();
        assert_eq!(tiles.bytes().len(), shape.tiles() * format.tile_bytes());
        let plain = tiles.convert(Layout::RowMajor, format).unwrap();
        assert_eq!((tiles.to_f32(), plain.to_f32()), (values.clone(), values.clone()), "{format}");
        assert_eq!(plain.bytes()[..2], [0, 0]);
        assert_eq!(plain.bytes()[format.value_bytes().unwrap()], 7);
    }
    let refused = |value: f32, integer| {
        let one = Tensor::from_f32(Shape::new(&[1]).unwrap(), &[value]).unwrap();
        let told = one.convert(Layout::RowMajor, DataFormat::Integer(integer)).unwrap_err();
        told.to_string()
    };
    assert_eq!(refused(0.5, Integer::Int32), "0.5 is not a value of Int32");
    assert_eq!(refused(-1.0, Integer::UInt32), "-1 is not a value of UInt32");
    assert_eq!(refused(65_536.0, Integer::UInt16), "65536 is not a value of UInt16");
    assert_eq!(refused(f32::NAN, Integer::UInt16), "NaN is not a value of UInt16");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bits_survive_any_order(
        sizes in prop::collection::vec(1usize..5, 0..3),
        height in 1usize..70,
        width in 1usize..70,
        seed: u32,
    ) {
        let shape = Shape::new(&[sizes, vec![height, width]].concat()).unwrap();
        // A linear congruence is random enough for bits that are only moved.
        let bits: Vec<u32> = std::iter::successors(Some(seed), |last| {
            Some(last.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
        }).take(shape.volume()).collect();
        let bytes: Vec<u8> = bits.iter().flat_map(|value| value.to_le_bytes()).collect();
        for (format, bytes) in [
            (DataFormat::Float32, bytes.as_slice()),
            (DataFormat::Bfloat16, &bytes[..bytes.len() / 2]),
        ] {
            let layout = Layout::RowMajor;
            let plain = Tensor::from_bytes(shape, layout, format, bytes.to_vec()).unwrap();
            let tiles = plain.convert_padded(Layout::Tile, format, f32::NAN).unwrap();
            prop_assert_eq!(tiles.bytes().len(), shape.tiles() * format.tile_bytes());
            prop_assert_eq!(&tiles.convert(layout, format).unwrap(), &plain);
        }
    }

    #[test]
    fn bfp8_is_near_and_settles_at_once(values in prop::collection::vec(-1e3f32..1e3, 40 * 40)) {
        let shape = Shape::new(&[40, 40]).unwrap();
        let tensor = Tensor::from_f32(shape, &values).unwrap();
        let once = tensor.convert(Layout::Tile, DataFormat::Bfp8).unwrap();
        for (given, got) in values.iter().zip(once.to_f32()) {
            // Half a unit in the last place of a row whose largest value is below 1024, and what
            // saturation adds to it.
            prop_assert!((given - got).abs() <= 8.0, "{} became {}", given, got);
        }
        let twice = once.convert(Layout::Tile, DataFormat::Float32).unwrap();
        prop_assert_eq!(twice.convert(Layout::Tile, DataFormat::Bfp8).unwrap(), once);
    }
}
