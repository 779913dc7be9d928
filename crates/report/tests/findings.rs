//! How a finding is drawn whose sources are not there, in colour and without.

use crate::common::check;
use tilewright_report::record::{Blame, Finding, Mark};
use tilewright_report::terminal::{self, Paint};

fn draw(finding: &Finding, paint: Paint) -> String {
    terminal::finding(finding, "tilewright run small --seed 7", paint)
}

fn elsewhere() -> Finding {
    let mark = |file: &str, line, role: &str| Mark {
        file: file.to_owned(),
        line,
        column: 9,
        end_column: 9,
        called_from: Vec::new(),
        role: role.to_owned(),
        processor: Some("reader".to_owned()),
        core: Some("(0,0)".to_owned()),
    };
    Finding {
        id: "unawaited-read".to_owned(),
        title: "`cb_x` page 0 was pushed while its NoC read was in flight".to_owned(),
        blame: Blame::KernelBug,
        count: 1,
        marks: vec![
            mark("kernels/gone/reader.cpp", 36, "2048 bytes requested"),
            mark("kernels/gone/reader.cpp", 38, "page given to unpack"),
            mark("", 0, "the kernel returned"),
        ],
        facts: vec!["proof: reader called no barrier between (1) and (2)".to_owned()],
        help: Some("call `noc_async_read_barrier();` before line 38".to_owned()),
        consequences: vec!["read-before-landing: unpack reads bytes that are not there".to_owned()],
        program: None,
        cycle: None,
        seeds: Vec::new(),
        replay: None,
        distinguished_by: Default::default(),
    }
}

#[test]
fn a_finding_without_its_source_still_says_where() {
    check("without-source", &draw(&elsewhere(), Paint::Plain));
}

#[test]
fn colour_comes_only_when_asked_for() {
    assert!(!draw(&elsewhere(), Paint::Plain).contains('\u{1b}'));
    assert!(draw(&elsewhere(), Paint::Colour).contains("\u{1b}["));
}
