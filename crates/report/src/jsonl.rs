//! A run as lines of JSON, for scripts: the same slices, transfers and levels as the trace.
//!
//! Each line is one `Line`; `docs/schema/trace-line.schema.json` describes it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::record::Run;
use crate::timeline::{CoreLine, Doing, Lane, Timeline};

/// One line of the file. Cycles are estimates, counted from the beginning of the first program.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Line<'a> {
    /// The first line: what was run, and what came of it.
    Run {
        /// The answer of `tilewright run` for the same request.
        run: &'a Run,
    },
    /// A program began.
    Program {
        /// Its name.
        name: &'a str,
        /// When.
        begin: u64,
        /// When it ended.
        end: u64,
        /// Whether it stopped moving.
        is_stuck: bool,
        /// Transfers that were counted and have no line.
        transfers_left_out: u64,
    },
    /// A circular buffer of a core.
    Buffer {
        /// The core, such as `(0,0)`.
        core: String,
        /// Its index.
        id: u8,
        /// What the program calls it.
        name: &'a str,
        /// Its first byte in L1.
        address: u32,
        /// Bytes of a page.
        page_bytes: u32,
        /// Pages of the ring.
        pages: u32,
        /// The format of its values, in tt-metal's spelling.
        format: &'a str,
        /// The most pages it held.
        most: u32,
    },
    /// A processor did one thing for a while. The slices of a processor follow one another.
    Slice {
        /// The core.
        core: String,
        /// The processor, such as `reader`.
        processor: &'a str,
        /// The first cycle.
        begin: u64,
        /// The cycle after the last.
        end: u64,
        /// Whether it worked or waited.
        state: State,
        /// The kind of work, or what it waited for.
        what: String,
        /// The call by its name, such as `cb_wait_front`; empty for a wait.
        operation: &'a str,
        /// What the call was given, by name.
        arguments: BTreeMap<&'a str, String>,
        /// The call: file and line; empty if no line of a kernel caused it.
        site: String,
        /// How many slices were joined into this one.
        joined: u32,
    },
    /// A transfer over a network.
    Transfer {
        /// The core that asked for it.
        core: String,
        /// The processor that did.
        processor: &'a str,
        /// `read`, `write` or `atomic`.
        kind: &'a str,
        /// The network, 0 or 1.
        noc: u8,
        /// The other end, such as `DRAM bank 3` or `(0,1)`.
        place: &'a str,
        /// How many bytes.
        bytes: u32,
        /// When it was asked for.
        begin: u64,
        /// When it was over.
        end: u64,
        /// Whether it was under way when the program ended.
        is_open: bool,
        /// The call.
        site: String,
    },
    /// A buffer's pages from a cycle on.
    Level {
        /// The core.
        core: String,
        /// The buffer's index.
        id: u8,
        /// When.
        cycle: u64,
        /// Pages that a consumer can see.
        pages: u32,
    },
    /// How long and how often a processor did something, in all, at one line of its kernel.
    Total {
        /// The core.
        core: String,
        /// The processor.
        processor: &'a str,
        /// Whether it worked or waited.
        state: State,
        /// The kind of work, or what it waited for.
        what: String,
        /// The call by its name; empty for a wait.
        operation: &'a str,
        /// The call.
        site: String,
        /// Cycles in all; exact whatever was joined.
        cycles: u64,
        /// How many times.
        times: u64,
    },
}

/// Whether a processor works or waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It works.
    Work,
    /// It waits.
    Stall,
}

impl From<Doing> for State {
    fn from(doing: Doing) -> State {
        match doing {
            Doing::Work(..) => State::Work,
            Doing::Stall(_) => State::Stall,
        }
    }
}

/// The lines of a run.
pub fn jsonl(run: &Run, timelines: &[Timeline]) -> String {
    let mut text = String::new();
    let mut line = |line: &Line<'_>| {
        text += &serde_json::to_string(line).expect("lines have text keys and finite numbers");
        text.push('\n');
    };
    line(&Line::Run { run });
    for timeline in timelines {
        program(timeline, &mut line);
        for core in &timeline.cores {
            buffers(timeline, core, &mut line);
            for lane in &core.lanes {
                slices(timeline, core, lane, &mut line);
            }
        }
        transfers(timeline, &mut line);
    }
    text
}

fn program(timeline: &Timeline, line: &mut impl FnMut(&Line<'_>)) {
    line(&Line::Program {
        name: &timeline.program,
        begin: timeline.start,
        end: timeline.start + timeline.cycles,
        is_stuck: timeline.is_stuck,
        transfers_left_out: timeline.transfers_left_out,
    });
}

fn buffers(timeline: &Timeline, core: &CoreLine, line: &mut impl FnMut(&Line<'_>)) {
    for ring in &core.rings {
        let (config, id) = (&ring.config, ring.config.id.0);
        line(&Line::Buffer {
            core: core.core.to_string(),
            id,
            name: &ring.name,
            address: config.base.0,
            page_bytes: config.page_bytes,
            pages: config.pages,
            format: config.format.name(),
            most: ring.most,
        });
        for level in &ring.levels {
            let (core, cycle) = (core.core.to_string(), timeline.start + level.cycle);
            line(&Line::Level { core, id, cycle, pages: level.pages });
        }
    }
}

fn slices(timeline: &Timeline, core: &CoreLine, lane: &Lane, line: &mut impl FnMut(&Line<'_>)) {
    let name = |cb| core.buffer_name(cb);
    let what = |doing: Doing| doing.kind(name);
    for slice in &lane.slices {
        line(&Line::Slice {
            core: core.core.to_string(),
            processor: lane.processor.name(),
            begin: timeline.start + slice.begin,
            end: timeline.start + slice.end,
            state: slice.doing.into(),
            what: what(slice.doing),
            operation: operation(slice.doing),
            arguments: slice.given.notes(name).into_iter().collect(),
            site: place(slice.site),
            joined: slice.joined,
        });
    }
    for (doing, site, total) in lane.totals() {
        line(&Line::Total {
            core: core.core.to_string(),
            processor: lane.processor.name(),
            state: doing.into(),
            what: what(doing),
            operation: operation(doing),
            site: place(site),
            cycles: total.cycles,
            times: total.times,
        });
    }
}

fn operation(doing: Doing) -> &'static str {
    match doing {
        Doing::Work(_, call) => call,
        Doing::Stall(_) => "",
    }
}

fn transfers(timeline: &Timeline, line: &mut impl FnMut(&Line<'_>)) {
    for transfer in &timeline.transfers {
        line(&Line::Transfer {
            core: transfer.owner.core.to_string(),
            processor: transfer.owner.processor.name(),
            kind: transfer.kind.name(),
            noc: transfer.noc as u8,
            place: &transfer.place,
            bytes: transfer.bytes,
            begin: timeline.start + transfer.begin,
            end: timeline.start + transfer.end,
            is_open: transfer.is_open,
            site: place(transfer.site),
        });
    }
}

/// A site as `file:line`, or nothing where no line of a kernel caused it.
fn place(site: tilewright_machine::Site) -> String {
    if site.file.is_empty() { String::new() } else { format!("{}:{}", site.file, site.line) }
}
