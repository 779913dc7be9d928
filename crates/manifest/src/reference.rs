//! References by name: exact results that a manifest's outputs are compared with.
//!
//! A manifest only names them. Its caller resolves the names.

use std::collections::BTreeMap;

use tilewright_metal::{ComputeConfig, Device, Family, Given, Roles, Wanted};
use tilewright_tile::DataFormat;

/// What the names of references stand for.
pub trait References {
    /// Every name, in the order in which to list them.
    fn names(&self) -> Vec<&'static str>;
    /// What the reference with a name takes and gives.
    fn signature(&self, name: &str) -> Option<Signature>;
    /// What its outputs must hold, or what is wrong with what is asked.
    fn exact(&self, device: &Device, asked: Asked) -> Result<Vec<Wanted>, String>;
}

/// The names of a reference's tensors and options.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Its tensors.
    pub roles: Roles,
    /// Its options.
    pub choices: Vec<&'static str>,
}

/// A reference with everything that its values and bounds depend on.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Its name.
    pub name: String,
    /// Its options by name.
    pub choices: BTreeMap<String, String>,
    /// The inputs, in the order of its roles.
    pub inputs: Vec<Given>,
    /// The format of the first input.
    pub format: DataFormat,
    /// Where the first input's values come from; none where a file holds them.
    pub family: Option<Family>,
    /// The formats of the outputs, in the order of its roles; none for one that is not judged.
    pub outputs: Vec<Option<DataFormat>>,
    /// The configuration of the program's compute kernel.
    pub config: ComputeConfig,
    /// How many cores have work.
    pub cores: u32,
}

/// No references: every name is unknown.
pub struct NoReferences;

impl References for NoReferences {
    fn names(&self) -> Vec<&'static str> {
        Vec::new()
    }

    fn signature(&self, _: &str) -> Option<Signature> {
        None
    }

    fn exact(&self, _: &Device, asked: Asked) -> Result<Vec<Wanted>, String> {
        Err(format!("unknown operation `{}`", asked.name))
    }
}
