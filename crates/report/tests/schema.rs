//! The published schemas are those of the records. `TILEWRIGHT_BLESS=1` writes them anew.

use std::path::Path;

use tilewright_report::record::{
    Answer, Breadcrumb, Cache, Capture, Checked, Completions, Corpus, Devices, Diff, Doctor, Drawn,
    DrawnDevices, Explain, Grade, List, New, Replay, Repro, Run, Stages, Sweep, Vectors,
};
use tilewright_report::{json, jsonl};
use tilewright_run::sweep::{Plan, SweepRow};

#[track_caller]
fn check(name: &str, schema: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    let path = folder.join(format!("{name}.schema.json"));
    tilewright_testing::stored(&path, schema);
}

#[test]
fn the_published_schemas_are_those_of_the_records() {
    check("breadcrumb", &json::schema::<Breadcrumb>("a line of breadcrumbs.jsonl"));
    check("new", &json::schema::<Answer<New>>("tilewright new --json"));
    check("stages", &json::schema::<Answer<Stages>>("tilewright stages --json"));
    check("cache", &json::schema::<Answer<Cache>>("tilewright cache --json"));
    check("capture", &json::schema::<Answer<Capture>>("tilewright capture --json"));
    check("checks", &json::schema::<Answer<Checked>>("tilewright check --json, several"));
    check("completions", &json::schema::<Answer<Completions>>("tilewright completions --json"));
    check("corpus", &json::schema::<Answer<Corpus>>("tilewright corpus --json"));
    check("diff", &json::schema::<Answer<Diff>>("tilewright diff --json"));
    check("devices", &json::schema::<Answer<Devices>>("tilewright check --json, several devices"));
    check("doctor", &json::schema::<Answer<Doctor>>("tilewright doctor --json"));
    check("explain", &json::schema::<Answer<Explain>>("tilewright explain --json"));
    check("list", &json::schema::<Answer<List>>("tilewright list --json"));
    check("replay", &json::schema::<Answer<Replay>>("tilewright replay --json"));
    check("grade", &json::schema::<Answer<Grade>>("tilewright grade --json"));
    check("sweep", &json::schema::<Answer<Sweep>>("tilewright sweep --json, last line"));
    check("sweep-line", &json::schema::<SweepRow>("tilewright sweep --json, other lines"));
    check("sweep-file", &json::schema::<Plan>("a sweep file"));
    check("repro", &json::schema::<Answer<Repro>>("tilewright repro --json"));
    check("report", &json::schema::<Answer<Drawn>>("tilewright report --json"));
    let several = "tilewright report --device A,B --json";
    check("report-devices", &json::schema::<Answer<DrawnDevices>>(several));
    check("run", &json::schema::<Answer<Run>>("tilewright run --json"));
    check("trace", &json::schema::<Answer<Drawn>>("tilewright trace --json"));
    check("trace-line", &json::schema::<jsonl::Line<'_>>("A line of tilewright trace --jsonl"));
    check("vectors", &json::schema::<Answer<Vectors>>("tilewright vectors --json"));
}
