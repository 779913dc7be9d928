//! Cycles by line of kernels, and how they differ between two runs.
//!
//! Lines of two versions of a file are the same line if they have the same text; of equal texts the
//! first is compared with the first.

use std::collections::BTreeMap;
use std::fs;

use serde::{Deserialize, Serialize};

use crate::record::LineDifference;
use crate::timeline::Timeline;

/// What a line cost over all programs, cores and processors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineCost {
    file: String,
    line: u32,
    text: String,
    work: u64,
    waits: u64,
}

/// Differences that are listed.
const LISTED: usize = 40;

/// What each line cost.
pub(crate) fn line_costs(timelines: &[Timeline]) -> Vec<LineCost> {
    let mut sums: BTreeMap<(&str, u32), [u64; 2]> = BTreeMap::new();
    for ((file, line, _), total) in timelines.iter().flat_map(Timeline::line_totals) {
        let [work, waits] = sums.entry((file, line)).or_default();
        *work += total.work;
        *waits += total.waits;
    }
    let mut texts: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let cost = |((file, line), [work, waits]): ((&'static str, u32), [u64; 2])| {
        let lines = texts.entry(file).or_insert_with(|| {
            let text = fs::read_to_string(file).unwrap_or_default();
            text.lines().map(|line| line.trim().to_owned()).collect()
        });
        let text = lines.get(line.saturating_sub(1) as usize).cloned().unwrap_or_default();
        LineCost { file: file.to_owned(), line, text, work, waits }
    };
    sums.into_iter().map(cost).collect()
}

/// The lines whose cycles differ, the largest difference first.
pub fn line_differences(runs: [&[LineCost]; 2]) -> Vec<LineDifference> {
    type Key<'a> = (&'a str, &'a str, usize);
    let mut pairs: BTreeMap<Key<'_>, LineDifference> = BTreeMap::new();
    for (run, costs) in runs.into_iter().enumerate() {
        let mut seen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for cost in costs {
            let file = cost.file.rsplit('/').next().unwrap_or(&cost.file);
            let nth = seen.entry((file, &cost.text)).or_default();
            // Without a text, the number is all that a line has.
            let which = if cost.text.is_empty() { cost.line as usize } else { *nth };
            let pair = pairs.entry((file, &cost.text, which)).or_insert_with(|| LineDifference {
                file: file.to_owned(),
                text: cost.text.clone(),
                line: [None; 2],
                work: [0; 2],
                waits: [0; 2],
            });
            *nth += 1;
            pair.line[run] = Some(cost.line);
            pair.work[run] += cost.work;
            pair.waits[run] += cost.waits;
        }
    }
    let difference =
        |it: &LineDifference| it.work[0].abs_diff(it.work[1]) + it.waits[0].abs_diff(it.waits[1]);
    let mut all: Vec<_> = pairs.into_values().filter(|it| difference(it) > 0).collect();
    all.sort_by_key(|it| std::cmp::Reverse(difference(it)));
    all.truncate(LISTED);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(line: u32, text: &str, work: u64, waits: u64) -> LineCost {
        let file = "kernels/compute.cpp".to_owned();
        LineCost { file, line, text: text.to_owned(), work, waits }
    }

    #[test]
    fn lines_that_moved_are_compared_and_new_ones_stand_alone() {
        let first = [cost(4, "a();", 10, 0), cost(5, "b();", 7, 3), cost(6, "b();", 1, 1)];
        let other = [cost(9, "a();", 10, 0), cost(10, "b();", 7, 90), cost(11, "c();", 5, 0)];
        let all = line_differences([&first, &other]);
        let lines: Vec<_> = all.iter().map(|it| (it.text.as_str(), it.line, it.waits)).collect();
        assert_eq!(
            lines,
            [
                ("b();", [Some(5), Some(10)], [3, 90]),
                ("c();", [None, Some(11)], [0, 0]),
                ("b();", [Some(6), None], [1, 0]),
            ],
            "the first b() is compared with the first, and a() costs the same"
        );
    }
}
