//! Which device a request runs on.

use tilewright_metal::Architecture;

use crate::record::Failure;
use crate::request::Request;

/// The device where neither the request nor its subject names one.
pub const DEFAULT_DEVICE: &str = "n150";

/// The table of the device that a request asks for, or else of the one that its subject names.
pub(crate) fn architecture(asked: &Request, own: Option<&str>) -> Result<Architecture, Failure> {
    let name = asked.device.as_deref().or(own).unwrap_or(DEFAULT_DEVICE);
    Architecture::named(name).map_err(|_| unknown(name))
}

fn unknown(name: &str) -> Failure {
    Failure::new(format!("unknown device `{name}`"))
        .help(format!("give one of {}", Architecture::NAMES.join(", ")))
}
