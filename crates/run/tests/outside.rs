//! The book's page "From Rust" as somebody outside of this workspace would try it: it compiles in a
//! package of its own with one dependency.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The program of the page.
fn program(root: &Path) -> String {
    let page = fs::read_to_string(root.join("docs/src/library.md")).expect("the page");
    let (_, rest) = page.split_once("```rust\n").expect("a program");
    let (program, _) = rest.split_once("```").expect("its end");
    program.to_owned()
}

#[test]
fn ten_lines_and_one_crate_are_enough() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let program = program(&root);
    let body = program.lines().skip_while(|line| !line.starts_with("fn main")).skip(1);
    assert!(body.take_while(|line| *line != "}").count() <= 10, "{program}");
    let tmp = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let package = tmp.join("outside");
    fs::create_dir_all(package.join("src")).expect("a package");
    fs::write(package.join("src/main.rs"), program).expect("a program");
    // The same versions, so that nothing is downloaded.
    fs::copy(root.join("Cargo.lock"), package.join("Cargo.lock")).expect("a lock file");
    let crate_path = root.join("crates/run").canonicalize().expect("the crate");
    let manifest = format!(
        "[package]\nname = \"outside\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
         tilewright-run = {{ path = {crate_path:?} }}\n"
    );
    fs::write(package.join("Cargo.toml"), manifest).expect("a manifest");
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["check", "--quiet", "--offline"])
        .current_dir(&package)
        .env("CARGO_TARGET_DIR", tmp.parent().expect("the target folder"))
        .output()
        .expect("cargo starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}
