//! Tensors on the host: a shape, a layout, a format, and the bytes as they will be in pages.
//!
//! Conversions here are the host's (bf16 to nearest even, blocks as tt-metal's host does them);
//! what the device does to values is in `tile`.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tilewright_tile::{DataFormat, Integer, Small, bfloat16};

use crate::block_float;
use crate::buffer::BufferError;
use crate::convert;
use crate::device::AllocationError;
use crate::shape::Shape;

/// In which order a tensor's values are stored.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// Row by row; a page is a stick, one row of the last dimension.
    RowMajor,
    /// In tiles of 32x32, row by row of tiles, matrix after matrix; a page is a tile. The last two
    /// dimensions are padded to whole tiles.
    Tile,
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Layout::RowMajor => "row-major",
            Layout::Tile => "tile",
        })
    }
}

/// How a tensor of some shape, layout and format is divided into pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paging {
    /// Bytes of a page.
    pub page_bytes: usize,
    /// How many pages.
    pub pages: usize,
}

impl Paging {
    /// One page a stick, or one page a tile.
    pub fn new(shape: &Shape, layout: Layout, format: DataFormat) -> Result<Paging, TensorError> {
        if format == DataFormat::Tf32 {
            return Err(TensorError::NotStored { format });
        }
        if format == DataFormat::Small(Small::Float16) {
            return Err(TensorError::NotModelled { format });
        }
        match (layout, format.value_bytes()) {
            (Layout::RowMajor, None) => Err(TensorError::BlocksNeedTiles { format }),
            (Layout::RowMajor, Some(value_bytes)) => {
                Ok(Paging { page_bytes: shape.width() * value_bytes, pages: shape.sticks() })
            }
            (Layout::Tile, _) => {
                Ok(Paging { page_bytes: format.tile_bytes(), pages: shape.tiles() })
            }
        }
    }

    /// Bytes of all pages.
    pub fn bytes(&self) -> usize {
        self.page_bytes * self.pages
    }
}

/// Values on the host.
///
/// ```
/// use tilewright_metal::{Layout, Shape, Tensor};
/// use tilewright_tile::DataFormat;
///
/// let shape = Shape::new(&[2, 3])?;
/// let tensor = Tensor::from_f32(shape, &[1.0, 2.0, 3.0, 4.0, 5.0, 257.0])?;
/// let tiles = tensor.convert(Layout::Tile, DataFormat::Bfloat16)?;
/// assert_eq!(tiles.bytes().len(), 2048, "one tile, padded with zeros");
/// assert_eq!(tiles.to_f32(), [1.0, 2.0, 3.0, 4.0, 5.0, 256.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Tensor {
    shape: Shape,
    layout: Layout,
    format: DataFormat,
    data: Vec<u8>,
}

impl Tensor {
    /// A row-major Float32 tensor with these values, the last dimension running fastest.
    pub fn from_f32(shape: Shape, values: &[f32]) -> Result<Tensor, TensorError> {
        check_values(&shape, values.len())?;
        let mut data = vec![0; values.len() * 4];
        for (to, from) in convert::values_mut::<4>(&mut data).iter_mut().zip(values) {
            *to = from.to_le_bytes();
        }
        Ok(Tensor { shape, layout: Layout::RowMajor, format: DataFormat::Float32, data })
    }

    /// A row-major Bfloat16 tensor with these bit patterns, the last dimension running fastest.
    pub fn from_bf16(shape: Shape, values: &[u16]) -> Result<Tensor, TensorError> {
        check_values(&shape, values.len())?;
        let mut data = vec![0; values.len() * 2];
        for (to, from) in convert::values_mut::<2>(&mut data).iter_mut().zip(values) {
            *to = from.to_le_bytes();
        }
        Ok(Tensor { shape, layout: Layout::RowMajor, format: DataFormat::Bfloat16, data })
    }

    /// A tensor with these bytes, which are its pages one after another.
    pub fn from_bytes(
        shape: Shape,
        layout: Layout,
        format: DataFormat,
        data: Vec<u8>,
    ) -> Result<Tensor, TensorError> {
        let expected = Paging::new(&shape, layout, format)?.bytes();
        if data.len() != expected {
            return Err(TensorError::WrongBytes { shape, given: data.len(), expected });
        }
        Ok(Tensor { shape, layout, format, data })
    }

    /// The shape, without padding.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The order of its values.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The format of its values.
    pub fn format(&self) -> DataFormat {
        self.format
    }

    /// Its pages, one after another.
    pub fn bytes(&self) -> &[u8] {
        &self.data
    }

    /// The values in fp32, the last dimension running fastest, without padding.
    pub fn to_f32(&self) -> Vec<f32> {
        let plain = plain(Cow::Borrowed(self));
        let values = |data: &[u8]| -> Vec<f32> {
            convert::values(data).iter().map(|value| f32::from_le_bytes(*value)).collect()
        };
        match plain.format {
            DataFormat::Bfloat16 => {
                let patterns = convert::values(&plain.data).iter();
                patterns.map(|value| bfloat16::to_f32(u16::from_le_bytes(*value))).collect()
            }
            DataFormat::Float32
            | DataFormat::Tf32
            | DataFormat::Bfp8
            | DataFormat::Small(Small::Bfp4 | Small::Bfp2) => values(&plain.data),
            DataFormat::Integer(integer) => {
                values(&convert::integers_to_fp32(integer, &plain.data))
            }
            DataFormat::Small(Small::Float16) => never(plain.format),
        }
    }

    /// The values of a format of whole numbers, which fp32 need not hold; as `to_f32` else.
    pub fn to_f64(&self) -> Vec<f64> {
        let plain = plain(Cow::Borrowed(self));
        match plain.format {
            DataFormat::Integer(integer) => convert::integers_to_f64(integer, &plain.data),
            DataFormat::Bfloat16
            | DataFormat::Float32
            | DataFormat::Tf32
            | DataFormat::Bfp8
            | DataFormat::Small(_) => plain.to_f32().into_iter().map(f64::from).collect(),
        }
    }

    /// The values as bf16 patterns (nearest, ties to even), the last dimension running fastest,
    /// without padding.
    pub fn to_bf16(&self) -> Vec<u16> {
        let plain = plain(Cow::Borrowed(self));
        let values = |data: &[u8]| -> Vec<u16> {
            convert::values(data).iter().map(|value| u16::from_le_bytes(*value)).collect()
        };
        match plain.format {
            DataFormat::Bfloat16 => values(&plain.data),
            DataFormat::Float32
            | DataFormat::Tf32
            | DataFormat::Bfp8
            | DataFormat::Small(Small::Bfp4 | Small::Bfp2) => {
                values(&convert::fp32_to_bf16(&plain.data))
            }
            DataFormat::Integer(integer) => {
                let numbers = convert::integers_to_fp32(integer, &plain.data);
                values(&convert::fp32_to_bf16(&numbers))
            }
            DataFormat::Small(Small::Float16) => never(plain.format),
        }
    }

    /// The same values in another layout and format; padding that tiles need is 0.
    pub fn convert(&self, layout: Layout, format: DataFormat) -> Result<Tensor, TensorError> {
        self.convert_padded(layout, format, 0.0)
    }

    /// As `convert`, with a padding value. Padding that is there already stays.
    pub fn convert_padded(
        &self,
        layout: Layout,
        format: DataFormat,
        padding: f32,
    ) -> Result<Tensor, TensorError> {
        Paging::new(&self.shape, layout, format)?;
        check_whole(self, format, padding)?;
        let given = Cow::Borrowed(self);
        let converted = match layout {
            Layout::RowMajor => with_format(plain(given), format),
            // The narrower format is the one to move values in; blocks can be made of tiles only.
            Layout::Tile if block_float::value_bits(format).is_some() => {
                with_format(tiled(given, padding), format)
            }
            Layout::Tile => tiled(with_format(given, format), padding),
        };
        Ok(converted.into_owned())
    }
}

/// No tensor has such a format: `Paging::new` refuses it.
fn never(format: DataFormat) -> ! {
    unreachable!("a tensor of {format} on the host")
}

/// Row-major, in the same format or, from blocks, in fp32.
fn plain(tensor: Cow<'_, Tensor>) -> Cow<'_, Tensor> {
    if tensor.layout == Layout::RowMajor {
        return tensor;
    }
    let (shape, layout) = (tensor.shape, Layout::RowMajor);
    let (format, data) = match tensor.format {
        DataFormat::Bfloat16 => {
            (DataFormat::Bfloat16, convert::to_row_major::<2>(&shape, &tensor.data))
        }
        DataFormat::Float32 | DataFormat::Tf32 => {
            (DataFormat::Float32, convert::to_row_major::<4>(&shape, &tensor.data))
        }
        DataFormat::Integer(Integer::UInt16) => {
            (tensor.format, convert::to_row_major::<2>(&shape, &tensor.data))
        }
        DataFormat::Integer(Integer::UInt32 | Integer::Int32) => {
            (tensor.format, convert::to_row_major::<4>(&shape, &tensor.data))
        }
        DataFormat::Integer(Integer::UInt8 | Integer::Int8) => {
            (tensor.format, convert::to_row_major::<1>(&shape, &tensor.data))
        }
        DataFormat::Small(Small::Float16) => never(tensor.format),
        DataFormat::Bfp8 | DataFormat::Small(Small::Bfp4 | Small::Bfp2) => {
            let decoded = convert::blocks_to_fp32(&tensor.data, tensor.format);
            (DataFormat::Float32, convert::to_row_major::<4>(&shape, &decoded))
        }
    };
    Cow::Owned(Tensor { shape, layout, format, data })
}

/// In tiles, in the same format.
fn tiled(tensor: Cow<'_, Tensor>, padding: f32) -> Cow<'_, Tensor> {
    if tensor.layout == Layout::Tile {
        return tensor;
    }
    let data = match tensor.format {
        DataFormat::Bfloat16 => {
            let padding = bfloat16::from_f32(padding).to_le_bytes();
            convert::to_tiles::<2>(&tensor.shape, &tensor.data, padding)
        }
        DataFormat::Float32
        | DataFormat::Tf32
        | DataFormat::Bfp8
        | DataFormat::Small(Small::Bfp4 | Small::Bfp2) => {
            convert::to_tiles::<4>(&tensor.shape, &tensor.data, padding.to_le_bytes())
        }
        DataFormat::Integer(Integer::UInt16) => {
            let padding = (padding as u16).to_le_bytes();
            convert::to_tiles::<2>(&tensor.shape, &tensor.data, padding)
        }
        DataFormat::Integer(Integer::UInt8 | Integer::Int8) => {
            convert::to_tiles::<1>(&tensor.shape, &tensor.data, [padding as u8])
        }
        DataFormat::Small(Small::Float16) => never(tensor.format),
        DataFormat::Integer(Integer::UInt32 | Integer::Int32) => {
            let padding = (f64::from(padding) as i64 as u32).to_le_bytes();
            convert::to_tiles::<4>(&tensor.shape, &tensor.data, padding)
        }
    };
    Cow::Owned(Tensor { layout: Layout::Tile, data, ..*tensor })
}

/// In the same layout; the caller has checked that it can have this format.
fn with_format(tensor: Cow<'_, Tensor>, format: DataFormat) -> Cow<'_, Tensor> {
    use DataFormat::{Bfloat16, Bfp8, Float32, Integer, Small, Tf32};
    use tilewright_tile::Small::{Bfp2, Bfp4, Float16};
    let bytes = &tensor.data;
    let data = match (tensor.format, format) {
        (from, to) if from == to => return tensor,
        (Float32 | Tf32, Float32 | Tf32) => return tensor,
        (Small(Float16), _) | (_, Small(Float16)) => never(format),
        (Float32 | Tf32, Bfloat16) => convert::fp32_to_bf16(bytes),
        (Float32 | Tf32, Bfp8 | Small(Bfp4 | Bfp2)) => convert::fp32_to_blocks(bytes, format),
        (Bfloat16, Float32 | Tf32) => convert::bf16_to_fp32(bytes),
        (from @ (Bfp8 | Small(Bfp4 | Bfp2)), Float32 | Tf32) => {
            convert::blocks_to_fp32(bytes, from)
        }
        (Integer(from), Float32 | Tf32) => convert::integers_to_fp32(from, bytes),
        (Bfloat16 | Bfp8 | Small(Bfp4 | Bfp2) | Integer(_), _) => {
            let fp32 = with_format(tensor.clone(), Float32);
            return Cow::Owned(with_format(fp32, format).into_owned());
        }
        (Float32 | Tf32, Integer(to)) => convert::fp32_to_integers(to, bytes),
    };
    Cow::Owned(Tensor { format, data, ..*tensor })
}

/// Values that become integers are whole numbers that the format has.
fn check_whole(tensor: &Tensor, format: DataFormat, padding: f32) -> Result<(), TensorError> {
    let DataFormat::Integer(integer) = format else { return Ok(()) };
    if tensor.format == format && tensor.layout == Layout::Tile {
        return Ok(());
    }
    let (least, most) = match integer {
        Integer::UInt32 => (0.0, f64::from(u32::MAX)),
        Integer::Int32 => (f64::from(i32::MIN), f64::from(i32::MAX)),
        Integer::UInt16 => (0.0, f64::from(u16::MAX)),
        Integer::UInt8 => (0.0, 255.0),
        Integer::Int8 => (-127.0, 127.0),
    };
    let is_wrong = |value: &f32| {
        let value = f64::from(*value);
        value.fract() != 0.0 || !(least..=most).contains(&value)
    };
    let values = if tensor.format == format { Vec::new() } else { tensor.to_f32() };
    match values.into_iter().chain([padding]).find(is_wrong) {
        Some(value) => Err(TensorError::NotWhole { format, value: value.to_string() }),
        None => Ok(()),
    }
}

fn check_values(shape: &Shape, given: usize) -> Result<(), TensorError> {
    let expected = shape.volume();
    if given == expected {
        return Ok(());
    }
    Err(TensorError::WrongValues { shape: *shape, given, expected })
}

impl fmt::Debug for Tensor {
    /// Everything but the values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor({}, {}, {})", self.shape, self.layout, self.format)
    }
}

/// Why a tensor cannot be made, converted or moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TensorError {
    /// The tensor cannot be cut into such shards.
    Shards(String),
    /// The values given are not as many as the shape has.
    WrongValues {
        /// The shape.
        shape: Shape,
        /// How many were given.
        given: usize,
        /// How many would be right.
        expected: usize,
    },
    /// The bytes given are not as many as the tensor has.
    WrongBytes {
        /// The shape.
        shape: Shape,
        /// How many were given.
        given: usize,
        /// How many would be right.
        expected: usize,
    },
    /// A block format in row-major layout.
    BlocksNeedTiles {
        /// The format.
        format: DataFormat,
    },
    /// A format that exists in registers only.
    NotStored {
        /// The format.
        format: DataFormat,
    },
    /// A format that circular buffers have, and tensors of the host do not.
    NotModelled {
        /// The format.
        format: DataFormat,
    },
    /// A value that is not a whole number, or none that the format has.
    NotWhole {
        /// The format.
        format: DataFormat,
        /// The value.
        value: String,
    },
    /// A row of the last dimension is larger than a page can be.
    StickTooLong {
        /// The shape.
        shape: Shape,
    },
    /// The device has no room.
    Allocation(AllocationError),
    /// The device's bytes cannot be reached.
    Buffer(BufferError),
}

impl fmt::Display for TensorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TensorError::Shards(why) => f.write_str(why),
            TensorError::WrongValues { shape, given, expected } => {
                write!(f, "{given} values for a tensor of shape {shape}, which has {expected}")
            }
            TensorError::WrongBytes { shape, given, expected } => {
                write!(f, "{given} bytes for a tensor of shape {shape}, which needs {expected}")
            }
            TensorError::BlocksNeedTiles { format } => {
                write!(f, "a row-major tensor cannot be {format}; use tile layout")
            }
            TensorError::NotModelled { format } => {
                write!(f, "tensors of {format} are not modelled; circular buffers of it are")
            }
            TensorError::NotStored { format } => write!(
                f,
                "{format} exists in registers only; store the tensor as {}",
                DataFormat::Float32
            ),
            TensorError::NotWhole { format, value } => {
                write!(f, "{value} is not a value of {format}")
            }
            TensorError::StickTooLong { shape } => write!(
                f,
                "a row of shape {shape} is longer than a page of 4 GiB; use tile layout or \
                 split the last dimension"
            ),
            TensorError::Allocation(error) => error.fmt(f),
            TensorError::Buffer(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TensorError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TensorError::Shards(_) => None,
            TensorError::Allocation(error) => Some(error),
            TensorError::Buffer(error) => Some(error),
            TensorError::WrongValues { .. }
            | TensorError::WrongBytes { .. }
            | TensorError::BlocksNeedTiles { .. }
            | TensorError::NotStored { .. }
            | TensorError::NotModelled { .. }
            | TensorError::NotWhole { .. }
            | TensorError::StickTooLong { .. } => None,
        }
    }
}

impl From<AllocationError> for TensorError {
    fn from(error: AllocationError) -> TensorError {
        TensorError::Allocation(error)
    }
}

impl From<BufferError> for TensorError {
    fn from(error: BufferError) -> TensorError {
        TensorError::Buffer(error)
    }
}
