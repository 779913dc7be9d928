//! One processor's time, cut into slices that follow one another without gaps.
//!
//! Totals are counted before slices are joined, so that they are exact however long a run is.

use std::collections::BTreeMap;

use tilewright_machine::{Processor, Site, Waiting};

use super::call::{self, Given};
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
    /// What the call was given.
    pub given: Given,
    /// How many slices were joined into this one; 1 if none were.
    pub joined: u32,
    /// How long the longest of them took, which the fields above are of.
    longest: u64,
}

/// How often and how long a processor did one thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// Cycles in all.
    pub cycles: u64,
    /// How many times.
    pub times: u64,
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
    /// Whether pieces of work that follow one another have been joined.
    pub is_coarse: bool,
    totals: BTreeMap<(Doing, Site), Total>,
    /// Slices at most. Above that, pieces of work that follow one another are joined. If that is
    /// not enough, so are slices that lie in one span of so many cycles, and the span is doubled
    /// until half as many are left.
    limit: usize,
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
    pub(super) fn new(processor: Processor, kernel: String, limit: usize) -> Lane {
        Lane {
            processor,
            kernel,
            begun: 0,
            finished: None,
            stuck: None,
            slices: Vec::new(),
            grain: 0,
            is_coarse: false,
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
    pub(super) fn work(&mut self, cycle: u64, doing: Doing, site: Site, given: Given) {
        self.resume(cycle);
        self.push(cycle, doing, site, given);
    }

    /// Takes the beginning of a wait, after the call that led to it.
    pub(super) fn block(&mut self, cycle: u64, waiting: Waiting, site: Site) {
        self.resume(cycle);
        let doing = Doing::Work(Work::Call, call::waiting_call(waiting));
        self.push(cycle, doing, site, Given::waited(waiting));
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
        let doing = Doing::Stall(wait.waiting.into());
        self.push(end.min(cycle), doing, wait.site, Given::waited(wait.waiting));
    }

    /// Ends the lane with the run: a wait lasts until `run_end`, work until the processor's clock.
    pub(super) fn end(&mut self, run_end: u64, clock: u64, site: Site) {
        if let Some(wait) = self.wait.take() {
            let stall = Stall::from(wait.waiting);
            self.stuck = Some(stall);
            self.push(run_end, Doing::Stall(stall), wait.site, Given::waited(wait.waiting));
        } else if self.finished.is_none() {
            let doing = Doing::Work(Work::Call, call::KERNEL);
            self.push(clock.max(self.last), doing, site, Given::Nothing);
        }
        if self.grain > 0 {
            self.join();
        }
    }

    fn push(&mut self, end: u64, doing: Doing, site: Site, given: Given) {
        let begin = self.last;
        if end <= begin {
            return;
        }
        let total = self.totals.entry((doing, site)).or_default();
        total.cycles += end - begin;
        total.times += 1;
        self.last = end;
        let slice = Slice { begin, end, doing, site, given, joined: 1, longest: end - begin };
        match self.slices.last_mut().filter(|_| self.is_coarse) {
            Some(last) if last.is_followed_in_work(&slice) => last.take(&slice),
            Some(_) | None => self.slices.push(slice),
        }
        if self.slices.len() > self.limit && !self.is_coarse {
            self.is_coarse = true;
            let slices = std::mem::take(&mut self.slices);
            let work = slices.chunk_by(Slice::is_followed_in_work);
            self.slices = work.map(|work| work[1..].iter().fold(work[0], Slice::and)).collect();
        }
        if self.slices.len() > self.limit {
            while self.slices.len() > self.limit / 2 {
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

impl Slice {
    /// Whether both are work.
    fn is_followed_in_work(&self, next: &Slice) -> bool {
        !self.doing.is_stall() && !next.doing.is_stall()
    }

    /// Takes the next slice in; it does what the longest did.
    fn take(&mut self, next: &Slice) {
        let (begin, joined) = (self.begin, self.joined + next.joined);
        let longer = if next.longest > self.longest { *next } else { *self };
        *self = Slice { begin, end: next.end, joined, ..longer };
    }

    fn and(mut self, next: &Slice) -> Slice {
        self.take(next);
        self
    }
}

/// One slice for several; it does what took longest in all of them.
fn join(slices: &[Slice]) -> Slice {
    let mut cycles: BTreeMap<Doing, u64> = BTreeMap::new();
    for slice in slices {
        *cycles.entry(slice.doing).or_default() += slice.end - slice.begin;
    }
    let most = cycles.iter().max_by_key(|(_, cycles)| **cycles).map(|(doing, _)| *doing);
    let (first, last) = (slices[0], slices[slices.len() - 1]);
    let same = slices.iter().filter(|slice| Some(slice.doing) == most);
    let shown = same.max_by_key(|slice| slice.longest).copied().unwrap_or(first);
    let joined = slices.iter().map(|slice| slice.joined).sum();
    Slice { begin: first.begin, end: last.end, joined, ..shown }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_machine::CbId;

    const CALL: Doing = Doing::Work(Work::Call, "cb_wait_front");
    const NETWORK: Doing = Doing::Work(Work::Network, "noc_async_read");

    fn lane(slices: usize) -> Lane {
        Lane::new(Processor::Reader, "reader".to_owned(), slices)
    }

    fn work(lane: &mut Lane, cycle: u64, doing: Doing) {
        lane.work(cycle, doing, Site::KERNEL, Given::Nothing);
    }

    fn for_pages() -> Waiting {
        Waiting::ForPages { cb: CbId(0), asked: 1 }
    }

    #[test]
    fn slices_follow_one_another_and_waits_end_with_the_next_event() {
        let mut lane = lane(100);
        lane.start(0);
        lane.block(12, for_pages(), Site::KERNEL);
        work(&mut lane, 50, CALL);
        work(&mut lane, 90, NETWORK);
        let times: Vec<_> = lane.slices.iter().map(|slice| (slice.begin, slice.end)).collect();
        assert_eq!(times, [(0, 12), (12, 50), (50, 90)]);
        assert_eq!(lane.slices[1].doing, Doing::Stall(Stall::Pages(CbId(0))));
    }

    #[test]
    fn a_wait_for_a_bank_ends_when_it_is_free_and_not_with_the_operation() {
        let waiting = Waiting::ForFreeBank(tilewright_machine::SourceId::A);
        let mut lane = lane(100);
        lane.start(0);
        lane.block(10, waiting, Site::KERNEL);
        lane.brought(40);
        lane.brought(60);
        work(&mut lane, 100, Doing::Work(Work::Unpack, "unpack"));
        let stall = lane.slices.iter().find(|slice| slice.doing.is_stall()).expect("a stall");
        assert_eq!((stall.begin, stall.end), (10, 40));
    }

    #[test]
    fn joining_keeps_the_whole_time_and_every_total() {
        let (mut whole, mut short) = (lane(usize::MAX), lane(32));
        for lane in [&mut whole, &mut short] {
            lane.start(5);
            for turn in 0..500 {
                lane.block(100 * turn + 20, for_pages(), Site::KERNEL);
                work(lane, 100 * turn + 70, CALL);
                work(lane, 100 * turn + 105, NETWORK);
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
    #[test]
    fn work_is_joined_before_waits_are() {
        let mut lane = lane(20);
        lane.start(0);
        for turn in 0..10 {
            work(&mut lane, 100 * turn + 10, CALL);
            work(&mut lane, 100 * turn + 40, NETWORK);
            lane.block(100 * turn + 45, for_pages(), Site::KERNEL);
            work(&mut lane, 100 * turn + 99, CALL);
        }
        assert!(lane.is_coarse && lane.grain == 0, "{} slices", lane.slices.len());
        let stalls = lane.slices.iter().filter(|slice| slice.doing.is_stall());
        assert_eq!(stalls.count(), 10, "no wait is lost");
        assert_eq!(lane.slices[0].doing, NETWORK, "what took longest");
        assert_eq!((lane.slices[0].begin, lane.slices[0].end), (0, 45));
    }
}
