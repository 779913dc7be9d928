//! The median of magnitudes that come one by one, of which few are kept.
//!
//! Keeps those that lie about the median of what came so far, closer the more came. Whoever comes
//! in another order than at random may leave it with a median that it did not keep; it says so.

/// Magnitudes from `low` to `high`, and how many were below.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    low: f64,
    high: f64,
    counted: usize,
    below: usize,
    /// Those that equal a limit are only counted: they may be all.
    at_low: usize,
    at_high: usize,
    inside: Vec<f64>,
}

/// As many are kept at least.
const KEPT: usize = 1 << 18;

impl Selection {
    /// Nothing counted, and everything would be kept.
    pub(super) const ALL: Selection = Selection {
        low: 0.0,
        high: f64::INFINITY,
        counted: 0,
        below: 0,
        at_low: 0,
        at_high: 0,
        inside: Vec::new(),
    };

    /// Nothing counted, with the same limits.
    pub(super) fn empty(&self) -> Selection {
        Selection { low: self.low, high: self.high, ..Selection::ALL }
    }

    /// Counts a magnitude, which is not NaN.
    #[inline(always)]
    pub(super) fn count(&mut self, magnitude: f64) {
        self.counted += 1;
        self.place(magnitude);
    }

    #[inline(always)]
    fn place(&mut self, magnitude: f64) {
        if magnitude < self.low {
            self.below += 1;
        } else if magnitude <= self.high {
            self.keep(magnitude);
        }
    }

    fn keep(&mut self, magnitude: f64) {
        if magnitude == self.low {
            self.at_low += 1;
        } else if magnitude == self.high {
            self.at_high += 1;
        } else {
            self.inside.push(magnitude);
        }
    }

    /// Adds what was counted elsewhere, with limits that are not closer.
    pub(super) fn add(&mut self, other: Selection) {
        assert!(other.low <= self.low && self.high <= other.high, "limits only close in");
        self.counted += other.counted;
        self.below += other.below;
        self.place_many(other.low, other.at_low);
        self.place_many(other.high, other.at_high);
        other.inside.iter().for_each(|magnitude| self.place(*magnitude));
        self.narrow();
    }

    fn place_many(&mut self, magnitude: f64, count: usize) {
        if magnitude < self.low {
            self.below += count;
        } else if magnitude == self.low {
            self.at_low += count;
        } else if magnitude == self.high {
            self.at_high += count;
        }
    }

    /// Draws the limits closer to the median once there are many inside.
    fn narrow(&mut self) {
        // What is far from the median of many is far from that of all.
        let share = match self.counted {
            ..=0x10_0000 => 10,
            0x10_0001..=0x40_0000 => 20,
            _ => 40,
        };
        let margin = self.counted / share;
        if self.inside.len() < KEPT || self.inside.len() < 3 * margin {
            return;
        }
        let (low, high) = (self.at(self.counted / 2 - margin), self.at(self.counted / 2 + margin));
        let (low, high) = (low.unwrap_or(self.low), high.unwrap_or(self.high));
        let before = std::mem::replace(self, Selection { low, high, ..Selection::ALL });
        (self.counted, self.below) = (before.counted, before.below);
        self.place_many(before.low, before.at_low);
        self.place_many(before.high, before.at_high);
        before.inside.iter().for_each(|magnitude| self.place(*magnitude));
    }

    /// The magnitude with a rank, if it was kept.
    fn at(&mut self, rank: usize) -> Option<f64> {
        let rank = rank.checked_sub(self.below)?;
        let Some(rank) = rank.checked_sub(self.at_low) else { return Some(self.low) };
        if rank < self.inside.len() {
            return Some(*self.inside.select_nth_unstable_by(rank, f64::total_cmp).1);
        }
        (rank - self.inside.len() < self.at_high).then_some(self.high)
    }

    /// The median of all that were counted, if it was kept; zero if there were none.
    pub(super) fn median(mut self) -> Option<f64> {
        if self.counted == 0 { Some(0.0) } else { self.at(self.counted / 2) }
    }
}

#[cfg(test)]
mod tests {
    use super::Selection;

    /// The median of magnitudes that come in units of so many.
    fn median(magnitudes: &[f64], unit: usize) -> Option<f64> {
        let mut all = Selection::ALL;
        for unit in magnitudes.chunks(unit) {
            let mut part = all.empty();
            unit.iter().for_each(|magnitude| part.count(*magnitude));
            all.add(part);
        }
        all.median()
    }

    fn sorted(magnitudes: &[f64]) -> f64 {
        let mut all = magnitudes.to_vec();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    }

    fn scattered(count: usize) -> impl Iterator<Item = f64> {
        (0..count).map(|at| (at * 7919 % 100_003) as f64 / 64.0)
    }

    #[test]
    fn few_are_kept_and_the_median_is_among_them() {
        for (count, unit) in [(1, 7), (1000, 7), (3_000_000, 100_000), (6_000_000, 250_000)] {
            let magnitudes: Vec<_> = scattered(count).collect();
            assert_eq!(median(&magnitudes, unit), Some(sorted(&magnitudes)), "{count}");
        }
        let mut all = Selection::ALL;
        scattered(3_000_000).for_each(|it| all.count(it));
        all.narrow();
        assert!(all.inside.len() < 400_000, "{} are kept", all.inside.len());
    }

    #[test]
    fn equal_magnitudes_are_counted() {
        for odd in [0, 1, 3] {
            let value = |at: usize| if at % 5 < odd { f64::INFINITY } else { 2.0 };
            let magnitudes: Vec<_> = (0..2_000_000).map(value).collect();
            assert_eq!(median(&magnitudes, 100_000), Some(sorted(&magnitudes)));
        }
        assert_eq!(median(&[], 1), Some(0.0));
    }

    #[test]
    fn a_median_that_was_not_kept_is_not_guessed() {
        let growing: Vec<_> = (0..3_000_000).map(f64::from).collect();
        assert_eq!(median(&growing, 100_000), None);
        let falling: Vec<_> = growing.iter().rev().copied().collect();
        assert_eq!(median(&falling, 100_000), None);
    }
}
