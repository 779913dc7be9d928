//! What makes findings of several runs the same one: their kind, the line that distinguishes them
//! in their run, and which of several such it is.
//!
//! The one rule for schedules, numbers of cores, launches of a host program and compared devices.
//! Which call of a helper led to the line is left out, as it is within a run: the first to get
//! there differs from schedule to schedule. What is recognised after a kernel has been edited is
//! another question: there lines move, and a baseline and a diff have rules of their own.

use std::collections::BTreeMap;

use tilewright_machine::Site;

/// The line that distinguishes a finding from others of its kind, whoever called the function that
/// it is in. The default is no line of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FindingLine {
    /// The file, as the compiler was given it.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The column, counted from 1.
    pub column: u32,
}

impl From<Site> for FindingLine {
    fn from(site: Site) -> FindingLine {
        FindingLine { file: site.file.to_owned(), line: site.line, column: site.column }
    }
}

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
