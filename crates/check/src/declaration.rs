//! What is declared of a kind of finding: its name, tool and manual, and how it is related to
//! other findings. Each kind does so once, in its own file; `catalogue` lists them all.

use std::fmt;

use crate::FindingId;
use crate::finding::Blame;
use crate::tool::Tool;

/// A kind of finding.
pub(crate) struct Declaration {
    /// The name that people type.
    pub(crate) name: &'static str,
    /// The tool that finds it; none for what ends a run anyway.
    pub(crate) tool: Option<Tool>,
    /// Whose fault it is, unless what triggers it says otherwise.
    pub(crate) blame: Blame,
    /// What `tilewright explain` prints.
    pub(crate) manual: &'static str,
    /// It can make values get lost. What is added once too often loses nothing, and neither does
    /// a wrong format.
    pub(crate) loses_values: bool,
    /// It leaves its ring with counts or pointers that do not mean what they should.
    pub(crate) miscounts: bool,
    /// It is about one side of a ring that goes ahead of the other or leaves it behind, which is
    /// no fault where both sides are one processor.
    pub(crate) is_of_turns: bool,
    /// It leaves math and pack in different sections of Dst.
    pub(crate) is_of_sections: bool,
    /// It is about what is left at the end, however early that began.
    pub(crate) is_final: bool,
    /// It changes how many bytes an access reaches: a tile of another format has another size, and
    /// so has a transfer of too many bytes.
    pub(crate) resizes: bool,
    /// Pages are pushed before they are complete, or popped while they are in use.
    pub(crate) gives_pages_away: bool,
    /// It takes values elsewhere than into the output that they belong to.
    pub(crate) misplaces_values: bool,
    /// It is about an output that lacks values.
    pub(crate) lacks_values: bool,
    /// It follows from no other finding, whatever has touched its values.
    pub(crate) stands_alone: bool,
    /// It is about an output's values, which are judged once the run is over.
    pub(crate) is_judged: bool,
    /// It is about elements that are outside their bounds.
    pub(crate) is_of_bounds: bool,
    /// It counts only if somebody looks at the output.
    pub(crate) counts_when_read: bool,
    /// Several schedules show it together, and none of them alone.
    pub(crate) needs_schedules: bool,
    /// What it only follows from, on a core that both have in common.
    pub(crate) follows: &'static [Cause],
    /// Which waits that cannot end follow from it.
    pub(crate) stuck_waits: StuckWaits,
}

/// Findings that others only follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// Those of some kinds.
    Kinds(&'static [FindingId]),
    /// Those at its line that change how many bytes it reaches.
    OfItsSize,
    /// Those of some kinds, of its processor at its ring.
    OfItsSide(&'static [FindingId]),
    /// Those that miscount its ring.
    OfItsRing,
    /// Those that give pages away too early.
    OfPages,
    /// Those of sections of Dst.
    OfSections,
    /// Those of a tool, and those that one of the tool has been attached to.
    OfTool(Tool),
}

/// Which waits that cannot end follow from a finding on the same core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StuckWaits {
    /// None.
    None,
    /// Those for its ring.
    ForItsRing,
    /// Those for its word.
    ForItsWord,
    /// Those for any word on any core: signals are out of step.
    ForAnyWord,
    /// Those of the compute processors.
    OfCompute,
    /// Those of any processor.
    OfAnyProcessor,
    /// The end of the run at its own line, if it is of this kind.
    AtItsLine(FindingId),
}

impl Declaration {
    /// A kind that is related to no other.
    pub(crate) const fn of(manual: &'static str) -> Declaration {
        Declaration {
            name: "",
            tool: None,
            blame: Blame::KernelBug,
            manual,
            loses_values: false,
            miscounts: false,
            is_of_turns: false,
            is_of_sections: false,
            is_final: false,
            resizes: false,
            gives_pages_away: false,
            misplaces_values: false,
            lacks_values: false,
            stands_alone: false,
            is_judged: false,
            is_of_bounds: false,
            counts_when_read: false,
            needs_schedules: false,
            follows: &[],
            stuck_waits: StuckWaits::None,
        }
    }
}

/// Declares a kind of finding and the type of its checker, whose documentation is the manual.
macro_rules! declare {
    (
        $(#[doc = $line:literal])*
        pub struct $name:ident { $($body:tt)* }
        Declaration { $($field:ident: $value:expr),* $(,)? }
    ) => {
        $(#[doc = $line])*
        #[derive(Default)]
        pub struct $name { $($body)* }

        impl $name {
            pub(crate) const DECLARATION: $crate::declaration::Declaration =
                $crate::declaration::Declaration {
                    $($field: $value,)*
                    ..$crate::declaration::Declaration::of(concat!($($line, "\n"),*))
                };
        }
    };
}
pub(crate) use declare;

impl FindingId {
    /// The name that people type.
    pub fn name(self) -> &'static str {
        self.declaration().name
    }

    /// Reads a name.
    pub fn from_name(name: &str) -> Option<FindingId> {
        FindingId::ALL.iter().copied().find(|id| id.name() == name)
    }

    /// The tool that finds it; none for what ends a run anyway.
    pub fn tool(self) -> Option<Tool> {
        self.declaration().tool
    }

    /// Whose fault such a finding is, unless what triggers it says otherwise.
    pub fn blame(self) -> Blame {
        self.declaration().blame
    }

    /// Whether a run that has such a finding did not complete: no tool is asked about those.
    pub fn ends_run(self) -> bool {
        self.tool().is_none() && !self.needs_schedules()
    }

    /// Whether several schedules show it together, and none of them alone.
    pub fn needs_schedules(self) -> bool {
        self.declaration().needs_schedules
    }

    /// Whether it counts only if somebody looks at the output.
    pub fn counts_when_read(self) -> bool {
        self.declaration().counts_when_read
    }

    /// Whether it is about elements that are outside their bounds.
    pub fn is_of_bounds(self) -> bool {
        self.declaration().is_of_bounds
    }

    /// Whether such a fault can make values wrong.
    pub(crate) fn spoils_values(self) -> bool {
        self.tool().is_some() && !self.declaration().is_judged
    }

    /// Its manual.
    pub fn manual(self) -> String {
        let lines = self.declaration().manual.lines();
        lines.map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect()
    }

    /// What it is, in its manual's first sentence.
    pub fn summary(self) -> String {
        let text = self.manual();
        let body = text.lines().filter(|line| !line.starts_with('#'));
        let body = body.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
        body.split_once(". ").map_or_else(|| body.clone(), |(first, _)| format!("{first}."))
    }
}

impl fmt::Display for FindingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::FindingId;

    #[test]
    fn every_kind_has_a_name_of_its_own() {
        let names: BTreeSet<&str> = FindingId::ALL.iter().map(|id| id.name()).collect();
        assert_eq!(names.len(), FindingId::ALL.len());
        for id in FindingId::ALL {
            let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(!id.name().is_empty() && id.name().chars().all(is_plain), "{id:?}");
            assert_eq!(FindingId::from_name(id.name()), Some(*id));
        }
        assert_eq!(FindingId::from_name("deadlocks"), None);
    }

    #[test]
    fn every_manual_has_its_three_parts() {
        for id in FindingId::ALL {
            let text = id.manual();
            assert!(text.starts_with("# What it finds\n"), "{id}:\n{text}");
            assert!(text.contains("\n# Why it matters\n"), "{id}:\n{text}");
            assert!(text.contains("\n# Instead\n"), "{id}:\n{text}");
            assert!(id.summary().ends_with('.'), "{id}: {}", id.summary());
        }
    }
}
