//! One mistake at a time in C++ kernels that are right: the first finding's advice is followed, and
//! the program must then be silent. So the cause comes first, and the advice is right.
//!
//! `TILEWRIGHT_FAULTS=1` prints every mistake with its first finding and what came of the advice.

#![cfg(target_os = "linux")]
#![allow(clippy::print_stderr, clippy::print_stdout, reason = "prints its table when asked")]

mod advice;
mod mistake;
mod pairs;
mod program;

use mistake::{Mistake, mistakes};
use program::Folder;
use tilewright_check::Finding;

/// Mistakes that are none, and why: how the line and the change begin.
const HARMLESS: [(&str, &str, &str); 7] = [
    ("cb_reserve_back(cb_a, 1);", "+ 1", "to reserve more than is pushed is no mistake"),
    ("cb_reserve_back(cb_b, 1);", "+ 1", "to reserve more than is pushed is no mistake"),
    ("cb_reserve_back(cb_y, 1);", "+ 1", "to reserve more than is pushed is no mistake"),
    ("binop_with_scalar_tile_init();", "dropped", "these functions load no constants"),
    ("add_binary_tile_init();", "dropped", "these functions load no constants"),
    ("copy_tile_to_dst_init_short(cb_a);", "dropped", "start-up has set the same"),
    ("mul_unary_tile(0, scale);", "dropped", "no reference says what must come out"),
];

/// Mistakes whose advice names no call and no count that could be put in place by a test.
const BY_HAND: [(&str, &str, &str); 8] = [
    ("noc_async_read_tile(i, a,", "dropped", "says which page to write, not with what"),
    ("noc_async_read_tile(i, b,", "dropped", "says which page to write, not with what"),
    ("noc_async_write_tile(i, y,", "dropped", "says which output to write, not with what"),
    ("copy_tile(cb_a, 0, 0);", "dropped", "says which tile of Dst to write, not with what"),
    ("copy_tile(cb_b, 0, 1);", "dropped", "says which tile of Dst to write, not with what"),
    ("add_binary_tile(0, 1, 0);", "dropped", "says that a tile is not used, not for what"),
    ("pack_tile(0, cb_y);", "dropped", "names the tile to pack, and not the buffer"),
    ("init_sfpu(cb_a, cb_y);", "dropped", "kernels choose among the start-up calls"),
];

fn listed(list: &[(&str, &str, &str)], mistake: &Mistake) -> bool {
    list.iter().any(|(line, change, _)| {
        mistake.line.starts_with(line) && mistake.change.starts_with(change)
    })
}

/// Every call of the kernels left out, and every count of pages one too large or too small.
#[test]
fn the_advice_of_the_first_finding_mends_the_kernel() {
    let Some(folder) = Folder::new("axpy", "axpy.toml") else { return };
    let right = folder.findings();
    assert!(right.is_empty(), "{right:#?}");
    let mut failures: Vec<String> = Vec::new();
    for mistake in mistakes(&folder) {
        folder.write(&mistake.file, &mistake.text);
        let found = folder.findings();
        let outcome = judge(&folder, &mistake, &found);
        folder.restore(&mistake.file);
        if std::env::var_os("TILEWRIGHT_FAULTS").is_some() {
            let help = found.first().and_then(|it| it.help.clone()).unwrap_or_default();
            let id = found.first().map_or("-", |it| it.id.name());
            println!("{mistake}: [{id}] {help}: {outcome:?}");
        }
        failures.extend(outcome.err().map(|why| format!("{mistake}: {why}")));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn judge(folder: &Folder, mistake: &Mistake, found: &[Finding]) -> Result<(), String> {
    let Some(first) = found.first() else {
        let is_harmless = listed(&HARMLESS, mistake);
        return if is_harmless { Ok(()) } else { Err("nothing is found".to_owned()) };
    };
    if listed(&HARMLESS, mistake) {
        return Err(format!("a finding where none is expected: {first:#?}"));
    }
    if listed(&BY_HAND, mistake) {
        return Ok(());
    }
    let help = first.help.as_deref().unwrap_or_default();
    let Some(advice) = advice::read(first) else {
        return Err(format!("[{}] advice that cannot be followed: {help}", first.id));
    };
    let text = std::fs::read_to_string(folder.path(&advice.file)).expect("a kernel");
    folder.write(&advice.file, &advice.follow(&text));
    let after = folder.findings();
    folder.write(&advice.file, &text);
    folder.restore(&advice.file);
    match after.first() {
        None => Ok(()),
        Some(left) => Err(format!("[{}] {help}: then {}: {}", first.id, left.id, left.title)),
    }
}

/// A mistake in a text, and the one finding that it must have.
struct Case {
    edits: &'static [(&'static str, &'static str, &'static str)],
    id: &'static str,
    help: &'static str,
}

/// Forgotten calls of Dst in the first and the last round, in one branch, in one of two sections,
/// with the old names, and in full sync: one finding that names the call.
#[test]
fn a_forgotten_call_of_dst_is_one_finding_wherever_it_is() {
    let Some(folder) = Folder::new("axpy", "axpy.toml") else { return };
    let old: &[(&str, &str, &str)] = &[
        ("compute.cpp", "        tile_regs_acquire();\n", "        acquire_dst();\n"),
        ("compute.cpp", "        tile_regs_commit();\n", ""),
        ("compute.cpp", "        tile_regs_wait();\n", ""),
        ("compute.cpp", "        tile_regs_release();\n", "        release_dst();\n"),
    ];
    let full: &[(&str, &str, &str)] =
        &[("axpy.toml", "runs_on = \"compute\"\n", "runs_on = \"compute\"\ndst_sync = \"full\"\n")];
    let calls = [
        ("tile_regs_acquire();", "dst-outside-section"),
        ("tile_regs_commit();", "unreleased-section"),
        ("tile_regs_wait();", "dst-outside-section"),
        ("tile_regs_release();", "unreleased-section"),
    ];
    let rounds = ["if (i != 0) ", "if (i != 5) ", "if (i % 2 == 0) ", "if (false) "];
    for (base, rounds) in [(&[][..], &rounds[..]), (full, &rounds[2..3])] {
        edit_all(&folder, base);
        for (call, id) in calls {
            for when in rounds {
                let guarded = format!("{when}{call}");
                folder.edit("compute.cpp", call, &guarded);
                one_finding(&folder, id, call.trim_end_matches(';'), &guarded);
                folder.edit("compute.cpp", &guarded, call);
            }
        }
        base.iter().for_each(|(file, ..)| folder.restore(file));
    }
    edit_all(&folder, old);
    let right = folder.findings();
    assert!(right.is_empty(), "the old names: {right:#?}");
    for (call, id) in
        [("acquire_dst();", "dst-outside-section"), ("release_dst();", "unreleased-section")]
    {
        for when in &rounds[2..] {
            let guarded = format!("{when}{call}");
            folder.edit("compute.cpp", call, &guarded);
            one_finding(&folder, id, call.trim_end_matches(';'), &guarded);
            folder.edit("compute.cpp", &guarded, call);
        }
    }
    folder.restore("compute.cpp");
}

fn edit_all(folder: &Folder, edits: &[(&str, &str, &str)]) {
    edits.iter().for_each(|(file, from, to)| folder.edit(file, from, to));
}

#[track_caller]
fn one_finding(folder: &Folder, id: &str, call: &str, what: &str) {
    let found = folder.findings();
    let ids: Vec<&str> = found.iter().map(|finding| finding.id.name()).collect();
    assert_eq!(ids, [id], "{what}: {found:#?}");
    let help = found[0].help.as_deref().unwrap_or_default();
    assert!(help.contains(call), "{what}: {help}");
}

/// Near misses: rings that one processor uses alone, pages that the push granularity guarantees.
#[test]
fn what_no_schedule_can_get_wrong_is_left_alone() {
    for (name, edits) in [
        ("own.toml", &[][..]),
        ("own.toml", &[("own_r.cpp", "    cb_pop_front(0, 1);\n", "")]),
        ("frame.toml", &[]),
        (
            "frame.toml",
            &[("frame_w.cpp", "cb_pop_front(0, 2)", "cb_pop_front(0, 1), cb_pop_front(0, 1)")],
        ),
    ] {
        let Some(folder) = Folder::new("", name) else { return };
        edit_all(&folder, edits);
        let found = folder.findings();
        assert!(found.is_empty(), "{name} {edits:?}: {found:#?}");
    }
}

#[test]
fn what_comes_near_to_it_is_found() {
    let cases: [(&str, Case); 4] = [
        (
            "frame.toml",
            Case {
                edits: &[(
                    "frame_r.cpp",
                    "cb_push_back(0, 2)",
                    "cb_push_back(0, 1), cb_push_back(0, 1)",
                )],
                id: "over-pop",
                help: "pop 1 page at line 2 of frame_w.cpp, or wait for 2",
            },
        ),
        (
            "straddle.toml",
            Case { edits: &[], id: "straddles-end", help: "give `a` a whole number of the blocks" },
        ),
        (
            "own.toml",
            Case {
                edits: &[
                    (
                        "own.toml",
                        "[kernels.r]",
                        "[kernels.w]\nfile=\"frame_w.cpp\"\nruns_on=\"writer\"\n[kernels.r]",
                    ),
                    ("frame_w.cpp", "i < 4", "i < 0"),
                    ("frame_w.cpp", "{ for", "{ cb_wait_front(0, 1); for"),
                ],
                id: "over-pop",
                help: "call `cb_wait_front` for 1 page of `a` before line 8 of own_r.cpp",
            },
        ),
        (
            "straddle.toml",
            Case {
                edits: &[("straddle_r.cpp", "cb_wait_front(1, 1); cb_pop_front(1, 1); ", "")],
                id: "straddles-end",
                help: "give `a` a whole number of the blocks",
            },
        ),
    ];
    for (name, case) in cases {
        let Some(folder) = Folder::new("", name) else { return };
        edit_all(&folder, case.edits);
        let found = folder.findings();
        let first = found.first().unwrap_or_else(|| panic!("{name}: nothing is found"));
        assert_eq!(first.id.name(), case.id, "{name}: {found:#?}");
        let help = first.help.as_deref().unwrap_or_default();
        assert!(help.starts_with(case.help), "{name}: {help}");
    }
}

/// A ring that is declared as scratch has no turns.
#[test]
fn a_ring_declared_as_scratch_is_plain_memory() {
    let writer = "[kernels.w]\nfile=\"frame_w.cpp\"\nruns_on=\"writer\"\n[kernels.r]";
    let Some(folder) = Folder::new("", "own.toml") else { return };
    folder.edit("own.toml", "[kernels.r]", writer);
    folder.edit("frame_w.cpp", "i < 4", "i < 0");
    folder.edit("frame_w.cpp", "cb_wait_front(0, 1);", "");
    folder.edit("frame_w.cpp", "{ for", "{ cb_pop_front(0, 1); for");
    folder.edit("own_r.cpp", "    cb_pop_front(0, 1);\n", "");
    assert!(!folder.findings().is_empty(), "a ring of two processors");
    folder.edit("own.toml", "pages=2,page_bytes=64}\nb", "pages=2,page_bytes=64,scratch=true}\nb");
    let found = folder.findings();
    assert!(found.is_empty(), "{found:#?}");
}
