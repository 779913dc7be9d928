//! More pages as advice: only once a run with them has completed.

use tilewright_check::{Blame, Finding, Remedy, Report};
use tilewright_metal::{Architecture, Ending, Outcome, Prepared, Program, RunOptions};

use crate::ask::Ask;

/// Runs that are tried for one report.
const TRIES: usize = 6;

/// Tries whether more pages would have helped a request whose programs are stuck.
pub(crate) fn of_stuck(
    ask: &Ask<'_>,
    prepared: &Prepared,
    options: RunOptions,
    (outcomes, report): (&[Outcome], &mut Report),
) {
    let is_stuck = |outcome: &Outcome| outcome.ending == Ending::Stuck;
    let Some(last) = outcomes.iter().position(is_stuck) else { return };
    let again = |program: &Program| {
        let (mut device, mut prepared) = ask.prepare().ok()?;
        prepared.programs[last] = program.clone();
        prepared.load(&mut device).ok()?;
        for earlier in &prepared.programs[..last] {
            let outcome = earlier.run(&mut device, options, &mut []).ok()?;
            if outcome.ending != Ending::Completed {
                return None;
            }
        }
        program.run(&mut device, options, &mut []).ok()
    };
    try_remedies(report, &prepared.programs[last], &ask.arch, again);
}

/// Looks for waits of a program that more pages of a ring would end. `run` runs a program from the
/// beginning.
pub fn try_remedies(
    report: &mut Report,
    program: &Program,
    arch: &Architecture,
    mut run: impl FnMut(&Program) -> Option<Outcome>,
) {
    let mut left = TRIES;
    for sighting in &mut report.sightings {
        let Some(remedy) = sighting.finding.remedy.take() else { continue };
        let found = candidates(program, &remedy).into_iter().find(|(ring, pages)| {
            let Some(rest) = left.checked_sub(1) else { return false };
            left = rest;
            let larger = program.with_pages(arch, *ring, *pages).ok();
            larger.and_then(|larger| run(&larger)).is_some_and(|it| completes(&it, *ring))
        });
        if let Some((ring, pages)) = found {
            advise(program, &mut sighting.finding, ring, pages);
        }
    }
}

/// Whether a run came to its end without pages left in a ring that is drained: more room for pages
/// that nobody takes only puts the fault off.
fn completes(outcome: &Outcome, ring: u8) -> bool {
    let ledgers = outcome.cores.iter().flat_map(|core| &core.buffers);
    let mut own = ledgers.filter(|ledger| ledger.config.id.0 == ring);
    let is_drained = own.all(|ledger| ledger.visible == 0 || ledger.popped_by == [0; 5]);
    outcome.ending == Ending::Completed && is_drained
}

/// Rings and pages to try: the fewest that can do, or twice and four times as many as there are.
fn candidates(program: &Program, remedy: &Remedy) -> Vec<(u8, u32)> {
    let pages = |ring: u8| {
        let specs = program.circular_buffers().iter().flat_map(|buffer| &buffer.specs);
        specs.filter(|spec| spec.id == ring).map(|spec| spec.pages).max().unwrap_or(1)
    };
    let factors = |ring: u8| match remedy.least {
        Some(least) => vec![(ring, least), (ring, least.saturating_mul(2))],
        None => [2, 4].map(|times| (ring, pages(ring).saturating_mul(times))).to_vec(),
    };
    remedy.rings.iter().flat_map(|ring| factors(*ring)).collect()
}

/// The program runs with more pages: it is the host program that gives too few.
fn advise(program: &Program, finding: &mut Finding, ring: u8, pages: u32) {
    let specs = program.circular_buffers().iter().flat_map(|buffer| &buffer.specs);
    let name = specs.into_iter().find(|spec| spec.id == ring).map_or("", |spec| &spec.name);
    finding.help = Some(format!("give `{name}` {pages} pages: the program completes with them"));
    finding.blame = Blame::HostBug;
}
