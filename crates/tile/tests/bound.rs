//! No device value may leave its bound, and bounds must be near what devices do.
//!
//! Every step runs on whole tiles of several families of data, and every element is compared with
//! its `Approx`. A share is also demanded of the worst element: a bound far above all observed
//! errors would judge nothing. `cargo test --test bound -- --nocapture` shows the shares.
#![allow(clippy::print_stdout, reason = "the observed tightness is for people to read")]

#[path = "bound/chain.rs"]
mod chain;
#[path = "bound/data.rs"]
mod data;
#[path = "bound/fpu.rs"]
mod fpu;
#[path = "bound/lanes.rs"]
mod lanes;
#[path = "bound/pack.rs"]
mod pack;
#[path = "bound/quads.rs"]
mod quads;
#[path = "bound/sfpu.rs"]
mod sfpu;
#[path = "bound/sums.rs"]
mod sums;
