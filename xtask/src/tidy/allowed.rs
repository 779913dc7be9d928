//! Which crate of ours may use which third-party crate, and which suite of tests which upper crate
//! of ours, and why: tables to read in review.
//!
//! A new line here is a decision. Thirty lines of code are written, not imported.

/// How a crate may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// In the code that ships.
    Code,
    /// In tests and benches.
    Test,
}

/// One permission: who, which crate, how, and the reason.
pub type Permission = (&'static str, &'static str, Use, &'static str);

/// Stands for every crate under `crates`.
pub const EVERY_CRATE: &str = "*";

pub const PERMISSIONS: &[Permission] = &[
    ("machine", "corosensei", Use::Code, "a fiber for each processor"),
    ("machine", "libc", Use::Code, "maps L1 below 4 GiB for kernels with raw pointers"),
    ("metal", "addr2line", Use::Code, "lines of C++ kernels and of who called them"),
    ("metal", "libc", Use::Code, "signals of C++ kernels"),
    ("metal", "libloading", Use::Code, "C++ kernels are shared objects"),
    ("metal", "safetensors", Use::Code, "tensors from and to safetensors files"),
    ("metal", "schemars", Use::Code, "the schema of program descriptions"),
    ("metal", "serde", Use::Code, "program descriptions are data"),
    ("metal", "serde_json", Use::Code, "program descriptions as JSON, and captures"),
    ("ops", "serde_json", Use::Test, "reads the golden chains that kernels are judged by"),
    ("ops", "ruzstd", Use::Test, "unpacks the golden chains that kernels are judged by"),
    ("manifest", "schemars", Use::Code, "the schema that program manifests are held to"),
    ("manifest", "serde", Use::Code, "program manifests"),
    ("manifest", "serde_json", Use::Code, "the schema that program manifests are held to"),
    ("manifest", "toml", Use::Code, "program manifests, with the places of their parts"),
    ("golden", "ruzstd", Use::Code, "unpacks the golden data that conformance is judged by"),
    ("golden", "serde", Use::Code, "the golden data is JSON"),
    ("golden", "serde_json", Use::Code, "the golden data is JSON"),
    ("run", "landlock", Use::Code, "a worker writes no file"),
    ("run", "libc", Use::Code, "processes, pipes and signals of workers"),
    ("run", "schemars", Use::Code, "the published JSON schema of outcomes"),
    ("run", "serde", Use::Code, "outcomes as JSON, for users and from workers"),
    ("run", "serde_json", Use::Code, "outcomes as JSON, for users and from workers"),
    ("run", "toml", Use::Code, "sweep files"),
    ("run", "seccompiler", Use::Code, "the system calls that kernels may not make"),
    ("develop", "serde", Use::Code, "what test runners tell, and the state of stages"),
    ("develop", "serde_json", Use::Code, "what test runners tell, and the state of stages"),
    ("host", "serde", Use::Code, "what host programs ask for"),
    ("host", "serde_json", Use::Code, "what host programs ask for, and the programs they build"),
    ("report", "annotate-snippets", Use::Code, "source lines with marks"),
    ("report", "comfy-table", Use::Code, "tables on a terminal"),
    ("report", "schemars", Use::Code, "the published JSON schema"),
    ("report", "serde", Use::Code, "the JSON that others script against"),
    ("report", "serde_json", Use::Code, "the JSON that others script against"),
    ("python", "pyo3", Use::Code, "the native module of the Python package"),
    ("python", "serde", Use::Code, "requests and outcomes between Python and Rust"),
    ("python", "serde_json", Use::Code, "requests and outcomes between Python and Rust"),
    ("cli", "clap", Use::Code, "arguments"),
    ("cli", "clap_complete", Use::Code, "completions for shells"),
    ("cli", "terminal_size", Use::Code, "text for narrow terminals; clap brings it anyway"),
    ("cli", "serde_json", Use::Test, "reads what --json prints"),
    (
        "xtask",
        "nix",
        Use::Code,
        "the memory that a fuzzed command took, and the end of one that hangs",
    ),
    ("xtask", "serde_json", Use::Code, "whether a fuzzed command printed JSON"),
    ("xtask", "proc-macro2", Use::Code, "lines of functions, for tidy"),
    ("xtask", "syn", Use::Code, "finds functions, for tidy"),
    ("xtask", "toml", Use::Code, "reads manifests, for tidy"),
    (EVERY_CRATE, "proptest", Use::Test, "properties on random bits"),
];

/// An upper crate that the suite in a crate's `tests` may use: who, which crate of ours, and why.
pub type Upward = (&'static str, &'static str, &'static str);

/// Tests lie with what they test, even if it takes an upper crate to put it to work.
pub const UPWARD: &[Upward] = &[
    ("machine", "metal", "the device runs programs, and `metal` builds them"),
    ("check", "manifest", "checkers are tried on programs of C++ kernels"),
    ("check", "ops", "checkers are tried on whole operations"),
    ("check", "run", "names of references, outputs that are judged, advice that is tried"),
    ("check", "report", "findings are compared as a terminal shows them"),
];

/// The uses that `user` may make of `krate`.
pub fn permitted(user: &str, krate: &str) -> Vec<Use> {
    let is_for = |holder: &str| holder == user || (holder == EVERY_CRATE && user != "xtask");
    let granted = PERMISSIONS.iter().filter(|(holder, name, ..)| is_for(holder) && *name == krate);
    granted.map(|&(_, _, how, _)| how).collect()
}
