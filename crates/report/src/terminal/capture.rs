//! A capture that was written: the file, and what is in it.

use super::Paint;
use super::figures::counted;
use crate::record::Capture;

/// What `tilewright capture` shows.
pub fn capture(capture: &Capture, paint: Paint) -> String {
    let path = &capture.file.path;
    let bytes = counted(capture.file.bytes, "byte");
    let programs = counted(capture.programs.len() as u64, "program");
    let (sources, tensors) = (capture.sources as u64, capture.tensors as u64);
    let (sources, tensors) = (counted(sources, "source file"), counted(tensors, "tensor"));
    let judged = match capture.compared.as_slice() {
        [] => "nothing says what the outputs must hold".to_owned(),
        names => format!("it says what {} must hold", names.join(", ")),
    };
    let lines = [
        format!("{}  {bytes}; `tilewright run {path}` runs it", paint.strong(path)),
        paint.dim(&format!("{programs}, {sources}, {tensors}, seed {}; {judged}", capture.seed)),
    ];
    lines.map(|line| format!(" {line}\n")).concat()
}
