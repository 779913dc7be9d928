//! Processes and descriptors of the host.

#![allow(unsafe_code, reason = "the host's own calls")]

use std::fs;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

/// A child of this process.
#[derive(Debug)]
pub(crate) struct Child {
    pub(crate) id: i32,
    /// Becomes readable when it ends, where the host has such a thing (Linux 5.3).
    handle: Option<OwnedFd>,
    status: Option<Status>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Exited(i32),
    Killed(i32),
}

/// Forks: returns the child to the parent and nothing to the child.
///
/// Only threads that are the caller's go on in the child, so that there should be no other.
pub(crate) fn fork() -> io::Result<Option<Child>> {
    // SAFETY: the caller sees to it that no other thread holds a lock.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(None),
        id => {
            // SAFETY: a call that takes two numbers.
            let found = unsafe { libc::syscall(libc::SYS_pidfd_open, libc::c_long::from(id), 0) };
            let found = i32::try_from(found).ok().filter(|found| *found >= 0);
            // SAFETY: a descriptor that the host has just made for us.
            let handle = found.map(|found| unsafe { OwnedFd::from_raw_fd(found) });
            Ok(Some(Child { id, handle, status: None }))
        }
    }
}

impl Child {
    /// Something to wait for its end with.
    pub(crate) fn handle(&self) -> Option<RawFd> {
        self.handle.as_ref().map(AsRawFd::as_raw_fd)
    }

    /// How it ended, if it has.
    pub(crate) fn try_wait(&mut self) -> Option<Status> {
        self.wait_for(libc::WNOHANG)
    }

    /// Waits for its end.
    pub(crate) fn wait(&mut self) -> Option<Status> {
        self.wait_for(0)
    }

    fn wait_for(&mut self, how: i32) -> Option<Status> {
        while self.status.is_none() {
            let mut status = 0;
            // SAFETY: a child of ours, and a place for its status.
            match unsafe { libc::waitpid(self.id, &raw mut status, how) } {
                0 => return None,
                -1 if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
                // Somebody else has waited for it: it is gone, and nothing is known.
                -1 => self.status = Some(Status::Killed(0)),
                _ if libc::WIFEXITED(status) => {
                    self.status = Some(Status::Exited(libc::WEXITSTATUS(status)));
                }
                _ => self.status = Some(Status::Killed(libc::WTERMSIG(status))),
            }
        }
        self.status
    }

    /// Ends it, whatever it is at.
    pub(crate) fn kill(&mut self) -> Option<Status> {
        if self.try_wait().is_none() {
            // SAFETY: a child of ours that has not been waited for, so that its number is its own.
            unsafe { libc::kill(self.id, libc::SIGKILL) };
        }
        self.wait()
    }

    /// Sends a signal to each of its threads.
    pub(crate) fn signal_threads(&self, signal: i32) {
        for entry in fs::read_dir(format!("/proc/{}/task", self.id)).into_iter().flatten().flatten()
        {
            let Ok(thread) = entry.file_name().to_string_lossy().parse::<i64>() else { continue };
            let process = i64::from(self.id);
            // SAFETY: a call that takes three numbers; the child has not been waited for.
            unsafe { libc::syscall(libc::SYS_tgkill, process, thread, i64::from(signal)) };
        }
    }
}

/// Waits until one of these can be read or has ended, at most for so long.
pub(crate) fn poll(descriptors: &[RawFd], most: Duration) {
    let wanted = |fd: &RawFd| libc::pollfd { fd: *fd, events: libc::POLLIN, revents: 0 };
    let mut all: Vec<libc::pollfd> = descriptors.iter().map(wanted).collect();
    let most = i32::try_from(most.as_millis()).unwrap_or(i32::MAX);
    crate::turns::rest(|| {
        // SAFETY: entries of ours. A signal may end it early, which does no harm.
        unsafe { libc::poll(all.as_mut_ptr(), all.len() as libc::nfds_t, most) }
    });
}

/// Reads and writes of a descriptor do not wait from here on.
pub(crate) fn set_nonblocking(descriptor: BorrowedFd<'_>) -> io::Result<()> {
    let fd = descriptor.as_raw_fd();
    // SAFETY: flags of a descriptor of ours.
    let done = unsafe {
        let flags = libc::fcntl(fd, libc::F_GETFL);
        libc::fcntl(fd, libc::F_SETFL, flags | libc::O_NONBLOCK)
    };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Lets the programs that this process starts from here on have a descriptor.
pub fn keep_on_exec(descriptor: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: flags of a descriptor of ours.
    let done = unsafe { libc::fcntl(descriptor.as_raw_fd(), libc::F_SETFD, 0) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Makes a standard stream another file.
pub(crate) fn redirect(from: BorrowedFd<'_>, to: RawFd) -> io::Result<()> {
    // SAFETY: a descriptor of ours, and a standard stream.
    let done = unsafe { libc::dup2(from.as_raw_fd(), to) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// The same file under a number from `least` on.
pub(crate) fn move_to(from: OwnedFd, least: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: a descriptor of ours.
    let made = unsafe { libc::fcntl(from.as_raw_fd(), libc::F_DUPFD_CLOEXEC, least) };
    if made < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a descriptor that the host has just made for us.
    Ok(unsafe { OwnedFd::from_raw_fd(made) })
}

/// Closes all descriptors but the standard streams and one other, for a process that has nobody
/// else's to lose.
pub(crate) fn close_others(kept: RawFd) {
    let close = |first: RawFd, last: libc::c_uint| {
        // SAFETY: descriptors that nothing in this process uses any more.
        let done = unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
        if done < 0 {
            // Before Linux 5.9, one by one.
            let end = i64::from(last).min(descriptors_max()) as RawFd;
            for descriptor in first..=end {
                // SAFETY: as above.
                unsafe { libc::close(descriptor) };
            }
        }
    };
    if kept > 3 {
        close(3, kept as libc::c_uint - 1);
    }
    close(kept.max(2) + 1, libc::c_uint::MAX);
}

/// How many descriptors this process may have.
pub(crate) fn descriptors_max() -> i64 {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a place for the answer.
    unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    i64::try_from(limit.rlim_cur).unwrap_or(i64::MAX).min(1 << 20)
}

/// Has this process end with its parent. False if the parent is gone already.
pub(crate) fn end_with(parent: u32) -> bool {
    // SAFETY: calls that take numbers.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::getppid() == parent as i32
    }
}

/// Takes in the children of children that end.
pub(crate) fn adopt_orphans() {
    // SAFETY: a call that takes numbers.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) };
}

/// Ends this process at once: nothing of what its parent had begun is done.
pub(crate) fn exit(code: i32) -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(code) }
}

/// Writes a text to a stream without allocating anything.
pub(crate) fn print(stream: RawFd, text: &str) {
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        // SAFETY: bytes of ours.
        let written = unsafe { libc::write(stream, rest.as_ptr().cast(), rest.len()) };
        match usize::try_from(written) {
            Ok(written @ 1..) => rest = &rest[written..],
            Ok(0) | Err(_) => return,
        }
    }
}

/// Ends a process by its number.
pub(crate) fn kill(process: i32) {
    // SAFETY: a call that takes numbers.
    unsafe { libc::kill(process, libc::SIGKILL) };
}

/// Moves a process, or this one, to a group.
pub(crate) fn set_group(process: i32, group: i32) {
    // SAFETY: a call that takes numbers.
    unsafe { libc::setpgid(process, group) };
}

/// Ignores signals that are meant for the command as a whole.
pub(crate) fn ignore_requests_to_end() {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGPIPE] {
        // SAFETY: ignores a signal.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

/// Lets C code print at once: a process that is killed flushes nothing.
pub(crate) fn unbuffer_output() {
    unsafe extern "C" {
        static stdout: *mut libc::FILE;
    }
    // SAFETY: the C library's own stream, before anything was printed to it.
    unsafe { libc::setvbuf(stdout, std::ptr::null_mut(), libc::_IONBF, 0) };
}

/// What `/proc` says of a process: its parent, its group, and whether it is more than an entry.
pub(crate) struct Listed {
    pub(crate) id: i32,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) is_alive: bool,
}

/// All processes of the host, as far as they are seen.
pub(crate) fn all() -> Vec<Listed> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let listed = |name: std::ffi::OsString| {
        let id: i32 = name.to_str()?.parse().ok()?;
        let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name may contain anything, and ends at the last parenthesis.
        let (_, rest) = text.rsplit_once(')')?;
        let mut fields = rest.split_whitespace();
        let is_alive = !matches!(fields.next()?, "Z" | "X");
        let parent = fields.next()?.parse().ok()?;
        let group = fields.next()?.parse().ok()?;
        Some(Listed { id, parent, group, is_alive })
    };
    entries.filter_map(|entry| listed(entry.file_name())).collect()
}
