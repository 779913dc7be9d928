//! Elements of outputs that hold uninitialised data.

use tilewright_machine::{Cycle, Site};

use crate::FindingId;
use crate::ending::count_of;
use crate::finding::{Finding, Mark, line_of};
use crate::flow::{Birth, Born, BornId, Flow, Step, TileFacts};
use crate::session::Found;
use crate::trace::Traces;

/// What is wrong at one line, and with how many tiles.
struct Fault {
    id: FindingId,
    site: Site,
    output: usize,
    born: Born,
    writer: Option<Step>,
    /// The first page.
    page: u32,
    /// The first tile, and its first element.
    tile: (u32, u32),
    element: Option<(usize, usize)>,
    tiles: u64,
    /// The findings that have touched any of them.
    reached: Traces,
}

/// Judges every page of every output. Returns those that have a finding.
pub(super) fn judge(flow: &mut Flow, found: &mut Found) -> Vec<(usize, u32)> {
    let (mut faults, mut pages) = (Vec::new(), Vec::new());
    let written = flow.written();
    for output in 0..flow.outputs.len() {
        let grid = &flow.outputs[output];
        let (count, is_row_major) = (grid.pages(), grid.is_row_major());
        for page in 0..count {
            let mut judge = |flow: &mut Flow, column, (tile, writer)| {
                if note(flow, &mut faults, (output, page, column), (tile, writer)) {
                    pages.push((output, page));
                }
            };
            if is_row_major {
                for column in flow.outputs[output].columns_of(page) {
                    let seen = flow.output_segment(output, page, column);
                    judge(flow, column, seen);
                }
            } else {
                let seen = flow.output_tile(output, page);
                judge(flow, 0, seen);
            }
        }
    }
    for fault in &faults {
        let last = fault.page.checked_sub(1).map(|before| written[fault.output].last(..=before));
        report(flow, fault, last.flatten(), found);
    }
    pages
}

/// Adds a tile to the faults, if an element of it is one.
fn note(
    flow: &Flow,
    faults: &mut Vec<Fault>,
    (output, page, column): (usize, u32, u32),
    (tile, writer): (TileFacts, Option<Step>),
) -> bool {
    if tile.born == BornId::NOT {
        return false;
    }
    let grid = &flow.outputs[output];
    let (place, lanes) = if grid.is_row_major() {
        ((grid.tile_of(page).0, column), tile.lanes)
    } else {
        (grid.tile_of(page), tile.lanes.minus(&grid.padding(grid.tile_of(page))))
    };
    let (Some(element), Some(born)) = (lanes.first(), flow.births.get(tile.born)) else {
        return false;
    };
    // What nothing fills and the program reads back is a place for intermediate values, unless it
    // is declared as an output: pages of it that are never read may stay as they are.
    if matches!(born.birth, Birth::Output { .. })
        && grid.declared.is_inferred
        && flow.is_read[output]
    {
        return false;
    }
    let (id, born) = (kind(born.birth), *born);
    let line = [born.mixed, born.seen].into_iter().flatten().next().map(|(site, _)| site);
    let writer_site = writer.map(|writer| writer.site);
    let site = line.or(writer_site).unwrap_or(grid.declared.site);
    let same = |fault: &&mut Fault| (fault.id, fault.site, fault.output) == (id, site, output);
    match faults.iter_mut().find(same) {
        Some(fault) => {
            fault.tiles += 1;
            fault.reached.join(tile.sources.traces);
        }
        None => {
            let element = (!grid.is_row_major()).then_some(element);
            let (tiles, reached) = (1, tile.sources.traces);
            faults.push(Fault {
                id,
                site,
                output,
                born,
                writer,
                page,
                tile: place,
                element,
                tiles,
                reached,
            });
        }
    }
    true
}

fn kind(birth: Birth) -> FindingId {
    match birth {
        Birth::Page { .. } => FindingId::UninitialisedPage,
        Birth::Lap { .. } => FindingId::StaleLap,
        Birth::L1 { .. } => FindingId::UninitialisedL1,
        Birth::Dst { .. } | Birth::Leftover { .. } => FindingId::UninitialisedDst,
        Birth::Padding { .. } => FindingId::PaddingInOutput,
        Birth::Output { .. } => FindingId::UnwrittenOutput,
    }
}

/// `last` is the last written page before it.
fn report(flow: &Flow, fault: &Fault, last: Option<(usize, Step)>, found: &mut Found) {
    let grid = &flow.outputs[fault.output];
    let (id, name) = (fault.id, grid.name());
    let cycle = fault.writer.map_or(Cycle(0), |writer| writer.cycle);
    let core = fault.writer.map_or_else(Default::default, |writer| writer.processor.core);
    let about = (fault.reached, Some(name));
    found.add_reached(about, id, fault.site, (cycle, core), || {
        let (row, column) = fault.tile;
        let tile = format!("tile ({row},{column})");
        let place = match fault.element {
            Some((row, column)) => format!("row {row}, column {column} of {tile}"),
            None => format!("a row of {tile}"),
        };
        let others = count_of(fault.tiles, if grid.is_row_major() { "segment" } else { "tile" });
        let mut marks = marks_of(flow, fault);
        if let Some(writer) = fault.writer {
            let role = format!("{} writes `{name}`", writer.processor.processor);
            marks.push(Mark { role, site: writer.site, processor: Some(writer.processor) });
        } else {
            let role = format!("`{name}` is declared as an output");
            marks.push(Mark { role, site: grid.declared.site, processor: None });
            marks.extend(last.map(|(page, by)| {
                let who = by.processor;
                let role =
                    format!("{} on core {} writes page {page} last", who.processor, who.core);
                Mark { role, site: by.site, processor: Some(who) }
            }));
        }
        let (what, proof, help) = words(flow, fault);
        let facts = vec![
            format!("proof: {proof}"),
            format!("the first element is in {place}; {others} of `{name}` by this way"),
        ];
        let finding = Finding {
            title: format!("`{name}` {tile} {what}"),
            marks,
            facts,
            help: Some(help),
            ..Finding::of(id)
        };
        match fault.writer {
            Some(writer) => finding.at(writer.cycle),
            None => finding,
        }
    });
}

/// The lines before the one that writes the output.
fn marks_of(flow: &Flow, fault: &Fault) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut mark = |role: String, (site, who)| {
        marks.push(Mark { role, site, processor: Some(who) });
    };
    if let Birth::Page { core, cb } = fault.born.birth
        && let Some(push) = flow.last_push(core, cb)
    {
        let (who, name) = (push.processor, flow.buffer_name(core, cb));
        mark(format!("{} pushes pages of `{name}`", who.processor), (push.site, who));
    }
    if let Birth::Lap { core, cb, written, by } = fault.born.birth {
        let name = flow.buffer_name(core, cb);
        mark(format!("{} wrote the page of `{name}`, a lap ago", by.processor), (written, by));
    }
    if let Some((site, who)) = fault.born.seen {
        let does = match fault.born.birth {
            Birth::Leftover { .. } => "reduces to it",
            Birth::Page { .. }
            | Birth::Lap { .. }
            | Birth::L1 { .. }
            | Birth::Dst { .. }
            | Birth::Padding { .. }
            | Birth::Output { .. } => "reads it",
        };
        mark(format!("{} {does}", who.processor), (site, who));
    }
    if let Some((site, who)) = fault.born.mixed {
        mark(format!("{} mixes it with values", who.processor), (site, who));
    }
    marks
}

/// What happened, the proof, and what would help.
fn words(flow: &Flow, fault: &Fault) -> (String, String, String) {
    match fault.born.birth {
        Birth::Page { core, cb } => {
            let name = flow.buffer_name(core, cb);
            (
                format!("depends on an uninitialised page of `{name}`"),
                format!("nothing has written these bytes of `{name}` since launch"),
                match flow.last_push(core, cb) {
                    Some(push) => {
                        let line = line_of(push.site);
                        format!("write all of the page of `{name}` before it is pushed at {line}")
                    }
                    None => format!("write all of a page of `{name}` that is used, and push it"),
                },
            )
        }
        Birth::Lap { core, cb, .. } => {
            let name = flow.buffer_name(core, cb);
            (
                format!("depends on a page of `{name}` from an earlier lap"),
                format!("nothing has written the page of `{name}` since it was popped"),
                format!("write the page of `{name}` again before pushing it again"),
            )
        }
        Birth::L1 { core, place } => (
            format!("depends on {place} of core {core}, which is uninitialised"),
            format!("nothing has written {place} of core {core} since launch"),
            "write what is read before it is read, or keep it in a circular buffer".to_owned(),
        ),
        Birth::Dst { index } => (
            format!("depends on Dst tile {index}, which is uninitialised"),
            format!("nothing has written Dst tile {index} since it was cleared"),
            format!("write Dst tile {index}, or fill it with zero, before reading it"),
        ),
        Birth::Leftover { index } => (
            format!("depends on what a reduction leaves in Dst tile {index}"),
            "a reduction writes its first column, row or value, and nobody the rest".to_owned(),
            "use only what the reduction fills, or pack before `reduce_uninit`, which ends the \
             mask that writes zeros to the rest"
                .to_owned(),
        ),
        Birth::Padding { input } => {
            let name = flow.inputs[usize::from(input)].name();
            (
                format!("depends on the padding of `{name}`"),
                format!("no mask and no product with zero lies between `{name}` and the output"),
                format!("mask the last tile of `{name}`, or overwrite its padding"),
            )
        }
        Birth::Output { output } => {
            let name = flow.outputs[usize::from(output)].name();
            (
                "was not written by anybody".to_owned(),
                format!("no write has reached this place of `{name}` before the kernels returned"),
                format!("write every page of `{name}`"),
            )
        }
    }
}
