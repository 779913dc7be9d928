//! One processor's time, cut into slices that follow one another without gaps.
//!
//! Totals are counted before slices are joined, so that they are exact however long a run is.

use std::collections::BTreeMap;

use tilewright_machine::{Processor, Site, Waiting};

use super::doing::{Doing, Stall, Work};

/// A stretch of time in which a processor does one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The first cycle.
    pub begin: u64,
    /// The cycle after the last.
    pub end: u64,
    /// What it does; of joined slices what took longest.
    pub doing: Doing,
    /// The call.
    pub site: Site,
    /// How many slices were joined into this one; 1 if none were.
    pub joined: u32,
}

/// How often and how long a processor did one thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// Cycles in all.
    pub cycles: u64,
    /// How many times.
    pub times: u64,
}

/// How much is kept of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneLimit {
    /// Slices at most. Above that, slices that lie in one span of so many cycles are joined, and
    /// the span is doubled until half as many are left.
    pub slices: usize,
    /// Whether pieces of work that follow one another are told apart.
    pub steps: bool,
}

/// One processor's time.
#[derive(Clone, Debug)]
pub struct Lane {
    /// The processor.
    pub processor: Processor,
    /// Its kernel.
    pub kernel: String,
    /// When the kernel began.
    pub begun: u64,
    /// When it returned, if it did.
    pub finished: Option<u64>,
    /// What it waited for when the run ended, if it did.
    pub stuck: Option<Stall>,
    /// The slices, in order, without gaps from `begun` on.
    pub slices: Vec<Slice>,
    /// Slices that lie in one span of so many cycles have been joined; 0 if none were.
    pub grain: u64,
    totals: BTreeMap<(Doing, Site), Total>,
    limit: LaneLimit,
    last: u64,
    wait: Option<Wait>,
}

/// A wait that is not over.
#[derive(Clone, Copy, Debug)]
struct Wait {
    waiting: Waiting,
    begin: u64,
    site: Site,
    /// When what it waits for was there, if that is told by another processor's event.
    ended: Option<u64>,
}

impl Lane {
    pub(super) fn new(processor: Processor, kernel: String, limit: LaneLimit) -> Lane {
        Lane {
            processor,
            kernel,
            begun: 0,
            finished: None,
            stuck: None,
            slices: Vec::new(),
            grain: 0,
            totals: BTreeMap::new(),
            limit,
            last: 0,
            wait: None,
        }
    }

    /// Every kind of work and wait with its place, how long and how often.
    pub fn totals(&self) -> impl Iterator<Item = (Doing, Site, Total)> {
        self.totals.iter().map(|((doing, site), total)| (*doing, *site, *total))
    }

    pub(super) fn start(&mut self, cycle: u64) {
        (self.begun, self.last) = (cycle, cycle);
    }

    /// Takes the end of a piece of work at its processor's clock.
    pub(super) fn work(&mut self, cycle: u64, work: Work, site: Site) {
        self.resume(cycle);
        self.push(cycle, Doing::Work(work), site);
    }

    /// Takes the beginning of a wait, after the call that led to it.
    pub(super) fn block(&mut self, cycle: u64, waiting: Waiting, site: Site) {
        self.resume(cycle);
        self.push(cycle, Doing::Work(Work::Call), site);
        self.wait = Some(Wait { waiting, begin: cycle, site, ended: None });
    }

    /// What the processor waits for now.
    pub(super) fn waiting(&self) -> Option<Waiting> {
        self.wait.map(|wait| wait.waiting)
    }

    /// Notes that another processor has brought what this one waits for. A wait for a bank ends
    /// there, before the operation whose event tells of it; the first to come ends it. Dst is
    /// drained by the last release.
    pub(super) fn brought(&mut self, cycle: u64) {
        let Some(wait) = &mut self.wait else { return };
        let cycle = cycle.max(wait.begin);
        match wait.waiting {
            Waiting::ForDstDrained => wait.ended = Some(cycle),
            _ => wait.ended = wait.ended.or(Some(cycle)),
        }
    }

    /// Ends a wait. Those that another's event ends have ended then, or as they began if the
    /// processor was ahead of it; all others end with the processor's own next event.
    fn resume(&mut self, cycle: u64) {
        let Some(wait) = self.wait.take() else { return };
        let end = match wait.waiting {
            Waiting::ForFreeBank(_) | Waiting::ForFullBank(_) | Waiting::ForDstDrained => {
                wait.ended.unwrap_or(wait.begin)
            }
            Waiting::ForSpace { .. }
            | Waiting::ForPages { .. }
            | Waiting::ForTransfers { .. }
            | Waiting::ForSemaphore { .. }
            | Waiting::ForDstSection
            | Waiting::ForDstCommit => cycle,
        };
        self.push(end.min(cycle), Doing::Stall(wait.waiting.into()), wait.site);
    }

    /// Ends the lane with the run: a wait lasts until `run_end`, work until the processor's clock.
    pub(super) fn end(&mut self, run_end: u64, clock: u64, site: Site) {
        if let Some(wait) = self.wait.take() {
            let stall = Stall::from(wait.waiting);
            self.stuck = Some(stall);
            self.push(run_end, Doing::Stall(stall), wait.site);
        } else if self.finished.is_none() {
            self.push(clock.max(self.last), Doing::Work(Work::Call), site);
        }
        if self.grain > 0 {
            self.join();
        }
    }

    fn push(&mut self, end: u64, doing: Doing, site: Site) {
        let begin = self.last;
        if end <= begin {
            return;
        }
        let total = self.totals.entry((doing, site)).or_default();
        total.cycles += end - begin;
        total.times += 1;
        self.last = end;
        if let Some(last) = self.slices.last_mut().filter(|_| !self.limit.steps) {
            if !last.doing.is_stall() && !doing.is_stall() {
                last.end = end;
                return;
            }
        }
        self.slices.push(Slice { begin, end, doing, site, joined: 1 });
        if self.slices.len() > self.limit.slices {
            while self.slices.len() > self.limit.slices / 2 {
                self.grain = (self.grain * 2).max(16);
                self.join();
            }
        }
    }

    /// Joins slices that lie in the same span of `grain` cycles.
    fn join(&mut self) {
        let grain = self.grain;
        let span = |slice: &Slice| {
            let first = slice.begin / grain;
            (first == (slice.end - 1) / grain).then_some(first)
        };
        let slices = std::mem::take(&mut self.slices);
        self.slices =
            slices.chunk_by(|a, b| span(a).is_some() && span(a) == span(b)).map(join).collect();
    }
}

/// One slice for several; it does what took longest in all of them.
fn join(slices: &[Slice]) -> Slice {
    let mut cycles: BTreeMap<Doing, u64> = BTreeMap::new();
    for slice in slices {
        *cycles.entry(slice.doing).or_default() += slice.end - slice.begin;
    }
    let longest = cycles.iter().max_by_key(|(_, cycles)| **cycles).map(|(doing, _)| *doing);
    let (first, last) = (slices[0], slices[slices.len() - 1]);
    let doing = longest.unwrap_or(first.doing);
    let site = slices.iter().find(|slice| slice.doing == doing).map_or(first.site, |it| it.site);
    let joined = slices.iter().map(|slice| slice.joined).sum();
    Slice { begin: first.begin, end: last.end, doing, site, joined }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_machine::CbId;

    fn lane(slices: usize, steps: bool) -> Lane {
        Lane::new(Processor::Reader, "reader".to_owned(), LaneLimit { slices, steps })
    }

    fn for_pages() -> Waiting {
        Waiting::ForPages { cb: CbId(0), asked: 1 }
    }

    #[test]
    fn slices_follow_one_another_and_waits_end_with_the_next_event() {
        let mut lane = lane(100, true);
        lane.start(0);
        lane.block(12, for_pages(), Site::KERNEL);
        lane.work(50, Work::Call, Site::KERNEL);
        lane.work(90, Work::Network, Site::KERNEL);
        let times: Vec<_> = lane.slices.iter().map(|slice| (slice.begin, slice.end)).collect();
        assert_eq!(times, [(0, 12), (12, 50), (50, 90)]);
        assert_eq!(lane.slices[1].doing, Doing::Stall(Stall::Pages(CbId(0))));
    }

    #[test]
    fn a_wait_for_a_bank_ends_when_it_is_free_and_not_with_the_operation() {
        let waiting = Waiting::ForFreeBank(tilewright_machine::SourceId::A);
        let mut lane = lane(100, true);
        lane.start(0);
        lane.block(10, waiting, Site::KERNEL);
        lane.brought(40);
        lane.brought(60);
        lane.work(100, Work::Unpack, Site::KERNEL);
        let stall = lane.slices.iter().find(|slice| slice.doing.is_stall()).expect("a stall");
        assert_eq!((stall.begin, stall.end), (10, 40));
    }

    #[test]
    fn joining_keeps_the_whole_time_and_every_total() {
        let (mut whole, mut short) = (lane(usize::MAX, true), lane(32, true));
        for lane in [&mut whole, &mut short] {
            lane.start(5);
            for turn in 0..500 {
                lane.block(100 * turn + 20, for_pages(), Site::KERNEL);
                lane.work(100 * turn + 70, Work::Call, Site::KERNEL);
                lane.work(100 * turn + 105, Work::Network, Site::KERNEL);
            }
            lane.finished = Some(50_005);
            lane.end(60_000, 50_005, Site::KERNEL);
        }
        assert!(short.slices.len() <= 32 && short.grain > 0, "{}", short.slices.len());
        assert!(short.totals().eq(whole.totals()));
        assert_eq!(
            (short.slices[0].begin, short.slices.last().map(|it| it.end)),
            (5, Some(50_005))
        );
        assert!(short.slices.windows(2).all(|pair| pair[0].end == pair[1].begin));
        let joined = short.slices.iter().map(|slice| slice.joined as usize).sum::<usize>();
        assert_eq!(joined, whole.slices.len());
    }
}
