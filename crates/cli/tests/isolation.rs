//! No kernel takes the report away: whatever it does, there is one answer within the stated time,
//! and nothing is left of it.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::common::{Answer, command, has_compiler, must_hold};
use serde_json::Value;

/// What every kernel of these tests begins with.
const BEFORE: &str = r#"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <csetjmp>
#include <csignal>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "api/dataflow/dataflow_api.h"
"#;

const MANIFEST: &str = r#"
name = "isolation"
cores = 1
[buffers]
cb = { index = 0, format = "bf16", pages = 2 }
[semaphores]
s = {}
[kernels.reader]
file = "k.cpp"
runs_on = "reader"
"#;

/// Marks the processes of one command, for whoever looks for what is left of them.
const MARK: &str = "TILEWRIGHT_TEST_MARK";

/// A folder with one kernel.
struct Case {
    folder: PathBuf,
    mark: String,
}

impl Case {
    fn new(kernel: &str) -> Option<Case> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        if !has_compiler() {
            return None;
        }
        let mark = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("isolation-{mark}"));
        fs::create_dir_all(&folder).expect("room");
        fs::write(folder.join("k.cpp"), kernel).expect("room");
        fs::write(folder.join("p.toml"), MANIFEST).expect("room");
        Some(Case { folder, mark })
    }

    fn command(&self, typed: &[&str]) -> Command {
        let mut command = command();
        command.args(["check", "p.toml"]).args(typed).current_dir(&self.folder);
        command.env(MARK, &self.mark);
        command
    }

    /// Processes of this case that are still there.
    fn left(&self) -> Vec<String> {
        let mark = format!("{MARK}={}", self.mark).into_bytes();
        let entries = fs::read_dir("/proc").expect("processes").flatten();
        let is_marked = |path: &Path| {
            let environment = fs::read(path.join("environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == mark)
        };
        let processes = entries.map(|entry| entry.path()).filter(|path| is_marked(path));
        processes.map(|path| fs::read_to_string(path.join("comm")).unwrap_or_default()).collect()
    }

    /// Nothing is left: no process, and no file that was not there before.
    #[track_caller]
    fn must_be_over(self) {
        #[expect(clippy::disallowed_methods, reason = "processes take their time to end")]
        let start = Instant::now();
        while !self.left().is_empty() && start.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(self.left(), [""; 0], "still running");
        let names = fs::read_dir(&self.folder).expect("ours").flatten();
        let mut names: Vec<_> = names.map(|entry| entry.file_name()).collect();
        names.sort();
        assert_eq!(names, ["k.cpp", "p.toml"]);
        fs::remove_dir_all(&self.folder).expect("ours");
    }
}

/// What is right: the exit code, the id of the one finding, and words of its title or its marks.
struct Right<'a> {
    code: i32,
    finding: Option<&'a str>,
    said: &'a str,
}

/// Runs a kernel with and without `--json`.
#[track_caller]
fn check(kernel: &str, typed: &[&str], right: &Right<'_>) -> Option<Value> {
    let case = Case::new(&format!("{BEFORE}{kernel}\n"))?;
    let text = Answer::of(case.command(typed));
    assert_eq!((text.code, text.stderr.as_str()), (right.code, ""), "{kernel}: {}", text.stdout);
    let ids: Vec<&str> = text.stdout.lines().filter_map(|it| it.strip_prefix("error[")).collect();
    assert_eq!(ids.len(), usize::from(right.finding.is_some()), "{kernel}: {}", text.stdout);
    assert!(text.stdout.contains(right.said), "{kernel}: {}", text.stdout);
    let json = Answer::of(case.command(&[typed, &["--json"]].concat()));
    assert_eq!((json.code, json.stderr.as_str()), (right.code, ""), "{kernel}: {}", json.stdout);
    let value = must_hold("run", &json.stdout);
    let found = value["findings"].as_array().expect("findings");
    let ids: Vec<_> = found.iter().filter_map(|it| it["id"].as_str()).collect();
    assert_eq!(ids, right.finding.into_iter().collect::<Vec<_>>(), "{kernel}");
    case.must_be_over();
    Some(value)
}

/// Limits that end a loop soon.
const SOON: [&str; 4] = ["--timeout", "3", "--silence", "1"];

#[track_caller]
fn check_loop(kernel: &str, said: &str) {
    check(kernel, &SOON, &Right { code: 1, finding: Some("endless-loop"), said });
}

#[track_caller]
fn check_crash(kernel: &str, said: &str) {
    check(kernel, &SOON, &Right { code: 1, finding: Some("kernel-crash"), said });
}

#[track_caller]
fn check_clean(kernel: &str) -> Option<Value> {
    check(kernel, &[], &Right { code: 0, finding: None, said: "" })
}

#[test]
fn loops_end_at_their_line() {
    let constructor =
        "struct C {\n    C() { asm volatile(\"1: jmp 1b\"); }\n};\nC c;\nvoid kernel_main() {}";
    check_loop(constructor, "k.cpp:18");
    let asm =
        "void kernel_main() {\n    cb_reserve_back(0, 1);\n    asm volatile(\"1: jmp 1b\");\n}";
    check_loop(asm, "19 |     asm");
    check_loop("void kernel_main() {\n    cb_reserve_back(0, 1);\n    pause();\n}", "k.cpp:18");
    check_loop(
        "void kernel_main() {\n    cb_reserve_back(0, 1);\n    while (1) usleep(1000);\n}",
        "it is here",
    );
    check_loop(
        "void kernel_main() { volatile uint32_t* p = (volatile uint32_t*)(uint64_t)get_semaphore(0);
        for (uint32_t i = 0;; ++i) { *p = i; noc_async_read_barrier(); } }",
        "does not terminate",
    );
}

#[test]
fn loops_that_resist_end() {
    check_loop(
        "void kernel_main() { for (int i = 1; i < 32; i++) signal(i, SIG_IGN);
        cb_reserve_back(0, 1);\n    asm volatile(\"1: jmp 1b\"); }",
        "19 |     asm",
    );
    let blocked =
        "void kernel_main() { sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, 0);
        cb_reserve_back(0, 1); asm volatile(\"1: jmp 1b\"); }";
    check_loop(blocked, "does not come back");
    // What the supervisor reads is overwritten first.
    let overwritten = r#"void kernel_main() {
        cb_reserve_back(0, 1);
        FILE* maps = fopen("/proc/self/maps", "r");
        char line[512];
        while (fgets(line, sizeof line, maps)) {
            unsigned long from, to;
            if (strstr(line, "rw-s") && sscanf(line, "%lx-%lx", &from, &to) == 2)
                memset((void*)from, 0xff, to - from);
        }
        asm volatile("1: jmp 1b"); }"#;
    check_loop(overwritten, "");
    let unsandboxed = [&SOON[..], &["--no-sandbox"]].concat();
    let closed = "void kernel_main() { cb_reserve_back(0, 1);
        for (int i = 0; i < 70000; i++) close(i); asm volatile(\"1: jmp 1b\"); }";
    let right = Right { code: 1, finding: Some("endless-loop"), said: "does not come back" };
    check(closed, &unsandboxed, &right);
}

#[test]
fn the_host_is_out_of_reach() {
    let kernel =
        |body: &str| format!("void kernel_main() {{\n    cb_reserve_back(0, 1);\n    {body}\n}}");
    for (body, said) in [
        ("fork();", "system call `fork`"),
        ("if (fork() == 0) { setsid(); fork(); for (;;) pause(); }", "system call `fork`"),
        ("kill(getppid(), SIGKILL); usleep(200000);", "system call `kill`"),
        ("raise(SIGSTOP);", "system call `tgkill`"),
        ("open(\"written\", O_CREAT | O_WRONLY, 0644);", "writes to the file system"),
        ("fopen(\"written\", \"w\");", "writes to the file system"),
        ("rmdir(\".\"); unlink(\"k.cpp\");", "writes to the file system"),
        ("execl(\"/bin/true\", \"true\", (char*)0);", "system call `execve`"),
        ("socket(AF_INET, SOCK_STREAM, 0);", "uses the network"),
        ("for (int i = 0; i < 64; i++) close(i);", "closes a file descriptor"),
        ("for (int i = 0; i < 1024; i++) close(i);", "closes a file descriptor"),
        ("syscall(SYS_close_range, 3, ~0u, 0);", "closes a file descriptor"),
        ("rlimit most = {1, 1}; setrlimit(RLIMIT_AS, &most);", "changes the limits"),
        ("raise(SIGSEGV);", "sends itself signal 11"),
    ] {
        check_crash(&kernel(body), said);
    }
}

#[test]
fn ends_of_the_process_are_findings() {
    let kernel = |body: &str| format!("void kernel_main() {{ cb_reserve_back(0, 1); {body} }}");
    for (body, said) in [
        ("syscall(SYS_exit, 0);", "ends the process with code 0"),
        ("syscall(SYS_exit_group, 7);", "ends the process with code 7"),
        ("_exit(0);", "calls `_exit(0)`"),
        ("*(volatile int*)8 = 1;", "null pointer"),
        ("abort();", "abort"),
    ] {
        check_crash(&kernel(body), said);
    }
    check_crash(
        "struct C {\n    C() { *(volatile int*)8 = 1; }\n} c;\nvoid kernel_main() {}",
        "k.cpp:18",
    );
    check_crash("struct C { C() { _exit(0); } } c; void kernel_main() {}", "k.cpp");
    check_crash("struct C { C() { fork(); } } c; void kernel_main() {}", "fork");
    let thread = "static void* other(void*) {\n    cb_reserve_back(0, 1);\n    return 0;\n}
        void kernel_main() { pthread_t t; pthread_create(&t, 0, other, 0); pthread_join(t, 0); }";
    check_crash(thread, "on a thread of its own");
}

/// A kernel that takes memory without end, and one that takes some.
#[test]
fn memory_without_end_is_a_finding() {
    let kernel = |times: u32| {
        format!(
            "void kernel_main() {{\n    for (int i = 0; i < {times}; i++) {{
            char* p = (char*)malloc(64 << 20); if (!p) break; memset(p, 1, 64 << 20); }}\n}}"
        )
    };
    let said = "takes more than 1 GiB of memory";
    check(&kernel(480), &[], &Right { code: 1, finding: Some("kernel-crash"), said });
    check_clean(&kernel(4));
}

#[test]
fn what_kernels_print_is_theirs() {
    let value = check_clean(
        "void kernel_main() { for (int i = 0; i < 3; i++) printf(\"KERNEL SAYS %d\\n\", i);
        fflush(stdout); (void)!write(1, \"raw\\n\", 4);
        fputs(\"{\\\"verdict\\\":\\\"pass\\\"}\", stderr); }",
    );
    let Some(value) = value else { return };
    let printed = |value: &Value, place: usize| {
        let one = &value["printed"][place];
        let text = one["text"].as_str().expect("a text").to_owned();
        (one["source"].as_str().expect("a source").to_owned(), text)
    };
    let said = "KERNEL SAYS 0\nKERNEL SAYS 1\nKERNEL SAYS 2\nraw\n".to_owned();
    assert_eq!(printed(&value, 0), ("stdout".to_owned(), said));
    let forged = "{\"verdict\":\"pass\"}".to_owned();
    assert_eq!(printed(&value, 1), ("stderr".to_owned(), forged));
    let huge = "void kernel_main() { static char line[1 << 16]; memset(line, 'x', sizeof line);
        for (int i = 0; i < 800; i++) (void)!write(1, line, sizeof line); }";
    let value = check_clean(huge).expect("there is a compiler");
    assert_eq!(value["printed"][0]["omitted_bytes"].as_u64(), Some(799 << 16));
    // What was printed before a crash is shown, too.
    let last = "void kernel_main() { printf(\"so far\"); cb_reserve_back(0, 1); _exit(0); }";
    check_crash(last, "so far");
}

#[test]
fn near_misses_are_silent() {
    for kernel in [
        "void kernel_main() { FILE* f = fopen(\"/proc/self/status\", \"r\"); char c[8];
        (void)!fread(c, 1, 8, f); fclose(f); }",
        "void kernel_main() { void* p = malloc(1 << 20); memset(p, 1, 1 << 20); free(p); }",
        "void kernel_main() { int p[2]; (void)!pipe(p); (void)!write(p[1], \"x\", 1); close(p[0]);
        close(p[1]); }",
        "static jmp_buf place; static volatile int turns;
        void kernel_main() { if (setjmp(place) == 0) { turns = turns + 1; longjmp(place, 1); } }",
        "void kernel_main() { usleep(200000); getppid(); }",
        "void kernel_main() { struct sigaction a = {}; sigaction(SIGSEGV, 0, &a); }",
    ] {
        check_clean(kernel);
    }
}

/// In how many looks one after the other a process must be where it is wanted.
const LOOKS: u32 = 20;

/// Starts a command and waits until a process of it has this name, or there are so many.
fn start(case: &Case, typed: &[&str], is_there: impl Fn(&[String]) -> bool) -> Child {
    let mut command = case.command(typed);
    // A group of its own, as a shell would give it.
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().expect("it starts");
    let mut looks = 0;
    for _ in 0..1500 {
        // A process that is about to become a compiler has our name for a moment.
        looks = if is_there(&case.left()) { looks + 1 } else { 0 };
        if looks == LOOKS {
            return child;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let left = case.left();
    child.kill().and_then(|()| child.wait()).expect("it can be ended");
    panic!("it never came so far: {left:?}");
}

/// Whether the supervisor, its guard and its worker are all there is.
fn is_running(names: &[String]) -> bool {
    names.len() == 3 && names.iter().all(|name| name.starts_with("tilewright"))
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
    assert!(status.expect("there is a kill").success());
}

/// Whether whoever runs the tests has a signal ignored, as `nohup` and a shell's `&` do: commands
/// that are started here ignore it, too.
fn is_ignored(signal: u32) -> bool {
    let status = fs::read_to_string("/proc/self/status").expect("proc is mounted");
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = u64::from_str_radix(ignored.expect("a line of it").trim(), 16);
    ignored.expect("a mask") >> (signal - 1) & 1 == 1
}

#[test]
fn nothing_survives_the_supervisor() {
    let slow = "void kernel_main() { cb_reserve_back(0, 1); asm volatile(\"1: jmp 1b\"); }";
    for (name, number) in [("KILL", 9), ("TERM", 15), ("INT", 2), ("HUP", 1), ("QUIT", 3)] {
        if is_ignored(number) {
            continue;
        }
        let Some(case) = Case::new(&format!("{BEFORE}{slow}")) else { return };
        // A loaded host must not take it for silent first.
        let mut child = start(&case, &["--silence", "600"], is_running);
        signal(&child, name);
        let status = child.wait().expect("it ends");
        assert!(status.signal().is_some(), "{name}: {status}");
        let output = child.wait_with_output().expect("its output");
        assert_eq!((output.stdout, output.stderr), (Vec::new(), Vec::new()), "{name}");
        case.must_be_over();
    }
}

#[test]
fn no_compiler_survives_the_supervisor() {
    let text =
        format!("#include <regex>\n#include <iostream>\n{BEFORE}// {}\n", std::process::id());
    let Some(case) = Case::new(&format!("{text}void kernel_main() {{}}")) else { return };
    let cache = case.folder.join("cache");
    let mut command = case.command(&[]);
    command.env("XDG_CACHE_HOME", &cache).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    let is_compiling = |name: &String| name.starts_with("cc1plus") || name.starts_with("clang");
    for _ in 0..1500 {
        if case.left().iter().any(is_compiling) {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(case.left().iter().any(is_compiling), "{:?}", case.left());
    signal(&child, "KILL");
    child.wait().expect("it ends");
    for _ in 0..500 {
        if case.left().is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let names = fs::read_dir(cache.join("tilewright")).expect("a cache").flatten();
    let names: Vec<String> =
        names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    assert!(names.iter().all(|name| !name.starts_with("tmp-")), "{names:?}");
    fs::remove_dir_all(&cache).expect("ours");
    case.must_be_over();
}

#[test]
fn a_worker_that_is_stopped_is_ended() {
    let slow = "void kernel_main() { for (int i = 0; i < 100; i++) { usleep(30000);
        cb_reserve_back(0, 1); } }";
    let Some(case) = Case::new(&format!("{BEFORE}{slow}")) else { return };
    let child = start(&case, &["--timeout", "2", "--silence", "1"], is_running);
    // The last process that was started is the worker.
    let entries = fs::read_dir("/proc").expect("processes").flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_string_lossy().parse::<u32>().ok());
    let parent = |id: u32| {
        let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        text.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse::<u32>().ok()
    };
    let worker = ids.filter(|id| parent(*id) == Some(child.id())).max().expect("a worker");
    let stopped = Command::new("kill").args(["-STOP", &worker.to_string()]).status();
    assert!(stopped.expect("there is a kill").success());
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("error[endless-loop]"), "{text}");
    case.must_be_over();
}
