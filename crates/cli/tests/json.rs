//! What `--json` prints holds to the published schemas, and says what the terminal says.

use crate::common;
use std::fs;
use std::path::Path;

use crate::common::json_schema::errors;
use crate::common::{has_compiler, must_hold, schema, tilewright};
use serde_json::Value;
use tilewright_check::FindingId;
use tilewright_report::json;
use tilewright_report::record::{Number, Output};

/// Runs a command with `--json`, holds its answer to its schema and gives it back.
#[track_caller]
fn check(arguments: &[&str], verdict: Option<&str>, code: i32) -> Value {
    let all: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
    let answer = tilewright(&all);
    let value = must_hold(arguments[0], &answer.stdout);
    assert_eq!(value.get("verdict").and_then(Value::as_str), verdict, "{}", answer.stdout);
    assert_eq!((answer.code, answer.stderr.as_str()), (code, ""));
    value
}

#[test]
fn answers_hold_to_their_schemas() {
    check(&["completions", "zsh"], None, 0);
    if has_compiler() {
        check(&["corpus", "crates/metal/tests/kernels"], None, 0);
    }
    check(&["doctor"], None, 0);
    lists_every_kind(&check(&["explain"], None, 0));
    check(&["list"], None, 0);
    check(&["repro", "--only", "64 tiles"], None, 0);
    check(&["vectors", "crates/cli/tests/golden/right"], Some("pass"), 0);
    check(&["vectors", "crates/cli/tests/golden/differs"], Some("fail"), 1);
    for input in ["uniform", "zeros", "special", "wide-range"] {
        let run = ["run", "identity", "--shape", "3x65x70", "--cores", "5", "--input", input];
        check(&run, Some("pass"), 0);
    }
}

/// Every kind of finding is explained, in the record and on the terminal.
fn lists_every_kind(explained: &Value) {
    let record = explained.to_string();
    let terminal = tilewright(&["explain"]).stdout;
    for id in FindingId::ALL {
        assert!(record.contains(&format!("\"{id}\"")), "{id}: {record}");
        let is_line = |line: &str| line.split_whitespace().next() == Some(id.name());
        assert!(terminal.lines().any(is_line), "{id}: {terminal}");
    }
}

/// A name in the folder where tests may write.
fn scratch(name: &str) -> String {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name).display().to_string()
}

#[test]
fn what_is_drawn_holds_to_its_schemas() {
    let run = ["softmax", "--shape", "1x1x64x96", "--cores", "2"];
    let (page, trace, lines) = (scratch("j.html"), scratch("j.pftrace"), scratch("j.jsonl"));
    let report = check(&[&["report"], &run[..], &["-o", &page]].concat(), Some("pass"), 0);
    assert_eq!(report["files"][0]["bytes"], fs::metadata(&page).expect("a page").len());
    let typed = [&["trace"], &run[..], &["-o", &trace, "--jsonl", &lines]].concat();
    let answer = check(&typed, Some("pass"), 0);
    assert_eq!(answer["files"][0]["bytes"], fs::metadata(&trace).expect("a trace").len());
    let schema = schema("trace-line");
    let is_valid = |line: &Value| errors(&schema, line).is_empty();
    let (mut slices, mut transfers) = (0, 0);
    for line in fs::read_to_string(&lines).expect("lines").lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        assert!(is_valid(&line), "{line}");
        slices += usize::from(line["type"] == "slice");
        transfers += usize::from(line["type"] == "transfer");
    }
    assert_eq!(answer["programs"][0]["slices"], slices);
    assert_eq!(answer["programs"][0]["transfers"], transfers);
    assert!(!is_valid(&serde_json::json!({"type": "slice"})), "it takes anything");
}

#[test]
fn schedules_are_run_and_merged() {
    let run = ["run", "softmax", "--shape", "64x64", "--seed", "3", "--threads", "2"];
    let many = check(&[&run[..], &["--seeds", "4"]].concat(), Some("pass"), 0);
    let one = check(&run, Some("pass"), 0);
    assert_eq!((&many["schedules"], &one["schedules"]), (&4.into(), &1.into()));
    for field in ["seed", "cycles", "digest", "outputs", "findings"] {
        assert_eq!(many[field], one[field], "{field}");
    }
    check(&[&run[..], &["--seeds", "0"]].concat(), Some("error"), 2);
    let last = ["run", "identity", "--seed", "18446744073709551615", "--seeds", "2"];
    check(&last, Some("error"), 2);
}

#[test]
fn a_run_stops_where_it_is_asked_to() {
    let run = ["replay", "layernorm-bw", "--shape", "64x64", "--seed", "5"];
    let whole = check(&run, Some("pass"), 0);
    assert_eq!(whole["pause"], Value::Null);
    let cycles = whole["cycles"].as_u64().expect("cycles");
    let mut programs = std::collections::BTreeSet::new();
    for part in [1, 5, 9] {
        let at = (cycles * part / 10).to_string();
        let stopped = check(&[&run[..], &["--stop-at", &at]].concat(), Some("paused"), 0);
        let cores = stopped["pause"]["cores"].as_array().expect("cores");
        assert!(!cores.is_empty());
        let processors = cores[0]["processors"].as_array().expect("processors");
        assert_eq!(processors.len(), 5);
        let is_placed = |it: &Value| it["line"].as_u64() > Some(0) || it["doing"] == "has returned";
        assert!(processors.iter().all(is_placed), "{processors:#?}");
        programs.insert(stopped["pause"]["program"].as_str().expect("a name").to_owned());
    }
    assert_eq!(programs.len(), 2, "cycles count on from program to program: {programs:?}");
}

#[test]
fn manifests_hold_to_the_schema_of_runs() {
    for command in ["run", "check"] {
        let wrong = "crates/run/tests/manifests/wrong/unknown_keys.toml";
        let failure = check(&[command, wrong], Some("error"), 2);
        let first = &failure["places"][0];
        assert_eq!((&first["line"], &first["column"]), (&1.into(), &1.into()), "{failure}");
        assert_eq!(first["help"], "did you mean `name`?");
        if has_compiler() {
            let small = [command, "examples/eltwise/program.toml", "--set", "rows=64"];
            let run = check(&small, Some("pass"), 0);
            assert_eq!(run["request"]["choices"]["rows"], "64");
            assert_eq!(run["outputs"]["sum"]["judged"], 64 * 1024);
        }
    }
}

#[test]
fn failures_hold_to_their_schemas() {
    check(&["trace", "idenity"], Some("error"), 2);
    check(&["report", "identity", "--shape", "32x32", "-o", "no/such/folder"], Some("error"), 2);
    check(&["vectors", "crates"], Some("error"), 2);
    check(&["vectors"], Some("error"), 2);
    check(&["list", "--loud"], Some("error"), 2);
    check(&["repro", "--only", "no such test"], Some("error"), 2);
    let name = check(&["run", "idenity"], Some("error"), 2);
    assert_eq!(name["help"], "did you mean `identity`?");
    let input = check(&["run", "identity", "--input", "unifrom"], Some("error"), 2);
    assert_eq!(input["help"], "a similar value exists: 'uniform'");
    check(&["run", "identity", "--cores", "0"], Some("error"), 2);
    check(&["run", "identity", "--format", "bfp8"], Some("error"), 2);
    check(&["run", "identity", "--set", "colour=red"], Some("error"), 2);
}

#[test]
fn the_published_figures_come_out() {
    let rows = check(&["repro", "--only", "64 tiles"], None, 0)["rows"].clone();
    let row = &rows[0];
    assert_eq!((rows.as_array().map(Vec::len), &row["test"]), (Some(1), &"64 tiles".into()));
    assert_eq!((&row["published_max"], &row["faulty_max"]), (&1000.0.into(), &1000.0.into()));
    assert_eq!((&row["published_mean"], &row["tolerance"]), (&Value::Null, &Value::Null));
    let mean = row["faulty_mean"].as_f64().expect("a number");
    assert_eq!(format!("{mean:.4}"), "997.2430");
    assert!(row["ours_worst_ratio"].as_f64().is_some_and(|ratio| ratio <= 1.0), "{row}");
}

#[test]
fn the_same_run_has_the_same_digest_on_any_number_of_threads() {
    let run = |threads: &str, seed: &str| {
        let shape = ["run", "identity", "--shape", "2x64x320", "--threads", threads];
        check(&[&shape[..], &["--seed", seed]].concat(), Some("pass"), 0)["digest"].clone()
    };
    let first = run("1", "7");
    assert_eq!(first.as_str().map(str::len), Some(16));
    assert_eq!(first, run("1", "7"));
    assert_eq!(first, run("2", "7"));
    assert_ne!(first, run("1", "8"));
}

#[test]
fn the_replay_is_the_same_run() {
    let typed = "run identity --shape 40x96 --format fp32 --dst 16 --sync full --fidelity lofi \
                 --cores 3 --noc late --input ramp --data-seed 4 --seed 9";
    let first = check(&typed.split_whitespace().collect::<Vec<_>>(), Some("pass"), 0);
    let replay = first["replay"].as_str().expect("a command");
    let again: Vec<&str> = replay.split_whitespace().skip(1).collect();
    let again = check(&again, Some("pass"), 0);
    for field in ["request", "outputs", "cycles", "digest", "seed"] {
        assert_eq!(first[field], again[field], "{field} of `{replay}`");
    }
}

#[test]
fn numbers_that_json_lacks_hold_to_the_schema() {
    let mut run = check(&["run", "identity", "--shape", "32x32"], Some("pass"), 0);
    let output = Output {
        shape: vec![1],
        max_abs_error: Number(f64::INFINITY),
        mean_abs_error: Number(f64::NAN),
        max_relative_error: Number(f64::NEG_INFINITY),
        worst_ratio: Number(f64::NAN),
        worst_index: None,
        wanted: None,
        got: Some(Number(f64::NAN)),
        bound: None,
        in_bound: false,
        judged: 0,
        outside: 1,
        unjudged: 1,
        median_slack: Number(0.5),
    };
    let schema = schema("run");
    run["outputs"]["y"] = serde_json::from_str(&json::text(&output)).expect("JSON");
    assert_eq!(errors(&schema, &run), [""; 0]);
    run["outputs"]["y"]["worst_ratio"] = "large".into();
    assert!(!errors(&schema, &run).is_empty(), "the schema takes anything");
}

/// The example that adds two tensors, made to subtract them: a wrong result that no tool explains.
fn subtracting() -> String {
    let (from, to) = (common::root().join("examples/eltwise"), scratch("subtracting"));
    fs::create_dir_all(&to).expect("a folder");
    for entry in fs::read_dir(from).expect("the example") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("a file of the example");
        let text = text.replace("add_init", "sub_init").replace("add_tiles", "sub_tiles");
        fs::write(Path::new(&to).join(path.file_name().expect("a name")), text).expect("a file");
    }
    format!("{to}/program.toml")
}

#[test]
fn values_out_of_bound_are_a_finding_and_fail_the_run() {
    if !has_compiler() {
        return;
    }
    let manifest = subtracting();
    let run = ["run", &manifest, "--set", "rows=64", "--set", "columns=64"];
    let told = check(&run, Some("fail"), 1);
    let finding = &told["findings"][0];
    assert_eq!((&finding["id"], &finding["blame"]), (&"beyond-bound".into(), &"kernel-bug".into()));
    assert_eq!(told["findings"].as_array().map(Vec::len), Some(1), "{told}");
    let outside = told["outputs"]["sum"]["outside"].as_u64().expect("a count");
    let title = format!("{outside} of 4096 elements of `sum` are outside their bounds");
    assert_eq!(finding["title"], title);
    let file = finding["marks"][0]["file"].as_str().expect("a file");
    assert!(file.ends_with("subtracting/writer.cpp"), "{file}");
    // Without the tool, and with the finding allowed, the run fails all the same.
    for (more, allowed) in [(["--check", "none"], 0), (["--allow", "beyond-bound"], 1)] {
        let told = check(&[&run[..], &more].concat(), Some("fail"), 1);
        assert_eq!(
            (&told["findings"], &told["allowed"]),
            (&Value::Array(Vec::new()), &allowed.into())
        );
        assert_eq!(told["outputs"]["sum"]["outside"], outside);
    }
    let many = check(&[&run[..], &["--seeds", "3"]].concat(), Some("fail"), 1);
    assert_eq!(many["findings"][0]["seeds"], serde_json::json!([0, 1, 2]), "{many}");
    // What is printed with the finding shows it again.
    let replay = finding["replay"].as_str().expect("a command");
    let typed: Vec<&str> = replay.split_whitespace().skip(1).collect();
    let again = check(&typed, Some("fail"), 1);
    assert_eq!(again["findings"][0]["title"], title, "{replay}: {again}");
}
