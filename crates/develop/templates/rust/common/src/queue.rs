//! Where programs run: a device, and what is launched on it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use tilewright_run::prelude::*;

/// Why an operation gives no result.
pub type Error = Box<dyn std::error::Error>;

/// Makes the program of a launch.
pub type Factory<'a> = dyn Fn(&Architecture) -> Result<ProgramDescription, Error> + 'a;

/// Runs programs on a device.
pub trait Queue {
    /// The device, on which the tensors are.
    fn device(&mut self) -> &mut Device;

    /// Runs the program that `make` gives for these tensors, of which the last is the output.
    fn enqueue(&mut self, tensors: &[DeviceTensor], make: &Factory<'_>) -> Result<(), Error>;
}

/// Simulates programs and checks them: whatever is found fails the launch.
pub struct Simulator {
    device: Device,
}

impl Simulator {
    /// With a device that holds nothing yet.
    pub fn new(device: Device) -> Simulator {
        Simulator { device }
    }
}

impl Queue for Simulator {
    fn device(&mut self) -> &mut Device {
        &mut self.device
    }

    fn enqueue(&mut self, tensors: &[DeviceTensor], make: &Factory<'_>) -> Result<(), Error> {
        let description = make(self.device.architecture())?;
        let (output, inputs) = tensors.split_last().ok_or("a launch has an output")?;
        let names = description.tensors.iter().map(|tensor| tensor.name.clone());
        let mut contents = BTreeMap::new();
        for (name, input) in names.zip(inputs) {
            contents.insert(name, input.to_host(&mut self.device)?.bytes().to_vec());
        }
        let described = Described {
            description,
            contents,
            command: "cargo test".into(),
        };
        let request = Request::described(described).device(self.device.architecture().name);
        let outcome = Request {
            keeps_outputs: true,
            ..request
        }
        .run()?;
        if !matches!(outcome.verdict(), RunVerdict::Pass | RunVerdict::Unjudged) {
            return Err(told(&outcome).into());
        }
        let kept = outcome
            .kept
            .first()
            .ok_or("the program declares no output")?;
        Ok(output.write(&mut self.device, &kept.tensor)?)
    }
}

/// The findings of a run, with their lines.
fn told(outcome: &Outcome) -> String {
    let mut text = format!("{}: {}", outcome.name, outcome.verdict().name());
    for finding in outcome.findings() {
        let _ = write!(text, "\nerror[{}]: {}", finding.id, finding.title);
        if let Some(mark) = finding.marks.first() {
            let _ = write!(text, "\n --> {}:{}", mark.file, mark.line);
        }
        if let Some(help) = &finding.help {
            let _ = write!(text, "\n = help: {help}");
        }
    }
    text
}
