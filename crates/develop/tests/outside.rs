//! Packages as somebody outside of this workspace would have them, with one dependency: the program
//! of the book's page "From Rust", and operations in Rust as `tilewright new` makes them.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tilewright_develop::{Asked, Language, Scaffold, Template, run};
use tilewright_run::{FrontEnd, Progress, Silent};
use tilewright_testing::skip;

/// Packages share a target folder, which one build at a time can use.
static TURN: Mutex<()> = Mutex::new(());

/// Packages of the registry are those of the workspace's own tests; ours are built once more, as
/// fast as possible.
const PROFILE: &str = "
[profile.dev]
opt-level = 0
debug = false
[profile.dev.package.'*']
opt-level = 0
";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// An empty folder whose packages take this workspace's crates in place of published ones, and its
/// locked versions, so that nothing is downloaded.
fn folder(name: &str) -> (PathBuf, MutexGuard<'static, ()>) {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let tmp = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = tmp.join("outside").join(name);
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(folder.join(".cargo")).expect("a folder");
    let config = format!(
        "[net]\noffline = true\n[build]\ntarget-dir = {:?}\n[patch.crates-io]\n\
         tilewright-run = {{ path = {:?} }}\n{PROFILE}",
        tmp.join("outside-target"),
        root().join("crates/run"),
    );
    fs::write(folder.join(".cargo/config.toml"), config).expect("a configuration");
    (folder, turn)
}

fn lock(package: &Path) {
    fs::copy(root().join("Cargo.lock"), package.join("Cargo.lock")).expect("a lock file");
}

/// The program of the page.
fn program() -> String {
    let page = fs::read_to_string(root().join("docs/src/library.md")).expect("the page");
    let (_, rest) = page.split_once("```rust\n").expect("a program");
    let (program, _) = rest.split_once("```").expect("its end");
    program.to_owned()
}

#[test]
fn ten_lines_and_one_crate_are_enough() {
    let program = program();
    let body = program.lines().skip_while(|line| !line.starts_with("fn main")).skip(1);
    assert!(body.take_while(|line| *line != "}").count() <= 10, "{program}");
    let (package, _turn) = folder("page");
    fs::create_dir_all(package.join("src")).expect("a package");
    fs::write(package.join("src/main.rs"), program).expect("a program");
    let manifest = "[package]\nname = \"page\"\nedition = \"2024\"\n\n[workspace]\n\n\
                    [dependencies]\ntilewright-run = \"0.1\"\n";
    fs::write(package.join("Cargo.toml"), manifest).expect("a manifest");
    lock(&package);
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo).args(["run", "--quiet"]).current_dir(&package).output();
    let output = output.expect("cargo starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(output.stdout.starts_with(b"pass\n["), "{:?}", output.stdout);
}

fn has_compiler() -> bool {
    let is_there = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let found = ["g++", "clang++"].iter().any(|name| is_there(&name));
    if !found {
        skip!("there is no C++ compiler");
    }
    found
}

fn new(parent: &Path, template: Template) -> PathBuf {
    let (name, language) = ("my_op".to_owned(), Language::Rust);
    let scaffold = Scaffold { name, template, language, parent: parent.join(template.name()) };
    let made = PathBuf::from(scaffold.write().expect("a new folder").directory);
    lock(&made);
    made
}

/// The statuses of an operation's stages, what blocks the one that fails, and its finding.
fn stages(directory: &Path) -> (Vec<&'static str>, String, Option<String>) {
    let (directory, python, timeout) = (directory.to_owned(), None, None);
    let asked = Asked { directory, through: 7, python, timeout };
    let front: Arc<dyn FrontEnd> = Arc::new(Silent);
    let stages = run(&asked, &Progress::new(&front)).expect("cargo runs");
    let failed = stages.stages.iter().find(|stage| stage.status.name() == "fail");
    let blocker = failed.and_then(|stage| stage.blocker.clone()).unwrap_or_default();
    let finding = failed.and_then(|stage| stage.finding.as_ref().map(|it| it.id.clone()));
    (stages.stages.iter().map(|stage| stage.status.name()).collect(), blocker, finding)
}

const TEMPLATES: [Template; 4] =
    [Template::Elementwise, Template::Reduction, Template::Normalisation, Template::Matmul];

#[test]
fn every_template_passes_all_stages_in_rust() {
    if !has_compiler() {
        return;
    }
    let (parent, _turn) = folder("templates");
    for template in TEMPLATES {
        let (statuses, blocker, _) = stages(&new(&parent, template));
        assert_eq!(statuses, ["pass"; 7], "{}: {blocker}", template.name());
    }
}

/// A break for each stage: a file, what is in it, what is put in its place.
const BREAKS: [(&str, &str, &str); 7] = [
    ("src/lib.rs", "pub use operation::my_op;", ""),
    ("src/operation.rs", "tensor.format == DataFormat::Bfloat16", "true"),
    (
        "src/operation.rs",
        "    launch(queue, &[*a, *b], ",
        "    if true { return Ok(*a) }\n    launch(queue, &[*a, *b], ",
    ),
    ("src/operation.rs", "device, a.shape,", "device, a.shape.with_matrix(32, 32)?,"),
    ("src/program.rs", "(16, \"cb_out\", 2,", "(16, \"cb_out\", 1,"),
    ("src/kernels/stub/writer.cpp", "(first_unit + units)", "(first_unit + units - 1)"),
    ("src/kernels/compute.cpp", "    compute_kernel_hw_startup(cb_a, cb_b, cb_out);\n", ""),
];

/// What the tools find where kernels are broken.
const FOUND: [Option<&str>; 7] =
    [None, None, None, None, None, Some("unwritten-output"), Some("missing-startup")];

#[test]
fn the_broken_stage_is_named_in_rust() {
    if !has_compiler() {
        return;
    }
    let (parent, _turn) = folder("broken");
    let operation = new(&parent, Template::Elementwise);
    for (place, (file, old, replacement)) in BREAKS.into_iter().enumerate() {
        let path = operation.join(file);
        let text = fs::read_to_string(&path).expect("a file of the scaffold");
        assert!(text.contains(old), "{file}");
        fs::write(&path, text.replace(old, replacement)).expect("an edit");
        let (statuses, blocker, finding) = stages(&operation);
        let wanted = |at: usize| match at.cmp(&place) {
            std::cmp::Ordering::Less => "pass",
            std::cmp::Ordering::Equal => "fail",
            std::cmp::Ordering::Greater => "blocked",
        };
        let wanted: Vec<&str> = (0..7).map(wanted).collect();
        assert_eq!(statuses, wanted, "{file}: {blocker}");
        assert!(!blocker.is_empty());
        if let Some(found) = FOUND.get(place).copied().flatten() {
            assert_eq!(finding.as_deref(), Some(found), "{blocker}");
        }
        fs::write(&path, text).expect("the edit is taken back");
    }
}
