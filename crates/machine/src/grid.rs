//! Where cores are: coordinates and rectangles of the compute grid.

use std::fmt;

/// A core's place in the compute grid, from the upper left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CoreCoord {
    /// The column.
    pub x: u8,
    /// The row.
    pub y: u8,
}

impl CoreCoord {
    /// The core in column `x` of row `y`.
    pub const fn new(x: u8, y: u8) -> CoreCoord {
        CoreCoord { x, y }
    }
}

/// Row by row: the order in which work is split and results are merged.
impl Ord for CoreCoord {
    fn cmp(&self, other: &CoreCoord) -> std::cmp::Ordering {
        (self.y, self.x).cmp(&(other.y, other.x))
    }
}

impl PartialOrd for CoreCoord {
    fn partial_cmp(&self, other: &CoreCoord) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for CoreCoord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{})", self.x, self.y)
    }
}

/// A rectangle of cores, both corners included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CoreRange {
    /// The upper left corner.
    pub start: CoreCoord,
    /// The lower right corner.
    pub end: CoreCoord,
}

impl CoreRange {
    /// The rectangle between two corners.
    pub const fn new(start: CoreCoord, end: CoreCoord) -> CoreRange {
        CoreRange { start, end }
    }

    /// The cores of the rectangle, row by row.
    pub fn cores(self) -> impl Iterator<Item = CoreCoord> {
        (self.start.y..=self.end.y)
            .flat_map(move |y| (self.start.x..=self.end.x).map(move |x| CoreCoord::new(x, y)))
    }

    /// Whether the core lies in the rectangle.
    pub fn contains(self, core: CoreCoord) -> bool {
        (self.start.x..=self.end.x).contains(&core.x)
            && (self.start.y..=self.end.y).contains(&core.y)
    }
}

impl From<CoreCoord> for CoreRange {
    fn from(core: CoreCoord) -> CoreRange {
        CoreRange::new(core, core)
    }
}

impl fmt::Display for CoreRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.start, self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::{CoreCoord, CoreRange};

    #[test]
    fn a_rectangle_is_walked_row_by_row() {
        let range = CoreRange::new(CoreCoord::new(1, 0), CoreCoord::new(2, 1));
        let walked: Vec<_> = range.cores().map(|core| (core.x, core.y)).collect();
        assert_eq!(walked, [(1, 0), (2, 0), (1, 1), (2, 1)]);
        assert!(range.cores().is_sorted());
        assert!(!range.contains(CoreCoord::new(0, 0)));
    }
}
