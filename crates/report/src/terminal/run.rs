//! A run: its findings, then what it comes to.

use annotate_snippets::renderer::AnsiColor;
use tilewright_check::FindingId;
use tilewright_check::value::place;

use super::figures::{count, counted, value};
use super::printed::{Prints, said};
use super::{Paint, finding, table};
use crate::record::{Finding, HostSeconds, Output, Program, Request, Run, RunVerdict};

/// Digits of errors and bounds.
const ERROR_DIGITS: usize = 3;
/// Digits of values: all that a Float32 has.
const VALUE_DIGITS: usize = 9;

/// What `tilewright run` shows.
pub fn run(run: &Run, prints: Prints, paint: Paint) -> String {
    let mut text = findings(run, paint) + &said(run, prints, paint);
    text += &format!("{}\n", headline(run, paint));
    if !run.outputs.is_empty() {
        text += &format!("\n{}", outputs(run, paint));
    }
    if !run.notes.is_empty() {
        text.push('\n');
    }
    for note in &run.notes {
        text += &format!(" {}: {note}\n", paint.bold(AnsiColor::Yellow, "note"));
    }
    text + "\n" + &figures(run, paint)
}

/// What `tilewright check` shows: what is wrong, and the verdict.
pub fn check(run: &Run, prints: Prints, paint: Paint) -> String {
    let mut text = findings(run, paint) + &said(run, prints, paint);
    text += &format!("{}\n", headline(run, paint));
    let also = run.also_cores.map(|cores| {
        let cores = counted(u64::from(cores), "core");
        format!("run on {cores}, too, so that every core repeats its loops")
    });
    let note = |note: String| format!(" {}: {note}\n", paint.bold(AnsiColor::Yellow, "note"));
    run.notes.iter().cloned().chain(also).map(note).fold(text, |text, note| text + &note)
}

/// Every finding, an empty line after each.
pub(super) fn findings(run: &Run, paint: Paint) -> String {
    let draw = |found: &Finding| {
        let replay = found.replay.as_ref().unwrap_or(&run.replay);
        format!("{}\n", finding(found, replay, paint))
    };
    run.findings.iter().map(draw).collect()
}

/// Verdict, request and reason in a line.
pub(super) fn headline(run: &Run, paint: Paint) -> String {
    let Request { operation, shape, format, .. } = &run.request;
    let what = paint.strong(&format!("{operation} {shape} {format}"));
    format!("{} {what}: {}", verdict(run, paint), reason(run))
}

/// The verdict in its colour.
pub(super) fn verdict(run: &Run, paint: Paint) -> String {
    let colour = match run.verdict {
        RunVerdict::Pass => AnsiColor::Green,
        RunVerdict::Fail | RunVerdict::Hang | RunVerdict::Error => AnsiColor::Red,
        RunVerdict::Unjudged | RunVerdict::Paused => AnsiColor::Yellow,
    };
    paint.bold(colour, run.verdict.name())
}

/// Why a run has its verdict, in a few words.
pub fn reason(run: &Run) -> String {
    let findings = counted(run.findings.len() as u64, "finding");
    let outside = run.outputs.values().filter(|output| !output.in_bound).count();
    let judged = run.outputs.values().map(|output| output.judged as u64).sum();
    match run.verdict {
        RunVerdict::Unjudged => unjudged(&run.uncompared),
        RunVerdict::Pass => {
            let same = match run.schedules {
                0 | 1 => String::new(),
                schedules => format!(", the same bits in {schedules} schedules"),
            };
            match judged {
                1 => format!("the one element judged is inside its bound{same}"),
                _ => format!(
                    "all {} judged are inside their bounds{same}",
                    counted(judged, "element")
                ),
            }
        }
        RunVerdict::Paused => "stopped as asked; nothing was found until then".to_owned(),
        RunVerdict::Fail if outside > 0 => {
            let outputs = counted(outside as u64, "output");
            let outside = format!("{outputs} with elements outside their bounds");
            let is_of_bounds =
                |id: &str| FindingId::from_name(id).is_some_and(FindingId::is_of_bounds);
            let is_more = |it: &Finding| !is_of_bounds(&it.id);
            match run.findings.iter().filter(|it| is_more(it)).count() {
                0 => outside,
                more => format!("{outside}, {}", counted(more as u64, "finding")),
            }
        }
        RunVerdict::Fail => findings,
        RunVerdict::Hang => format!("it cannot go on, {findings}"),
        RunVerdict::Error => format!("the simulator cannot judge it, {findings}"),
    }
}

/// Why a run that found nothing is no pass.
fn unjudged(uncompared: &[String]) -> String {
    let names: Vec<String> = uncompared.iter().map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [] => "it completed, and has no output that could be compared with anything".to_owned(),
        names => {
            let was = if names.len() == 1 { "was" } else { "were" };
            let names = names.join(", ");
            format!("it completed, and {names} {was} compared with nothing")
        }
    }
}

fn outputs(run: &Run, paint: Paint) -> String {
    let head = [
        "output",
        "max error",
        "mean error",
        "max relative",
        "error/bound",
        "worst at",
        "wanted",
        "got",
        "bound",
    ];
    let rows: Vec<Vec<String>> = run.outputs.iter().map(|(name, it)| row(name, it)).collect();
    table(paint, &head, &rows, &[1, 2, 3, 4, 5, 6, 7, 8])
}

fn row(name: &str, output: &Output) -> Vec<String> {
    let error = |number: crate::record::Number| value(number.0, ERROR_DIGITS);
    let exact = |number: Option<crate::record::Number>| {
        number.map_or_else(|| "-".to_owned(), |number| value(number.0, VALUE_DIGITS))
    };
    vec![
        name.to_owned(),
        error(output.max_abs_error),
        error(output.mean_abs_error),
        error(output.max_relative_error),
        error(output.worst_ratio),
        output.worst_index.map_or_else(|| "-".to_owned(), |index| place(index, &output.shape)),
        exact(output.wanted),
        exact(output.got),
        output.bound.map_or_else(|| "-".to_owned(), error),
    ]
}

fn figures(run: &Run, paint: Paint) -> String {
    let Request { cores, dst_bits, dst_sync, fidelity, noc, input, .. } = &run.request;
    let mut asked = format!(
        "at most {}, {dst_bits}-bit Dst, {dst_sync} sync, {fidelity}, {noc} NoC, {input} input",
        counted(u64::from(*cores), "core")
    );
    for (name, chosen) in &run.request.choices {
        asked += &format!(", {name} {chosen}");
    }
    let HostSeconds { loading, read_back, judging } = run.host_seconds;
    let speed = format!(
        "{} in {}; simulated in {:.3} s, {} tiles/s; loaded in {loading:.3} s, read back in \
         {read_back:.3} s, judged in {judging:.3} s",
        counted(run.tiles, "tile"),
        counted(run.cycles, "cycle"),
        run.wall_seconds,
        count(run.tiles_per_second as u64)
    );
    let digest = format!("digest {} (a fingerprint of all events and their cycles)", run.digest);
    let same = match run.schedules {
        0 | 1 => format!("seed {}, {digest}", run.seed),
        schedules => {
            let last = run.seed + schedules - 1;
            format!("seeds {} to {last}; cycles of the first, {digest}", run.seed)
        }
    };
    let program = |program: &Program| {
        let cycles = counted(program.cycles, "cycle");
        format!("  {}: {cycles}, digest {}", program.name, program.digest)
    };
    let is_several = run.programs.len() > 1;
    let programs = run.programs.iter().filter(|_| is_several).map(program);
    [asked, speed, same]
        .into_iter()
        .chain(programs)
        .map(|line| format!(" {}\n", paint.dim(&line)))
        .collect()
}
