//! What a seed decides: when processors start, how fast each goes and where it is held up, how
//! long transfers take, and who is first of two at the same cycle.
//!
//! Every choice of a run is made here, from the seed and the core's number alone. Seed 0 decides
//! nothing: it is the nominal schedule. The others use four modes in turn, because faults that need
//! two things at nearly the same time and faults that need one of them very late are not found by
//! the same schedules. Held processors are the change points of probabilistic concurrency testing
//! (Burckhardt and others, ASPLOS 2010), in a machine that simulated time puts in order.

use crate::Cycle;
use crate::processor::Processor;
use crate::rng::{Rng, mix};

/// Calls vary by fewer cycles than this, whatever the mode.
const CALL_SPREAD: u32 = 8;
/// Processors that start together do so within this many cycles.
const CLOSE_START: u32 = 64;
/// Bits of the latest start of a processor that starts apart.
const APART_START_BITS: u32 = 14;
/// Latencies that are close vary by fewer cycles than this.
const CLOSE_LATENCY: u32 = 256;
/// Bits of what the slowest transfer takes longer.
const APART_LATENCY_BITS: u32 = 12;
/// A slow processor takes twice, four or eight times as long.
const SPEEDS: u32 = 4;
/// A processor is held at most one time fewer than this.
const HOLDS: u32 = 4;
/// Bits of the number of steps in which a hold is placed: from the first on, and up to these.
const HOLD_WITHIN_BITS: (u32, u32) = (2, 17);
/// Bits of the cycles for which a processor is held.
const HOLD_BITS: (u32, u32) = (5, 16);

/// What kind of schedule a seed gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// Everything as the timing table says.
    Nominal,
    /// Everybody starts at nearly the same time, and goes equally fast.
    Close,
    /// Starts, speeds and latencies lie far apart.
    Apart,
    /// As `Close`, and some processors are held for long, a few times.
    Held,
    /// As `Apart` and `Held`.
    ApartAndHeld,
}

impl Manner {
    fn of(seed: u64) -> Manner {
        match seed % 4 {
            _ if seed == 0 => Manner::Nominal,
            1 => Manner::Close,
            2 => Manner::Apart,
            3 => Manner::Held,
            _ => Manner::ApartAndHeld,
        }
    }

    fn is_apart(self) -> bool {
        match self {
            Manner::Apart | Manner::ApartAndHeld => true,
            Manner::Nominal | Manner::Close | Manner::Held => false,
        }
    }

    fn is_held(self) -> bool {
        match self {
            Manner::Held | Manner::ApartAndHeld => true,
            Manner::Nominal | Manner::Close | Manner::Apart => false,
        }
    }
}

/// What is decided for a processor before it starts, and where it is next held.
#[derive(Clone, Copy, Default)]
struct Pace {
    start: u64,
    /// Cycles of a step are shifted by this.
    slowness: u32,
    holds_left: u64,
    /// Steps until the next hold, and how many bits they may have.
    steps_left: u64,
    within_bits: u32,
}

/// The choices of one core.
pub(crate) struct Schedule {
    manner: Manner,
    rng: Rng,
    /// What ties are decided by.
    salt: u64,
    paces: [Pace; 5],
}

impl Schedule {
    pub(crate) fn new(seed: u64, core: u16) -> Schedule {
        let manner = Manner::of(seed);
        let mut rng = Rng::new(seed, core.into());
        let paces = Processor::ALL.map(|_| Pace::new(manner, &mut rng));
        Schedule { manner, rng, salt: mix(mix(seed) ^ u64::from(core)), paces }
    }

    /// Whether a seed lets cores go on alone for longer than the least latency: in the nominal
    /// schedule the first requests between cores may all take until the end of that.
    pub(crate) fn has_silent_windows(seed: u64) -> bool {
        Manner::of(seed) == Manner::Nominal
    }

    /// When a processor starts.
    pub(crate) fn start(&self, processor: Processor) -> Cycle {
        Cycle(self.paces[processor.index()].start)
    }

    /// How long a step takes for which the table says `cycles`.
    #[inline(always)]
    pub(crate) fn step(&mut self, processor: Processor, cycles: u64) -> u64 {
        match self.manner {
            Manner::Nominal => cycles,
            Manner::Close | Manner::Apart | Manner::Held | Manner::ApartAndHeld => {
                self.seeded_step(processor, cycles)
            }
        }
    }

    #[cold]
    fn seeded_step(&mut self, processor: Processor, cycles: u64) -> u64 {
        let pace = &mut self.paces[processor.index()];
        let spread = self.rng.below(CALL_SPREAD);
        (cycles << pace.slowness) + spread + pace.hold(&mut self.rng)
    }

    /// What a transfer takes longer on one of its ways.
    pub(crate) fn latency(&mut self) -> u64 {
        match self.manner {
            Manner::Nominal => 0,
            Manner::Close | Manner::Held => self.rng.below(CLOSE_LATENCY),
            Manner::Apart | Manner::ApartAndHeld => self.rng.of_any_length(APART_LATENCY_BITS),
        }
    }

    /// By how much a write to DRAM lands later than it could.
    pub(crate) fn landing(&mut self) -> u64 {
        if self.manner.is_apart() { self.rng.of_any_length(APART_LATENCY_BITS) } else { 0 }
    }

    /// Whether the seed decides who is first of two processors whose clocks agree.
    pub(crate) fn decides_ties(&self) -> bool {
        self.manner != Manner::Nominal
    }

    /// Whether the second of two processors whose clocks agree goes first. The answer is the same
    /// however often it is asked: who watches a run asks more often.
    pub(crate) fn is_second_first(&self, cycle: Cycle, second: Processor) -> bool {
        self.decides_ties() && mix(self.salt ^ cycle.0) >> second.index() & 1 == 1
    }
}

impl Pace {
    fn new(manner: Manner, rng: &mut Rng) -> Pace {
        let mut pace = Pace::default();
        if manner == Manner::Nominal {
            return pace;
        }
        if manner.is_apart() {
            pace.start = rng.of_any_length(APART_START_BITS);
            pace.slowness = rng.below(SPEEDS) as u32;
        } else {
            pace.start = rng.below(CLOSE_START);
        }
        if manner.is_held() {
            let (least, most) = HOLD_WITHIN_BITS;
            pace.holds_left = rng.below(HOLDS);
            pace.within_bits = least + rng.below(most - least + 1) as u32;
            pace.steps_left = rng.below(1 << pace.within_bits);
        }
        pace
    }

    /// For how long the processor is held before this step; mostly it is not.
    fn hold(&mut self, rng: &mut Rng) -> u64 {
        if self.holds_left == 0 {
            return 0;
        }
        if self.steps_left > 0 {
            self.steps_left -= 1;
            return 0;
        }
        let (least, most) = HOLD_BITS;
        self.holds_left -= 1;
        self.steps_left = rng.below(1 << self.within_bits);
        let bits = least + rng.below(most - least + 1) as u32;
        1 << (bits - 1) | rng.below(1 << (bits - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a seed decides for the first steps and transfers of a core.
    fn choices(seed: u64, core: u16) -> (Vec<u64>, Vec<u64>, Vec<u64>) {
        let mut schedule = Schedule::new(seed, core);
        let starts = Processor::ALL.map(|processor| schedule.start(processor).0).to_vec();
        let steps = (0..4_000).map(|_| schedule.step(Processor::Reader, 12)).collect();
        let latencies = (0..100).map(|_| schedule.latency() + schedule.landing()).collect();
        (starts, steps, latencies)
    }

    #[test]
    fn the_nominal_schedule_decides_nothing() {
        let (starts, steps, latencies) = choices(0, 3);
        assert!(starts.iter().chain(&latencies).all(|cycles| *cycles == 0));
        assert!(steps.iter().all(|cycles| *cycles == 12));
        assert!(!Schedule::new(0, 3).is_second_first(Cycle(7), Processor::Pack));
    }

    #[test]
    fn a_seed_decides_the_same_again_and_another_core_otherwise() {
        for seed in 1..9 {
            assert_eq!(choices(seed, 3), choices(seed, 3));
            assert_ne!(choices(seed, 3), choices(seed, 4), "seed {seed}");
        }
    }

    #[test]
    fn the_manners_are_what_they_say() {
        let longest = |seeds: &dyn Fn(u64) -> bool, which: fn(u64) -> u64| {
            (1..400).filter(|seed| seeds(*seed)).map(which).max().unwrap_or(0)
        };
        let start = |seed| choices(seed, 0).0.into_iter().max().unwrap_or(0);
        let step = |seed| choices(seed, 0).1.into_iter().max().unwrap_or(0);
        let latency = |seed| choices(seed, 0).2.into_iter().max().unwrap_or(0);
        let (apart, held) =
            (|seed: u64| seed.is_multiple_of(2), |seed: u64| matches!(seed % 4, 0 | 3));
        assert!(longest(&apart, start) > 10_000 && longest(&|it| !apart(it), start) < 64);
        assert!(longest(&apart, latency) > 4_000 && longest(&|it| !apart(it), latency) < 256);
        assert!(longest(&held, step) > 40_000 && longest(&|it| !held(it), step) < 8 * 12 + 8);
    }

    #[test]
    fn ties_go_either_way_and_do_not_depend_on_how_often_they_are_asked() {
        let schedule = Schedule::new(5, 0);
        let asked = |cycle| schedule.is_second_first(Cycle(cycle), Processor::Unpack);
        let first: Vec<bool> = (0..64).map(asked).collect();
        assert_eq!(first, (0..64).map(asked).collect::<Vec<bool>>());
        assert!(first.contains(&true) && first.contains(&false));
    }
}
