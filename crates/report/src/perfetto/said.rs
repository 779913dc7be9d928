//! Findings and what kernels said: instants and zones on tracks of their own, below their core.

use tilewright_machine::CoreCoord;

use super::trace::{Note, Slice, Track};
use super::{Drawing, SAID};
use crate::record::{Finding, PrintedSource, Run};
use crate::timeline::Timeline;

impl Drawing {
    /// Everything that a run's record places in time.
    pub(super) fn said(&mut self, run: &Run, timelines: &[Timeline]) {
        for finding in &run.findings {
            self.finding(finding, timelines);
        }
        for printed in &run.printed {
            if let (Some(core), Some(cycle)) = (&printed.core, printed.cycle) {
                let processor = printed.processor.as_deref().unwrap_or_default();
                let mark = match printed.source {
                    PrintedSource::Waypoint => " at",
                    PrintedSource::Dprint | PrintedSource::Stdout | PrintedSource::Stderr => ":",
                };
                let name = format!("{processor}{mark} {}", printed.text);
                let track = self.said_track(core, 1, "printed");
                self.trace.instant(track, cycle, &Slice { name: &name, ..Slice::default() });
            }
        }
        for zone in &run.zones {
            let place = 2 + processor_number(&zone.processor);
            let track = self.said_track(&zone.core, place, &format!("zones of {}", zone.processor));
            let end = zone.end.unwrap_or(zone.begin);
            self.trace.begin(track, zone.begin, &Slice { name: &zone.name, ..Slice::default() });
            self.trace.end(track, end);
        }
    }

    fn finding(&mut self, finding: &Finding, timelines: &[Timeline]) {
        let Some(cycle) = finding.cycle else { return };
        let is_its =
            |it: &&Timeline| finding.program.as_ref().is_none_or(|name| *name == it.program);
        let start = timelines.iter().find(is_its).map_or(0, |it| it.start);
        let core = finding.marks.iter().find_map(|mark| mark.core.as_deref()).unwrap_or_default();
        let track = self.said_track(core, 0, "findings");
        let name = format!("{}: {}", finding.id, finding.title);
        let place = finding.own_line().map(|it| format!("{}:{}", it.file, it.line));
        let mut notes: Vec<Note<'_>> = Vec::new();
        notes.extend(place.as_deref().map(|place| Note::Text("line", place)));
        notes.extend(finding.help.as_deref().map(|help| Note::Text("help", help)));
        let slice = Slice { name: &name, notes: &notes, ..Slice::default() };
        self.trace.instant(track, start + cycle, &slice);
    }

    /// A track below a core, which is named as in records; findings of no core are the first's.
    fn said_track(&mut self, core: &str, place: u64, name: &str) -> Track {
        let known = self.cores.keys().copied().find(|it| it.to_string() == core);
        let (process, _) = self.core(known.unwrap_or(CoreCoord::new(0, 0)));
        let track = Track(process.0 + SAID + place);
        if self.known.insert(track) {
            self.trace.lane(track, process, name);
        }
        track
    }
}

fn processor_number(name: &str) -> u64 {
    let all = tilewright_machine::Processor::ALL;
    all.iter().position(|it| it.name() == name).unwrap_or(all.len()) as u64
}
