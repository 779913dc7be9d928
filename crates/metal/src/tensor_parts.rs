//! Tensors made and read without copies of the whole in between.

use tilewright_tile::{DataFormat, bfloat16};

use crate::convert;
use crate::shape::Shape;
use crate::tensor::{Layout, Tensor, TensorError};

impl Tensor {
    /// A tensor of a layout and format with these values: `from_f32` and `convert_padded` in one.
    pub fn from_f32_as(
        shape: Shape,
        values: &[f32],
        (layout, format): (Layout, DataFormat),
        padding: f32,
    ) -> Result<Tensor, TensorError> {
        let is_direct = (layout, format) == (Layout::Tile, DataFormat::Bfloat16);
        if !is_direct || values.len() != shape.volume() {
            return Tensor::from_f32(shape, values)?.convert_padded(layout, format, padding);
        }
        let data = convert::fp32_to_bf16_tiles(&shape, values, padding);
        Tensor::from_bytes(shape, layout, format, data)
    }

    /// Whether `read_f32` can read it. Other formats are read whole.
    pub fn is_read_in_parts(&self) -> bool {
        [DataFormat::Bfloat16, DataFormat::Float32].contains(&self.format())
    }

    /// Reads values in fp32, from the index `start` on: some of those that `to_f32` gives.
    pub fn read_f32(&self, start: usize, out: &mut [f32]) {
        assert!(self.is_read_in_parts(), "values of {} are read whole", self.format());
        let place = (self.shape(), self.layout() == Layout::Tile, start);
        let bf16 = |bytes| bfloat16::to_f32(u16::from_le_bytes(bytes));
        match self.format() == DataFormat::Bfloat16 {
            true => convert::read(place, self.bytes(), out, bf16),
            false => convert::read(place, self.bytes(), out, f32::from_le_bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shapes with whole tiles, with parts of them, and with several matrices.
    const SHAPES: [&[usize]; 5] = [&[32, 32], &[1, 1], &[64, 96], &[2, 33, 50], &[3, 2, 17, 70]];

    fn values(shape: &Shape) -> Vec<f32> {
        let odd = [f32::NAN, f32::INFINITY, -0.0, 1e-40, 257.0, 3.0e38];
        (0..shape.volume())
            .map(|at| odd.get(at % 41).copied().unwrap_or(1.1_f32.powi(at as i32 % 97) - 9.0))
            .collect()
    }

    fn kinds() -> impl Iterator<Item = (Layout, DataFormat)> {
        let formats = [DataFormat::Bfloat16, DataFormat::Float32];
        formats.into_iter().flat_map(|it| [(Layout::Tile, it), (Layout::RowMajor, it)])
    }

    #[test]
    fn tensors_are_those_that_are_converted() {
        for sizes in SHAPES {
            let shape = Shape::new(sizes).expect("a shape");
            let values = values(&shape);
            for (layout, format) in kinds() {
                let direct = Tensor::from_f32_as(shape, &values, (layout, format), 3.5);
                let whole = Tensor::from_f32(shape, &values).expect("as many as the shape has");
                assert!(direct == whole.convert_padded(layout, format, 3.5), "{sizes:?} {format}");
            }
            let tiles = (Layout::Tile, DataFormat::Bfloat16);
            assert!(Tensor::from_f32_as(shape, &values[1..], tiles, 0.0).is_err());
        }
    }

    #[test]
    fn parts_are_those_of_the_whole() {
        for sizes in SHAPES {
            let shape = Shape::new(sizes).expect("a shape");
            for kind in kinds() {
                let tensor = Tensor::from_f32_as(shape, &values(&shape), kind, 0.0).expect("one");
                let bits =
                    |values: &[f32]| values.iter().map(|it| it.to_bits()).collect::<Vec<_>>();
                let whole = bits(&tensor.to_f32());
                for (start, count) in [(0, whole.len()), (0, 1), (whole.len() / 3, whole.len() / 2)]
                {
                    let mut part = vec![0.0; count];
                    tensor.read_f32(start, &mut part);
                    let about = format!("{sizes:?} {kind:?} from {start}");
                    assert_eq!(bits(&part), whole[start..start + count], "{about}");
                }
            }
        }
    }
}
