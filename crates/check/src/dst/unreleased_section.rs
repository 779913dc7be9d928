//! Sections of Dst that math does not commit or pack does not release.

use tilewright_machine::{ProcessorId, Site};

use super::sections::HeldSection;
use super::{Words, mark, words};
use crate::FindingId;
use crate::declaration::{Cause, StuckWaits, declare};
use crate::finding::{Finding, Mark, line_of};
use crate::flow::Step;
use crate::session::{Found, Token};
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// A section of Dst that math acquires and does not commit before it acquires again or
    /// returns, or that pack waits for and does not release; and one that math has committed and
    /// pack never waits for.
    /// # Why it matters
    /// What math wrote to a section that it does not commit reaches nobody, and pack waits for ever
    /// or takes another one for it. With sections that are not released math runs out of them: it
    /// waits for ever, or the next program's start-up does, because the semaphore between math and
    /// pack keeps its count from program to program.
    /// # Instead
    /// Commit every section that is acquired, after the last operation in it, and wait for and
    /// release every one that is committed, after the last tile is packed, on every way through
    /// the kernel. A kernel that acquires and commits on purpose without packing still has to
    /// release.
    pub struct UnreleasedSection {}
    Declaration {
        name: "unreleased-section",
        tool: Some(Tool::Dst),
        loses_values: true,
        is_of_sections: true,
        follows: &[Cause::OfSections],
        stuck_waits: StuckWaits::OfCompute,
    }
}

/// A section that its holder does not give away: it takes the next one at `again`, or returns.
pub(super) fn not_given(held: HeldSection, again: Option<Step>, token: Token, found: &mut Found) {
    let (id, who) = (FindingId::UnreleasedSection, held.taken.processor);
    let at = again.unwrap_or(held.taken);
    found.add_token(token, id, held.taken.site, (at.cycle, who.core), || {
        let Words { name, verb, take, give, gives } = words(who);
        let mut marks = vec![mark(held.taken, format!("{name} takes a section"))];
        let role = format!("{name} {verb} Dst for the last time in it");
        marks.extend(held.last_work.map(|step| mark(step, role)));
        marks.push(match again {
            Some(step) => mark(step, format!("{name} takes the next one")),
            None => returns(who, format!("{name} returns with it")),
        });
        let last = held.last_work.unwrap_or(held.taken);
        let verb = gives.strip_suffix('s').unwrap_or(gives);
        Finding {
            title: format!("{name} on core {} does not {verb} its section of Dst", who.core),
            facts: vec![
                format!("proof: no `{give}` between (1) and ({})", marks.len()),
                format!("every `{take}` needs its `{give}`"),
            ],
            marks,
            help: Some(format!("call `{give}()` after {}", line_of(last.site))),
            ..Finding::of(id)
        }
        .at(at.cycle)
    });
}

/// Sections that math has committed and pack never takes.
pub(super) fn not_taken(
    pack: ProcessorId,
    (acquired, committed): (Option<Step>, Step),
    count: u64,
    found: &mut Found,
) {
    let id = FindingId::UnreleasedSection;
    found.add(id, committed.site, (committed.cycle, pack.core), || {
        let role = "math acquires a section".to_owned();
        let mut marks: Vec<Mark> = acquired.map(|step| mark(step, role)).into_iter().collect();
        marks.push(mark(committed, "math commits it".to_owned()));
        let commit = marks.len();
        marks.push(returns(pack, "pack returns, and the section is not released".to_owned()));
        let (left, sections) = match count {
            1 => ("a committed section".to_owned(), "1 section".to_owned()),
            _ => (format!("{count} committed sections"), format!("{count} sections")),
        };
        Finding {
            title: format!("pack on core {} returns without releasing {left} of Dst", pack.core),
            facts: vec![
                format!("proof: no `tile_regs_release` between ({commit}) and ({})", marks.len()),
                format!(
                    "the next program on the core finds {sections} taken, and its start-up waits"
                ),
            ],
            marks,
            help: Some(format!(
                "call `tile_regs_wait()` and `tile_regs_release()` after {}",
                line_of(committed.site)
            )),
            ..Finding::of(id)
        }
        .at(committed.cycle)
    });
}

fn returns(who: ProcessorId, role: String) -> Mark {
    Mark { role, site: Site::KERNEL, processor: Some(who) }
}
