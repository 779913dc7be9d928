//! The trace, read back: slices nest, times do not run backwards, flows have two ends, counters
//! stay inside their rings; and the lines of JSON tell the same.

use std::collections::BTreeMap;

use tilewright_check::{Session, Tools};
use tilewright_metal::{Device, Observer, RunOptions};
use tilewright_ops::Request;
use tilewright_report::perfetto;
use tilewright_report::record::{Blame, Printed, PrintedSource, RunVerdict, Zone};
use tilewright_report::timeline::{Limits, Recorder, Timeline};
use tilewright_tile::DataFormat;

/// A field of a message: its number, and a number or bytes.
type Field<'a> = (u64, Value<'a>);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let (mut value, mut shift) = (0, 0);
    loop {
        let (first, rest) = bytes.split_first().expect("a whole number");
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        shift += 7;
        if first & 0x80 == 0 {
            return value;
        }
    }
}

/// The fields of a message, in order.
fn fields(mut bytes: &[u8]) -> Vec<Field<'_>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let value = match key & 7 {
            0 => Value::Number(varint(&mut bytes)),
            1 => {
                let (word, rest) = bytes.split_at(8);
                bytes = rest;
                Value::Number(u64::from_le_bytes(word.try_into().expect("eight bytes")))
            }
            2 => {
                let length = varint(&mut bytes) as usize;
                let (inner, rest) = bytes.split_at(length);
                bytes = rest;
                Value::Bytes(inner)
            }
            other => panic!("wire type {other}"),
        };
        fields.push((key >> 3, value));
    }
    fields
}

fn number(fields: &[Field<'_>], field: u64) -> Option<u64> {
    fields.iter().find_map(|(number, value)| match value {
        Value::Number(value) if *number == field => Some(*value),
        _ => None,
    })
}

fn inner<'a>(all: &[Field<'a>], field: u64) -> Option<Vec<Field<'a>>> {
    all.iter().find_map(|(number, value)| match value {
        Value::Bytes(bytes) if *number == field => Some(fields(bytes)),
        _ => None,
    })
}

fn has_text(fields: &[Field<'_>], field: u64) -> bool {
    let is_text = |value: &Value<'_>| matches!(value, Value::Bytes(bytes) if !bytes.is_empty());
    fields.iter().any(|(number, value)| *number == field && is_text(value))
}

/// What a trace holds, by the field numbers of Perfetto's own protocol files.
#[derive(Default)]
struct Read {
    /// Tracks with the parent of each.
    tracks: BTreeMap<u64, Option<u64>>,
    threads: usize,
    counters: usize,
    /// Slices: track, name, begin, end, depth.
    slices: Vec<(u64, u64, u64, u64, usize)>,
    /// Ends of each flow, and whether one is its last.
    flows: BTreeMap<u64, Vec<(u64, bool)>>,
    values: Vec<(u64, u64, u64)>,
    /// Instants: track, name, time.
    instants: Vec<(u64, u64, u64)>,
    names: BTreeMap<u64, String>,
}

impl Read {
    fn new(bytes: &[u8]) -> Read {
        let mut read = Read::default();
        let mut open: BTreeMap<u64, Vec<(u64, u64)>> = BTreeMap::new();
        let mut last: BTreeMap<u64, u64> = BTreeMap::new();
        for (field, packet) in fields(bytes) {
            let (1, Value::Bytes(packet)) = (field, packet) else { panic!("not a packet") };
            let packet = fields(packet);
            if let Some(descriptor) = inner(&packet, 60) {
                read.describe(&descriptor);
            }
            read.intern(&packet);
            let Some(event) = inner(&packet, 11) else { continue };
            let time = number(&packet, 8).expect("an event has a time");
            let track = number(&event, 11).expect("an event has a track");
            assert!(read.tracks.contains_key(&track), "track {track} is described first");
            let before = last.insert(track, time).unwrap_or(0);
            assert!(before <= time, "track {track}: {before} comes before {time}");
            let stack = open.entry(track).or_default();
            match number(&event, 9).expect("a type") {
                1 => {
                    stack.push((number(&event, 10).expect("a name"), time));
                    read.flows(&event, time);
                }
                2 => {
                    let (name, begin) = stack.pop().expect("a slice to end");
                    read.slices.push((track, name, begin, time, stack.len()));
                }
                3 => read.instants.push((track, number(&event, 10).expect("a name"), time)),
                4 => read.values.push((track, time, number(&event, 30).expect("a value"))),
                other => panic!("an event of type {other}"),
            }
        }
        assert!(open.values().all(Vec::is_empty), "a slice has no end");
        read
    }

    fn describe(&mut self, descriptor: &[Field<'_>]) {
        let uuid = number(descriptor, 1).expect("a number");
        let parent = number(descriptor, 5);
        assert!(self.tracks.insert(uuid, parent).is_none(), "{uuid} is described twice");
        assert!(parent.is_none_or(|parent| self.tracks.contains_key(&parent)));
        let (process, thread) = (inner(descriptor, 3), inner(descriptor, 4));
        let is_named = has_text(descriptor, 2)
            || process.is_some_and(|process| has_text(&process, 6))
            || thread.as_ref().is_some_and(|thread| has_text(thread, 5));
        assert!(is_named, "track {uuid} has no name");
        self.threads += usize::from(thread.is_some());
        self.counters += usize::from(inner(descriptor, 8).is_some());
    }

    fn intern(&mut self, packet: &[Field<'_>]) {
        for entry in inner(packet, 12).into_iter().flatten() {
            let (2, Value::Bytes(entry)) = entry else { continue };
            let entry = fields(entry);
            let Some((_, Value::Bytes(name))) = entry.iter().find(|(field, _)| *field == 2) else {
                panic!("a name")
            };
            let name = String::from_utf8(name.to_vec()).expect("UTF-8");
            self.names.insert(number(&entry, 1).expect("an id"), name);
        }
    }

    fn flows(&mut self, event: &[Field<'_>], time: u64) {
        for (field, value) in event {
            if let (47 | 48, Value::Number(flow)) = (field, value) {
                self.flows.entry(*flow).or_default().push((time, *field == 48));
            }
        }
    }

    fn count(&self, is_it: impl Fn(&str) -> bool) -> usize {
        self.slices.iter().filter(|(_, name, ..)| is_it(&self.names[name])).count()
    }
}

fn record(name: &str, shape: &str, limits: Limits) -> Vec<Timeline> {
    let operation = tilewright_ops::find(name).expect("an operation");
    let mut device = Device::n150();
    let mut request = Request::new(shape.parse().expect("a shape"), DataFormat::Bfloat16);
    request.settings = operation.settings(request.format);
    let prepared = operation.prepare(&mut device, &request).expect("a program");
    let mut recorder = Recorder::new(limits);
    for program in &prepared.programs {
        let mut session = Session::new(program, &Tools::all());
        recorder.begin(program);
        let observers: &mut [&mut dyn Observer] = &mut [&mut session, &mut recorder];
        let outcome = program.run(&mut device, RunOptions::default(), observers).expect("stacks");
        recorder.end(&outcome);
    }
    recorder.timelines().to_vec()
}

/// Backward has two programs; its second one sums over cores, through L1 and semaphores.
#[test]
fn a_trace_is_read_back_whole() {
    let timelines = record("layernorm-bw", "1x1x256x64", Limits::TRACE);
    assert_eq!(timelines.len(), 2);
    let read = Read::new(&perfetto(&timelines, None));
    let transfers: Vec<_> = timelines.iter().flat_map(|it| &it.transfers).collect();
    let arrivals: usize = transfers.iter().map(|it| it.arrivals.len()).sum();
    assert!(arrivals > 0, "the program sends between cores");
    for (flow, ends) in &read.flows {
        assert!(ends.len() >= 2, "flow {flow} has one end");
        assert!(ends.iter().min() <= ends.last().into_iter().min(), "{flow} runs backwards");
    }
    let last = read.flows.values().filter(|ends| ends.iter().any(|(_, last)| *last)).count();
    assert_eq!(last, transfers.len(), "a flow from each call to its transfer");
    let lanes = || timelines.iter().flat_map(|it| &it.cores).flat_map(|core| &core.lanes);
    let slices = lanes().map(|lane| lane.slices.len()).sum::<usize>();
    assert_eq!(read.slices.len(), slices + lanes().count() + transfers.len() + arrivals);
    assert_eq!(read.count(|name| name.contains(" / ")), lanes().count(), "a kernel a lane");
    let stalls = lanes().flat_map(|lane| &lane.slices).filter(|it| it.doing.is_stall()).count();
    assert_eq!(read.count(|name| name.starts_with("wait: ")), stalls);
    assert!(stalls > 0 && read.threads > 0 && read.counters > 0);
    let most = timelines.iter().flat_map(|it| &it.cores).flat_map(|core| &core.rings);
    let most = most.map(|ring| u64::from(ring.most)).max();
    assert_eq!(read.values.iter().map(|(.., value)| *value).max(), most);
}

/// Every cycle of a processor is in one slice and in one total, from its start to its end.
#[test]
fn no_cycle_is_lost_or_counted_twice() {
    for limits in [Limits::TRACE, Limits::PAGE] {
        for timeline in record("layernorm-fw", "1x1x64x96", limits) {
            for lane in timeline.cores.iter().flat_map(|core| &core.lanes) {
                let ends = lane.slices.windows(2).all(|pair| pair[0].end == pair[1].begin);
                assert!(ends && lane.slices[0].begin == lane.begun);
                let finished = lane.finished.expect("it returned");
                assert_eq!(lane.slices.last().map(|slice| slice.end), Some(finished));
                assert!(finished <= timeline.cycles);
                let total: u64 = lane.totals().map(|(.., total)| total.cycles).sum();
                assert_eq!(total, finished - lane.begun, "{}", lane.processor);
            }
        }
    }
}

/// A run that is too long for its limits has the same totals as one that is kept whole.
#[test]
fn limits_lose_detail_and_no_totals() {
    let small = Limits { slices: 1, levels: 1, transfers: 3 };
    let whole = record("layernorm-fw", "1x1x64x640", Limits::TRACE);
    let short = record("layernorm-fw", "1x1x64x640", small);
    for (whole, short) in whole.iter().zip(&short) {
        assert_eq!(whole.transfer_totals, short.transfer_totals);
        assert_eq!(short.transfers.len(), 3);
        assert_eq!(short.transfers_left_out as usize, whole.transfers.len() - 3);
        for (whole, short) in whole.cores.iter().zip(&short.cores) {
            for (whole, short) in whole.lanes.iter().zip(&short.lanes) {
                assert!(whole.totals().eq(short.totals()));
                assert!(short.slices.len() <= 64);
            }
            for (whole, short) in whole.rings.iter().zip(&short.rings) {
                assert_eq!((whole.most, whole.pushed), (short.most, short.pushed));
                assert!(short.levels.len() <= 24);
            }
        }
    }
    let joined = short.iter().flat_map(|it| &it.cores).flat_map(|core| &core.lanes);
    assert!(joined.filter(|lane| lane.grain > 0).count() > 0, "nothing was too long");
    Read::new(&perfetto(&short, None));
}

/// What a record places in time is on the trace: findings at their program's clock, prints and
/// zones at that of the run.
#[test]
fn findings_prints_and_zones_are_on_the_trace() {
    let timelines = record("layernorm-bw", "1x1x32x64", Limits::TRACE);
    let mut run = crate::html::answer("layernorm-bw", "1x1x32x64", Vec::new(), RunVerdict::Fail);
    let mut finding = crate::runs::finding(Blame::KernelBug);
    (finding.cycle, finding.program) = (Some(12), Some(timelines[1].program.clone()));
    run.findings.push(finding);
    run.printed.push(Printed {
        source: PrintedSource::Dprint,
        core: Some("(0,0)".to_owned()),
        processor: Some("reader".to_owned()),
        cycle: Some(34),
        text: "hello".to_owned(),
        omitted_lines: 0,
        omitted_bytes: 0,
    });
    let (core, processor) = ("(0,0)".to_owned(), "math".to_owned());
    run.zones.push(Zone { name: "PART".to_owned(), core, processor, begin: 5, end: Some(9) });
    let read = Read::new(&perfetto(&timelines, Some(&run)));
    let instants: Vec<(&str, u64)> =
        read.instants.iter().map(|(_, name, time)| (read.names[name].as_str(), *time)).collect();
    let id = &run.findings[0].id;
    assert!(instants[0].0.starts_with(&format!("{id}: ")), "{instants:?}");
    assert_eq!(instants[0].1, timelines[1].start + 12, "the second program's clock");
    assert_eq!(instants[1], ("reader: hello", 34));
    assert_eq!(read.count(|name| name == "PART"), 1);
    assert!(read.count(|name| name == "cb_reserve_back") > 0, "slices have the names of calls");
}
