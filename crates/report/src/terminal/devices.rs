//! One program on several devices: each run as `check` shows one, then what differs.

use annotate_snippets::renderer::AnsiColor;

use super::figures::counted;
use super::{Paint, check};
use crate::record::{Devices, FindingDifference, OutputDifference};

/// What `tilewright check --device A,B` shows.
pub fn devices(devices: &Devices, paint: Paint) -> String {
    let mut text = String::new();
    for run in &devices.runs {
        text += &format!("{}\n{}\n", paint.strong(&run.request.device), check(run, paint));
    }
    let names: Vec<&str> = devices.runs.iter().map(|run| run.request.device.as_str()).collect();
    text += &format!("{} against each other:\n", names.join(" and "));
    for output in &devices.outputs {
        text += &output_line(output, paint);
    }
    for finding in &devices.findings {
        text += &finding_line(finding, paint);
    }
    if devices.findings.is_empty() {
        text += " findings: the same on all\n";
    }
    text
}

fn output_line(output: &OutputDifference, paint: Paint) -> String {
    let OutputDifference { name, devices: [first, other], elements, differing, .. } = output;
    let name = paint.strong(name);
    if *differing == 0 {
        return format!(" {name}: every bit is the same on {first} and {other}\n");
    }
    let bound = match output.in_bound {
        Some(true) => "both inside their bounds",
        Some(false) => "not both inside their bounds",
        None => "not both compared with a reference",
    };
    let all = counted(*elements, "element");
    let (most, at) = (output.max_abs_difference.0, output.first_index.unwrap_or(0));
    format!(
        " {name}: {differing} of {all} differ in bits between {first} and {other}, by at most \
         {most:.3e}, first at {at}; {bound}\n"
    )
}

fn finding_line(finding: &FindingDifference, paint: Paint) -> String {
    let FindingDifference { id, title, devices } = finding;
    let only = paint.bold(AnsiColor::Yellow, &format!("only on {}", devices.join(", ")));
    format!(" {only}: {id}: {title}\n")
}
