//! What is typed and what comes back, to the letter: `transcripts/*.txt`.
//!
//! A line `$ tilewright …` is a command, with variables of its environment before it. What follows
//! is its standard output, then its standard error with `stderr| ` before each line, then its exit
//! code. `TILEWRIGHT_BLESS=1` writes all that anew. What differs from host to host is left out, and
//! so are cycles and digests, which change with every better figure for a latency.
//!
//! Every subcommand has a file for each of the kinds in `KINDS`.

use crate::common;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{Answer, command, has_compiler, is_bless, must_hold, root, tilewright, words};

/// The first line of a transcript whose kernels are compiled.
const NEEDS_COMPILER: &str = "# needs a C++ compiler";

/// Whether a command of a transcript is of a kind.
type Kind = fn(&Shown<'_>) -> bool;

/// What every subcommand must show: the ending of the file's name, and what a command in it does.
const KINDS: [(&str, Kind); 4] = [
    ("", |it| it.code == 0 && !it.is_json() && !it.is_help()),
    ("-help", |it| it.code == 0 && it.is_help()),
    ("-json", |it| it.code != 2 && it.is_json()),
    ("-misuse", |it| it.code == 2 && !it.is_json()),
];

/// A subcommand that does not end by itself: it has no answer, and its examples are not run.
const ENDLESS: &str = "watch";

/// A subcommand whose examples need Python.
const NEEDS_PYTHON: &str = "stages";

/// A command of a transcript with its exit code.
struct Shown<'a> {
    typed: &'a str,
    code: i32,
}

impl Shown<'_> {
    fn is_json(&self) -> bool {
        words(self.typed).contains(&"--json")
    }

    fn is_help(&self) -> bool {
        words(self.typed).contains(&"--help")
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts")
}

/// The commands of a transcript, each with the code that it is expected to give.
fn shown(text: &str) -> Vec<Shown<'_>> {
    let mut all: Vec<Shown<'_>> = Vec::new();
    for line in text.lines() {
        if let Some(typed) = line.strip_prefix("$ ") {
            all.push(Shown { typed, code: -1 });
        }
        if let (Some(code), Some(last)) = (line.strip_prefix("exit "), all.last_mut()) {
            last.code = code.parse().unwrap_or(-1);
        }
    }
    all
}

/// The subcommands, as the help lists them.
fn subcommands() -> Vec<String> {
    let help = tilewright(&["--help"]).stdout;
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = list.take_while(|line| !line.is_empty()).filter_map(|line| {
        let is_name = line.starts_with("  ") && !line.starts_with("   ");
        is_name.then(|| line.split_whitespace().next().unwrap_or_default().to_owned())
    });
    names.filter(|name| name != "help").collect()
}

#[test]
fn every_transcript_holds() {
    let (mut wrong, mut files) = (Vec::new(), 0);
    for entry in fs::read_dir(folder()).expect("a folder of transcripts") {
        let path = entry.expect("an entry").path();
        let expected = fs::read_to_string(&path).expect("a transcript");
        files += 1;
        let needs_compiler = expected.starts_with(NEEDS_COMPILER);
        if needs_compiler && !has_compiler() {
            continue;
        }
        let head = if needs_compiler { format!("{NEEDS_COMPILER}\n\n") } else { String::new() };
        let got = shown(&expected).iter().map(|it| transcript(it.typed)).collect::<Vec<_>>();
        let got = head + &got.join("\n");
        if is_bless() {
            fs::write(&path, &got).expect("a transcript");
        } else if got != expected {
            wrong.push(format!("{}:\n{got}", path.display()));
        }
    }
    assert!(files > 0, "no transcripts");
    assert!(wrong.is_empty(), "`cargo xtask bless` accepts these:\n{}", wrong.join("\n"));
}

#[test]
fn every_subcommand_has_a_transcript_of_each_kind() {
    let (names, mut missing) = (subcommands(), Vec::new());
    assert!(names.len() >= 12 && names.contains(&"run".to_owned()), "{names:?}");
    for (name, (ending, is_shown)) in names.iter().flat_map(|it| KINDS.map(|kind| (it, kind))) {
        let file = format!("{name}{ending}.txt");
        let text = fs::read_to_string(folder().join(&file)).unwrap_or_default();
        let own = format!("tilewright {name}");
        if name == ENDLESS && ["", "-json"].contains(&ending) {
            continue;
        }
        if !shown(&text).iter().any(|it| it.typed.contains(&own) && is_shown(it)) {
            missing.push(file);
        }
    }
    assert!(missing.is_empty(), "no transcript, or none of its kind: {}", missing.join(", "));
}

/// The examples of all help texts, by what they must not run beside: others of the subcommand,
/// which write the same files, and for captures whatever reads them.
fn examples() -> BTreeMap<String, Vec<String>> {
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let commands = subcommands().into_iter().map(|name| format!("help {name}"));
    for command in commands.chain(["--help".to_owned()]) {
        let help = tilewright(&words(&command)).stdout;
        let lines = help.lines().filter_map(|line| line.strip_prefix("  tilewright "));
        let typed = lines.map(|line| line.split(['|', '>']).next().unwrap_or(line).trim());
        let typed: Vec<&str> = typed.collect();
        assert!(!typed.is_empty(), "`tilewright {command}` has no example");
        for typed in typed {
            let name = typed.split(' ').next().unwrap_or_default();
            let group = if typed.contains(".cap") { "capture" } else { name };
            groups.entry(group.to_owned()).or_default().push(typed.to_owned());
        }
    }
    groups
}

fn must_run(typed: &str) {
    // Stages need Python with the package; `crates/python/tests` runs them.
    if typed.starts_with(ENDLESS) || typed.starts_with(NEEDS_PYTHON) {
        return;
    }
    let is_compiled = [".toml", ".cpp", "corpus "].iter().any(|it| typed.contains(it));
    if is_compiled && !has_compiler() {
        return;
    }
    let answer = answer(&format!("tilewright {typed}"));
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "tilewright {typed}");
}

#[test]
fn every_example_in_the_help_runs() {
    let groups: Vec<Vec<String>> = examples().into_values().collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
            group.iter().for_each(|typed| must_run(typed));
        }
    };
    // It is among the last tests to start: on one thread, the host's others would wait for it.
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
}

/// What comes of a typed line.
fn answer(typed: &str) -> Answer {
    let (variables, typed) = typed.split_once("tilewright").unwrap_or(("", typed));
    let mut command = command();
    for variable in variables.split_whitespace() {
        let (name, value) = variable.split_once('=').expect("NAME=VALUE");
        command.env(name, value);
    }
    if typed.trim_start().starts_with("cache") {
        // Not the one that other tests compile into.
        command
            .env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("examples-cache"));
    }
    command.current_dir(place(typed)).args(words(typed));
    Answer::of(command)
}

/// Commands that write files do so in a folder for that; all others run in the repository.
/// Captures are written and run there, too, beside a link to the examples.
fn place(typed: &str) -> PathBuf {
    let is_of = |name: &str| typed.trim_start().starts_with(name);
    if (is_of("sweep ") || is_of("new ")) && !typed.contains("--help") {
        // Each in a folder of its own: results of an earlier run would be continued, or in the way.
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("sweep-{number}"));
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder).expect("room");
        #[cfg(unix)]
        drop(std::os::unix::fs::symlink(root().join("examples"), folder.join("examples")));
        return folder;
    }
    if typed.contains(".cap") {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("captures");
        fs::create_dir_all(&folder).expect("room");
        #[cfg(unix)]
        drop(std::os::unix::fs::symlink(root().join("examples"), folder.join("examples")));
        return folder;
    }
    let writes =
        ["report ", "trace ", "diff "].iter().any(|name| typed.trim_start().starts_with(name));
    let is_help = typed.contains("--help");
    if writes && !is_help { PathBuf::from(env!("CARGO_TARGET_TMPDIR")) } else { root() }
}

fn transcript(typed: &str) -> String {
    let Answer { stdout, stderr, code } = answer(typed);
    if words(typed).contains(&"--json") {
        let name = typed.split_once("tilewright ").map_or("", |(_, rest)| rest);
        let name = name.split(' ').next().unwrap_or_default();
        // A sweep prints a line for each run, and its summary last.
        let is_lines = name == "sweep" && code != 2;
        let record = if is_lines { stdout.lines().last().unwrap_or_default() } else { &stdout };
        must_hold(name, record);
    }
    let mut text = format!("$ {typed}\n");
    text.extend(common::steady::steady_answer(typed, &stdout).map(|line| format!("{line}\n")));
    text.extend(stderr.lines().map(|line| format!("stderr| {line}").trim_end().to_owned() + "\n"));
    text + &format!("exit {code}\n")
}
