//! A thread with a clock that sees kernels which do not come back: a loop without a call cannot be
//! left, so that the command ends with what is known of it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tilewright_check::ending;
use tilewright_metal::{Architecture, ProcessorId, Turn, Watch};

use crate::ask::Ask;
use crate::lock;
use crate::progress::FrontEnd;
use crate::record::{self, RunVerdict};
use crate::taken::Taken;

/// The thread, until it is dropped.
pub(crate) struct Watchdog {
    arch: Architecture,
    seats: Option<Arc<Mutex<Vec<Watched>>>>,
    is_over: Arc<AtomicBool>,
}

/// A run that is watched.
#[derive(Clone, Copy)]
struct Watched {
    watch: &'static Watch,
    /// The seed of the run under way, if one is.
    seed: Option<u64>,
}

/// A place for one run at a time; it is free again when dropped.
pub(crate) struct Seat<'a> {
    watchdog: &'a Watchdog,
    watch: Option<&'static Watch>,
}

impl Watchdog {
    /// Begins to watch; nothing is watched without a limit (`silence`), and in a worker, whose
    /// supervisor has a clock of its own.
    pub(crate) fn start(ask: &Ask<'_>, front: &Arc<dyn FrontEnd>) -> Watchdog {
        let silence = ask.asked.silence.filter(|_| !ask.is_foreign());
        let is_over = Arc::new(AtomicBool::new(false));
        let seats = silence.map(|_| Arc::default());
        if let (Some(seats), Some(silence)) = (&seats, silence) {
            let front = Arc::clone(front);
            let mut end = End { record: template(ask), replay: String::new(), front };
            let command = ask.replay("run", 0);
            end.replay = command.trim_end_matches('0').to_owned();
            let (seats, is_over) = (Arc::clone(seats), Arc::clone(&is_over));
            std::thread::spawn(move || keep_looking(&seats, silence, &is_over, &end));
        }
        Watchdog { arch: ask.arch.clone(), seats, is_over }
    }

    /// A seat for the run with a seed.
    pub(crate) fn seat(&self, seed: u64) -> Seat<'_> {
        let watch = self.seats.as_ref().map(|seats| {
            let mut seats = lock(seats);
            if let Some(free) = seats.iter_mut().find(|seat| seat.seed.is_none()) {
                free.seed = Some(seed);
                return free.watch;
            }
            // A run holds it for as long as it likes; there is one for each host thread.
            let watch: &'static Watch = Box::leak(Box::new(Watch::new(&self.arch)));
            seats.push(Watched { watch, seed: Some(seed) });
            watch
        });
        Seat { watchdog: self, watch }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

impl Seat<'_> {
    /// Where the run leaves what its cores are running.
    pub(crate) fn watch(&self) -> Option<&'static Watch> {
        self.watch
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        let (Some(seats), Some(watch)) = (&self.watchdog.seats, self.watch) else { return };
        for seat in lock(seats).iter_mut().filter(|seat| std::ptr::eq(seat.watch, watch)) {
            seat.seed = None;
        }
    }
}

/// What is shown in the end.
struct End {
    record: record::Run,
    /// The command without its seed.
    replay: String,
    front: Arc<dyn FrontEnd>,
}

impl End {
    /// Shows what is known of a kernel that does not come back, and ends the process: nothing
    /// else can end the kernel.
    fn now(&self, turn: &Turn, seed: u64, silence: Duration) -> ! {
        let seconds = silence.as_secs();
        let proof = format!("it has not come back for {seconds} s of this computer's time");
        let finding = ending::endless_loop(turn, proof);
        let mut run = self.record.clone();
        run.findings = vec![record::Finding::from(&finding)];
        run.seed = seed;
        run.replay = format!("{}{seed}", self.replay);
        self.front.abandon(&run)
    }
}

/// A record of a run that never ended.
pub(crate) fn template(ask: &Ask<'_>) -> record::Run {
    record::Run {
        verdict: RunVerdict::Hang,
        completed: false,
        request: ask.echo(),
        findings: Vec::new(),
        allowed: 0,
        outputs: BTreeMap::new(),
        uncompared: Vec::new(),
        notes: vec!["what the tools had found by then is not told".to_owned()],
        tiles: 0,
        cycles: 0,
        wall_seconds: 0.0,
        host_seconds: record::HostSeconds::default(),
        tiles_per_second: 0.0,
        seed: ask.options.seed,
        schedules: 1,
        digest: "0".repeat(16),
        programs: Vec::new(),
        also_cores: None,
        compiled_by: ask.compiled_by(),
        printed: Vec::new(),
        zones: Vec::new(),
        omitted_zones: 0,
        replay: String::new(),
    }
}

fn keep_looking(seats: &Mutex<Vec<Watched>>, silence: Duration, is_over: &AtomicBool, end: &End) {
    let (mut looks, mut taken) = (Looks::default(), Taken::by_others_here());
    while !is_over.load(Ordering::Relaxed) {
        std::thread::sleep(silence.min(Duration::from_millis(200)) / 2);
        #[expect(clippy::disallowed_methods, reason = "only a clock notices a loop without calls")]
        let now = taken.look(Instant::now());
        let watched: Vec<Watched> = lock(seats).clone();
        for (place, Watched { watch, seed }) in watched.iter().enumerate() {
            let Some(seed) = seed else { continue };
            for turn in watch.turns() {
                if looks.at(place, &turn, now) >= silence {
                    end.now(&turn, *seed, silence);
                }
            }
        }
    }
}

/// Which turn was first seen when, in the time that this process has taken.
#[derive(Default)]
struct Looks(BTreeMap<(usize, ProcessorId), (u64, Duration)>);

impl Looks {
    /// For how long a turn has been seen.
    fn at(&mut self, place: usize, turn: &Turn, now: Duration) -> Duration {
        let seen = self.0.entry((place, turn.processor)).or_insert((turn.number, now));
        if seen.0 != turn.number {
            *seen = (turn.number, now);
        }
        now.saturating_sub(seen.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_metal::{CoreCoord, Processor, Site};

    #[test]
    fn only_the_same_turn_of_the_same_processor_grows_old() {
        let mut looks = Looks::default();
        let mut look = |place, x, number, seconds| {
            let core = CoreCoord::new(x, 0);
            let processor = ProcessorId { core, processor: Processor::Math };
            let turn = Turn { processor, site: Site::here(), number };
            looks.at(place, &turn, Duration::from_secs(seconds)).as_secs()
        };
        assert_eq!(look(0, 0, 7, 0), 0);
        assert_eq!(look(0, 0, 7, 4), 4);
        assert_eq!(look(0, 1, 7, 5), 0, "another core");
        assert_eq!(look(1, 0, 7, 6), 0, "another run");
        assert_eq!(look(0, 0, 7, 9), 9);
        assert_eq!(look(0, 0, 8, 10), 0, "it came back and went again");
        assert_eq!(look(0, 0, 8, 12), 2);
    }
}
