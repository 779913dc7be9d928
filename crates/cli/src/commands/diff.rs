//! `tilewright diff`: two programs beside each other.

use tilewright_report::drawing::{Drawing, costs, line_costs};
use tilewright_report::line_costs::line_differences;
use tilewright_report::record::Failure;
use tilewright_report::timeline::Limits;
use tilewright_report::{html, json, terminal};
use tilewright_run::Request;

use super::names;
use crate::args::Diff;
use crate::output::{self, Output, Status};

/// Runs both, and shows what differs.
pub fn diff(asked: &Diff, output: &Output) -> Result<Status, Failure> {
    names::check_writable(asked.html.as_deref())?;
    let requests = requests(asked)?;
    let [mut first, mut other] = [Limits::COSTS; 2].map(|limits| Drawing::new(limits, &[costs]));
    let (mut diff, seen) =
        tilewright_run::diff(requests.each_ref(), [&mut first, &mut other], &output.front())?;
    let [first, other] = seen.each_ref().map(|testimony| line_costs(testimony));
    diff.lines = line_differences([&first, &other]);
    if let Some(path) = &asked.html {
        output::write(path, "html", html::diff_page(&diff, None).as_bytes())?;
    }
    let status = if diff.is_same { Status::Clean } else { Status::Found };
    Ok(output.answer(|| json::text(&diff), |paint| terminal::diff(&diff, paint), status))
}

/// Two programs on one device, or on two; or one program on two devices.
fn requests(asked: &Diff) -> Result<[Request; 2], Failure> {
    let Diff { run, other, .. } = asked;
    run.check_format()?;
    let devices = match run.device.as_slice() {
        [] => [None, None],
        [both] => [Some(both), Some(both)],
        [first, second] => [Some(first), Some(second)],
        [_, _, _, ..] => {
            return Err(Failure::new("--device: two devices can be compared, not more")
                .help("give one or two"));
        }
    };
    if other.is_none() && devices[0] == devices[1] {
        return Err(Failure::new("there is nothing to compare it with")
            .help("name a second program, or two devices, such as --device n150,p150"));
    }
    let names = [&run.name, other.as_ref().unwrap_or(&run.name)];
    let request = |place: usize| -> Result<Request, Failure> {
        let device = devices[place].cloned();
        Ok(Request { device, ..run.request_for(names[place])? })
    };
    Ok([request(0)?, request(1)?])
}
