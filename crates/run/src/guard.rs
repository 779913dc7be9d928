//! A process that ends all others of a command when the command ends, however it ends.
//!
//! The command cannot do it itself if it is killed, and compilers start compilers of their own.
//! The guard holds the reading end of a pipe whose other end only the command has.

use std::io::{self, PipeWriter, Read};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use tilewright_metal::cpp::{Cache, remove_scratch};

use crate::process::{self, Child, Listed};

/// The group of processes that end with this one; 0 without a guard.
static GROUP: AtomicI32 = AtomicI32::new(0);

/// How often the processes of a group are looked for until none is left.
const TURNS_MAX: u32 = 400;
const PERIOD: Duration = Duration::from_millis(5);

/// The guard of this process, until it is dropped.
#[derive(Debug)]
pub struct Guard {
    process: Child,
    pipe: Option<PipeWriter>,
}

impl Guard {
    /// Starts it. What this process leaves behind in a cache is removed as well.
    pub fn start(cache: PathBuf) -> io::Result<Guard> {
        let (mut reader, pipe) = io::pipe()?;
        let command = std::process::id();
        process::adopt_orphans();
        let Some(process) = process::fork()? else {
            drop(pipe);
            process::set_group(0, 0);
            process::ignore_requests_to_end();
            drop(keep_only(&reader));
            // Nothing is ever written: it ends with the command.
            drop(reader.read(&mut [0]));
            let own = std::process::id() as i32;
            end_all(|it| it.group == own && it.id != own);
            remove_scratch(&cache, command);
            process::exit(0)
        };
        process::set_group(process.id, process.id);
        GROUP.store(process.id, Ordering::Relaxed);
        Ok(Guard { process, pipe: Some(pipe) })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        GROUP.store(0, Ordering::Relaxed);
        drop(self.pipe.take());
        self.process.wait();
        // Whoever has left the group has come to this process as its child.
        let own = std::process::id() as i32;
        end_all(|it| it.parent == own);
    }
}

/// Starts the guard of a command that runs kernels, unless whoever called has done so.
pub(crate) fn start_unless_active() -> io::Result<Option<Guard>> {
    let is_active = GROUP.load(Ordering::Relaxed) != 0;
    (!is_active).then(|| Guard::start(Cache::new(None).folder().to_owned())).transpose()
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
