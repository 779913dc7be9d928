//! Simulation of C++ kernels beside that of the same kernels in Rust.
//!
//! Each round runs the operation, its C++ kernels in this process, and those in a worker, one after
//! the other on one host thread; the least times of all rounds are compared. Kernels are compiled
//! before the first round.

#![allow(clippy::print_stdout, missing_docs, reason = "a program for people")]

use std::path::Path;

use tilewright_check::Tools;
use tilewright_run::{Isolation, Request};

const ROUNDS: u32 = 7;

/// An operation, the manifest of its C++ kernels, and the sizes of both.
const PAIRS: [(&str, &str, [u32; 2]); 4] = [
    ("layernorm-fw", "layernorm/forward", [8192, 1024]),
    ("eltwise", "eltwise", [4096, 4096]),
    ("softmax", "softmax", [1024, 1024]),
    ("matmul", "matmul", [512, 512]),
];

fn main() {
    for (operation, manifest, [rows, columns]) in PAIRS {
        let shape = format!("{rows}x{columns}").parse().expect("a shape");
        let rust = Request { shape: Some(shape), ..request(operation.to_owned()) };
        let manifest = Path::new("../../examples").join(manifest).join("program.toml");
        let sizes = match operation {
            "matmul" => vec![("rows", rows), ("depth", columns), ("columns", columns)],
            _ => vec![("rows", rows), ("columns", columns)],
        };
        let sizes = sizes.into_iter().map(|(name, size)| (name.to_owned(), size.to_string()));
        let cpp = Request { set: sizes.collect(), ..request(manifest.display().to_string()) };
        let inside = Request { isolation: Isolation::InProcess, ..cpp.clone() };
        let mut least = [f64::MAX; 3];
        for _ in 0..ROUNDS {
            for (request, least) in [&rust, &inside, &cpp].into_iter().zip(&mut least) {
                *least = least.min(simulated(request));
            }
        }
        let [rust, inside, worker] = least;
        println!(
            "{operation}: Rust {:.1} ms; C++ {:.1} ms, {:.2}x; in a worker {:.1} ms, {:.2}x",
            rust * 1e3,
            inside * 1e3,
            inside / rust,
            worker * 1e3,
            worker / rust,
        );
    }
}

fn request(name: String) -> Request {
    let once = Request { threads: Some(1), is_repeated_on_few_cores: false, ..Request::new(name) };
    Request { check: Tools::none(), ..once }
}

/// Seconds of the simulation alone.
fn simulated(request: &Request) -> f64 {
    let outcome = request.run().unwrap_or_else(|failure| panic!("{failure}"));
    outcome.run.wall_seconds
}
