//! Windows of simulated time, on one host thread or several.
//!
//! Cores advance alone for a window no longer than the least network latency. Between windows
//! they exchange what they sent, ordered by cycle, core and sequence, so that values, events and
//! endings are the same for any number of threads. In the nominal schedule windows are longer as
//! long as no core has sent another one anything: the first request that does takes until the end
//! of its window. Where cores have nothing to exchange, in any schedule, those that have sent
//! nothing in a window go on far beyond its end; what is sent to one arrives no earlier than it has
//! got.
//! Observers are shown what a core did after each stride of a long window.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};

use crate::Cycle;
use crate::architecture::Architecture;
use crate::audience::{Audience, Curtain};
use crate::core::Core;
use crate::lock::lock;
use crate::meeting_point::MeetingPoint;
use crate::memory::Dram;
use crate::run::{CoreEnd, Placed, RunOptions};
use crate::schedule::Schedule;
use crate::scheduler::Running;
use crate::transfer::{self, Outbox, Scheduled};

/// What threads share: what their cores have sent, and when the next window begins.
pub(crate) struct Exchange<'a> {
    dram: &'a Dram,
    window: u64,
    /// Cycles of a window until a core has sent another one anything.
    silent_window: u64,
    /// Cycles that a core which has sent nothing goes from a window's begin, until then.
    silent_cycles: u64,
    is_observed: bool,
    stop_at: Option<Cycle>,
    threads: usize,
    meeting: MeetingPoint,
    /// One outbox a core, by core number: written by its own thread, read by all between windows.
    outboxes: Vec<RwLock<Outbox>>,
    /// The cores that sent something, by the window's parity: one list is read while the other
    /// is emptied for the next window.
    senders: [Mutex<Vec<u16>>; 2],
    /// When each thread's cores can next move: `NEVER`, `STOPPED` or a cycle.
    next: Vec<AtomicU64>,
    /// Whether a core of each thread has sent another core anything.
    has_talked: Vec<AtomicBool>,
    /// Whether nothing changed on any core of each thread, and nothing is under way there.
    is_still: Vec<AtomicBool>,
}

/// Cycles of a window while cores are silent: some tens of tiles' work, which keeps a core's
/// memory in the host's caches, and host threads from waiting for each other.
const SILENT_WINDOW: u64 = 2048;

/// Cycles that a core goes from a window's begin where cores have nothing to exchange, unless it
/// has sent something in the window: over a row of tiles as often as its kernel does while the row
/// is in the host's caches.
const APART_CYCLES: u64 = 1 << 18;

/// Cycles of a core after which observers are shown what it did: more events would not fit the
/// host's caches.
const STRIDE: u64 = SILENT_WINDOW;

/// No core of the thread can move.
const NEVER: u64 = Cycle::NEVER.0;
/// A core of the thread has ended the run.
const STOPPED: u64 = u64::MAX - 1;

/// What a thread tells the others between windows.
#[derive(Clone, Copy)]
struct Standing {
    next: u64,
    has_talked: bool,
    is_still: bool,
}

/// How far a core goes in a window.
#[derive(Clone, Copy)]
struct Reach {
    /// Nothing that it sends reaches another core before this.
    end: Cycle,
    /// What is due from here on does not happen.
    until: Cycle,
}

/// What all threads do next.
struct Window {
    /// Nothing happens before this.
    start: Cycle,
    /// For every core.
    first: Reach,
    /// For those that have sent nothing until then.
    silent: Reach,
    /// Nothing changed anywhere in the last one.
    is_still: bool,
}

/// One thread's cores.
struct Share {
    cores: Vec<Running>,
    /// Where a core is in `cores`, by its number.
    places: Vec<Option<usize>>,
    /// Those that have a kernel or something in flight.
    active: Vec<usize>,
    /// Whether one of them has sent another core anything.
    has_talked: bool,
}

impl Share {
    fn new(placed: Vec<Placed>, grid: usize) -> std::io::Result<Share> {
        let mut share = Share {
            cores: Vec::new(),
            places: vec![None; grid],
            active: Vec::new(),
            has_talked: false,
        };
        for (core, kernels) in placed {
            if kernels.iter().any(Option::is_some) {
                share.active.push(share.cores.len());
            }
            share.places[usize::from(core.index)] = Some(share.cores.len());
            share.cores.push(Running::new(core, kernels)?);
        }
        Ok(share)
    }

    /// Takes a message, never for before the window's end: until there its core has gone already,
    /// and further if it was silent.
    fn receive(&mut self, to: u16, message: &Scheduled, end: Cycle) {
        let Some(place) = self.places[usize::from(to)] else { return };
        assert!(message.cycle >= end, "what was sent in a window arrives after it");
        let core = &mut *self.cores[place].core.borrow_mut();
        let cycle = message.cycle.max(core.gone);
        core.queue.push(Scheduled { cycle, ..message.clone() });
        // In order, because events are shown core after core.
        if let Err(at) = self.active.binary_search(&place) {
            self.active.insert(at, place);
        }
    }

    fn standing(&mut self) -> Standing {
        let mut is_still = true;
        for place in &self.active {
            let core = &mut *self.cores[*place].core.borrow_mut();
            is_still &= !std::mem::take(&mut core.has_changed) && core.queue.is_empty();
        }
        Standing { next: self.next(), has_talked: self.has_talked, is_still }
    }

    /// Resets the counts of calls after a change on any core; stops processors that exceed the
    /// budget without one.
    fn count_calls(&mut self, is_still: bool) {
        for place in &self.active {
            let core = &mut *self.cores[*place].core.borrow_mut();
            if is_still {
                core.stop_livelocks();
            } else {
                core.clocks.iter_mut().for_each(|clock| clock.calls = 0);
            }
        }
    }

    /// When something can next happen here, or that nothing will.
    fn next(&self) -> u64 {
        let cores = || self.active.iter().map(|place| &self.cores[*place]);
        if cores().any(|running| running.core.borrow().stop.is_some()) {
            return STOPPED;
        }
        cores().filter_map(Running::next_cycle).min().map_or(NEVER, |cycle| cycle.0)
    }
}

impl<'a> Exchange<'a> {
    pub(crate) fn new(
        arch: &Architecture,
        dram: &'a Dram,
        threads: usize,
        options: &RunOptions,
        is_observed: bool,
    ) -> Exchange<'a> {
        Exchange {
            dram,
            window: arch.timing.noc_least,
            silent_window: match options.are_cores_apart
                || Schedule::has_silent_windows(options.seed)
            {
                true => SILENT_WINDOW,
                false => arch.timing.noc_least,
            },
            silent_cycles: match options.are_cores_apart {
                // A livelock is seen when a window ends: no core goes further than its calls take.
                true => APART_CYCLES.min(options.step_budget),
                false => 0,
            },
            is_observed,
            stop_at: options.stop_at,
            threads,
            meeting: MeetingPoint::new(threads),
            outboxes: (0..arch.cores()).map(|_| RwLock::default()).collect(),
            senders: Default::default(),
            next: (0..threads).map(|_| AtomicU64::new(NEVER)).collect(),
            has_talked: (0..threads).map(|_| AtomicBool::new(false)).collect(),
            is_still: (0..threads).map(|_| AtomicBool::new(false)).collect(),
        }
    }

    /// One thread's part of the run.
    pub(crate) fn work(
        &self,
        thread: usize,
        placed: Vec<Placed>,
        audience: &Audience<'_, '_>,
    ) -> std::io::Result<Vec<(Box<Core>, CoreEnd)>> {
        let curtain = (thread == 0).then(|| Curtain(audience));
        let mut share = Share::new(placed, self.outboxes.len());
        share.iter().for_each(|share| self.exchange_outboxes(share));
        let next = share.as_ref().map_or(STOPPED, Share::next);
        let mut standing = Standing { next, has_talked: false, is_still: false };
        let mut turn = 0;
        while let Some(window) = self.agree(thread, standing) {
            let Ok(share) = &mut share else { break };
            share.count_calls(window.is_still);
            self.advance(share, &window, turn, audience);
            self.put_out(share, turn % 2);
            self.meeting.wait();
            let is_silent = self.deliver(thread, share, turn % 2, window.first.end);
            if thread == 0 {
                lock(&self.senders[(turn + 1) % 2]).clear();
                let gone = if is_silent { window.silent } else { window.first };
                audience.show(gone.until);
            }
            standing = share.standing();
            turn += 1;
        }
        if thread == 0 {
            audience.show_rest(self.last(Cycle::NEVER));
        }
        drop(curtain);
        share.iter().for_each(|share| self.exchange_outboxes(share));
        Ok(share?.cores.into_iter().map(Running::into_core).collect())
    }

    /// The end of the next window, which begins where something can next happen anywhere; nothing
    /// if the run is over.
    fn agree(&self, thread: usize, standing: Standing) -> Option<Window> {
        self.next[thread].store(standing.next, Ordering::Relaxed);
        self.has_talked[thread].store(standing.has_talked, Ordering::Relaxed);
        self.is_still[thread].store(standing.is_still, Ordering::Relaxed);
        self.meeting.wait();
        let all = || self.next.iter().map(|next| next.load(Ordering::Relaxed));
        if all().any(|next| next == STOPPED) {
            return None;
        }
        let has_talked = self.has_talked.iter().any(|talked| talked.load(Ordering::Relaxed));
        let start = all().min().filter(|next| *next != NEVER)?;
        let length = if has_talked { self.window } else { self.silent_window };
        if self.stop_at.is_some_and(|last| start > last.0) {
            return None;
        }
        let is_still = self.is_still.iter().all(|still| still.load(Ordering::Relaxed));
        let silent = if has_talked { length } else { self.silent_cycles.max(length) };
        let reach = |cycles: u64| {
            let end = Cycle(start.saturating_add(cycles));
            Reach { end, until: self.last(end) }
        };
        Some(Window { start: Cycle(start), first: reach(length), silent: reach(silent), is_still })
    }

    /// The ends of the strides from one cycle to another.
    fn strides(&self, from: Cycle, until: Cycle) -> impl Iterator<Item = Cycle> + use<> {
        let stride = if self.is_observed { STRIDE } else { u64::MAX };
        let next = move |last: Cycle| Cycle(last.0.saturating_add(stride)).min(until);
        std::iter::successors(Some(from), move |last| (*last < until).then(|| next(*last))).skip(1)
    }

    /// The end of what happens: `end`, unless the run is to stop before.
    fn last(&self, end: Cycle) -> Cycle {
        self.stop_at.map_or(end, |last| end.min(Cycle(last.0.saturating_add(1))))
    }

    /// Lets this thread's cores do what happens in a window, one after the other: what is kept of
    /// a core, here and by its observers, stays in the host's caches meanwhile. Every other window
    /// begins with the core that the last one ended with, whose memory is still there, unless
    /// someone watches, who sees cores in their order.
    fn advance(
        &self,
        share: &mut Share,
        window: &Window,
        turn: usize,
        audience: &Audience<'_, '_>,
    ) {
        let (view, cores) = (self.dram.view(), share.active.len());
        for place in 0..cores {
            let is_backward = turn % 2 == 1 && !self.is_observed;
            let place = share.active[if is_backward { cores - 1 - place } else { place }];
            let running = &mut share.cores[place];
            let mut go = |from: Cycle, reach: Reach| {
                for until in self.strides(from, reach.until) {
                    running.run_until(until, reach.end, &view);
                    if self.is_observed {
                        let core = &mut *running.core.borrow_mut();
                        audience.take(core.index, &mut core.log, until);
                    }
                }
                running.is_silent()
            };
            let Window { start, first, silent, .. } = *window;
            if go(start, first) && first.until < silent.until {
                go(first.until, silent);
                running.note_rest();
            }
        }
    }

    /// Publishes what this thread's cores sent in a window.
    fn put_out(&self, share: &mut Share, parity: usize) {
        for place in &share.active {
            let core = &mut *share.cores[*place].core.borrow_mut();
            if !core.outbox.is_empty() {
                share.has_talked |= !core.outbox.messages.is_empty();
                let mut place = write(&self.outboxes[usize::from(core.index)]);
                place.clear(&mut core.spare_leaves);
                std::mem::swap(&mut *place, &mut core.outbox);
                lock(&self.senders[parity]).push(core.index);
            }
        }
    }

    /// Takes the messages for this thread's cores and applies the writes to its banks of DRAM. Says
    /// whether no core has sent another one anything.
    fn deliver(&self, thread: usize, share: &mut Share, parity: usize, end: Cycle) -> bool {
        let senders = lock(&self.senders[parity]).clone();
        let outboxes: Vec<_> =
            senders.iter().map(|sender| read(&self.outboxes[usize::from(*sender)])).collect();
        for outbox in &outboxes {
            for (to, message) in &outbox.messages {
                share.receive(*to, message, end);
            }
        }
        for bank in (thread..self.dram.banks()).step_by(self.threads) {
            let sent = senders.iter().zip(&outboxes).filter_map(|(sender, outbox)| {
                outbox.sent_to(bank).map(|writes| (*sender, writes))
            });
            let mut sent: Vec<_> = sent.collect();
            if !sent.is_empty() {
                self.dram.change(bank, |bank| transfer::apply(&mut sent, bank));
            }
        }
        outboxes.iter().all(|outbox| outbox.messages.is_empty())
    }

    /// Takes the outboxes that cores have used in earlier runs, or gives them back: what has been
    /// allocated is used again.
    fn exchange_outboxes(&self, share: &Share) {
        for running in &share.cores {
            let core = &mut *running.core.borrow_mut();
            let mut place = write(&self.outboxes[usize::from(core.index)]);
            std::mem::swap(&mut *place, &mut core.sent_outbox);
            core.sent_outbox.clear(&mut core.spare_leaves);
        }
    }
}

fn read<T>(place: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    place.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(place: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    place.write().unwrap_or_else(PoisonError::into_inner)
}
