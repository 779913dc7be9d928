//! `cargo xtask ci`: everything that must hold before a change lands.

use std::process::{Command, ExitCode};

const CI: [&[&str]; 3] = [
    &["fmt", "--all", "--check"],
    &[
        "clippy",
        "--workspace",
        "--all-targets",
        "--all-features",
        "--locked",
        "--",
        "-D",
        "warnings",
    ],
    &["doc", "--workspace", "--no-deps", "--locked"],
];

fn main() -> ExitCode {
    for step in CI {
        println!("+ cargo {}", step.join(" "));
        let done = Command::new(env!("CARGO")).args(step).status();
        if !done.is_ok_and(|status| status.success()) {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
