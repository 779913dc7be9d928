//! Input tiles that a program has declared to be in a result and that are not there.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use tilewright_machine::{CbId, CoreCoord, Event, EventKind, Site};
use tilewright_metal::{ContributionDeclaration, Program, RowSumDeclaration};

use super::taken::Taken;
use crate::FindingId;
use crate::declaration::declare;
use crate::ending::count_of;
use crate::finding::{Finding, Mark};
use crate::flow::{Flow, Part, SourceTiles, Sources, Step};
use crate::session::Found;
use crate::tool::Tool;
use crate::trace::Traces;

declare! {
    /// # What it finds
    /// A tile of an output, or a page of a declared buffer, that does not hold all the input tiles
    /// that the program has declared for it.
    /// # Why it matters
    /// A sum that leaves out its last tile, or a page that another core writes over, is a little
    /// wrong everywhere: on random data the tolerance of a test may hide it.
    /// # Instead
    /// Add every tile before the sum is packed; add partial sums on one core, or give each core a
    /// page of its own. What is not declared is not checked. A value of more than eight rectangles
    /// of tiles is not judged. Pages of a running sum are judged when the sum is done.
    pub struct LostContribution {}
    Declaration { name: "lost-contribution", tool: Some(Tool::Value), lacks_values: true }
}

/// The last page of a declared buffer on a core.
#[derive(Clone, Copy)]
struct Page {
    tiles: SourceTiles,
    /// The findings that have touched it.
    traces: Traces,
    writer: Step,
}

impl Page {
    fn new(flow: &Flow, sources: Sources, writer: Step) -> Page {
        Page { tiles: flow.tiles(sources), traces: sources.traces, writer }
    }
}

/// The judge of what is followed.
pub(crate) struct Value {
    row_sums: Vec<RowSumDeclaration>,
    contributions: Vec<ContributionDeclaration>,
    /// By core and number of the declaration.
    pages: BTreeMap<(CoreCoord, usize), Page>,
    /// What buffers have lost. An output that lacks the same input is a consequence.
    losses: Vec<PageLoss>,
    /// Who took what out of which ring.
    taken: Taken,
}

/// A page of a buffer that lacks something.
struct PageLoss {
    number: usize,
    core: CoreCoord,
    wanted: Part,
    page: Page,
}

impl Value {
    pub(crate) fn new(program: &Program) -> Value {
        let declared = program.declarations();
        Value {
            row_sums: declared.row_sums.clone(),
            contributions: declared.contributions.clone(),
            pages: BTreeMap::new(),
            losses: Vec::new(),
            taken: Taken::default(),
        }
    }

    /// Looks at an event before it is followed.
    pub(crate) fn event(&mut self, event: &Event, flow: &mut Flow) {
        if !self.contributions.is_empty() {
            self.taken.event(event, flow);
        }
        let EventKind::Pushed { cb, pages } = event.kind else { return };
        if !self.row_sums.iter().any(|declared| declared.cb == cb.0) {
            return;
        }
        let core = event.processor.core;
        let Some(mut ring) = flow.core(core).ring(cb).cloned() else { return };
        for at in ring.pushed(event.processor.processor, pages) {
            let Some(page) = flow.page(core, at, ring.config.format) else { continue };
            for number in 0..self.row_sums.len() {
                if self.row_sums[number].cb == cb.0 {
                    self.pushed(number, core, Page::new(flow, page.0, page.1), flow);
                }
            }
        }
    }

    /// Takes the next page of a buffer. One that is not in it was the last of its sum.
    fn pushed(&mut self, number: usize, core: CoreCoord, page: Page, flow: &Flow) {
        let input = self.row_sums[number].input as u8;
        let before = self.pages.insert((core, number), page);
        let Some(before) = before else { return };
        let goes_on = before.tiles.of_input(input).all(|part| page.tiles.has(part));
        if !goes_on || before.tiles.of_input(input).next().is_none() {
            self.judge_page(number, core, before, flow);
        }
    }

    fn judge_page(&mut self, number: usize, core: CoreCoord, page: Page, flow: &Flow) {
        let grid = &flow.inputs[self.row_sums[number].input];
        let rows: BTreeSet<u32> =
            page.tiles.of_input(grid.number).flat_map(|part| part.rows[0]..part.rows[1]).collect();
        let row = |row: u32| Part::new(grid.number, row..row + 1, 0..grid.columns);
        let lacks = |wanted: &Part| !page.tiles.has(wanted);
        let wanted = match rows.iter().map(|it| row(*it)).find(lacks) {
            Some(wanted) => wanted,
            None if rows.is_empty() => row(0),
            None => return,
        };
        if page.tiles.is_known() {
            self.losses.push(PageLoss { number, core, wanted, page });
        }
    }

    /// Judges the last pages of buffers, and all outputs but pages that have a finding already.
    pub(crate) fn end(&mut self, flow: &mut Flow, judged: &[(usize, u32)], found: &mut Found) {
        for ((core, number), page) in std::mem::take(&mut self.pages) {
            self.judge_page(number, core, page, flow);
        }
        self.losses.sort_by_key(|loss| (loss.page.writer.cycle, loss.number));
        self.losses.iter().for_each(|loss| self.report_page(loss, flow, found));
        let judged: BTreeSet<(usize, u32)> = judged.iter().copied().collect();
        let is_lost =
            |input: usize| self.losses.iter().any(|loss| self.row_sums[loss.number].input == input);
        for declared in self.contributions.iter().filter(|declared| !is_lost(declared.input)) {
            judge_output(declared, (flow, &self.taken), &judged, found);
        }
    }

    fn report_page(&self, loss: &PageLoss, flow: &Flow, found: &mut Found) {
        let name = |number: usize| {
            let declared = &self.row_sums[number];
            let buffer = flow.buffer_name(loss.core, CbId(declared.cb));
            (buffer, flow.inputs[declared.input].name())
        };
        let here =
            self.losses.iter().filter(|other| other.page.writer.site == loss.page.writer.site);
        let others: BTreeSet<usize> =
            here.map(|other| other.number).filter(|number| *number != loss.number).collect();
        let also = |number: usize| {
            let (buffer, input) = name(number);
            format!("also: pages of `{buffer}` that lack tiles of `{input}`")
        };
        let (buffer, input) = name(loss.number);
        let what = Lost {
            title: format!("a page of `{buffer}`"),
            role: format!("{} writes the page", loss.page.writer.processor.processor),
            declared: self.row_sums[loss.number].site,
            cause: None,
            others: others.into_iter().map(also).collect(),
            output: None,
        };
        report(&what, input, &loss.wanted, &loss.page, found);
    }
}

fn judge_output(
    declared: &ContributionDeclaration,
    (flow, taken): (&mut Flow, &Taken),
    judged: &BTreeSet<(usize, u32)>,
    found: &mut Found,
) {
    let output = declared.output;
    let (pages, is_row_major) = (flow.outputs[output].pages(), flow.outputs[output].is_row_major());
    let mut first: Option<(Loss, u64)> = None;
    for page in (0..pages).filter(|page| !judged.contains(&(output, *page))) {
        let columns = if is_row_major { flow.outputs[output].columns_of(page) } else { 0..1 };
        for column in columns {
            let (tile, writer) = match is_row_major {
                true => flow.output_segment(output, page, column),
                false => flow.output_tile(output, page),
            };
            let (row, inside) = flow.outputs[output].tile_of(page);
            let place = (row, inside + column);
            let extents = (declared.rows, declared.columns);
            let wanted = flow.inputs[declared.input].wanted(&flow.outputs[output], place, extents);
            let Some(writer) = writer else { continue };
            let page_facts = Page::new(flow, tile.sources, writer);
            if !page_facts.tiles.is_known() || page_facts.tiles.has(&wanted) {
                continue;
            }
            match &mut first {
                Some((_, tiles)) => *tiles += 1,
                None => first = Some((Loss { page, place, wanted, facts: page_facts }, 1)),
            }
        }
    }
    if let Some((loss, tiles)) = first {
        report_output((flow, taken), declared, &loss, tiles, found);
    }
}

/// The first tile of an output that lacks something.
struct Loss {
    page: u32,
    place: (u32, u32),
    wanted: Part,
    facts: Page,
}

fn report_output(
    (flow, taken): (&Flow, &Taken),
    declared: &ContributionDeclaration,
    loss: &Loss,
    tiles: u64,
    found: &mut Found,
) {
    let (output, input) = (&flow.outputs[declared.output], &flow.inputs[declared.input]);
    let (name, (row, column)) = (output.name(), loss.place);
    let writer = loss.facts.writer.processor;
    let replaced = flow
        .replaced
        .iter()
        .filter(|(number, page, _)| (usize::from(*number), *page) == (declared.output, loss.page));
    let replaced: Vec<String> = replaced
        .map(|(_, _, before)| {
            let what = parts_of(&flow.tiles(before.sources), input.number);
            format!("replaced: {what}, written by core {}", before.writer.processor.core)
        })
        .collect();
    let shown = 4.min(replaced.len());
    let mut others = replaced[..shown].to_vec();
    if replaced.len() > shown {
        others.push(format!("replaced: {} more", replaced.len() - shown));
    }
    if tiles > 1 {
        others
            .push(format!("also: {} of `{name}` at this line", count_of(tiles - 1, "other tile")));
    }
    let untaken = taken.untaken(flow, writer.core, declared.input);
    let (cause, fact) = untaken.map_or((None, None), |(mark, fact)| (Some(mark), Some(fact)));
    others.extend(fact);
    let role = match replaced.is_empty() {
        true => format!("core {} wrote this page last", writer.core),
        false => format!("core {} wrote this page last, and replaced what was there", writer.core),
    };
    let what = Lost {
        title: format!("`{name}` tile ({row},{column})"),
        role,
        declared: declared.site,
        cause,
        others,
        output: Some(name.to_owned()),
    };
    report(&what, input.name(), &loss.wanted, &loss.facts, found);
}

/// The words of a loss.
struct Lost {
    title: String,
    role: String,
    declared: Site,
    /// The line that took the wrong ring, if one did.
    cause: Option<Mark>,
    others: Vec<String>,
    output: Option<String>,
}

fn report(what: &Lost, input: &str, wanted: &Part, page: &Page, found: &mut Found) {
    let (id, writer) = (FindingId::LostContribution, page.writer);
    let at = (writer.cycle, writer.processor.core);
    let about = (page.traces, what.output.as_deref());
    found.add_reached(about, id, writer.site, at, || {
        let (held, all) = (page.tiles.tiles_of(wanted), wanted.tiles());
        let declared = Mark {
            role: format!("what of `{input}` must be in it is declared here"),
            site: what.declared,
            processor: None,
        };
        let written =
            Mark { role: what.role.clone(), site: writer.site, processor: Some(writer.processor) };
        let missing = missing(wanted, &page.tiles);
        let mut facts = vec![format!(
            "proof: sources found in it, against those declared: \
             {missing} of `{input}` is not there"
        )];
        facts.extend(what.others.iter().cloned());
        Finding {
            title: format!(
                "{} holds {held} of the {} of `{input}` it must hold",
                what.title,
                count_of(all, "tile")
            ),
            marks: [Some(declared), what.cause.clone(), Some(written)]
                .into_iter()
                .flatten()
                .collect(),
            facts,
            help: Some(if what.others.iter().any(|other| other.starts_with("replaced")) {
                "add the partial tiles on one core before this write, or give each core its own \
                 page and sum afterwards"
                    .to_owned()
            } else {
                format!("add every tile of `{input}` that belongs to it before it is written")
            }),
            ..Finding::of(id)
        }
        .at(writer.cycle)
    });
}

/// The first run of tiles that are not there: along the row if there is one, or down the rows.
fn missing(wanted: &Part, sources: &SourceTiles) -> String {
    let lacks = |row: u32, column: u32| {
        !sources.has(&Part::new(wanted.input, row..row + 1, column..column + 1))
    };
    let [first_row, last_row] = wanted.rows;
    let [first, last] = wanted.columns;
    for row in first_row..last_row {
        let Some(start) = (first..last).find(|column| lacks(row, *column)) else { continue };
        let end = (start..last).find(|column| !lacks(row, *column)).unwrap_or(last);
        if last - first == 1 {
            let until = (row..last_row).find(|row| !lacks(*row, start)).unwrap_or(last_row);
            return format!("{} of tile-column {start}", named("row", row..until));
        }
        return format!("{} of tile-row {row}", named("column", start..end));
    }
    "nothing".to_owned()
}

fn named(what: &str, range: Range<u32>) -> String {
    if range.len() == 1 {
        format!("{what} {}", range.start)
    } else {
        format!("{what}s {}..{}", range.start, range.end)
    }
}

/// An input's tiles in a value.
fn parts_of(sources: &SourceTiles, input: u8) -> String {
    let part = |part: &Part| {
        let rows = named("row", part.rows[0]..part.rows[1]);
        format!("{rows}, {}", named("column", part.columns[0]..part.columns[1]))
    };
    let parts: Vec<String> = sources.of_input(input).map(part).collect();
    if parts.is_empty() { "nothing of it".to_owned() } else { parts.join("; ") }
}
