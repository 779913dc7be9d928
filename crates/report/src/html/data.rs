//! What a page shows, as the JSON that is embedded in it. Short keys and flat lists of numbers
//! where there are many of them; the script beside this file is the only reader.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use tilewright_machine::{Processor, Site};

use super::graph::{Graph, graph};
use super::map::{Map, maps};
use super::{Page, source};
use crate::record::Run;
use crate::timeline::{CoreLine, Doing, Lane, LineKey, LineTotal, Timeline, Total};

#[derive(Serialize)]
pub(super) struct Data<'a> {
    run: &'a Run,
    reason: String,
    sources: Vec<source::Excerpt>,
    heat: Vec<Map<'a>>,
    grid: [u8; 2],
    l1: L1,
    programs: Vec<Program<'a>>,
    costs: Vec<Cost>,
}

#[derive(Serialize)]
struct L1 {
    bytes: u32,
    base: u32,
    lowest: u32,
}

#[derive(Serialize)]
struct Cost {
    name: &'static str,
    value: u64,
    unit: &'static str,
    evidence: &'static str,
    text: &'static str,
}

#[derive(Serialize)]
struct Program<'a> {
    name: &'a str,
    start: u64,
    cycles: u64,
    is_stuck: bool,
    /// What processors do: text, group and kind, by the numbers that slices use.
    whats: Vec<(String, &'static str, String)>,
    /// Files and lines, by the numbers that slices use.
    sites: Vec<(&'static str, u32)>,
    cores: Vec<CoreData<'a>>,
    /// Waits by line, over all cores: processor, what, site, cycles, times. The longest first.
    waits: Vec<(usize, usize, usize, u64, u64)>,
    /// What lines cost over all cores, with the calls that they make: site, processor, cycles of
    /// work, cycles of waits, times.
    lines: Vec<(usize, usize, u64, u64, u64)>,
    /// Transfers over all cores: processor, kind, far end, times, bytes, cycles.
    transfers: Vec<(usize, &'static str, &'static str, u64, u64, u64)>,
    traffic: TrafficData,
    graph: Graph,
}

/// Bytes by span of time.
#[derive(Serialize)]
struct TrafficData {
    grain: u64,
    /// A name, and bytes in each span.
    series: Vec<(String, Vec<u64>)>,
}

#[derive(Serialize)]
struct CoreData<'a> {
    x: u8,
    y: u8,
    lanes: Vec<LaneData<'a>>,
    rings: Vec<RingData<'a>>,
}

#[derive(Serialize)]
struct LaneData<'a> {
    processor: usize,
    kernel: &'a str,
    begun: u64,
    finished: Option<u64>,
    /// What it waits for at the end, if it does.
    stuck: Option<usize>,
    grain: u64,
    /// Whether pieces of work that follow one another are one slice.
    coarse: bool,
    /// What, site, and for how many cycles, in turn, from `begun` on.
    slices: Vec<u64>,
    /// What, cycles and times.
    totals: Vec<(usize, u64, u64)>,
}

#[derive(Serialize)]
struct RingData<'a> {
    id: u8,
    name: &'a str,
    base: u32,
    page_bytes: u32,
    pages: u32,
    format: &'static str,
    most: u32,
    /// Where it is declared.
    place: String,
    /// Cycles since the one before, and pages from then on, in turn.
    levels: Vec<u64>,
}

/// Waits by line that are listed.
const WAITS: usize = 14;

pub(super) fn data<'a>(page: &Page<'a>) -> Data<'a> {
    let arch = page.architecture;
    let cost = |figure: &&'static tilewright_machine::Figure| Cost {
        name: figure.name,
        value: figure.value,
        unit: figure.unit,
        evidence: figure.evidence.name(),
        text: figure.evidence.text(),
    };
    Data {
        run: page.run,
        reason: crate::terminal::reason(page.run),
        sources: source::excerpts(page.run, &kernels(page.timelines)),
        heat: maps(page.heat, page.timelines),
        grid: [arch.grid_columns, arch.grid_rows],
        l1: L1 { bytes: arch.l1_bytes, base: arch.l1_base, lowest: page.l1_lowest },
        programs: page.timelines.iter().map(program).collect(),
        costs: arch.timing.figures.iter().map(cost).collect(),
    }
}

/// The files that lines of kernels are in.
fn kernels(timelines: &[Timeline]) -> BTreeSet<&'static str> {
    let lanes = timelines.iter().flat_map(|it| &it.cores).flat_map(|core| &core.lanes);
    let sites = lanes.flat_map(|lane| lane.totals().map(|(_, site, _)| site));
    sites.flat_map(|site| std::iter::once(site).chain(site.callers())).map(|it| it.file).collect()
}

fn program(timeline: &Timeline) -> Program<'_> {
    let mut words = Words::default();
    let cores = timeline.cores.iter().map(|core| core_data(core, &mut words)).collect();
    let waits = waits(timeline, &mut words);
    let lines = lines(timeline, &mut words);
    let series = timeline.traffic.series.iter();
    let series = series.map(|(series, spans)| (series.name(), spans.clone())).collect();
    Program {
        name: &timeline.program,
        start: timeline.start,
        cycles: timeline.cycles,
        is_stuck: timeline.is_stuck,
        cores,
        waits,
        lines,
        transfers: transfers(timeline),
        traffic: TrafficData { grain: timeline.traffic.grain, series },
        graph: graph(timeline),
        whats: words.list,
        sites: words.sites,
    }
}

/// Texts and places that are stated once and then by number.
#[derive(Default)]
struct Words {
    list: Vec<(String, &'static str, String)>,
    numbers: BTreeMap<(String, &'static str), usize>,
    sites: Vec<(&'static str, u32)>,
    site_numbers: BTreeMap<(&'static str, u32), usize>,
}

impl Words {
    fn number(&mut self, core: &CoreLine, doing: Doing) -> usize {
        let group = match doing {
            Doing::Work(..) => "busy",
            Doing::Stall(stall) => stall.group(),
        };
        let name = |cb| core.buffer_name(cb);
        let text = doing.describe(name);
        if let Some(number) = self.numbers.get(&(text.clone(), group)) {
            return *number;
        }
        self.list.push((text.clone(), group, doing.kind(name)));
        self.numbers.insert((text, group), self.list.len() - 1);
        self.list.len() - 1
    }

    fn site(&mut self, site: Site) -> usize {
        let place = (site.file, site.line);
        *self.site_numbers.entry(place).or_insert_with(|| {
            self.sites.push(place);
            self.sites.len() - 1
        })
    }
}

fn core_data<'a>(core: &'a CoreLine, words: &mut Words) -> CoreData<'a> {
    let lanes = core.lanes.iter().map(|lane| lane_data(core, lane, words)).collect();
    let rings = core.rings.iter().map(ring_data).collect();
    CoreData { x: core.core.x, y: core.core.y, lanes, rings }
}

fn lane_data<'a>(core: &CoreLine, lane: &'a Lane, words: &mut Words) -> LaneData<'a> {
    let mut slices = Vec::with_capacity(lane.slices.len() * 3);
    for slice in &lane.slices {
        let (what, site) = (words.number(core, slice.doing), words.site(slice.site));
        slices.extend([what as u64, site as u64, slice.end - slice.begin]);
    }
    let mut totals: BTreeMap<usize, Total> = BTreeMap::new();
    for (doing, _, total) in lane.totals() {
        let sum = totals.entry(words.number(core, doing)).or_default();
        sum.cycles += total.cycles;
        sum.times += total.times;
    }
    LaneData {
        processor: lane.processor as usize,
        kernel: &lane.kernel,
        begun: lane.begun,
        finished: lane.finished,
        stuck: lane.stuck.map(|stall| words.number(core, Doing::Stall(stall))),
        grain: lane.grain,
        coarse: lane.is_coarse,
        slices,
        totals: totals.into_iter().map(|(what, sum)| (what, sum.cycles, sum.times)).collect(),
    }
}

fn ring_data(ring: &crate::timeline::Ring) -> RingData<'_> {
    let mut levels = Vec::with_capacity(ring.levels.len() * 2);
    let mut last = 0;
    for level in &ring.levels {
        levels.extend([level.cycle - last, u64::from(level.pages)]);
        last = level.cycle;
    }
    RingData {
        id: ring.config.id.0,
        name: &ring.name,
        base: ring.config.base.0,
        page_bytes: ring.config.page_bytes,
        pages: ring.config.pages,
        format: ring.config.format.name(),
        most: ring.most,
        place: place(ring.site),
        levels,
    }
}

/// The longest waits over all cores, by processor and line.
fn waits(timeline: &Timeline, words: &mut Words) -> Vec<(usize, usize, usize, u64, u64)> {
    let mut sums: BTreeMap<(Processor, usize, Site), Total> = BTreeMap::new();
    for core in &timeline.cores {
        for lane in &core.lanes {
            for (doing, site, total) in lane.totals().filter(|(doing, ..)| doing.is_stall()) {
                let key = (lane.processor, words.number(core, doing), site);
                let sum = sums.entry(key).or_default();
                sum.cycles += total.cycles;
                sum.times += total.times;
            }
        }
    }
    let line = |((processor, what, site), sum): ((Processor, usize, Site), Total)| {
        (processor as usize, what, words.site(site), sum.cycles, sum.times)
    };
    let mut waits: Vec<_> = sums.into_iter().map(line).collect();
    waits.sort_by_key(|(.., cycles, _)| std::cmp::Reverse(*cycles));
    waits.truncate(WAITS);
    waits
}

/// What each line costs on each processor over all cores.
fn lines(timeline: &Timeline, words: &mut Words) -> Vec<(usize, usize, u64, u64, u64)> {
    let line = |((file, line, processor), total): (LineKey, LineTotal)| {
        let site = words.site(Site::new(file, line, 0));
        (site, processor as usize, total.work, total.waits, total.times)
    };
    timeline.line_totals().into_iter().map(line).collect()
}

fn transfers(timeline: &Timeline) -> Vec<(usize, &'static str, &'static str, u64, u64, u64)> {
    let mut sums = BTreeMap::new();
    for it in &timeline.transfer_totals {
        let key = (it.owner.processor as usize, it.kind, it.far);
        let (times, bytes, cycles) = sums.entry(key).or_insert((0, 0, 0));
        *times += it.total.times;
        *bytes += it.bytes;
        *cycles += it.total.cycles;
    }
    sums.into_iter()
        .map(|((processor, kind, far), (times, bytes, cycles))| {
            (processor, kind.name(), far.name(), times, bytes, cycles)
        })
        .collect()
}

fn place(site: Site) -> String {
    if site.file.is_empty() { String::new() } else { format!("{}:{}", site.file, site.line) }
}
