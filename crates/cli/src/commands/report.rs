//! `tilewright report`: runs an operation and writes a page about it.

use std::path::Path;

use tilewright_report::drawing::{Drawing, costs, line_costs, page};
use tilewright_report::line_costs::line_differences;
use tilewright_report::record::{DrawnDevices, Failure, RunVerdict};
use tilewright_report::timeline::Limits;
use tilewright_report::{html, json, terminal};
use tilewright_run::Request;

use super::drawn::{self, File};
use super::names;
use super::run::status;
use crate::args::{Report, Run};
use crate::output::{self, Output, Status};

/// Runs an operation and writes the page, or on two devices and writes a page of each and one that
/// compares them.
pub fn report(asked: &Report, output: &Output) -> Result<Status, Failure> {
    names::check_writable(asked.output.as_deref())?;
    match asked.run.device.as_slice() {
        [first, second] if first != second => on_devices(asked, [first, second], output),
        _ => {
            let drawing = Drawing::new(Limits::PAGE, &[page]);
            let files = [File { path: asked.output.as_deref(), ending: "html", format: "html" }];
            drawn::draw(&asked.run, drawing, &files, output)
        }
    }
}

fn on_devices(asked: &Report, devices: [&String; 2], output: &Output) -> Result<Status, Failure> {
    let requests = requests(&asked.run, devices)?;
    let drawing = || Drawing::new(Limits::PAGE, &[costs, page]);
    let [mut first, mut second] = [drawing(), drawing()];
    let witnesses = [&mut first as &mut dyn tilewright_run::Witness, &mut second];
    let (mut diff, seen) = tilewright_run::diff(requests.each_ref(), witnesses, &output.front())?;
    let lines = seen.each_ref().map(|testimony| line_costs(testimony));
    diff.lines = line_differences([&lines[0], &lines[1]]);
    let path = names::drawn(asked.output.as_deref(), requests[0].name(), "html");
    let beside = devices.map(|device| path.with_extension(format!("{device}.html")));
    let links = beside.each_ref().map(|it| file_name(it));
    let text = html::diff_page(&diff, Some(links.each_ref().map(String::as_str)));
    let mut files = vec![output::write(&path, "html", text.as_bytes())?];
    for (path, testimony) in beside.iter().zip(&seen) {
        let (_, drawings) = Drawing::decode(testimony);
        let page = drawings.get(1).map(Vec::as_slice).unwrap_or_default();
        files.push(output::write(path, "html", page)?);
    }
    let codes = diff.runs.iter().map(|run| status(run, &asked.run));
    let status = codes.max_by_key(|status| status.code()).unwrap_or(Status::Clean);
    let verdict = RunVerdict::worst(diff.runs.iter().map(|run| run.verdict));
    let drawn = DrawnDevices { verdict, files, diff };
    Ok(output.answer(|| json::text(&drawn), |paint| terminal::drawn_devices(&drawn, paint), status))
}

fn requests(run: &Run, devices: [&String; 2]) -> Result<[Request; 2], Failure> {
    run.check_format()?;
    let request = |device: &String| -> Result<Request, Failure> {
        Ok(Request { device: Some(device.clone()), ..run.request_for(&run.name)? })
    };
    Ok([request(devices[0])?, request(devices[1])?])
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
