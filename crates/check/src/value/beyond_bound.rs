//! Outputs with elements that are further from their exact values than the hardware's own steps
//! can explain.
//!
//! Takes what others have judged, as plain numbers: neither values nor bounds are made here.

use std::collections::BTreeSet;

use tilewright_machine::{CoreCoord, Cycle, Site};
use tilewright_metal::Shape;

use crate::FindingId;
use crate::allow::Report;
use crate::consequences;
use crate::declaration::declare;
use crate::ending::count_of;
use crate::finding::{Finding, Mark};
use crate::flow::Step;
use crate::session::Sighting;
use crate::tool::Tool;
use crate::trace::Traces;
use crate::written::{Written, tile_of};

declare! {
    /// # What it finds
    /// An output with elements outside their bounds: further from their exact values than the
    /// formats, the number of steps and the data allow.
    /// # Why it matters
    /// The bound is derived for each element, from what the hardware does at each step. Noise does
    /// not reach it: something is computed that was not meant.
    /// # Instead
    /// Look at where the errors lie, which `tilewright report` draws: a whole tile, its last rows
    /// or columns, or one in so many tells which step is wrong. Each output outside its bounds is
    /// a finding of its own. If the values of an output went through something that a tool has
    /// found, the output is listed with that finding as its consequence, which says so if there are
    /// several: mend that, and look again. The run
    /// fails all the same if this tool is off or the finding is allowed. An output that is held
    /// against the bits of a file has bounds of zero.
    pub struct BeyondBound {}
    Declaration {
        name: "beyond-bound",
        tool: Some(Tool::Value),
        is_judged: true,
        is_of_bounds: true,
    }
}

/// What a judge of values has seen of an output that is outside its bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Beyond {
    /// The output's name, as the program declares it.
    pub output: String,
    /// Its shape.
    pub shape: Shape,
    /// The element that is furthest out, in row-major order.
    pub worst: usize,
    /// Its exact value.
    pub wanted: f64,
    /// The device's.
    pub got: f64,
    /// The bound on their difference.
    pub bound: f64,
    /// Every element that is outside, in row-major order.
    pub outside: Vec<usize>,
}

/// Tiles and cores that a finding lists by name.
const LISTED: usize = 6;

impl Report {
    /// Adds an output that is outside its bounds, if the tool value is on: to the finding that
    /// explains it, or as one of its own. `cycle` is when the run was over.
    pub fn beyond_bound(&mut self, beyond: &Beyond, cycle: Cycle) {
        if !self.tools.has(Tool::Value) {
            return;
        }
        let is_it = |written: &&Written| written.is_of(&beyond.output, &beyond.shape);
        let written = self.written.iter().rev().find(is_it);
        let finding = finding(beyond, written);
        if self.allows.contains(&FindingId::BeyondBound) {
            return self.allowed.push(finding);
        }
        let causes = causes(&self.sightings, beyond, written);
        match causes.split_first() {
            Some((first, others)) => {
                let others: Vec<&Finding> =
                    others.iter().map(|it| &self.sightings[*it].finding).collect();
                let text = consequences::title_among(&finding, &others);
                self.sightings[*first].finding.consequences.push(text);
            }
            None => {
                let site = finding.marks.first().map_or(Site::KERNEL, |mark| mark.site);
                self.sightings.push(Sighting::of(finding, site, cycle));
            }
        }
    }
}

/// The places of the findings that explain an output: those that have touched the pages of its
/// elements outside, or are about the output itself. What no value carries on, and what an earlier
/// program of the run did, may have.
fn causes(sightings: &[Sighting], beyond: &Beyond, written: Option<&Written>) -> Vec<usize> {
    let all = |is_cause: &dyn Fn(&Sighting) -> bool| -> Vec<usize> {
        let spoils = |it: &Sighting| it.finding.id.spoils_values() && is_cause(it);
        (0..sightings.len()).filter(|number| spoils(&sightings[*number])).collect()
    };
    let Some(written) = written else { return all(&|_| true) };
    let mut traces = Traces::NONE;
    beyond.outside.iter().for_each(|index| traces.join(written.traces(*index)));
    let certain = all(&|it| {
        let is_here = it.program == written.program;
        is_here && traces.has(it.token) || it.output.as_deref() == Some(&beyond.output)
    });
    if !certain.is_empty() {
        return certain;
    }
    all(&|it| {
        let is_untraced = !it.token.is_traced() && it.output.is_none();
        is_untraced || it.program < written.program
    })
}

fn finding(beyond: &Beyond, written: Option<&Written>) -> Finding {
    let Beyond { output, shape, worst, outside, .. } = beyond;
    let (row, column) = tile_of(*worst, shape);
    let writers = outside.iter().filter_map(|index| written?.writer(*index));
    let cores: BTreeSet<CoreCoord> = writers.map(|writer| writer.processor.core).collect();
    let mark = |writer: Step| Mark {
        role: format!(
            "{} writes tile ({row},{column}) of `{output}`, the worst element in it",
            writer.processor.processor
        ),
        site: writer.site,
        processor: Some(writer.processor),
    };
    let (some, all) = (outside.len(), shape.volume());
    let are = if some == 1 { "is" } else { "are" };
    Finding {
        title: format!("{some} of {all} elements of `{output}` {are} outside their bounds"),
        marks: written.and_then(|it| it.writer(*worst)).map(mark).into_iter().collect(),
        facts: facts(beyond, &cores),
        help: Some("look at the errors by tile, which `tilewright report` draws".to_owned()),
        count: cores.len().max(1),
        ..Finding::of(FindingId::BeyondBound)
    }
}

fn facts(beyond: &Beyond, cores: &BTreeSet<CoreCoord>) -> Vec<String> {
    let Beyond { shape, worst, wanted, got, bound, outside, .. } = beyond;
    let tiles: BTreeSet<_> = outside.iter().map(|index| tile_of(*index, shape)).collect();
    let (place, error) = (place(*worst, shape.sizes()), (got - wanted).abs());
    let (got, wanted) = (figure(*got, 9), figure(*wanted, 9));
    let (allowed, far) = match error / bound {
        times if times.is_finite() => {
            let allowed = format!("{wanted}, at most {} off", figure(*bound, 3));
            (allowed, format!(", {} times its bound", figure(times, 3)))
        }
        _ if *bound == 0.0 => (format!("exactly {wanted}"), String::new()),
        _ => (wanted, String::new()),
    };
    let mut facts = vec![
        format!("proof: element {place} is {got} and should be {allowed}"),
        format!("error: {}{far}", figure(error, 3)),
        format!(
            "tiles: {} of {} have elements outside, {}",
            tiles.len(),
            shape.tiles(),
            listed(tiles.iter().map(|(row, column)| format!("({row},{column})")))
        ),
    ];
    if !cores.is_empty() {
        let names = listed(cores.iter().map(CoreCoord::to_string));
        facts.push(format!("written by {}, {names}", count_of(cores.len() as u64, "core")));
    }
    facts
}

/// The first few, and that there are more.
fn listed(mut names: impl Iterator<Item = String>) -> String {
    let shown: Vec<String> = names.by_ref().take(LISTED).collect();
    let more = if names.next().is_some() { ", …" } else { "" };
    format!("{}{more}", shown.join(" "))
}

/// A row-major index as a place: `[0,0,3,17]`.
pub fn place(index: usize, sizes: &[u32]) -> String {
    let mut rest = index;
    let mut places: Vec<String> = Vec::new();
    for size in sizes.iter().rev() {
        places.push((rest % *size as usize).to_string());
        rest /= *size as usize;
    }
    places.reverse();
    format!("[{}]", places.join(","))
}

/// A number to so many digits that matter.
fn figure(value: f64, digits: usize) -> String {
    let rounded: f64 = format!("{value:.*e}", digits - 1).parse().unwrap_or(value);
    let text = format!("{rounded:?}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_that_matter() {
        let check = |value, digits, text| assert_eq!(figure(value, digits), text);
        check(0.0, 3, "0");
        check(-2.0, 3, "-2");
        check(0.123_456_789_012, 9, "0.123456789");
        check(1234.56, 3, "1230");
        check(6.254e-9, 3, "6.25e-9");
        check(f64::NAN, 3, "NaN");
        check(f64::INFINITY, 3, "inf");
    }

    #[test]
    fn long_lists_stay_short() {
        let names = |count: usize| listed((0..count).map(|number| number.to_string()));
        assert_eq!(names(2), "0 1");
        assert_eq!(names(6), "0 1 2 3 4 5");
        assert_eq!(names(7), "0 1 2 3 4 5, …");
    }
}
