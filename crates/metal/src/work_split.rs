//! Dividing work over cores as tt-metal's `split_work_to_cores` does, in row order.
//!
//! Knows counts and cores. What a unit of work is, the program factory decides.

use std::fmt;

use tilewright_machine::{Architecture, CoreCoord};

/// One core's share: the units `first_unit..first_unit + units`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreWork {
    /// The core.
    pub core: CoreCoord,
    /// Its first unit.
    pub first_unit: u32,
    /// How many it has, at least one.
    pub units: u32,
}

/// Work divided over cores, in two groups: the first has one unit a core more than the second.
///
/// ```
/// use tilewright_metal::{Architecture, WorkSplit};
///
/// let split = WorkSplit::new(&Architecture::wormhole_n150(), 4, 10)?;
/// let units: Vec<u32> = split.shares().iter().map(|share| share.units).collect();
/// assert_eq!(units, [3, 3, 2, 2]);
/// # Ok::<(), tilewright_metal::WorkSplitError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkSplit {
    shares: Vec<CoreWork>,
    first_group: usize,
}

impl WorkSplit {
    /// Divides `units` over at most `cores` cores of the grid, row by row. Fewer units than cores
    /// leave the last cores out; no units leave all out.
    pub fn new(arch: &Architecture, cores: u32, units: u32) -> Result<WorkSplit, WorkSplitError> {
        let grid_cores = arch.cores() as u32;
        if cores == 0 || cores > grid_cores {
            return Err(WorkSplitError { cores, grid_cores });
        }
        if units == 0 {
            return Ok(WorkSplit { shares: Vec::new(), first_group: 0 });
        }
        let used = cores.min(units);
        let (least, with_more) = (units / used, units % used);
        let share = |index: u32| CoreWork {
            core: arch.core_at(index as usize),
            first_unit: index * least + index.min(with_more),
            units: least + u32::from(index < with_more),
        };
        let shares: Vec<CoreWork> = (0..used).map(share).collect();
        let first_group = if with_more == 0 { shares.len() } else { with_more as usize };
        Ok(WorkSplit { shares, first_group })
    }

    /// Every core that has work, in row order.
    pub fn shares(&self) -> &[CoreWork] {
        &self.shares
    }

    /// The cores with the most units; all of them if the division comes out even.
    pub fn group_1(&self) -> &[CoreWork] {
        &self.shares[..self.first_group]
    }

    /// The cores with one unit less; none if the division comes out even.
    pub fn group_2(&self) -> &[CoreWork] {
        &self.shares[self.first_group..]
    }

    /// The most units any core has.
    pub fn units_max(&self) -> u32 {
        self.shares.first().map_or(0, |share| share.units)
    }
}

/// More cores were asked for than the grid has, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkSplitError {
    /// How many were asked for.
    pub cores: u32,
    /// How many there are.
    pub grid_cores: u32,
}

impl fmt::Display for WorkSplitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "work for {} cores; the grid has 1 to {}", self.cores, self.grid_cores)
    }
}

impl std::error::Error for WorkSplitError {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_first_cores_have_one_unit_more() {
        let arch = Architecture::wormhole_n150();
        let split = WorkSplit::new(&arch, 10, 23).unwrap();
        let units: Vec<u32> = split.shares().iter().map(|share| share.units).collect();
        assert_eq!(units, [3, 3, 3, 2, 2, 2, 2, 2, 2, 2]);
        assert_eq!((split.group_1().len(), split.group_2().len(), split.units_max()), (3, 7, 3));
        let share = CoreWork { core: CoreCoord::new(0, 1), first_unit: 19, units: 2 };
        assert_eq!(split.shares()[8], share);
        let even = WorkSplit::new(&arch, 64, 128).unwrap();
        assert_eq!((even.group_1().len(), even.group_2().len()), (64, 0));
        assert_eq!(WorkSplit::new(&arch, 64, 5).unwrap().shares().len(), 5);
        assert!(WorkSplit::new(&arch, 64, 0).unwrap().shares().is_empty());
    }

    #[test]
    fn impossible_core_counts_are_refused() {
        let arch = Architecture::wormhole_n150();
        let error = WorkSplit::new(&arch, 65, 1).unwrap_err();
        assert_eq!(error.to_string(), "work for 65 cores; the grid has 1 to 64");
        assert!(WorkSplit::new(&arch, 0, 1).is_err());
    }

    proptest! {
        #[test]
        fn every_unit_has_one_core(cores in 1u32..=64, units: u32) {
            let split = WorkSplit::new(&Architecture::wormhole_n150(), cores, units).unwrap();
            let mut next = 0;
            for share in split.shares() {
                prop_assert_eq!(share.first_unit, next);
                prop_assert!(share.units.abs_diff(split.units_max()) <= 1 && share.units > 0);
                next += share.units;
            }
            prop_assert_eq!(next, units);
            prop_assert!(split.shares().len() <= cores as usize);
            prop_assert!(split.shares().iter().map(|share| share.core).is_sorted());
        }
    }
}
