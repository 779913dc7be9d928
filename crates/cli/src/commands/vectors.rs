//! `tilewright vectors`: golden data against the simulated machine.

use tilewright_golden::Folder;
use tilewright_report::record::{self, Failure, VectorsVerdict};
use tilewright_report::{json, terminal};

use crate::args::Vectors;
use crate::output::{Output, Status};
use crate::request::force_simd;

/// Checks a folder and names each case that differs.
pub fn vectors(asked: &Vectors, output: &Output) -> Result<Status, Failure> {
    force_simd(asked.simd)?;
    if !asked.folder.is_dir() {
        let message = format!("there is no folder {}", asked.folder.display());
        return Err(Failure::new(message).help("give a folder of golden data, as tests/golden is"));
    }
    let folder = Folder::open(&asked.folder).map_err(|error| Failure::new(error.to_string()))?;
    let checked = record::Vectors::from(&folder.check(|_| {}));
    let status = match checked.verdict {
        VectorsVerdict::Pass => Status::Clean,
        VectorsVerdict::Fail => Status::Found,
        VectorsVerdict::Unjudged => Status::CouldNotRun,
    };
    let text = |paint| terminal::vectors(&checked, paint);
    Ok(output.answer(|| json::text(&checked), text, status))
}
