//! The time that a process has taken: computing or asleep, not waiting for a processor of a loaded
//! host. Limits are counted in it, so that a loaded host is not mistaken for an
//! endless loop.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// More between two looks passed while nobody looked: the host slept, or all of us were stopped.
const LOOK_MAX: Duration = Duration::from_secs(1);
/// Waiting counts so much less than computing. It counts too, so that the limit always expires.
const WAITING_SHARE: u32 = 16;
/// A tick of `/proc/PID/stat` (USER_HZ, 100 on every architecture that we run on; proc(5)).
const TICK: Duration = Duration::from_millis(10);

/// The time that a process has taken since it was first looked at.
pub(crate) struct Taken {
    /// Its folder below /proc.
    process: PathBuf,
    /// A thread that does not count: the one that looks.
    looking: Option<PathBuf>,
    seen: Option<(Instant, Option<Duration>)>,
    total: Duration,
}

impl Taken {
    /// That of another process.
    pub(crate) fn by(process: impl Display) -> Taken {
        let process = Path::new("/proc").join(process.to_string());
        Taken { process, looking: None, seen: None, total: Duration::ZERO }
    }

    /// That of this process, without the thread that asks for it.
    pub(crate) fn by_others_here() -> Taken {
        let looking = fs::read_link("/proc/thread-self").ok();
        let looking = looking.and_then(|it| it.file_name().map(PathBuf::from));
        Taken { looking, ..Taken::by(std::process::id()) }
    }

    /// Takes a look: how much it is by now.
    pub(crate) fn look(&mut self, now: Instant) -> Duration {
        let computed = computed(&self.process);
        if let Some((before, earlier)) = self.seen.replace((now, computed)) {
            let passed = now.saturating_duration_since(before).min(LOOK_MAX);
            let computed = computed.zip(earlier).map(|(now, before)| now.saturating_sub(before));
            self.total += match computed {
                Some(computed) if computed < passed && self.is_waiting() => {
                    computed.max(passed / WAITING_SHARE)
                }
                _ => passed,
            };
        }
        self.total
    }

    /// Whether a thread would go on if the host let it: it is ready, or at the disk.
    fn is_waiting(&self) -> bool {
        let Ok(threads) = fs::read_dir(self.process.join("task")) else { return false };
        let is_looking =
            |name: OsString| self.looking.as_deref().is_some_and(|own| own == Path::new(&name));
        let mut others = threads.flatten().filter(|thread| !is_looking(thread.file_name()));
        others.any(|thread| {
            let stat = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
            after_name(&stat).is_some_and(|fields| fields.starts_with(['R', 'D']))
        })
    }
}

/// The processor time of a process.
fn computed(process: &Path) -> Option<Duration> {
    let stat = fs::read_to_string(process.join("stat")).ok()?;
    // Fields 14 and 15 of the line, in user mode and in the host's kernel; the third is the first
    // behind the name.
    let fields: Vec<&str> = after_name(&stat)?.split(' ').skip(11).take(2).collect();
    let ticks: u32 = fields.iter().map(|field| field.parse().unwrap_or(0)).sum();
    Some(TICK * ticks)
}

/// The fields behind the name, which is in parentheses and may hold anything.
fn after_name(stat: &str) -> Option<&str> {
    stat.rsplit_once(") ").map(|(_, fields)| fields)
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};

    use super::*;

    /// A process that does as it is told, once it does.
    fn child(script: &str, state: char) -> Child {
        let child = Command::new("sh").args(["-c", script]).spawn().expect("a shell");
        let stat = format!("/proc/{}/stat", child.id());
        let is_there = || {
            let stat = fs::read_to_string(&stat).unwrap_or_default();
            after_name(&stat).is_some_and(|fields| fields.starts_with(state))
        };
        while !is_there() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child
    }

    /// What it has taken after so many looks, a second apart.
    fn taken(mut child: Child, looks: u32) -> Duration {
        #[expect(clippy::disallowed_methods, reason = "any instant will do")]
        let start = Instant::now();
        let mut taken = Taken::by(child.id());
        let seconds = (0..=looks).map(|look| taken.look(start + look * LOOK_MAX));
        let last = seconds.last().expect("a look");
        child.kill().and_then(|()| child.wait()).expect("an end");
        last
    }

    #[test]
    fn what_sleeps_or_is_stopped_takes_time_and_what_waits_hardly_any() {
        assert_eq!(taken(child("exec sleep 60", 'S'), 8), Duration::from_secs(8));
        assert_eq!(taken(child("kill -STOP $$", 'T'), 8), Duration::from_secs(8));
        assert_eq!(taken(child("while :; do :; done", 'R'), 32), Duration::from_secs(2));
    }

    #[test]
    fn time_in_which_nobody_looked_does_not_count() {
        #[expect(clippy::disallowed_methods, reason = "any instant will do")]
        let start = Instant::now();
        let mut child = child("exec sleep 60", 'S');
        let mut taken = Taken::by(child.id());
        taken.look(start);
        assert_eq!(taken.look(start + Duration::from_secs(600)), LOOK_MAX);
        child.kill().and_then(|()| child.wait()).expect("an end");
    }

    #[test]
    fn what_is_gone_has_no_time_and_names_may_hold_parentheses() {
        assert!(computed(Path::new("/proc/self")).is_some());
        assert_eq!(computed(Path::new("/proc/0")), None);
        assert_eq!(after_name("7 (a) b) R 1 2"), Some("R 1 2"));
    }
}
