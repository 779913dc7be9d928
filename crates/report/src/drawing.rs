//! Drawings of a run, made where it takes place: its time is recorded, then drawn.

use tilewright_machine::{Observer, Outcome};
use tilewright_metal::Program;
use tilewright_run::{Seen, Witness};

use crate::html::{self, Page};
use crate::line_costs::LineCost;
use crate::record::DrawnProgram;
use crate::timeline::{Limits, Recorder, Timeline};
use crate::{jsonl, perfetto};

/// Draws a run of which the time has been recorded.
pub type Draw = fn(&Seen<'_>, &[Timeline]) -> Vec<u8>;

/// Records a run and draws it in several ways.
pub struct Drawing<'a> {
    recorder: Recorder,
    draws: &'a [Draw],
}

impl<'a> Drawing<'a> {
    /// Keeps so much of a run, and draws it in these ways.
    pub fn new(limits: Limits, draws: &'a [Draw]) -> Drawing<'a> {
        Drawing { recorder: Recorder::new(limits), draws }
    }

    /// The programs that were drawn, and the drawings; nothing of a run that was lost.
    pub fn decode(testimony: &[Vec<u8>]) -> (Vec<DrawnProgram>, &[Vec<u8>]) {
        let Some((programs, drawings)) = testimony.split_first() else {
            return (Vec::new(), &[]);
        };
        (serde_json::from_slice(programs).unwrap_or_default(), drawings)
    }
}

impl Witness for Drawing<'_> {
    fn begin(&mut self, program: &Program) {
        self.recorder.begin(program);
    }

    fn observer(&mut self) -> &mut dyn Observer {
        &mut self.recorder
    }

    fn end(&mut self, ended: &Outcome) {
        self.recorder.end(ended);
    }

    fn testify(&mut self, seen: &Seen<'_>) -> Vec<Vec<u8>> {
        let timelines = self.recorder.timelines();
        let programs: Vec<DrawnProgram> = timelines.iter().map(DrawnProgram::from).collect();
        let programs = serde_json::to_vec(&programs).expect("a record is plain JSON");
        std::iter::once(programs)
            .chain(self.draws.iter().map(|draw| draw(seen, timelines)))
            .collect()
    }
}

/// A page for a browser.
pub fn page(seen: &Seen<'_>, timelines: &[Timeline]) -> Vec<u8> {
    let (architecture, l1_lowest) = (seen.device.architecture(), seen.device.l1_lowest());
    let (run, heat) = (seen.run, seen.heat);
    html::page(&Page { run, timelines, heat, architecture, l1_lowest }).into_bytes()
}

/// A trace for ui.perfetto.dev.
pub fn trace(seen: &Seen<'_>, timelines: &[Timeline]) -> Vec<u8> {
    perfetto(timelines, Some(seen.run))
}

/// What each line of the kernels cost; [`line_costs`] reads it.
pub fn costs(_: &Seen<'_>, timelines: &[Timeline]) -> Vec<u8> {
    serde_json::to_vec(&crate::line_costs::line_costs(timelines)).expect("costs are plain JSON")
}

/// The costs that [`costs`] drew; none of a run that was lost.
pub fn line_costs(testimony: &[Vec<u8>]) -> Vec<LineCost> {
    let (_, drawings) = Drawing::decode(testimony);
    let costs = drawings.first().and_then(|bytes| serde_json::from_slice(bytes).ok());
    costs.unwrap_or_default()
}

/// A line of JSON for each thing that happened.
pub fn lines(seen: &Seen<'_>, timelines: &[Timeline]) -> Vec<u8> {
    jsonl::jsonl(seen.run, timelines).into_bytes()
}
