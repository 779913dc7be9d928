//! Manifests with the commands that draw or stop a run: what they write, and that they survive
//! kernels that do not.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::{Answer, command, has_compiler, root, tilewright_in};

/// A folder of its own with the kernels of two programs that copy a tensor twice; none where the
/// host has no compiler.
fn folder(name: &str) -> Option<PathBuf> {
    folder_of("chain", name)
}

/// The same with other kernels.
fn folder_of(kernels: &str, name: &str) -> Option<PathBuf> {
    if !has_compiler() {
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).expect("a folder");
    let kernels = root().join("crates/cli/tests/manifests").join(kernels);
    fill(&folder, &kernels);
    Some(folder)
}

/// Copies a program's files.
fn fill(folder: &Path, kernels: &Path) {
    for entry in fs::read_dir(kernels).expect("kernels") {
        let path = entry.expect("an entry").path();
        fs::copy(&path, folder.join(path.file_name().expect("a name"))).expect("a copy");
    }
}

fn check(folder: &Path, typed: &[&str], code: i32, said: &[&str]) -> Answer {
    let answer = tilewright_in(folder, typed);
    assert_eq!((answer.code, answer.stderr.as_str()), (code, ""), "{typed:?}: {}", answer.stdout);
    for words in said {
        assert!(answer.stdout.contains(words), "{typed:?} lacks `{words}`: {}", answer.stdout);
    }
    answer
}

#[test]
fn a_page_shows_the_cpp_lines_of_a_finding_and_its_program() {
    let Some(folder) = folder("manifest-page") else { return };
    check(&folder, &["report", "program.toml"], 0, &["program.html", " there: ", " onward: "]);
    check(&folder, &["report", "faulty.toml"], 1, &["faulty.html", "= program: onward"]);
    let page = fs::read_to_string(folder.join("faulty.html")).expect("a page");
    for words in ["reader.cpp", "noc_async_read_tile(tile, in", r#""program":"onward""#] {
        assert!(page.contains(words), "the page lacks `{words}`");
    }
}

/// What stands in the last rows of tiles comes from the bias alone.
#[test]
fn padding_is_as_declared_or_a_finding() {
    let Some(folder) = folder("manifest-padding") else { return };
    fill(&folder, &root().join("crates/check/tests/faults/programs/share"));
    let text = fs::read_to_string(folder.join("program.toml")).expect("a manifest");
    let rows = text.replace("[\"32 * 4 * rounds\", 32]", "[\"32 * 4 * rounds - 2\", 32]");
    let of_seven = rows.replacen("input = \"uniform\"", "input = \"uniform\"\npadding = 7", 1);
    let declared = |text: &str, padding: &str| {
        text.replace("holds = { x = {} }", &format!("holds = {{ x = {{}} }}\n{padding}"))
    };
    let zeros = "the padding of `y` tile (15,0) does not hold zeros";
    let unchanged = "the padding of `y` tile (15,0) does not hold what `x` holds there";
    for (text, code, said) in [
        (declared(&rows, "padding = \"zero\""), 1, zeros),
        (declared(&of_seven, "padding = \"unchanged\"\npadding_of = \"x\""), 1, unchanged),
        (declared(&rows, "padding = \"free\""), 0, "unjudged"),
    ] {
        fs::write(folder.join("program.toml"), text).expect("a manifest");
        check(&folder, &["check", "program.toml"], code, &[said]);
    }
}

#[test]
fn a_trace_has_every_program() {
    let Some(folder) = folder("manifest-trace") else { return };
    let typed = ["trace", "program.toml", "--jsonl", "lines.jsonl"];
    check(&folder, &typed, 0, &["program.pftrace", "lines.jsonl"]);
    assert!(fs::metadata(folder.join("program.pftrace")).expect("a trace").len() > 1000);
    let lines = fs::read_to_string(folder.join("lines.jsonl")).expect("lines");
    let programs: Vec<&str> =
        lines.lines().filter(|line| line.starts_with(r#"{"type":"program""#)).collect();
    assert!(programs.len() == 2 && programs[1].contains("onward"), "{programs:?}");
}

#[test]
fn a_replay_stops_in_the_second_program() {
    let Some(folder) = folder("manifest-replay") else { return };
    let whole = check(&folder, &["run", "program.toml", "--json"], 0, &[]).stdout;
    let run: serde_json::Value = serde_json::from_str(&whole).expect("one object");
    let first = run["programs"][0]["cycles"].as_u64().expect("cycles");
    let stop = (first + 100).to_string();
    let typed = ["replay", "program.toml", "--stop-at", &stop];
    check(&folder, &typed, 0, &["after cycle 100 of program `onward`", "reader.cpp:"]);
}

fn json(folder: &Path, typed: &[&str]) -> serde_json::Value {
    let answer = check(folder, &[typed, &["--json"]].concat(), 0, &[]);
    serde_json::from_str(&answer.stdout).expect("one object")
}

#[test]
fn what_kernels_print_and_their_zones_are_shown() {
    let Some(folder) = folder_of("talking", "manifest-talking") else { return };
    let said = ["reader on core (0,0) | tile 0\n", "… 24 more lines", "zone `MYZONE` of math: 64 "];
    check(&folder, &["run", "program.toml"], 0, &said);
    check(&folder, &["check", "program.toml"], 0, &said);
    let all = ["reader on core (7,7) | tile 63\n", "zone `MYZONE` of math: 64 "];
    check(&folder, &["check", "program.toml", "--print", "all"], 0, &all);
    let none = check(&folder, &["check", "program.toml", "--print", "none"], 0, &[]).stdout;
    assert!(!none.contains("| tile") && !none.contains("zone"), "{none}");
    let run = json(&folder, &["run", "program.toml", "--print", "none"]);
    let printed = run["printed"].as_array().expect("lines");
    let cycles: Vec<u64> = printed.iter().map(|it| it["cycle"].as_u64().expect("one")).collect();
    assert!(printed.len() == 64 && cycles.is_sorted(), "in simulated order");
    assert_eq!((&printed[0]["source"], &printed[0]["text"]), (&"dprint".into(), &"tile 0".into()));
    let zones = run["zones"].as_array().expect("zones");
    let is_whole = |it: &serde_json::Value| it["begin"].as_u64() < it["end"].as_u64();
    assert!(zones.len() == 3 * 64 && zones.iter().all(is_whole), "{zones:?}");
    let unwatched = json(&folder, &["run", "program.toml", "--check", "none"]);
    assert_eq!(run["digest"], unwatched["digest"], "watching changes nothing");
    assert_eq!(run["printed"], unwatched["printed"]);
    check(&folder, &["report", "program.toml"], 0, &["axpy.html"]);
    let page = fs::read_to_string(folder.join("axpy.html")).expect("a page");
    assert!(page.contains(r#""text":"tile 63""#), "the page has what was printed");
}

#[test]
fn a_flood_of_lines_is_cut_off_and_counted() {
    let Some(folder) = folder_of("talking", "manifest-flood") else { return };
    let run = json(&folder, &["check", "flood.toml"]);
    assert_eq!(run["findings"], serde_json::json!([]));
    let printed = run["printed"].as_array().expect("lines");
    let last = printed.last().expect("a count");
    assert_eq!((printed.len(), &last["omitted_lines"]), (257, &(2_000_000 - 256).into()));
    let said = "reader on core (0,0) … 1_999_744 more lines by DPRINT";
    check(&folder, &["check", "flood.toml"], 0, &[said]);
}

#[test]
fn every_form_of_printing_is_shown() {
    let Some(folder) = folder_of("talking", "manifest-forms") else { return };
    let run = json(&folder, &["run", "forms.toml"]);
    let of = |processor: &str| -> Vec<String> {
        let printed = run["printed"].as_array().expect("lines").iter();
        let own = printed.filter(|it| it["processor"] == *processor);
        own.map(|it| it["text"].as_str().expect("a text").to_owned()).collect()
    };
    let both = [
        "hex ff dec 255",
        "1.5 1 2",
        "newer 1 of ff",
        "newest 7",
        "0.1 1 1e+20 0.00025 123456",
        "[    42] [42    ] [  42  ] [-00042] [0xff] [+7] [2.50]",
        "    42 10 1.00",
    ];
    // Rows of a slice of a tile, the second across two faces.
    let row = "1 1 1 1";
    let slices = [row, row, row, row, "", "1 1 1 1 2 2 2 2", ""];
    for (processor, own, slices) in
        [("reader", "only on the reader 1", &slices[..]), ("writer", "only on the writer 0", &[])]
    {
        let expected = both.into_iter().chain([own, "HERE"]).chain(slices.iter().copied());
        let expected: Vec<&str> = expected.chain(["not ended"]).collect();
        assert_eq!(of(processor), expected);
    }
}

#[test]
fn every_command_survives_a_kernel_that_ends_its_process() {
    let Some(folder) = folder("manifest-crash") else { return };
    let reader = fs::read_to_string(folder.join("reader.cpp")).expect("a kernel");
    let exits = reader.replace("cb_push_back(cb_in, 1);", "std::_Exit(3);");
    fs::write(folder.join("reader.cpp"), format!("#include <cstdlib>\n{exits}")).expect("a kernel");
    for command in ["check", "run", "report", "trace", "replay"] {
        let answer = tilewright_in(&folder, &[command, "program.toml"]);
        let is_told = answer.stdout.contains("error[kernel-crash]");
        assert!(is_told && answer.code == 1, "{command}, {}: {}", answer.code, answer.stdout);
    }
}

/// A change of the program that computes y = a / 2 + b, and what `check` must say of it: words of
/// its text, and words that would be wrong there.
struct Change {
    name: &'static str,
    /// Files, what is replaced in them, and by what.
    edits: &'static [(&'static str, &'static str, &'static str)],
    args: &'static [&'static str],
    code: i32,
    says: &'static [&'static str],
    never: &'static [&'static str],
}

const NONE: Change = Change {
    name: "right",
    edits: &[],
    args: &[],
    code: 0,
    says: &[
        "unjudged axpy.toml 256x256 Float16_b: it completed, and `y` was compared with nothing",
        "run on 12 cores, too",
    ],
    never: &["error[", "pass"],
};

const CHANGES: &[Change] = &[
    NONE,
    Change { name: "required", args: &["--require-judged"], code: 1, ..NONE },
    // Nothing but that nothing fills it makes `y` an output then.
    Change {
        name: "undeclared",
        edits: &[("axpy.toml", "holds = { a = {}, b = {} }", "")],
        says: &["`y` was compared with nothing"],
        ..NONE
    },
    Change {
        name: "undeclared-short",
        edits: &[
            ("axpy.toml", "holds = { a = {}, b = {} }", ""),
            (
                "writer.cpp",
                "i < start + n_tiles; i++) {",
                "i < start + n_tiles; i++) {\n        if (i == 63) { cb_wait_front(cb_y, 1); \
             cb_pop_front(cb_y, 1); break; }",
            ),
        ],
        code: 1,
        says: &["error[unwritten-output]: `y` tile (7,7) was not written by anybody"],
        never: &["unjudged"],
        ..NONE
    },
    Change {
        name: "wrong-format",
        edits: &[("axpy.toml", "index = 16\nformat = \"bf16\"", "index = 16\nformat = \"fp32\"")],
        code: 1,
        says: &[
            "error[outside-tensor]: 4096 bytes are written to pages of 2048 of `y`",
            "writer.cpp:15",
            "`cb_y` has pages of 4096 bytes",
            "host program bug",
        ],
        never: &["error[out-of-bounds]", "error[unwritten-output]", "error[conflicting-access]"],
        ..NONE
    },
    Change {
        name: "narrow-format",
        edits: &[(
            "axpy.toml",
            "shape = [\"rows\", \"columns\"]\nformat = \"bf16\"\nholds",
            "shape = [\"rows\", \"columns\"]\nformat = \"fp32\"\nholds",
        )],
        code: 1,
        says: &["error[outside-tensor]: 2048 bytes are written to pages of 4096 of `y`"],
        never: &["error[out-of-bounds]"],
        ..NONE
    },
    // A page of `b` lies where the page after the last bank of `a` would be.
    Change {
        name: "beyond",
        edits: &[("reader.cpp", "noc_async_read_tile(i, a,", "noc_async_read_tile(i + 72, a,")],
        code: 1,
        says: &["error[outside-tensor]: reader on core (0,0) reads page 72 of `a`, which has 64"],
        never: &["error[out-of-bounds]"],
        ..NONE
    },
    Change {
        name: "generator",
        edits: &[(
            "reader.cpp",
            "const auto a = TensorAccessor(a_args, a_addr, tile_bytes);",
            "const InterleavedAddrGenFast<true> a = {.bank_base_address = a_addr, .page_size = \
             tile_bytes, .data_format = get_dataformat(cb_a)};\n    \
             if (start == 0) noc_async_read(get_noc_addr(64, a), get_write_ptr(cb_a), 32);",
        )],
        code: 1,
        says: &["reads page 64 of `a`, which has 64 pages"],
        never: &["error[out-of-bounds]"],
        ..NONE
    },
    // Who reckons where the next page is and goes there only if there is one is right.
    Change {
        name: "reckoned",
        edits: &[(
            "reader.cpp",
            "noc_async_read_tile(i, a, get_write_ptr(cb_a));",
            "const uint64_t next = get_noc_addr(i + 72, a);\n        \
             noc_async_read_tile(i, a, get_write_ptr(cb_a));\n        \
             if (next == 0) { noc_async_read(next, get_write_ptr(cb_a), tile_bytes); }",
        )],
        ..NONE
    },
    Change {
        name: "no-pop",
        edits: &[("compute.cpp", "        cb_pop_front(cb_b, 1);\n", "")],
        code: 1,
        says: &["only the run on 12 cores shows it", "--cores 12 --seed 0", "hang axpy.toml"],
        never: &[],
        ..NONE
    },
    Change {
        name: "no-reserve",
        edits: &[("reader.cpp", "        cb_reserve_back(cb_b, 1);\n", "")],
        code: 1,
        says: &["only the run on 12 cores shows it", "reader.cpp"],
        never: &[],
        ..NONE
    },
    Change {
        name: "swap",
        edits: &[("compute.cpp", "copy_tile(cb_b, 0, 1);", "copy_tile(cb_a, 0, 1);")],
        code: 1,
        says: &[
            "error[lost-contribution]: `y` tile (0,0) holds 0 of the 1 tile of `b`",
            "compute.cpp:27",
            "unpack takes `cb_a` here, and nobody takes `cb_b`",
        ],
        never: &[],
        ..NONE
    },
    Change {
        name: "short",
        edits: &[("axpy.toml", "\"count\"", "\"count - 1\"")],
        code: 1,
        says: &["error[unwritten-output]", "writer.cpp:15", "writes page 4 last"],
        never: &[],
        ..NONE
    },
    Change {
        name: "zero-padding",
        edits: &[("axpy.toml", "holds =", "padding = \"zero\"\nholds =")],
        args: &["--set", "rows=250"],
        says: &["`y` was compared with nothing"],
        ..NONE
    },
    Change {
        name: "no-zero-padding",
        edits: &[
            ("axpy.toml", "holds =", "padding = \"zero\"\nholds ="),
            ("axpy.toml", "input = \"normal\"", "input = \"normal\"\npadding = 1.0"),
        ],
        args: &["--set", "rows=250"],
        code: 1,
        says: &["error[output-padding]: the padding of `y` tile (7,0) does not hold zeros"],
        never: &["unjudged"],
    },
    Change {
        name: "unchanged-padding",
        edits: &[
            ("axpy.toml", "holds =", "padding = \"unchanged\"\npadding_of = \"b\"\nholds ="),
            ("axpy.toml", "input = \"normal\"", "input = \"normal\"\npadding = 1.0"),
        ],
        args: &["--set", "rows=250"],
        says: &["`y` was compared with nothing"],
        ..NONE
    },
    Change {
        name: "changed-padding",
        edits: &[
            ("axpy.toml", "holds =", "padding = \"unchanged\"\npadding_of = \"b\"\nholds ="),
            ("axpy.toml", "input = \"uniform\"", "input = \"uniform\"\npadding = 2.0"),
        ],
        args: &["--set", "rows=250"],
        code: 1,
        says: &["error[output-padding]", "does not hold what `b` holds there"],
        never: &["unjudged"],
    },
    // Kernels that take one unit each, wherever it is, have their own split of the work.
    Change {
        name: "one-unit",
        edits: &[("axpy.toml", "\"count\"", "1")],
        says: &["`y` was compared with nothing"],
        never: &["error[", "too, so that"],
        ..NONE
    },
    Change {
        name: "cores",
        args: &["--cores", "3"],
        says: &["`y` was compared with nothing"],
        never: &["too, so that"],
        ..NONE
    },
];

#[test]
fn what_check_says_of_a_small_program_and_its_mistakes() {
    for change in CHANGES {
        let Some(folder) = folder_of("axpy", &format!("axpy-{}", change.name)) else { return };
        for (file, from, to) in change.edits {
            let text = fs::read_to_string(folder.join(file)).expect("a file");
            assert!(text.contains(from), "{}", change.name);
            fs::write(folder.join(file), text.replace(from, to)).expect("a file");
        }
        let typed = [&["check", "axpy.toml"], change.args].concat();
        let answer = check(&folder, &typed, change.code, change.says);
        for words in change.never {
            let text = &answer.stdout;
            assert!(!text.contains(words), "{} has `{words}`: {text}", change.name);
        }
    }
}

/// Sums that may not depend on the padding of an input must not, whatever its value is; those that
/// may are wrong only in their values.
#[test]
fn a_value_for_the_padding_of_an_input_allows_nothing() {
    let typed = ["check", "program.toml", "--set", "depth=40", "--set", "rows=64"];
    for (name, left_out, code, said) in [
        ("zero", "nothing", 0, "pass program.toml"),
        ("used", "padding = 0.0", 1, "error[beyond-bound]"),
        ("unused", "padding = 0.0\nuses_padding = true", 1, "error[padding-in-output]"),
    ] {
        let Some(folder) = folder_of("../../../../examples/matmul", name) else { return };
        let text = fs::read_to_string(folder.join("program.toml")).expect("a manifest");
        let common = root().join("examples/common").canonicalize().expect("a folder");
        let text = text.replace("../common", &common.display().to_string());
        let text = text.replace(left_out, "padding = 1.0");
        fs::write(folder.join("program.toml"), text).expect("a manifest");
        check(&folder, &typed, code, &[said]);
    }
}

/// Both are judged, whichever of them is wrong.
#[test]
fn a_file_does_not_replace_the_reference() {
    let Some(folder) = folder_of("../../../../examples/eltwise", "expected-and-reference") else {
        return;
    };
    let text = fs::read_to_string(folder.join("program.toml")).expect("a manifest");
    let zeros = npy(64 * 64);
    fs::write(folder.join("zeros.npy"), zeros).expect("a file");
    let file = "\n[expected.sum]\nfile = \"zeros.npy\"\nabsolute = 100.0\n";
    fs::write(folder.join("program.toml"), text + file).expect("a manifest");
    let typed = ["run", "program.toml", "--set", "rows=64", "--set", "columns=64", "--json"];
    let told = check(&folder, &typed, 0, &[]).stdout;
    let told: serde_json::Value = serde_json::from_str(&told).expect("one object");
    let judged = |name: &str| told["outputs"][name]["judged"].as_u64();
    assert_eq!((judged("sum"), judged("sum (expected)")), (Some(4096), Some(4096)), "{told}");
}

/// Zeros of fp32 in 64 rows of 64, as numpy writes them.
fn npy(values: usize) -> Vec<u8> {
    let dict = "{'descr': '<f4', 'fortran_order': False, 'shape': (64, 64), }";
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    bytes.extend(format!("{dict:<117}\n").bytes());
    bytes.resize(bytes.len() + 4 * values, 0);
    bytes
}

/// The command on a folder's manifest with a cache of its own.
fn cached(folder: &Path, cache: &Path) -> Command {
    let mut command = command();
    command.args(["run", "program.toml", "--json"]).current_dir(folder);
    command.env("XDG_CACHE_HOME", cache);
    command
}

#[track_caller]
fn must_pass(answer: &Answer) -> serde_json::Value {
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{}", answer.stdout);
    serde_json::from_str(&answer.stdout).expect("one object")
}

#[test]
fn processes_share_a_cold_cache() {
    let Some(folder) = folder("manifest-shared") else { return };
    let cache = folder.join("cache");
    let start = || {
        let mut command = cached(&folder, &cache);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
    };
    let all: Vec<_> = (0..4).map(|_| start()).collect();
    let digests: Vec<serde_json::Value> = all
        .into_iter()
        .map(|child| {
            let output = child.wait_with_output().expect("it ends");
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert_eq!(output.status.code(), Some(0), "{text}");
            serde_json::from_str::<serde_json::Value>(&text).expect("one object")["digest"].clone()
        })
        .collect();
    assert!(digests.windows(2).all(|pair| pair[0] == pair[1]), "{digests:?}");
    let names = fs::read_dir(cache.join("tilewright")).expect("a cache").flatten();
    let names: Vec<_> = names.map(|it| it.file_name().to_string_lossy().into_owned()).collect();
    assert!(names.iter().all(|name| !name.starts_with("tmp-")), "{names:?}");
}

#[test]
fn damaged_entries_of_the_cache_are_compiled_again() {
    let Some(folder) = folder("manifest-damaged") else { return };
    let cache = folder.join("cache");
    let first = must_pass(&Answer::of(cached(&folder, &cache)));
    let mut damaged = 0;
    for entry in fs::read_dir(cache.join("tilewright")).expect("a cache").flatten() {
        let path = entry.path();
        if path.is_file() {
            let mut bytes = fs::read(&path).expect("ours");
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0xff;
            bytes.truncate(bytes.len() - usize::from(damaged % 2 == 0));
            fs::write(&path, bytes).expect("ours");
            damaged += 1;
        }
    }
    assert!(damaged > 3, "objects, their dependencies, the compiler and the runtime");
    let again = must_pass(&Answer::of(cached(&folder, &cache)));
    assert_eq!(first["digest"], again["digest"]);
}

#[test]
fn a_cache_that_cannot_be_used_is_told_and_does_no_harm() {
    let Some(folder) = folder("manifest-no-cache") else { return };
    let run = must_pass(&Answer::of(cached(&folder, &folder.join("reader.cpp"))));
    let notes: Vec<&str> =
        run["notes"].as_array().expect("notes").iter().filter_map(|it| it.as_str()).collect();
    let is_told = notes.iter().any(|it| it.starts_with("nothing can be kept in the cache"));
    assert!(is_told, "{notes:?}");
}

#[test]
fn tensors_that_memory_cannot_hold_are_refused() {
    let Some(folder) = folder("manifest-memory") else { return };
    let sizes = "--set rows=16384 --set columns=16384";
    let binary = env!("CARGO_BIN_EXE_tilewright");
    let typed = format!("ulimit -v 8000000; exec {binary} run program.toml {sizes} --json");
    let mut command = Command::new("sh");
    command.args(["-c", &typed]).current_dir(&folder);
    let answer = Answer::of(command);
    let said = answer.stdout.contains("of this computer's memory");
    assert!(answer.code == 2 && said, "{}: {}", answer.code, answer.stdout);
}
