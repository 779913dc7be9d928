//! A process that ends all others of a command when the command ends, however it ends.
//!
//! The command cannot do it itself if it is killed, and compilers start compilers of their own.
//! The guard holds the reading end of a pipe whose other end only the command has.

use std::io::{self, PipeWriter, Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use tilewright_metal::cpp::{Cache, remove_scratch};

use crate::lock;
use crate::process::{self, Child, Listed};

/// The group of processes that end with this one; 0 without a guard.
static GROUP: AtomicI32 = AtomicI32::new(0);

/// How often the processes of a group are looked for until none is left.
const TURNS_MAX: u32 = 400;
const PERIOD: Duration = Duration::from_millis(5);

/// What all runs of this process share.
static SHARED: Mutex<Shared> = Mutex::new(Shared { holders: 0, guard: None });

struct Shared {
    holders: usize,
    guard: Option<Running>,
}

/// The guard of this process, which ends when nobody holds it any more: runs on several threads
/// share it, and none ends what another one has started.
#[derive(Debug)]
pub struct Guard(());

impl Guard {
    /// Holds it, and starts it if there is none.
    pub fn hold() -> io::Result<Guard> {
        let mut shared = lock(&SHARED);
        if shared.guard.is_none() {
            shared.guard = Some(Running::start(Cache::new(None).folder().to_owned())?);
        }
        shared.holders += 1;
        Ok(Guard(()))
    }

    /// Holds the one that there is or that another run will start: what is started from now on
    /// belongs to its group, and does not end with that run.
    pub(crate) fn share() -> Guard {
        lock(&SHARED).holders += 1;
        Guard(())
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let mut shared = lock(&SHARED);
        shared.holders -= 1;
        if shared.holders == 0 {
            shared.guard.take().into_iter().for_each(Running::end);
        }
    }
}

/// A guard that runs.
struct Running {
    process: Child,
    pipe: PipeWriter,
    /// Children that this process had before.
    others: Vec<i32>,
}

impl Running {
    /// Starts it. What this process leaves behind in a cache is removed as well.
    fn start(cache: PathBuf) -> io::Result<Running> {
        let (mut reader, pipe) = io::pipe()?;
        let command = std::process::id();
        let others = process::all().into_iter().filter(|it| it.parent == command as i32);
        let others = others.map(|it| it.id).collect();
        process::adopt_orphans();
        let Some(process) = process::fork()? else {
            drop(pipe);
            process::set_group(0, 0);
            process::ignore_requests_to_end();
            drop(keep_only(&reader));
            // It ends with the command, or when it is let go: then a byte comes first, and what is
            // in the cache belongs to other threads of the command, which remove it themselves.
            let is_let_go = reader.read(&mut [0]).is_ok_and(|bytes| bytes > 0);
            let own = std::process::id() as i32;
            end_all(|it| it.group == own && it.id != own);
            if !is_let_go {
                remove_scratch(&cache, command);
            }
            process::exit(0)
        };
        process::set_group(process.id, process.id);
        GROUP.store(process.id, Ordering::Relaxed);
        Ok(Running { process, pipe, others })
    }

    fn end(self) {
        let Running { mut process, mut pipe, others } = self;
        GROUP.store(0, Ordering::Relaxed);
        drop(pipe.write_all(&[0]));
        drop(pipe);
        process.wait();
        // Whoever has left the group, which the sandbox forbids, has come to this process as its
        // child. Children that somebody else here has started are usually in this process's group.
        let own = std::process::id() as i32;
        let all = process::all();
        let group = all.iter().find(|it| it.id == own).map(|it| it.group);
        end_all(|it| it.parent == own && Some(it.group) != group && !others.contains(&it.id));
    }
}

/// Has a command, and whatever it starts, end with this process.
pub fn adapt(command: &mut Command) {
    match GROUP.load(Ordering::Relaxed) {
        0 => {}
        group => drop(command.process_group(group)),
    }
}

/// Moves this process to the group that ends with the command.
pub(crate) fn join() {
    match GROUP.load(Ordering::Relaxed) {
        0 => {}
        group => process::set_group(0, group),
    }
}

/// Ends processes until there is none left.
fn end_all(is_meant: impl Fn(&Listed) -> bool) {
    for _ in 0..TURNS_MAX {
        let left: Vec<Listed> =
            process::all().into_iter().filter(|it| it.is_alive && is_meant(it)).collect();
        if left.is_empty() {
            return;
        }
        left.iter().for_each(|it| process::kill(it.id));
        std::thread::sleep(PERIOD);
    }
}

/// Leaves the terminal and all files but one to others.
fn keep_only(pipe: &impl AsFd) -> io::Result<()> {
    let nothing = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    for stream in 0..3 {
        process::redirect(nothing.as_fd(), stream)?;
    }
    drop(nothing);
    process::close_others(pipe.as_fd().as_raw_fd());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a folder of this process is still in a cache after its guard has ended.
    fn is_left(name: &str, end: impl FnOnce(Running)) -> bool {
        let cache = std::env::temp_dir().join(format!("guard-{}-{name}", std::process::id()));
        let scratch = cache.join(format!("tmp-{}-0", std::process::id()));
        std::fs::create_dir_all(&scratch).expect("a folder");
        end(Running::start(cache.clone()).expect("a process"));
        let is_left = scratch.is_dir();
        std::fs::remove_dir_all(cache).expect("ours");
        is_left
    }

    #[test]
    fn what_a_thread_starts_does_not_end_with_a_run_that_began_later() {
        let shared = Guard::share();
        let run = Guard::hold().expect("a process");
        let mut command = Command::new("sleep");
        adapt(command.arg("60"));
        let mut child = command.spawn().expect("a process");
        drop(run);
        let ended = child.try_wait().expect("a child");
        assert!(ended.is_none(), "it ended with the run: {ended:?}");
        child.kill().and_then(|()| child.wait()).expect("an end");
        drop(shared);
    }

    #[test]
    fn what_threads_compile_is_removed_only_if_the_command_ends() {
        assert!(is_left("let-go", Running::end));
        assert!(!is_left("gone", |running| {
            let Running { mut process, pipe, .. } = running;
            GROUP.store(0, Ordering::Relaxed);
            drop(pipe);
            process.wait();
        }));
    }
}
