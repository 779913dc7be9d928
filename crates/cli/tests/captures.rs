//! A capture runs elsewhere as its manifest runs here, and what is no capture is refused.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{Answer, has_compiler, must_hold, root, tilewright, tilewright_in};
use serde_json::Value;

/// Values that are replaced so that the examples are small.
const SMALL: [(&str, u32); 3] = [("rows", 64), ("depth", 64), ("columns", 128)];

/// An empty folder.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("captures-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("room");
    folder
}

/// Every manifest below a folder.
fn manifests(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(manifests(&path));
        } else if path.extension().is_some_and(|it| it == "toml") && has_kernels(&path) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Whether a file is a manifest; sweeps have the same ending.
fn has_kernels(file: &Path) -> bool {
    fs::read_to_string(file).expect("a file").contains("kernels.")
}

#[track_caller]
fn record(command: &str, answer: &Answer) -> Value {
    assert_ne!(answer.code, 2, "{}{}", answer.stdout, answer.stderr);
    must_hold(command, &answer.stdout)
}

/// Runs a manifest here and its capture elsewhere, and gives the two records.
#[track_caller]
fn both(manifest: &str, set: &[String], elsewhere: &Path) -> [Value; 2] {
    let set: Vec<&str> = set.iter().flat_map(|it| ["--set", it]).collect();
    let file = elsewhere.join("program.cap");
    let name = file.to_str().expect("UTF-8");
    let run = [&["run", manifest, "--json", "--seed", "3"], set.as_slice()].concat();
    let here = record("run", &tilewright(&run));
    let capture = ["capture", manifest, "--json", "--seed", "3", "-o", name];
    record("capture", &tilewright(&[&capture, set.as_slice()].concat()));
    let there = tilewright_in(elsewhere, &["run", "program.cap", "--json"]);
    [here, record("run", &there)]
}

#[test]
fn a_capture_of_each_example_runs_elsewhere_with_the_same_digest_and_verdict() {
    if !has_compiler() {
        return;
    }
    let (examples, elsewhere) = (root().join("examples"), folder("examples"));
    let all = manifests(&examples);
    assert!(all.len() >= 9, "{all:?}");
    for manifest in &all {
        let text = fs::read_to_string(manifest).expect("a manifest");
        let small = SMALL.into_iter().filter(|(name, _)| text.contains(&format!("\n{name} = ")));
        let set: Vec<String> = small.map(|(name, value)| format!("{name}={value}")).collect();
        let [here, there] = both(manifest.to_str().expect("UTF-8"), &set, &elsewhere);
        let context = manifest.display();
        assert_eq!(here["verdict"], "pass", "{context}");
        for field in ["verdict", "digest", "seed", "outputs", "findings", "tiles", "programs"] {
            assert_eq!(there[field], here[field], "{field} of {context}");
        }
    }
}

#[test]
fn a_capture_shows_the_mistake_of_its_program() {
    if !has_compiler() {
        return;
    }
    let elsewhere = folder("mistake");
    let set = ["mistake=1".to_owned()];
    let [here, there] = both("examples/tutorial/program.toml", &set, &elsewhere);
    let ids = |run: &Value| -> Vec<Value> {
        let findings = run["findings"].as_array().expect("findings");
        findings.iter().map(|finding| finding["id"].clone()).collect()
    };
    assert!(!ids(&here).is_empty());
    assert_eq!(ids(&there), ids(&here));
    assert_eq!((&there["verdict"], &there["digest"]), (&here["verdict"], &here["digest"]));
    for command in ["check", "replay", "report", "trace"] {
        let answer = tilewright_in(&elsewhere, &[command, "program.cap", "--json"]);
        assert_eq!(answer.code, 1, "{command}: {}{}", answer.stdout, answer.stderr);
        let record: Value = serde_json::from_str(&answer.stdout).expect("JSON");
        assert_eq!(record["verdict"], here["verdict"], "{command}");
    }
}

#[test]
fn a_damaged_or_foreign_file_is_refused() {
    let folder = folder("damaged");
    if has_compiler() {
        let manifest = root().join("examples/tutorial/program.toml");
        let manifest = manifest.to_str().expect("UTF-8");
        assert_eq!(tilewright_in(&folder, &["capture", manifest, "-o", "whole.cap"]).code, 0);
        let whole = fs::read(folder.join("whole.cap")).expect("a capture");
        fs::write(folder.join("short.cap"), &whole[..whole.len() - 7]).expect("room");
        fs::write(folder.join("head.cap"), &whole[..100]).expect("room");
    }
    fs::write(folder.join("foreign.cap"), "name = \"a manifest\"\n").expect("room");
    fs::write(folder.join("empty.cap"), "").expect("room");
    for entry in fs::read_dir(&folder).expect("a folder") {
        let name = entry.expect("an entry").file_name().into_string().expect("UTF-8");
        if name == "whole.cap" {
            continue;
        }
        let answer = tilewright_in(&folder, &["run", &name]);
        let start = format!("error: {name}: not a capture: ");
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{name}");
        assert!(answer.stderr.starts_with(&start), "{}", answer.stderr);
    }
}
