//! Sweeps: every combination once, the same table whatever happens in between.

use std::fs;
use std::path::{Path, PathBuf};

use tilewright_run::prelude::RunVerdict;
use tilewright_run::sweep::{Plan, Sweep, Word};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sweeps").join(name);
    drop(fs::remove_dir_all(&folder));
    folder
}

fn plan(text: &str) -> Plan {
    let path = folder("plan").with_extension(format!("{}.toml", text.len()));
    fs::create_dir_all(path.parent().expect("a folder")).expect("room");
    fs::write(&path, text).expect("room");
    Plan::read(&path).expect("a sweep file")
}

const SMALL: &str = r#"
subject = "softmax"
shapes = ["32x32", "40x50"]
inputs = ["uniform", "ramp"]
data_seeds = [0, 1]
seeds = [0, 7]
cores = [1, 3]
"#;

fn files(folder: &Path) -> [String; 2] {
    ["results.jsonl", "results.csv"]
        .map(|name| fs::read_to_string(folder.join(name)).expect("results"))
}

/// The Python package's tests do the same with 2,000 runs.
#[test]
fn an_interrupted_sweep_ends_with_the_same_table() {
    let (plan, runs) = (plan(SMALL), 32);
    let whole = folder("whole");
    let swept = Sweep::new(plan.clone(), &whole).run().expect("runs");
    assert_eq!((swept.summary.runs, swept.summary.pass, swept.summary.resumed), (runs, runs, 0));
    assert!(swept.summary.smallest_failure.is_none());
    let wanted = files(&whole);
    let lines: Vec<&str> = wanted[0].lines().collect();
    assert_eq!(lines.len(), runs + 1);
    for (kept, part) in [(0, 0), (1, 9), (20, 40), (runs, 0)] {
        let broken = folder("broken");
        fs::create_dir_all(&broken).expect("room");
        // Rows come in any order, and an interruption may leave half a line.
        let rows = lines[1..=kept].iter().rev().map(|line| format!("{line}\n"));
        let mut text: String = std::iter::once(format!("{}\n", lines[0])).chain(rows).collect();
        text += &lines[lines.len() - 1][..part];
        fs::write(broken.join("results.jsonl"), text).expect("room");
        let sweep = Sweep { threads: Some(2), ..Sweep::new(plan.clone(), &broken) };
        assert_eq!(sweep.run().expect("runs").summary.resumed, kept);
        assert_eq!(files(&broken), wanted, "{kept} rows and {part} bytes");
    }
}

#[test]
fn results_of_another_sweep_are_not_continued() {
    let place = folder("other");
    let small = Plan {
        subject: "identity".to_owned(),
        shapes: vec!["32x32".to_owned()],
        ..Plan::default()
    };
    Sweep::new(small.clone(), &place).run().expect("runs");
    let other = Plan { cores: vec![1], ..small };
    let failure = Sweep::new(other, &place).run().expect_err("another sweep");
    assert!(failure.message.contains("results of another sweep"), "{failure:?}");
}

#[test]
fn values_are_checked_before_the_first_run() {
    let check = |plan: Plan, what: &str| {
        let failure = Sweep::new(plan, folder("bad")).run().expect_err("a bad plan");
        assert!(failure.message.contains(what), "{failure:?}");
    };
    let good = || Plan { subject: "identity".to_owned(), ..Plan::default() };
    check(Plan { shapes: vec!["3y4".to_owned()], ..good() }, "shape `3y4` is no shape");
    check(Plan { inputs: vec!["unifrom".to_owned()], ..good() }, "input `unifrom` is no input");
    check(Plan { formats: vec!["bf17".to_owned()], ..good() }, "format `bf17` is no format");
    check(Plan { cores: vec![2, 2], ..good() }, "cores has `2` twice");
    let (seeds, cores) = ((0..2000).collect(), (1..2000).collect());
    check(Plan { seeds, cores, ..good() }, "3998000 combinations");
    let options = [("seed".to_owned(), vec![Word::Number(1)])].into();
    check(Plan { options, ..good() }, "the option `seed` has the name of an axis");
}

/// A run that cannot run is a row of its own, and the others go on.
#[test]
fn a_run_that_cannot_run_says_why() {
    let words = ["row", "no-such"].map(|word| Word::Text(word.to_owned()));
    let options = [("path".to_owned(), words.to_vec())].into();
    let shapes = vec!["32x64".to_owned()];
    let plan = Plan { subject: "layernorm-fw".to_owned(), shapes, options, ..Plan::default() };
    let swept = Sweep::new(plan, folder("cannot")).run().expect("runs");
    assert_eq!((swept.summary.pass, swept.summary.error), (1, 1));
    let row = &swept.rows[1];
    assert_eq!(row.verdict, RunVerdict::Error);
    assert!(row.message.as_ref().is_some_and(|why| why.contains("no-such")), "{row:?}");
}
