//! A test runner: started, and ended if it takes too long.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How often a process is looked at.
const PAUSE: Duration = Duration::from_millis(20);

/// How a process ended, or nothing if it was ended. Both its streams go to a file. `look` is called
/// while it works.
pub(crate) fn wait(
    command: &mut Command,
    output: &Path,
    timeout: Option<Duration>,
    look: &mut dyn FnMut(),
) -> io::Result<Option<ExitStatus>> {
    let file = File::create(output)?;
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
    let mut child = command.spawn()?;
    #[expect(clippy::disallowed_methods, reason = "a test runner may not take for ever")]
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if timeout.is_some_and(|timeout| started.elapsed() > timeout) {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        look();
        thread::sleep(PAUSE);
    }
}
