//! Command lines: every subcommand, with options that fit it and options that do not.

use super::hostile;
use super::random::Random;

const OPERATIONS: &[&str] = &[
    "copy",
    "identity",
    "eltwise",
    "reduce",
    "matmul",
    "softmax",
    "layernorm-fw",
    "layernorm-bw",
    "layernorm-rm",
];
const SIZES: &[&str] = &["1", "2", "17", "31", "32", "33", "64", "70"];
const BATCHES: &[&str] = &["1", "2", "3"];
const HUGE: &[&str] =
    &["0", "-1", "2147483648", "4294967295", "4294967296", "99999999999999999999"];
const SETTINGS: &[&str] = &[
    "op=add",
    "op=div",
    "broadcast=row",
    "broadcast=scalar",
    "engine=sfpu",
    "pool=max",
    "pool=avg",
    "dim=column",
    "dim=scalar",
    "n=33",
    "n=0",
    "n=4294967296",
    "path=block",
    "path=row",
    "path=",
    "=",
    "op",
    "",
    "op=op=op",
    "no=1",
    "block=0",
    "rows=0",
    "columns=4294967296",
    "tiles=7",
];
const FAMILIES: &[&str] = &[
    "uniform",
    "constant",
    "shifted-mean",
    "ramp",
    "impulse",
    "wide-range",
    "tiny",
    "zeros",
    "special",
    "normal",
];
const OUTPUTS: &[&str] =
    &["out.html", "a b.html", "", ".", "no/such/folder/out", "/dev/full", "/", "é.html"];

/// The words behind `tilewright`. `program` is a manifest, if the case has one.
pub fn words(program: Option<&str>, random: &mut Random) -> Vec<String> {
    match (program, random.below(12)) {
        (Some(program), _) => ran(program, false, random),
        (None, 0) => asked(random),
        (None, 1) => vec![hostile::text(random), hostile::text(random)],
        (None, _) => {
            let name = if random.once_in(12) {
                hostile::text(random)
            } else {
                random.of_these(OPERATIONS).to_owned()
            };
            let mut words = ran(&name, true, random);
            words.extend(["--shape".to_owned(), shape(random)]);
            words
        }
    }
}

/// A command that runs something.
fn ran(name: &str, is_operation: bool, random: &mut Random) -> Vec<String> {
    let command = random.of_these(&["run", "run", "check", "check", "replay", "report", "trace"]);
    let mut words = vec![command.to_owned(), name.to_owned()];
    if matches!(command, "report" | "trace") {
        words.extend(["-o".to_owned(), random.of_these(OUTPUTS).to_owned()]);
    }
    for _ in 0..random.below(4) {
        words.extend(option(is_operation, command, random));
    }
    words
}

/// A command that runs nothing.
fn asked(random: &mut Random) -> Vec<String> {
    let command =
        random.of_these(&["list", "doctor", "explain", "completions", "vectors", "corpus"]);
    let mut words = vec![command.to_owned()];
    match command {
        "explain" | "completions" => words.push(hostile::text(random)),
        "vectors" | "corpus" => {
            words.push(random.of_these(&["", "no-such-folder", ".", "out.html"]).to_owned());
        }
        _ => {}
    }
    words
}

/// An option; mostly one that the command takes.
fn option(is_operation: bool, command: &str, random: &mut Random) -> Vec<String> {
    let common: &[(&str, &[&str])] = &[
        ("--cores", &["1", "2", "7", "63", "64"]),
        ("--seed", &["1", "2", "3"]),
        ("--threads", &["1", "2", "auto"]),
        ("--noc", &["late", "timed"]),
        ("--input", FAMILIES),
        ("--data-seed", &["1", "2"]),
        ("--check", &["all", "none", "sync,race", "init,value,dst"]),
        ("--allow", &["stale-accumulation", "over-pop"]),
        ("--step-budget", &["100000", "1000000"]),
    ];
    let operations: &[(&str, &[&str])] = &[
        ("--set", SETTINGS),
        ("--format", &["bf16", "fp32", "bfp8"]),
        ("--dst", &["16", "32"]),
        ("--sync", &["half", "full"]),
        ("--fidelity", &["LoFi", "hifi2", "HiFi4"]),
    ];
    let replays: &[(&str, &[&str])] = &[("--stop-at", &["0", "1", "900", "100_000"])];
    let table = match random.below(16) {
        0 => operations,
        1 => replays,
        2..=5 if is_operation => operations,
        2..=8 if command == "replay" => replays,
        _ => common,
    };
    let (name, fitting) = random.of_these(table);
    vec![name.to_owned(), mixed(fitting, random)]
}

/// Mostly a value that fits.
fn mixed(fitting: &[&str], random: &mut Random) -> String {
    match random.below(24) {
        0 | 1 => hostile::number(random),
        2 => hostile::text(random).chars().take(1_000).collect(),
        _ => random.of_these(fitting).to_owned(),
    }
}

/// Small, so that what is right is done at once, or far too large.
fn shape(random: &mut Random) -> String {
    if random.once_in(20) {
        return hostile::text(random).chars().take(1_000).collect();
    }
    let pick = |fitting, random: &mut Random| {
        let sizes = if random.once_in(24) { HUGE } else { fitting };
        random.of_these(sizes)
    };
    let mut sizes: Vec<&str> = (0..random.below(4)).map(|_| pick(BATCHES, random)).collect();
    sizes.extend((0..2).map(|_| pick(SIZES, random)));
    sizes.join("x")
}
