//! One program under several schedules: what was found in which, and whether the outputs agree.
//!
//! What is one finding in several schedules is decided in `identity`.

use std::collections::BTreeMap;

use tilewright_machine::Cycle;

use crate::FindingId;
use crate::consequences::title_among;
use crate::finding::Finding;
use crate::identity::{FindingLine, Identities, Identity};
use crate::session::Sighting;

/// What came of the schedules so far.
#[derive(Default)]
pub struct MergedSchedules {
    seeds: Vec<u64>,
    found: Vec<(Identity<FindingId, FindingLine>, MergedFinding)>,
    /// Seeds by the bits that they left in each output.
    bits: BTreeMap<String, Vec<(u64, Vec<u64>)>>,
}

/// A finding, and the schedules that show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedFinding {
    /// The finding as the first of them shows it.
    pub finding: Finding,
    /// The line that distinguishes it.
    pub line: FindingLine,
    /// When it was noticed there; nothing for what needs several schedules to be seen.
    pub cycle: Option<Cycle>,
    /// The seeds, the first one first.
    pub seeds: Vec<u64>,
}

impl MergedSchedules {
    /// Takes what a schedule showed, and a digest of each output's bits if it completed. Seeds
    /// come in ascending order.
    pub fn add(&mut self, seed: u64, sightings: Vec<Sighting>, outputs: &[(String, u64)]) {
        assert!(self.seeds.last().is_none_or(|last| *last < seed), "seeds ascend");
        self.seeds.push(seed);
        let mut identities = Identities::default();
        for Sighting { finding, site, cycle, .. } in sightings {
            let line = FindingLine::from(site);
            let identity = identities.next(finding.id, line.clone());
            match self.found.iter_mut().find(|(other, _)| *other == identity) {
                Some((_, known)) => known.seeds.push(seed),
                None => {
                    let (cycle, seeds) = (Some(cycle), vec![seed]);
                    self.found.push((identity, MergedFinding { finding, line, cycle, seeds }));
                }
            }
        }
        for (name, digest) in outputs {
            let groups = self.bits.entry(name.clone()).or_default();
            match groups.iter_mut().find(|(other, _)| other == digest) {
                Some((_, seeds)) => seeds.push(seed),
                None => groups.push((*digest, vec![seed])),
            }
        }
    }

    /// Everything found, in the order in which it was first seen. What some schedules do not show
    /// says how many do.
    pub fn findings(self) -> Vec<MergedFinding> {
        let all = self.seeds.len();
        let unstable: Vec<MergedFinding> =
            self.bits.iter().filter_map(|(name, groups)| unstable(name, groups)).collect();
        let mut found: Vec<MergedFinding> =
            self.found.into_iter().map(|(_, found)| found).collect();
        for MergedFinding { finding, seeds, .. } in &mut found {
            if seeds.len() < all {
                let (some, first) = (seeds.len(), seeds[0]);
                finding
                    .facts
                    .push(format!("schedules: in {some} of {all}, first with seed {first}"));
            }
        }
        for output in unstable {
            match explanation(&found) {
                Some((first, others)) => {
                    let others: Vec<&Finding> =
                        others.into_iter().map(|other| &found[other].finding).collect();
                    let text = title_among(&output.finding, &others);
                    found[first].finding.consequences.push(text);
                }
                None => found.push(output),
            }
        }
        found
    }
}

/// The findings that outputs which differ may follow from: the first, and the others.
fn explanation(found: &[MergedFinding]) -> Option<(usize, Vec<usize>)> {
    let spoils = |place: &usize| found[*place].finding.id.spoils_values();
    let mut places = (0..found.len()).filter(spoils);
    Some((places.next()?, places.collect()))
}

/// The finding that an output has other bits in some schedules.
fn unstable(name: &str, groups: &[(u64, Vec<u64>)]) -> Option<MergedFinding> {
    if groups.len() < 2 {
        return None;
    }
    let fact =
        |(digest, seeds): &(u64, Vec<u64>)| format!("bits {digest:016x} with {}", list(seeds));
    let id = FindingId::UnstableOutput;
    let schedules: usize = groups.iter().map(|(_, seeds)| seeds.len()).sum();
    let (results, help) = (groups.len(), "compare runs of two of these seeds");
    let finding = Finding {
        title: format!("`{name}` has {results} different results in {schedules} schedules"),
        marks: Vec::new(),
        facts: groups.iter().map(fact).collect(),
        help: Some(help.to_owned()),
        ..Finding::of(id)
    };
    let others = groups[1..].iter().flat_map(|(_, seeds)| seeds.iter().copied());
    let mut seeds: Vec<u64> = others.collect();
    seeds.sort_unstable();
    Some(MergedFinding { finding, line: FindingLine::default(), cycle: None, seeds })
}

/// Seeds as people list them: `seeds 0 to 5, 7 and 12`; only the first few runs of them.
fn list(seeds: &[u64]) -> String {
    const SHOWN: usize = 6;
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for seed in seeds {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *seed => *last = *seed,
            Some(_) | None => runs.push((*seed, *seed)),
        }
    }
    let mut texts: Vec<String> = Vec::new();
    for (first, last) in runs.iter().take(SHOWN) {
        texts.push(match last - first {
            0 => first.to_string(),
            1 => format!("{first}, {last}"),
            _ => format!("{first} to {last}"),
        });
    }
    let shown: u64 = runs.iter().take(SHOWN).map(|(first, last)| last - first + 1).sum();
    let rest = seeds.len() as u64 - shown;
    let word = if seeds.len() == 1 { "seed" } else { "seeds" };
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("{word} {}{more}", texts.join(", "))
}

#[cfg(test)]
mod tests {
    use tilewright_machine::Site;

    use super::*;

    fn sighting(id: FindingId, line: u32, cycle: u64) -> Sighting {
        let finding = Finding {
            title: format!("noticed at {cycle}"),
            marks: Vec::new(),
            facts: vec!["proof: it is so".to_owned()],
            help: None,
            ..Finding::of(id)
        };
        let site = Site { line, ..Site::KERNEL };
        Sighting::of(finding, site, Cycle(cycle))
    }

    const STALE: FindingId = FindingId::StaleAccumulation;
    const PANIC: FindingId = FindingId::KernelPanic;

    #[test]
    fn the_same_kind_at_the_same_line_is_one_finding() {
        let mut schedules = MergedSchedules::default();
        let twice = vec![sighting(STALE, 7, 10), sighting(STALE, 7, 20)];
        schedules.add(3, twice, &[]);
        schedules.add(4, vec![sighting(STALE, 7, 11), sighting(PANIC, 7, 12)], &[]);
        schedules.add(5, vec![sighting(STALE, 7, 9), sighting(STALE, 8, 13)], &[]);
        let found = schedules.findings();
        let seen: Vec<_> = found.iter().map(|it| (it.cycle, it.seeds.clone())).collect();
        let at = |cycle| Some(Cycle(cycle));
        let expected =
            [(at(10), vec![3, 4, 5]), (at(20), vec![3]), (at(12), vec![4]), (at(13), vec![5])];
        assert_eq!(seen, expected);
        assert_eq!(found[0].finding.facts, ["proof: it is so"], "every schedule shows it");
        assert_eq!(found[2].finding.facts[1], "schedules: in 1 of 3, first with seed 4");
    }

    #[test]
    fn whichever_call_of_a_helper_is_first_it_is_one_finding() {
        static CALLS: [Site; 2] = [Site::new("k.cpp", 20, 5), Site::new("k.cpp", 30, 5)];
        let mut schedules = MergedSchedules::default();
        for (seed, call) in (0..).zip(&CALLS) {
            let mut one = sighting(STALE, 7, 10);
            one.site.caller = Some(call);
            schedules.add(seed, vec![one], &[]);
        }
        let found = schedules.findings();
        let seeds: Vec<_> = found.iter().map(|it| it.seeds.clone()).collect();
        assert_eq!(seeds, [[0, 1]]);
    }

    #[test]
    fn outputs_that_differ_are_a_finding() {
        let outputs = |y: u64, z: u64| [("y".to_owned(), y), ("z".to_owned(), z)];
        let mut schedules = MergedSchedules::default();
        for (seed, y) in [(0, 5), (1, 5), (2, 6), (3, 5), (4, 7)] {
            schedules.add(seed, Vec::new(), &outputs(y, 1));
        }
        let found = schedules.findings();
        assert_eq!(found.len(), 1, "z is the same everywhere: {found:#?}");
        let MergedFinding { finding, cycle, seeds, .. } = &found[0];
        assert_eq!(
            (finding.id, *cycle, &seeds[..]),
            (FindingId::UnstableOutput, None, &[2, 4][..])
        );
        assert_eq!(finding.title, "`y` has 3 different results in 5 schedules");
        assert_eq!(finding.facts[0], "bits 0000000000000005 with seeds 0, 1, 3");
        assert_eq!(finding.facts[1], "bits 0000000000000006 with seed 2");
    }

    #[test]
    fn long_lists_of_seeds_stay_short() {
        assert_eq!(list(&[0, 1, 2, 3, 9]), "seeds 0 to 3, 9");
        let even: Vec<u64> = (0..20).map(|half| 2 * half).collect();
        assert_eq!(list(&even), "seeds 0, 2, 4, 6, 8, 10 and 14 more");
    }
}
