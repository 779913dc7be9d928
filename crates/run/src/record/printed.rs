//! What kernels say of themselves: what they print, and the zones that they time.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tilewright_check::of_class;
use tilewright_machine::{EventKind, Outcome, ProcessorId};

/// Something that kernels printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Printed {
    /// How it was printed.
    pub source: PrintedSource,
    /// The core of the processor that printed it, such as `(0,0)`, if that is known.
    pub core: Option<String>,
    /// The processor that printed it, such as `reader`, if that is known.
    pub processor: Option<String>,
    /// The simulated cycle, if that is known.
    pub cycle: Option<u64>,
    /// The text, or its beginning.
    pub text: String,
    /// Lines that were printed after this and not kept.
    pub omitted_lines: u64,
    /// Bytes of the text that were not kept.
    pub omitted_bytes: u64,
}

/// How kernels print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PrintedSource {
    /// By `DPRINT` or `DEVICE_PRINT`: one line.
    Dprint,
    /// By `WAYPOINT`: the name of the point that was passed.
    Waypoint,
    /// To the standard output of the process that runs kernels.
    Stdout,
    /// To its standard error.
    Stderr,
}

impl PrintedSource {
    /// The word that reports use.
    pub fn name(self) -> &'static str {
        match self {
            PrintedSource::Dprint => "DPRINT",
            PrintedSource::Waypoint => "WAYPOINT",
            PrintedSource::Stdout => "stdout",
            PrintedSource::Stderr => "stderr",
        }
    }
}

/// A part of a kernel that it gave a name, such as by `DeviceZoneScopedN`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Zone {
    /// Its name.
    pub name: String,
    /// The core, such as `(0,0)`.
    pub core: String,
    /// The processor, such as `math`.
    pub processor: String,
    /// The simulated cycle of its beginning.
    pub begin: u64,
    /// That of its end, if it was reached.
    pub end: Option<u64>,
}

/// What kernels said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Lines in order of simulated time, then how many more there were.
    pub printed: Vec<Printed>,
    /// Zones in order of their beginnings.
    pub zones: Vec<Zone>,
    /// Zones that were not kept.
    pub omitted_zones: u64,
}

/// Lines and zones that a record lists.
const LISTED_MAX: usize = 2000;

impl Said {
    /// What kernels of programs that ran one after the other said.
    pub fn of(outcomes: &[Outcome]) -> Said {
        let mut said = Said::default();
        let (mut elapsed, mut omitted) = (0, BTreeMap::new());
        for outcome in outcomes {
            said.add(outcome, elapsed, &mut omitted);
            elapsed += outcome.cycles.0;
        }
        let more = omitted.into_iter().filter(|(_, lines)| *lines > 0);
        said.printed.extend(more.map(|(by, lines)| line(by, None, "", lines)));
        said
    }

    fn add(&mut self, outcome: &Outcome, elapsed: u64, omitted: &mut BTreeMap<ProcessorId, u64>) {
        let mut open: BTreeMap<ProcessorId, Vec<usize>> = BTreeMap::new();
        for event in &outcome.said.events {
            let (by, cycle) = (event.processor, elapsed + event.cycle.0);
            let said = match event.kind {
                EventKind::Printed { text: Some(text) } => Some((PrintedSource::Dprint, text)),
                EventKind::Waypoint { name } => Some((PrintedSource::Waypoint, name)),
                EventKind::Printed { text: None }
                | EventKind::KernelStarted
                | EventKind::KernelFinished
                | EventKind::Zone { .. }
                | of_class!(Ring, Wait, Section, UnpackFormat, AluFormat, Operation, PackSetting)
                | of_class!(Unpack, Matrix, Vector, Pack, Network, Word) => None,
            };
            match said {
                Some((source, text)) if self.printed.len() < LISTED_MAX => {
                    self.printed.push(Printed { source, ..line(by, Some(cycle), text, 0) });
                }
                Some(_) => *omitted.entry(by).or_default() += 1,
                None => {}
            }
            if let EventKind::Zone { name, is_begin } = event.kind {
                self.edge(name, is_begin, cycle, by, open.entry(by).or_default());
            }
        }
        for it in &outcome.said.omitted {
            *omitted.entry(it.processor).or_default() += it.lines;
            self.omitted_zones += it.edges / 2;
        }
    }

    /// A zone begins or ends; those that are open on its processor are nested.
    fn edge(
        &mut self,
        name: &str,
        is_begin: bool,
        cycle: u64,
        by: ProcessorId,
        open: &mut Vec<usize>,
    ) {
        if !is_begin {
            if let Some(zone) = open.pop().and_then(|place| self.zones.get_mut(place)) {
                zone.end = Some(cycle);
            }
        } else if self.zones.len() < LISTED_MAX {
            open.push(self.zones.len());
            let (core, processor) = (by.core.to_string(), by.processor.to_string());
            self.zones.push(Zone {
                name: name.to_owned(),
                core,
                processor,
                begin: cycle,
                end: None,
            });
        } else {
            open.push(usize::MAX);
            self.omitted_zones += 1;
        }
    }
}

fn line(by: ProcessorId, cycle: Option<u64>, text: &str, omitted_lines: u64) -> Printed {
    Printed {
        source: PrintedSource::Dprint,
        core: Some(by.core.to_string()),
        processor: Some(by.processor.to_string()),
        cycle,
        text: text.to_owned(),
        omitted_lines,
        omitted_bytes: 0,
    }
}
