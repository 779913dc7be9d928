//! A set of cores, as kernels and buffers are placed on.

use std::collections::BTreeSet;

use tilewright_machine::{CoreCoord, CoreRange};

/// Cores in row order, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoreSet(BTreeSet<CoreCoord>);

impl CoreSet {
    /// The cores, row by row.
    pub fn iter(&self) -> impl Iterator<Item = CoreCoord> {
        self.0.iter().copied()
    }

    /// The cores as few rectangles that do not overlap, row by row.
    pub fn ranges(&self) -> Vec<CoreRange> {
        let mut ranges: Vec<CoreRange> = Vec::new();
        for row in self.rows() {
            let above = ranges.iter_mut().find(|above| {
                (above.start.x, above.end.x) == (row.start.x, row.end.x)
                    && above.end.y.checked_add(1) == Some(row.start.y)
            });
            match above {
                Some(above) => above.end.y = row.end.y,
                None => ranges.push(row),
            }
        }
        ranges
    }

    /// Runs of neighbours in a row.
    fn rows(&self) -> Vec<CoreRange> {
        let mut rows: Vec<CoreRange> = Vec::new();
        for core in self.iter() {
            match rows.last_mut() {
                Some(row) if row.end.y == core.y && row.end.x.checked_add(1) == Some(core.x) => {
                    row.end.x = core.x;
                }
                _ => rows.push(CoreRange::from(core)),
            }
        }
        rows
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the core is one of them.
    pub fn contains(&self, core: CoreCoord) -> bool {
        self.0.contains(&core)
    }
}

impl From<CoreCoord> for CoreSet {
    fn from(core: CoreCoord) -> CoreSet {
        CoreSet(BTreeSet::from([core]))
    }
}

impl From<CoreRange> for CoreSet {
    fn from(range: CoreRange) -> CoreSet {
        range.cores().collect()
    }
}

impl From<&CoreSet> for CoreSet {
    fn from(cores: &CoreSet) -> CoreSet {
        cores.clone()
    }
}

impl FromIterator<CoreCoord> for CoreSet {
    fn from_iter<I: IntoIterator<Item = CoreCoord>>(cores: I) -> CoreSet {
        CoreSet(cores.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_cover_the_set_and_nothing_else() {
        let range = |left, top, right, bottom| {
            CoreRange::new(CoreCoord::new(left, top), CoreCoord::new(right, bottom))
        };
        let parts = [range(0, 0, 3, 1), range(5, 1, 5, 3), range(0, 2, 2, 2)];
        let set: CoreSet = parts.into_iter().flat_map(CoreRange::cores).collect();
        assert_eq!(set.ranges(), [range(0, 0, 3, 1), range(5, 1, 5, 3), range(0, 2, 2, 2)]);
        let again: CoreSet = set.ranges().into_iter().flat_map(CoreRange::cores).collect();
        assert_eq!(again, set);
        assert!(CoreSet::default().ranges().is_empty());
    }
}
