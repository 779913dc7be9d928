//! A folder of programs with three faults, checked as the services of continuous integration do.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{formats, has_compiler, must_hold, root, tilewright_in};

/// Programs in a folder of their own: a right one, one that counts a core too many, one that leaves
/// an output unwritten and one whose kernel is not there; none where the host has no compiler.
fn folder(name: &str) -> Option<PathBuf> {
    if !has_compiler() {
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    drop(fs::remove_dir_all(&folder));
    let program = |name: &str, file: &str, from: &str, to: &str| {
        let own = folder.join("programs").join(name);
        fs::create_dir_all(&own).expect("a folder");
        let share = root().join("crates/check/tests/faults/programs/share");
        for entry in fs::read_dir(share).expect("kernels") {
            let path = entry.expect("an entry").path();
            fs::copy(&path, own.join(path.file_name().expect("a name"))).expect("a copy");
        }
        let text = fs::read_to_string(own.join(file)).expect("a file");
        assert!(text.contains(from), "{file}: {from}");
        fs::write(own.join(file), text.replacen(from, to, 1)).expect("a file");
    };
    program("a right one", "reader.cpp", "rounds", "rounds");
    program("counts", "reader.cpp", "get_tile_size(1), 3);", "get_tile_size(1), 4);");
    program("lacks", "program.toml", "\"compute.cpp\"", "\"missing.cpp\"");
    program("skips", "writer.cpp", "i < rounds; ++i", "i + 1 < rounds; ++i");
    fs::write(folder.join("programs/Cargo.toml"), "[package]\n").expect("a file");
    Some(folder)
}

fn check(folder: &Path, more: &[&str], code: i32) -> String {
    let typed: Vec<&str> = ["check", "programs"].into_iter().chain(more.iter().copied()).collect();
    let answer = tilewright_in(folder, &typed);
    assert_eq!((answer.code, answer.stderr.as_str()), (code, ""), "{typed:?}: {}", answer.stdout);
    answer.stdout
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn every_form_tells_all_three_faults_at_their_lines() {
    let Some(folder) = folder("ci-forms") else { return };
    let terminal = check(&folder, &[], 2);
    let summary = terminal.lines().last().expect("a summary");
    assert_eq!(summary, "4 programs: 1 error, 2 fail, 1 unjudged", "{terminal}");

    let checked = must_hold("checks", &check(&folder, &["--json"], 2));
    assert_eq!(checked["verdict"], "error");
    assert_eq!(checked["programs"][0]["name"], "programs/a right one/program.toml");

    let sarif = parsed(&check(&folder, &["--format", "sarif"], 2));
    assert_eq!(formats::sarif(&sarif), [""; 0]);
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    let told: Vec<(&str, &str, u64)> = results
        .iter()
        .map(|result| {
            let place = &result["locations"][0]["physicalLocation"];
            let id = result["ruleId"].as_str().expect("an id");
            let file = place["artifactLocation"]["uri"].as_str().expect("a file");
            (id, file, place["region"]["startLine"].as_u64().expect("a line"))
        })
        .collect();
    let [counts, lacks, skips, leaves] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(*counts, ("miscounted-cores", "programs/counts/reader.cpp", 30));
    assert_eq!((lacks.0, lacks.1), ("could-not-run", "programs/lacks/program.toml"));
    assert_eq!(*skips, ("unwritten-output", "programs/skips/program.toml", 19));
    assert_eq!(*leaves, ("leftover-pages", "programs/skips/compute.cpp", 24));
    let issues = parsed(&check(&folder, &["--format", "gitlab"], 2));
    assert_eq!(formats::gitlab(&issues), [""; 0]);
    assert_eq!(issues[0]["check_name"], "miscounted-cores");
    assert_eq!(issues[0]["location"]["path"], "programs/counts/reader.cpp");
    assert_eq!(issues[0]["location"]["lines"]["begin"], 30);

    let annotations = check(&folder, &["--format", "github"], 2);
    assert_eq!(annotations.lines().find_map(formats::annotation), None);
    let told: Vec<(&str, &str)> = annotations.lines().filter_map(place_and_title).collect();
    let wanted = [
        ("file=programs/counts/reader.cpp,line=30,col=13", "miscounted-cores"),
        ("file=programs/lacks/program.toml,line=50,col=8", "could-not-run"),
        ("file=programs/skips/program.toml,line=19,col=10", "unwritten-output"),
        ("file=programs/skips/compute.cpp,line=24,col=9", "leftover-pages"),
    ];
    assert_eq!(told, wanted, "{annotations}");
    // The help may name any marked line, and an annotation is shown at one.
    assert!(annotations.contains("%0Aprograms/counts/reader.cpp:30: "), "{annotations}");

    let junit = check(&folder, &["--format", "junit"], 2);
    assert_eq!(formats::junit(&junit), [""; 0]);
    let totals = "tests=\"4\" failures=\"2\" errors=\"1\"";
    assert_eq!(junit.matches(totals).count(), 2, "{junit}");
    assert!(junit.contains("<failure type=\"miscounted-cores\""), "{junit}");
    assert_eq!(junit.matches("<testcase ").count(), 4);
}

/// Where an annotation is shown, but for its end, and its title.
fn place_and_title(line: &str) -> Option<(&str, &str)> {
    let (head, _) = line.strip_prefix("::error ")?.split_once("::")?;
    let (place, title) = head.split_once(",title=")?;
    Some((place.split_once(",endColumn").map_or(place, |(place, _)| place), title))
}

#[test]
fn what_a_baseline_knows_does_not_count() {
    let Some(folder) = folder("ci-baseline") else { return };
    for other in ["lacks", "skips"] {
        fs::remove_dir_all(folder.join("programs").join(other)).expect("it is there");
    }
    let file = ["--write-baseline", "known.json"];
    check(&folder, &file, 1);
    let text = check(&folder, &["--baseline", "known.json"], 0);
    assert!(text.ends_with("2 programs: 2 unjudged\n note: 1 finding of the baseline left out\n"));
    // A line above it changes nothing.
    let reader = folder.join("programs/counts/reader.cpp");
    let source = fs::read_to_string(&reader).expect("a kernel");
    fs::write(&reader, format!("// One line more.\n{source}")).expect("a kernel");
    check(&folder, &["--baseline", "known.json"], 0);
    let worse = source.replace("cb_push_back(0, 1);\n", "cb_push_back(0, 2);\n");
    fs::write(&reader, worse).expect("a kernel");
    check(&folder, &["--baseline", "known.json"], 1);
    fs::write(folder.join("known.json"), "[{}]").expect("a file");
    let answer = tilewright_in(&folder, &["check", "programs", "--baseline", "known.json"]);
    assert_eq!(answer.code, 2);
    assert!(
        answer.stderr.starts_with("error: known.json is not a baseline file: "),
        "{}",
        answer.stderr
    );
}

#[test]
fn what_cannot_be_is_refused() {
    let told = |typed: &[&str]| {
        let answer = tilewright_in(&root(), typed);
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{typed:?}");
        answer.stderr
    };
    let form = told(&["run", "identity", "--format", "sarif"]);
    assert!(form.starts_with("error: --format: only `check` writes"), "{form}");
    let empty = told(&["check", "docs"]);
    assert!(empty.starts_with("error: docs has no manifest and no capture"), "{empty}");
}

/// A comment with a reason allows a finding at its line; one that allows nothing is noted.
#[test]
fn comments_at_the_line_allow_findings() {
    let Some(folder) = folder("ci-comments") else { return };
    let reader = folder.join("programs/counts/reader.cpp");
    let text = fs::read_to_string(&reader).expect("a kernel");
    let (from, allow) = ("            noc_async_write_multicast(", "// tilewright: allow(");
    let put = |comment: &str| {
        let text = text.replace(from, &format!("            {allow}{comment}\n{from}"));
        fs::write(&reader, text).expect("a kernel");
        let file = "programs/counts/program.toml";
        let answer = tilewright_in(&folder, &["check", file, "--json"]);
        let run = parsed(&answer.stdout);
        (run["findings"].to_string(), run["allowed"].clone(), run["notes"].to_string(), answer.code)
    };
    let (findings, allowed, notes, code) = put("miscounted-cores): the bus counts itself");
    assert_eq!((findings.as_str(), allowed, code), ("[]", 1.into(), 0), "{notes}");
    assert!(notes.contains("allowed at line 31 and not listed: the bus counts itself"), "{notes}");
    let (findings, _, notes, code) = put("over-pop): not here");
    assert!(findings.contains("miscounted-cores") && code == 1, "{findings}");
    assert!(notes.contains("reader.cpp:30: allow(over-pop) is stale"), "{notes}");
    let (findings, _, notes, _) = put("miscounted-cores)");
    assert!(findings.contains("miscounted-cores"), "{findings}");
    assert!(notes.contains("gives no reason, and allows nothing"), "{notes}");
}

#[test]
fn two_versions_of_a_program_differ_in_what_the_change_has_brought() {
    let Some(folder) = folder("ci-diff") else { return };
    let (right, wrong) = ("programs/a right one/program.toml", "programs/counts/program.toml");
    let answer = tilewright_in(&folder, &["diff", right, wrong, "--html", "d.html", "--json"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (1, ""), "{}", answer.stdout);
    let diff = must_hold("diff", &answer.stdout);
    assert_eq!(diff["is_same"], false);
    let [only] = diff["findings"].as_array().expect("findings").as_slice() else {
        panic!("{}", diff["findings"])
    };
    assert_eq!((&only["id"], &only["found_in"]), (&"miscounted-cores".into(), &[wrong].into()));
    let outputs = diff["outputs"].as_array().expect("outputs");
    assert!(!outputs.is_empty() && outputs.iter().all(|it| it["differing"] == 0), "{outputs:?}");
    let page = fs::read_to_string(folder.join("d.html")).expect("a page");
    assert!(page.contains("miscounted-cores") && page.contains("@media"), "{page}");
    for name in ["@title@", "@facts@", "@outputs@", "@findings@", "NaN"] {
        assert!(!page.contains(name), "{name}: {page}");
    }
    let answer = tilewright_in(&folder, &["diff", right, right]);
    assert_eq!(answer.code, 0, "{}", answer.stdout);
    // A finding stays the same one where lines above it are new, in captures of two versions, too.
    let kernel = folder.join("programs/counts/reader.cpp");
    let before = fs::read_to_string(&kernel).expect("a kernel");
    let kept = ["capture", wrong, "-o"];
    assert_eq!(tilewright_in(&folder, &[&kept[..], &["before.cap"]].concat()).code, 0);
    fs::write(&kernel, format!("// One more line.\n{before}")).expect("writable");
    assert_eq!(tilewright_in(&folder, &[&kept[..], &["after.cap"]].concat()).code, 0);
    let answer = tilewright_in(&folder, &["diff", "before.cap", "after.cap", "--json"]);
    assert_eq!(must_hold("diff", &answer.stdout)["findings"], serde_json::json!([]));
}
