//! A run that was drawn: what it comes to, and the files that show it.

use super::figures::{count, counted};
use super::{Paint, diff, run};
use crate::record::{Drawn, DrawnDevices, DrawnProgram, Written};

/// What `tilewright trace` and `tilewright report` show.
pub fn drawn(drawn: &Drawn, paint: Paint) -> String {
    let mut text = run::findings(&drawn.run, paint);
    text += &format!("{}\n\n", run::headline(&drawn.run, paint));
    text += &files(&drawn.files, paint);
    text.push('\n');
    for program in &drawn.programs {
        text += &format!(" {}\n", paint.dim(&line(program)));
    }
    text + &format!(" {}\n", paint.dim("cycles are estimates, not measurements"))
}

/// What differs between two devices, and the files that were written.
pub fn drawn_devices(drawn: &DrawnDevices, paint: Paint) -> String {
    format!("{}\n{}", diff(&drawn.diff, paint), files(&drawn.files, paint))
}

fn files(all: &[Written], paint: Paint) -> String {
    let line = |written: &Written| {
        let Written { path, bytes, .. } = written;
        let (path, bytes) = (paint.strong(path), counted(*bytes, "byte"));
        format!(" {path}  {bytes}; {}\n", opens(&written.format))
    };
    all.iter().map(line).collect()
}

fn opens(format: &str) -> &'static str {
    match format {
        "perfetto" => "ui.perfetto.dev opens it",
        "html" => "any browser opens it",
        _ => "one JSON object a line",
    }
}

fn line(program: &DrawnProgram) -> String {
    let DrawnProgram { name, cores, cycles, .. } = program;
    let cores = counted(*cores as u64, "core");
    let mut text = format!("{name}: {cores}, {}", counted(*cycles, "cycle"));
    let (slices, seen) = (program.slices as u64, program.slices_seen);
    text += &format!(", {}", counted(slices, "slice"));
    if slices < seen {
        text += &format!(" joined from {}", count(seen));
    }
    text
}
