//! A Perfetto trace: tracks, slices, counters and flows, in the order in which they are given.
//!
//! Field numbers are those of Perfetto's `protos/perfetto/trace`. Knows nothing of kernels.

use std::collections::BTreeMap;

use tilewright_machine::Site;

use super::wire::Message;

/// Field numbers, each after its message.
mod field {
    pub const TRACE_PACKET: u64 = 1;
    pub const PACKET_TIMESTAMP: u64 = 8;
    pub const PACKET_SEQUENCE: u64 = 10;
    pub const PACKET_EVENT: u64 = 11;
    pub const PACKET_INTERNED: u64 = 12;
    pub const PACKET_FLAGS: u64 = 13;
    pub const PACKET_DESCRIPTOR: u64 = 60;
    pub const TRACK_UUID: u64 = 1;
    pub const TRACK_NAME: u64 = 2;
    pub const TRACK_PROCESS: u64 = 3;
    pub const TRACK_THREAD: u64 = 4;
    pub const TRACK_PARENT: u64 = 5;
    pub const TRACK_COUNTER: u64 = 8;
    pub const PROCESS_PID: u64 = 1;
    pub const PROCESS_NAME: u64 = 6;
    pub const THREAD_PID: u64 = 1;
    pub const THREAD_TID: u64 = 2;
    pub const THREAD_NAME: u64 = 5;
    pub const COUNTER_UNIT_NAME: u64 = 6;
    pub const EVENT_ANNOTATION: u64 = 4;
    pub const EVENT_TYPE: u64 = 9;
    pub const EVENT_NAME_IID: u64 = 10;
    pub const EVENT_TRACK: u64 = 11;
    pub const EVENT_COUNTER_VALUE: u64 = 30;
    pub const EVENT_SOURCE_IID: u64 = 34;
    pub const EVENT_FLOW: u64 = 47;
    pub const EVENT_LAST_FLOW: u64 = 48;
    pub const ANNOTATION_NAME: u64 = 10;
    pub const ANNOTATION_UINT: u64 = 3;
    pub const ANNOTATION_TEXT: u64 = 6;
    pub const INTERNED_NAMES: u64 = 2;
    pub const INTERNED_SOURCES: u64 = 4;
    pub const NAME_IID: u64 = 1;
    pub const NAME_TEXT: u64 = 2;
    pub const SOURCE_IID: u64 = 1;
    pub const SOURCE_FILE: u64 = 2;
    pub const SOURCE_LINE: u64 = 4;
}

const SLICE_BEGIN: u64 = 1;
const SLICE_END: u64 = 2;
const INSTANT: u64 = 3;
const COUNTER: u64 = 4;
/// The one writer of the trace.
const SEQUENCE: u64 = 1;
/// The first packet forgets interned names of earlier writers; later ones rely on them.
const FLAG_CLEARED: u64 = 1;
const FLAG_NEEDED: u64 = 2;

/// A track's number, unique in its trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Track(pub u64);

/// A value beside a slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note<'a> {
    /// A number.
    Number(&'a str, u64),
    /// A text.
    Text(&'a str, &'a str),
}

/// What a slice carries besides its times.
#[derive(Clone, Debug, Default)]
pub struct Slice<'a> {
    /// What it shows.
    pub name: &'a str,
    /// The line that caused it, if one did.
    pub site: Option<Site>,
    /// Flows that leave it or pass through.
    pub flows: &'a [u64],
    /// Flows that end in it.
    pub last_flows: &'a [u64],
    /// Values beside it.
    pub notes: &'a [Note<'a>],
}

/// A trace under construction.
#[derive(Debug, Default)]
pub struct Trace {
    bytes: Vec<u8>,
    names: BTreeMap<String, u64>,
    sites: BTreeMap<Site, u64>,
    is_begun: bool,
}

impl Trace {
    /// A process.
    pub fn process(&mut self, track: Track, pid: u64, name: &str) {
        let mut process = Message::default();
        process.number(field::PROCESS_PID, pid).text(field::PROCESS_NAME, name);
        self.describe(track, None, name, |it| {
            it.message(field::TRACK_PROCESS, &process);
        });
    }

    /// A thread of a process.
    pub fn thread(&mut self, track: Track, parent: Track, (pid, tid): (u64, u64), name: &str) {
        let mut thread = Message::default();
        thread.number(field::THREAD_PID, pid).number(field::THREAD_TID, tid);
        thread.text(field::THREAD_NAME, name);
        self.describe(track, Some(parent), name, |it| {
            it.message(field::TRACK_THREAD, &thread);
        });
    }

    /// A track of slices that belongs to no thread.
    pub fn lane(&mut self, track: Track, parent: Track, name: &str) {
        self.describe(track, Some(parent), name, |_| ());
    }

    /// A track of numbers.
    pub fn counter(&mut self, track: Track, parent: Track, name: &str, unit: &str) {
        let mut counter = Message::default();
        counter.text(field::COUNTER_UNIT_NAME, unit);
        self.describe(track, Some(parent), name, |it| {
            it.message(field::TRACK_COUNTER, &counter);
        });
    }

    /// The beginning of a slice.
    pub fn begin(&mut self, track: Track, time: u64, slice: &Slice<'_>) {
        self.named(SLICE_BEGIN, track, time, slice);
    }

    /// Something that has no length.
    pub fn instant(&mut self, track: Track, time: u64, slice: &Slice<'_>) {
        self.named(INSTANT, track, time, slice);
    }

    fn named(&mut self, kind: u64, track: Track, time: u64, slice: &Slice<'_>) {
        let mut interned = Message::default();
        let name = self.name(slice.name, &mut interned);
        let source = slice.site.map(|site| self.source(site, &mut interned));
        let mut event = event(kind, track);
        event.number(field::EVENT_NAME_IID, name);
        if let Some(source) = source {
            event.number(field::EVENT_SOURCE_IID, source);
        }
        for note in slice.notes {
            event.message(field::EVENT_ANNOTATION, &annotation(note));
        }
        for flow in slice.flows {
            event.fixed64(field::EVENT_FLOW, *flow);
        }
        for flow in slice.last_flows {
            event.fixed64(field::EVENT_LAST_FLOW, *flow);
        }
        self.packet(Some(time), |packet| {
            if interned != Message::default() {
                packet.message(field::PACKET_INTERNED, &interned);
            }
            packet.message(field::PACKET_EVENT, &event);
        });
    }

    /// The end of the innermost slice of a track.
    pub fn end(&mut self, track: Track, time: u64) {
        let event = event(SLICE_END, track);
        self.packet(Some(time), |packet| {
            packet.message(field::PACKET_EVENT, &event);
        });
    }

    /// A counter's value from a time on.
    pub fn value(&mut self, track: Track, time: u64, value: u64) {
        let mut event = event(COUNTER, track);
        event.number(field::EVENT_COUNTER_VALUE, value);
        self.packet(Some(time), |packet| {
            packet.message(field::PACKET_EVENT, &event);
        });
    }

    /// The whole trace.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    fn describe(
        &mut self,
        track: Track,
        parent: Option<Track>,
        name: &str,
        what: impl FnOnce(&mut Message),
    ) {
        let mut descriptor = Message::default();
        descriptor.number(field::TRACK_UUID, track.0).text(field::TRACK_NAME, name);
        if let Some(parent) = parent {
            descriptor.number(field::TRACK_PARENT, parent.0);
        }
        what(&mut descriptor);
        self.packet(None, |packet| {
            packet.message(field::PACKET_DESCRIPTOR, &descriptor);
        });
    }

    /// A name's number; told to the reader when it first occurs.
    fn name(&mut self, name: &str, interned: &mut Message) -> u64 {
        if let Some(id) = self.names.get(name) {
            return *id;
        }
        let id = self.names.len() as u64 + 1;
        self.names.insert(name.to_owned(), id);
        let mut entry = Message::default();
        entry.number(field::NAME_IID, id).text(field::NAME_TEXT, name);
        interned.message(field::INTERNED_NAMES, &entry);
        id
    }

    fn source(&mut self, site: Site, interned: &mut Message) -> u64 {
        if let Some(id) = self.sites.get(&site) {
            return *id;
        }
        let id = self.sites.len() as u64 + 1;
        self.sites.insert(site, id);
        let mut entry = Message::default();
        entry.number(field::SOURCE_IID, id).text(field::SOURCE_FILE, site.file);
        entry.number(field::SOURCE_LINE, u64::from(site.line));
        interned.message(field::INTERNED_SOURCES, &entry);
        id
    }

    fn packet(&mut self, time: Option<u64>, fill: impl FnOnce(&mut Message)) {
        let mut packet = Message::default();
        if let Some(time) = time {
            packet.number(field::PACKET_TIMESTAMP, time);
        }
        packet.number(field::PACKET_SEQUENCE, SEQUENCE);
        let flags = if self.is_begun { FLAG_NEEDED } else { FLAG_CLEARED };
        self.is_begun = true;
        packet.number(field::PACKET_FLAGS, flags);
        fill(&mut packet);
        let mut trace = Message::default();
        trace.message(field::TRACE_PACKET, &packet);
        self.bytes.extend(trace.into_bytes());
    }
}

fn event(kind: u64, track: Track) -> Message {
    let mut event = Message::default();
    event.number(field::EVENT_TYPE, kind).number(field::EVENT_TRACK, track.0);
    event
}

fn annotation(note: &Note<'_>) -> Message {
    let mut message = Message::default();
    match note {
        Note::Number(name, value) => {
            message.text(field::ANNOTATION_NAME, name).number(field::ANNOTATION_UINT, *value);
        }
        Note::Text(name, value) => {
            message.text(field::ANNOTATION_NAME, name).text(field::ANNOTATION_TEXT, value);
        }
    }
    message
}
