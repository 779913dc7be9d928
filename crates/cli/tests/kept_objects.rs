//! Compiled kernels are found again wherever their sources lie.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{Answer, command, has_compiler, root};

/// A folder with two copies of a program, and its cache.
struct Copies(PathBuf);

impl Copies {
    fn new(name: &str) -> Copies {
        let copies = Copies(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name));
        drop(fs::remove_dir_all(&copies.0));
        let sources = root().join("crates/cli/tests/manifests/axpy");
        for copy in ["one", "two"] {
            fs::create_dir_all(copies.0.join(copy)).expect("room");
            for file in ["axpy.toml", "reader.cpp", "compute.cpp", "writer.cpp"] {
                fs::copy(sources.join(file), copies.0.join(copy).join(file)).expect("room");
            }
            copies.edit(copy, "reader.cpp", "#include <stdint.h>", "#include \"sizes.h\"");
            fs::write(copies.0.join(copy).join("sizes.h"), "#include <stdint.h>\n").expect("room");
        }
        copies
    }

    fn edit(&self, copy: &str, file: &str, from: &str, to: &str) {
        let file = self.0.join(copy).join(file);
        let text = fs::read_to_string(&file).expect("a file");
        assert!(text.contains(from), "{from}");
        fs::write(&file, text.replace(from, to)).expect("ours");
    }

    /// What `check` says of a copy, and how many objects are kept after it.
    fn check(&self, copy: &str) -> (Answer, usize) {
        let mut command = command();
        command.args(["check", &format!("{copy}/axpy.toml")]).current_dir(&self.0);
        command.env("XDG_CACHE_HOME", self.0.join("cache"));
        let answer = Answer::of(command);
        assert_eq!(answer.stderr, "");
        let kept = fs::read_dir(self.0.join("cache/tilewright")).expect("a cache").flatten();
        let is_code = |name: &std::ffi::OsStr| name.to_string_lossy().ends_with(".code");
        (answer, kept.filter(|it| is_code(&it.file_name())).count())
    }
}

/// Without its duration and the seconds of its checks.
fn lines(answer: &Answer) -> Vec<String> {
    let steady = answer.stdout.lines().filter(|line| !line.contains(" s ("));
    steady.map(|line| line.replace("one/", "two/")).collect()
}

#[test]
fn a_copy_of_a_program_is_not_compiled_again_and_findings_name_the_copy() {
    if !has_compiler() {
        return;
    }
    let copies = Copies::new("copies");
    for copy in ["one", "two"] {
        copies.edit(copy, "reader.cpp", "noc_async_read_barrier();", "");
    }
    let ((one, first), (two, second)) = (copies.check("one"), copies.check("two"));
    assert_eq!((one.code, two.code, first, second), (1, 1, 5, 5), "{}", one.stdout);
    assert!(two.stdout.contains("two/reader.cpp:"), "{}", two.stdout);
    assert!(!two.stdout.contains("one/"), "{}", two.stdout);
    assert_eq!(lines(&one), lines(&two));
    // A header of one copy is no business of the other one.
    fs::write(copies.0.join("two/sizes.h"), "#include <stdint.h>\n\n").expect("ours");
    assert_eq!((copies.check("two").1, copies.check("one").1), (6, 6));
    // Neither is a header that comes before another one.
    fs::write(copies.0.join("two/dataflow_api.h"), "").expect("ours");
    assert_eq!((copies.check("two").1 > 6, copies.check("one").0.code), (true, 1));
}

#[test]
fn a_kernel_that_tells_its_file_is_compiled_for_each_place() {
    if !has_compiler() {
        return;
    }
    let copies = Copies::new("named-copies");
    for copy in ["one", "two"] {
        let print = "void kernel_main() {\n    DPRINT << __FILE__ << ENDL();";
        copies.edit(copy, "reader.cpp", "void kernel_main() {", print);
    }
    for (copy, kept) in [("one", 5), ("two", 6), ("one", 6)] {
        let (answer, objects) = copies.check(copy);
        let printed = answer.stdout.contains(&format!("{copy}/reader.cpp"));
        assert_eq!((answer.code, printed, objects), (0, true, kept), "{}", answer.stdout);
    }
}
