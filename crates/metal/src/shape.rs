//! The sizes of a tensor, and what they come to in sticks and tiles.
//!
//! Knows no format and no memory.

use std::fmt;
use std::str::FromStr;

use tilewright_tile::TILE_SIDE;

/// Most values a padded tensor may have: more than any card holds, and few enough that every
/// count below fits.
const PADDED_VALUES_MAX: u64 = 1 << 36;

/// One to eight sizes, none of them zero, the last one running fastest.
///
/// ```
/// use tilewright_metal::Shape;
///
/// let shape: Shape = "2x40x70".parse()?;
/// assert_eq!((shape.tile_rows(), shape.tile_columns(), shape.tiles()), (2, 3, 12));
/// assert_eq!(shape.padded_volume(), 12 * 1024);
/// assert!("2x0".parse::<Shape>().is_err());
/// # Ok::<(), tilewright_metal::ShapeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    sizes: [u32; Shape::RANK_MAX],
    rank: u8,
}

impl Shape {
    /// The most dimensions a tensor has.
    pub const RANK_MAX: usize = 8;

    /// A shape with these sizes.
    pub fn new(sizes: &[usize]) -> Result<Shape, ShapeError> {
        let rank = sizes.len();
        if rank == 0 || rank > Shape::RANK_MAX {
            return Err(ShapeError::Rank { rank });
        }
        if let Some(dimension) = sizes.iter().position(|&size| size == 0) {
            return Err(ShapeError::ZeroSize { shape: joined(sizes), dimension });
        }
        let padded = |(at, &size): (usize, &usize)| {
            let size = size as u64;
            if at + 2 < rank { Some(size) } else { size.checked_next_multiple_of(TILE_SIDE as u64) }
        };
        let values = sizes
            .iter()
            .enumerate()
            .map(padded)
            .try_fold(if rank == 1 { TILE_SIDE as u64 } else { 1 }, |values: u64, size| {
                values.checked_mul(size?)
            });
        if values.is_none_or(|values| values > PADDED_VALUES_MAX) {
            return Err(ShapeError::TooLarge { shape: joined(sizes) });
        }
        let mut shape = Shape { sizes: [0; Shape::RANK_MAX], rank: rank as u8 };
        for (to, &from) in shape.sizes.iter_mut().zip(sizes) {
            // With its tiles' rows, a size of 33 bits would be too many values.
            *to = from as u32;
        }
        Ok(shape)
    }

    /// How many dimensions it has.
    pub fn rank(&self) -> usize {
        usize::from(self.rank)
    }

    /// The sizes, the last one running fastest.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes[..self.rank()]
    }

    /// How many values the tensor has.
    pub fn volume(&self) -> usize {
        self.sizes().iter().map(|&size| size as usize).product()
    }

    /// The last size: values in a stick.
    pub fn width(&self) -> usize {
        self.sizes[self.rank() - 1] as usize
    }

    /// The last size but one, or 1 if there is none: sticks in a matrix.
    pub fn height(&self) -> usize {
        self.rank().checked_sub(2).map_or(1, |at| self.sizes[at] as usize)
    }

    /// As many matrices of another size.
    pub fn with_matrix(&self, height: usize, width: usize) -> Result<Shape, ShapeError> {
        let leading = self.rank().saturating_sub(2);
        let sizes = self.sizes[..leading].iter().map(|&size| size as usize);
        Shape::new(&sizes.chain([height, width]).collect::<Vec<_>>())
    }

    /// How many matrices of the last two dimensions are stacked.
    pub fn matrices(&self) -> usize {
        self.volume() / (self.width() * self.height())
    }

    /// How many rows of the last dimension there are in all.
    pub fn sticks(&self) -> usize {
        self.volume() / self.width()
    }

    /// Columns of tiles in a matrix.
    pub fn tile_columns(&self) -> usize {
        self.width().div_ceil(TILE_SIDE)
    }

    /// Rows of tiles in one matrix.
    pub fn tile_rows(&self) -> usize {
        self.height().div_ceil(TILE_SIDE)
    }

    /// How many tiles there are in all.
    pub fn tiles(&self) -> usize {
        self.matrices() * self.tile_rows() * self.tile_columns()
    }

    /// The width, rounded up to whole tiles.
    pub fn padded_width(&self) -> usize {
        self.tile_columns() * TILE_SIDE
    }

    /// The height, rounded up to whole tiles.
    pub fn padded_height(&self) -> usize {
        self.tile_rows() * TILE_SIDE
    }

    /// Values in whole tiles, padding included.
    pub fn padded_volume(&self) -> usize {
        self.matrices() * self.padded_height() * self.padded_width()
    }

    /// Whether the last two dimensions are whole tiles.
    pub fn is_tile_aligned(&self) -> bool {
        self.padded_volume() == self.volume()
    }
}

fn joined(sizes: &[usize]) -> String {
    sizes.iter().map(usize::to_string).collect::<Vec<_>>().join("x")
}

impl fmt::Display for Shape {
    /// As the command line takes it: `1x1x1024x1024`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, size) in self.sizes().iter().enumerate() {
            let separator = if at == 0 { "" } else { "x" };
            write!(f, "{separator}{size}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shape({self})")
    }
}

impl FromStr for Shape {
    type Err = ShapeError;

    fn from_str(text: &str) -> Result<Shape, ShapeError> {
        let size = |part: &str| {
            let is_digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            let error = || ShapeError::NotASize { text: text.to_owned(), part: part.to_owned() };
            if !is_digits {
                return Err(error());
            }
            // Digits that do not fit are too large, not wrong.
            Ok(part.parse().unwrap_or(usize::MAX))
        };
        let sizes: Vec<usize> = text.split('x').map(size).collect::<Result<_, _>>()?;
        Shape::new(&sizes).map_err(|error| match error {
            ShapeError::TooLarge { .. } => ShapeError::TooLarge { shape: text.to_owned() },
            ShapeError::Rank { .. } | ShapeError::ZeroSize { .. } | ShapeError::NotASize { .. } => {
                error
            }
        })
    }
}

/// Why sizes are not a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShapeError {
    /// No dimension, or too many.
    Rank {
        /// How many were given.
        rank: usize,
    },
    /// A size is zero.
    ZeroSize {
        /// The sizes.
        shape: String,
        /// Which of them is zero.
        dimension: usize,
    },
    /// More values than any card holds.
    TooLarge {
        /// The sizes.
        shape: String,
    },
    /// The text has something other than sizes between its `x`.
    NotASize {
        /// The whole text.
        text: String,
        /// The part that is not a size.
        part: String,
    },
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShapeError::Rank { rank } => {
                write!(f, "a shape of {rank} dimensions; 1 to {} are possible", Shape::RANK_MAX)
            }
            ShapeError::ZeroSize { shape, dimension } => {
                write!(f, "shape {shape} has size 0 in dimension {dimension}; at least 1 is needed")
            }
            ShapeError::TooLarge { shape } => write!(
                f,
                "shape {shape} has more than {PADDED_VALUES_MAX} values once padded to tiles; \
                 no device holds so many"
            ),
            ShapeError::NotASize { text, part } => write!(
                f,
                "`{text}` is not a shape: `{part}` is not a size; write sizes with x between \
                 them, such as 1x1x64x128"
            ),
        }
    }
}

impl std::error::Error for ShapeError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_come_to_sticks_and_tiles() {
        let shape: Shape = "2x3x33x65".parse().unwrap();
        assert_eq!((shape.rank(), shape.volume()), (4, 2 * 3 * 33 * 65));
        assert_eq!((shape.width(), shape.height(), shape.matrices()), (65, 33, 6));
        assert_eq!((shape.padded_width(), shape.padded_height()), (96, 64));
        assert_eq!((shape.tile_columns(), shape.tile_rows(), shape.tiles()), (3, 2, 36));
        assert_eq!((shape.sticks(), shape.padded_volume()), (198, 36 * 1024));
        assert_eq!(shape.to_string(), "2x3x33x65");
        assert!(!shape.is_tile_aligned());
        assert_eq!(shape.with_matrix(1, 65).unwrap().to_string(), "2x3x1x65");
        let row: Shape = "40".parse().unwrap();
        assert_eq!(row.with_matrix(1, 1).unwrap().to_string(), "1x1");
        assert_eq!((row.height(), row.matrices(), row.sticks(), row.tiles()), (1, 1, 1, 2));
        assert!(Shape::new(&[7, 32, 64]).unwrap().is_tile_aligned());
    }

    #[test]
    fn wrong_shapes_are_refused() {
        let refuse = |text: &str| text.parse::<Shape>().unwrap_err().to_string();
        let not_a_size = |text: &str, part: &str| {
            format!(
                "`{text}` is not a shape: `{part}` is not a size; write sizes with x between \
                 them, such as 1x1x64x128"
            )
        };
        assert_eq!(refuse(""), not_a_size("", ""));
        assert_eq!(refuse("1x"), not_a_size("1x", ""));
        assert_eq!(refuse("1x-2"), not_a_size("1x-2", "-2"));
        assert_eq!(refuse("+1"), not_a_size("+1", "+1"));
        assert_eq!(refuse("1X32"), not_a_size("1X32", "1X32"));
        assert_eq!(
            refuse("1x0x32"),
            "shape 1x0x32 has size 0 in dimension 1; at least 1 is needed"
        );
        assert_eq!(refuse("1x1x1x1x1x1x1x1x1"), "a shape of 9 dimensions; 1 to 8 are possible");
        assert_eq!(Shape::new(&[]), Err(ShapeError::Rank { rank: 0 }));
        for text in ["99999999999999999999", "65536x65536x1024", "4294967296x1", "2147483649"] {
            assert_eq!(refuse(text), ShapeError::TooLarge { shape: text.to_owned() }.to_string());
        }
        assert!(Shape::new(&[usize::MAX]).is_err() && Shape::new(&[usize::MAX; 8]).is_err());
        assert!(Shape::new(&[1 << 31]).is_ok());
    }
}
