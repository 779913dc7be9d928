//! `tilewright corpus`: a tree of C++ kernels against the headers.

use tilewright_report::record::Failure;

use crate::args::Corpus;
use crate::output::{Output, Status};

/// Compiles every kernel below a folder and counts what is missing.
#[cfg(target_os = "linux")]
pub fn corpus(asked: &Corpus, output: &Output) -> Result<Status, Failure> {
    use tilewright_report::{json, record, terminal};
    use tilewright_run::corpus::Tree;

    let tree = Tree {
        folder: asked.folder.clone(),
        exclude: asked.exclude.clone(),
        include: asked.include.clone(),
        cxx: asked.cxx.clone(),
        device: asked.device.clone(),
    };
    let progress = output.progress();
    let show = |done: usize, all: usize| {
        progress.bar("kernels compiled", done as u64, all as u64);
    };
    let answer = record::Corpus::from(&tree.survey(&show)?);
    drop(progress);
    let text = |paint| terminal::corpus(&answer, paint);
    Ok(output.answer(|| json::text(&answer), text, Status::Clean))
}

/// C++ kernels need pointers to L1 below 4 GiB, which only Linux gives.
#[cfg(not(target_os = "linux"))]
pub fn corpus(_: &Corpus, _: &Output) -> Result<Status, Failure> {
    Err(Failure::new("C++ kernels are served on Linux only".to_owned()))
}
