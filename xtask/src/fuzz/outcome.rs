//! What came of a command, and what is wrong with that whatever the command was.

use std::fs::File;
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde_json::Value;

use super::case::Case;

/// Ten times what the slowest right answer takes on two busy cores.
const TIME_MAX: Duration = Duration::from_secs(60);
/// What a command may have (`ulimit -v`): sizes that a case makes larger than this are refused.
const ADDRESSES_MAX_KIB: i64 = 2 << 20;
/// What it may use of that: the largest tensors that are not refused take two thirds.
const MEMORY_MAX_KIB: i64 = 3 << 19;
/// Starts a command within the limit.
const LIMITED: &str = "ulimit -v $1; shift; exec \"$@\"";
/// A report of a small program has a thousandth of this.
const OUTPUT_MAX_BYTES: u64 = 16 << 20;

/// What a command left.
pub struct Outcome {
    /// How it ended; absent if it had to be killed.
    status: Option<ExitStatus>,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Outcome {
    /// Starts a case and waits for its end. What it prints goes to files in `folder`.
    pub fn of(binary: &Path, case: &Case, folder: &Path) -> io::Result<Outcome> {
        let (stdout, stderr) = (folder.join("stdout"), folder.join("stderr"));
        let mut child = Command::new("sh")
            .args(["-c", LIMITED, "sh", &ADDRESSES_MAX_KIB.to_string()])
            .arg(binary)
            .args(&case.words)
            .current_dir(&case.folder)
            .env("NO_COLOR", "1")
            .env("XDG_CACHE_HOME", folder.with_file_name("cache"))
            .stdin(Stdio::null())
            .stdout(File::create(&stdout)?)
            .stderr(File::create(&stderr)?)
            .process_group(0)
            .spawn()?;
        let status = wait(&mut child)?;
        Ok(Outcome { status, stdout: read(&stdout)?, stderr: read(&stderr)? })
    }

    /// The exit code, if it ended by itself.
    pub fn code(&self) -> Option<i32> {
        self.status.and_then(|status| status.code())
    }

    /// What is wrong, if anything is.
    pub fn fault(&self, case: &Case) -> Option<String> {
        let Some(status) = self.status else {
            return Some(format!("hang: not done after {} s", TIME_MAX.as_secs()));
        };
        let code = match status.code() {
            Some(code @ 0..=2) => code,
            Some(code) => return Some(format!("exit code {code}")),
            None => return Some(format!("ended by signal {:?}", status.signal())),
        };
        let said = String::from_utf8_lossy(&self.stderr);
        let shown = String::from_utf8_lossy(&self.stdout);
        for word in ["panicked at ", "simulator bug", "simulator-bug", "RUST_BACKTRACE"] {
            if said.contains(word) || shown.contains(word) {
                return Some(format!("it says `{word}`"));
            }
        }
        if self.stdout.is_empty() && self.stderr.is_empty() {
            return Some(format!("silence, with exit code {code}"));
        }
        let is_json = case.words.iter().any(|word| word == "--json");
        (is_json && !shown.is_empty()).then(|| not_one_object(&shown)).flatten()
    }
}

/// The most memory of any command so far, in KiB, if it is too much and more than before.
pub fn memory_fault() -> Option<String> {
    static KNOWN: AtomicI64 = AtomicI64::new(MEMORY_MAX_KIB);
    let most = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?.max_rss();
    let known = KNOWN.fetch_max(most, Ordering::Relaxed);
    (most > known).then(|| format!("{} MiB of memory", most >> 10))
}

fn wait(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    #[expect(clippy::disallowed_methods, reason = "only a clock notices a hang")]
    let start = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > TIME_MAX {
            let group = Pid::from_raw(child.id() as i32);
            // Whether or not anybody is left in it.
            let _ = killpg(group, Signal::SIGKILL);
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}

fn read(file: &Path) -> io::Result<Vec<u8>> {
    let length = std::fs::metadata(file)?.len();
    if length > OUTPUT_MAX_BYTES {
        return Ok(format!("simulator bug: it printed {length} bytes").into_bytes());
    }
    std::fs::read(file)
}

fn not_one_object(text: &str) -> Option<String> {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(_)) => None,
        Ok(_) => Some("--json printed something other than an object".to_owned()),
        Err(error) => Some(format!("--json printed no JSON: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(script: &str, words: &[&str]) -> Option<String> {
        let folder = std::env::temp_dir().join(format!("xtask-outcome-{}", std::process::id()));
        let folder = folder.join(script.len().to_string());
        std::fs::create_dir_all(&folder).expect("a folder for temporary files");
        let mut all = vec!["-c".to_owned(), script.to_owned()];
        all.extend(words.iter().map(|word| (*word).to_owned()));
        let case = Case { words: all, folder: folder.clone() };
        let outcome = Outcome::of(Path::new("sh"), &case, &folder).expect("a shell");
        std::fs::remove_dir_all(&folder).expect("it is ours");
        outcome.fault(&case)
    }

    #[test]
    fn only_a_clear_answer_has_no_fault() {
        for (script, words, expected) in [
            ("echo hello; exit 1", &[][..], None),
            ("exit 2", &[], Some("silence, with exit code 2")),
            ("echo oh; exit 3", &[], Some("exit code 3")),
            ("echo oh; kill -SEGV $$", &[], Some("ended by signal Some(11)")),
            ("echo thread panicked at x >&2; exit 2", &[], Some("it says `panicked at `")),
            ("echo '{}'", &["--json"], None),
            ("echo '[]'", &["--json"], Some("--json printed something other than an object")),
        ] {
            assert_eq!(fault(script, words).as_deref(), expected, "{script}");
        }
        let two = fault("echo '{}' '{}'", &["--json"]).expect("two objects are not one");
        assert!(two.starts_with("--json printed no JSON"), "{two}");
    }
}
