//! What makes findings of several runs the same one: their kind, their line, and which of several
//! such in its run it is.
//!
//! The rule for schedules, numbers of cores, launches of a host program and compared devices. What
//! is recognised after a kernel has been edited is another question: there lines move.

use std::collections::BTreeMap;

/// What a finding is known by in other runs of the same program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity<Kind, Line> {
    kind: Kind,
    line: Line,
    occurrence: usize,
}

/// Identifies the findings of one run, which come in its order.
#[derive(Debug)]
pub struct Identities<Kind, Line> {
    counts: BTreeMap<(Kind, Line), usize>,
}

impl<Kind, Line> Default for Identities<Kind, Line> {
    fn default() -> Identities<Kind, Line> {
        Identities { counts: BTreeMap::new() }
    }
}

impl<Kind: Ord + Clone, Line: Ord + Clone> Identities<Kind, Line> {
    /// The identity of the run's next finding.
    pub fn next(&mut self, kind: Kind, line: Line) -> Identity<Kind, Line> {
        let count = self.counts.entry((kind.clone(), line.clone())).or_default();
        *count += 1;
        Identity { kind, line, occurrence: *count - 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_at_a_line_is_the_second_of_another_run() {
        let identities = |findings: &[(&'static str, u32)]| {
            let mut run = Identities::default();
            findings.iter().map(|(kind, line)| run.next(*kind, *line)).collect::<Vec<_>>()
        };
        let one = identities(&[("over-pop", 7), ("over-pop", 7), ("over-push", 7)]);
        let other = identities(&[("over-push", 7), ("over-pop", 7), ("over-pop", 8)]);
        assert_eq!((&one[0], &one[2]), (&other[1], &other[0]));
        assert!(!other.contains(&one[1]) && !one.contains(&other[2]));
    }
}
