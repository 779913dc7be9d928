//! What kernels print, and the zones that they time.

use std::collections::BTreeMap;

use super::Paint;
use super::figures::{count, counted};
use crate::record::{Printed, PrintedSource, Run};

/// How much of what kernels print is shown. The JSON has all that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prints {
    /// The first lines.
    First,
    /// All that is kept.
    All,
    /// Nothing.
    None,
}

impl Prints {
    /// The lines that are shown at most.
    fn lines(self) -> usize {
        match self {
            Prints::First => 40,
            Prints::All => usize::MAX,
            Prints::None => 0,
        }
    }
}

/// What kernels said, an empty line after it; nothing if they said nothing or nobody wants it.
pub(super) fn said(run: &Run, prints: Prints, paint: Paint) -> String {
    if prints == Prints::None {
        return String::new();
    }
    let mut text = lines(&run.printed, prints.lines(), paint);
    text += &zones(run, paint);
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

fn lines(printed: &[Printed], most: usize, paint: Paint) -> String {
    let mut text = String::new();
    let mut hidden = 0;
    for (number, it) in printed.iter().enumerate() {
        let who = match (&it.processor, &it.core) {
            (Some(processor), Some(core)) => format!("{processor} on core {core}"),
            _ => format!("kernels ({})", it.source.name()),
        };
        if it.omitted_lines > 0 {
            let more = counted(it.omitted_lines, "more line");
            text += &format!("{} … {more} by DPRINT\n", paint.strong(&who));
        } else if number >= most {
            hidden += 1;
        } else {
            let mark = match it.source {
                PrintedSource::Waypoint => "at waypoint",
                PrintedSource::Dprint | PrintedSource::Stdout | PrintedSource::Stderr => "|",
            };
            for line in it.text.split('\n') {
                text += &format!("{} {mark} {}\n", paint.strong(&who), plain(line));
            }
        }
        if it.omitted_bytes > 0 {
            text +=
                &format!("{} … {}\n", paint.strong(&who), counted(it.omitted_bytes, "more byte"));
        }
    }
    if hidden > 0 {
        text += &format!("… {}; --print all shows them\n", counted(hidden, "more line"));
    }
    text
}

/// A line for each name and processor: how often, and for how long.
fn zones(run: &Run, paint: Paint) -> String {
    let mut sums: BTreeMap<(&str, &str), (u64, u64)> = BTreeMap::new();
    for zone in &run.zones {
        let (times, cycles) = sums.entry((&zone.name, &zone.processor)).or_default();
        *times += 1;
        *cycles += zone.end.map_or(0, |end| end - zone.begin);
    }
    let mut text = String::new();
    for ((name, processor), (times, cycles)) in sums {
        let zone = paint.strong(&format!("zone `{}`", plain(name)));
        let (often, mean) = (counted(times, "time"), count(cycles / times.max(1)));
        text += &format!("{zone} of {processor}: {often}, {mean} cycles on average\n");
    }
    if run.omitted_zones > 0 {
        text += &format!("… {} not kept\n", counted(run.omitted_zones, "more zone"));
    }
    text
}

/// A line without what would steer the terminal.
fn plain(line: &str) -> String {
    line.replace(|it: char| it.is_control() && it != '\t', "\u{fffd}")
}
