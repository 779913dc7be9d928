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
