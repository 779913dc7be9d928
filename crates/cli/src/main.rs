//! `tilewright`: arguments in; text or JSON and an exit code out.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: tilewright_run::Allocator = tilewright_run::Allocator;

fn main() -> ExitCode {
    tilewright_run::give_back_large_buffers();
    ExitCode::from(tilewright_cli::command(std::env::args_os().collect()))
}
