//! Tensors of a description: where they lie, and what the program does with them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tilewright_machine::{Architecture, Site};
use tilewright_tile::DataFormat;

use super::words;
use crate::declaration::{
    ContributionDeclaration, Declarations, Extent, OutputPadding, RowSumDeclaration,
    TensorDeclaration,
};
use crate::device::Device;
use crate::device_tensor::DeviceTensor;
use crate::memory_config::MemoryConfig;
use crate::program_error::ProgramError;
use crate::shape::Shape;
use crate::tensor::{Layout, Tensor};

/// A tensor that lies in the device's memory when the program runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TensorDescription {
    /// What reports call it; unique among the program's tensors.
    pub name: String,
    /// What the program does with it.
    pub role: TensorRole,
    /// The sizes, without padding.
    #[serde(with = "words::shape")]
    #[schemars(with = "Vec<u32>")]
    pub shape: Shape,
    /// The order of its values.
    pub layout: Layout,
    /// The format of its values.
    #[serde(rename = "data_format", with = "words::format")]
    #[schemars(with = "String")]
    pub format: DataFormat,
    /// Where its pages go.
    pub memory: MemoryConfig,
    /// Where it begins, in every bank alike.
    pub address: u32,
    /// Of an input, whether results may depend on what its tiles hold beyond its values.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub padding_used: bool,
    /// Of an output, what its tiles must hold beyond its values.
    #[serde(default, skip_serializing_if = "PaddingRule::is_free")]
    pub padding: PaddingRule,
    /// Of an output, whether only that nothing fills it makes it one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inferred: bool,
    /// The line that declares it.
    #[serde(default = "words::site::unknown", with = "words::site")]
    #[serde(skip_serializing_if = "words::site::is_unknown")]
    #[schemars(with = "Option<words::Line>")]
    pub site: Site,
}

/// What a program does with a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TensorRole {
    /// It reads it.
    Input,
    /// It makes it, every element.
    Output,
    /// Neither: it lies in the device's memory.
    Other,
}

/// What the tiles of an output must hold beyond its values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PaddingRule {
    /// Anything.
    #[default]
    Free,
    /// Zeros.
    Zero,
    /// What the input of this name holds there.
    Unchanged(String),
}

impl PaddingRule {
    fn is_free(&self) -> bool {
        *self == PaddingRule::Free
    }
}

/// What of an input must be in every tile of an output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContributionDescription {
    /// The output's name.
    pub output: String,
    /// The input's name.
    pub input: String,
    /// Its rows of tiles.
    pub rows: Extent,
    /// Its columns of tiles.
    pub columns: Extent,
    /// The line that declares it.
    #[serde(default = "words::site::unknown", with = "words::site")]
    #[serde(skip_serializing_if = "words::site::is_unknown")]
    #[schemars(with = "Option<words::Line>")]
    pub site: Site,
}

/// A buffer whose pages must hold whole tile-rows of an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RowSumDescription {
    /// The buffer.
    pub buffer_index: u8,
    /// The input's name.
    pub input: String,
    /// The line that declares it.
    #[serde(default = "words::site::unknown", with = "words::site")]
    #[serde(skip_serializing_if = "words::site::is_unknown")]
    #[schemars(with = "Option<words::Line>")]
    pub site: Site,
}

impl TensorDescription {
    /// A tensor of which nothing more is said.
    pub fn new(name: &str, role: TensorRole, tensor: &DeviceTensor) -> TensorDescription {
        TensorDescription {
            name: name.to_owned(),
            role,
            shape: tensor.shape,
            layout: tensor.layout,
            format: tensor.format,
            memory: tensor.memory(),
            address: tensor.buffer.address_word(),
            padding_used: false,
            padding: PaddingRule::Free,
            inferred: false,
            site: words::site::unknown(),
        }
    }

    /// The tensor in the memory of a chip.
    pub fn on(&self, arch: &Architecture) -> Result<DeviceTensor, ProgramError> {
        let parts = (self.shape, self.layout, self.format);
        DeviceTensor::at(arch, parts, &self.memory, self.address).map_err(|it| self.bad(&it))
    }

    /// Takes the tensor's room on a device. `contents` are its bytes, if it holds something.
    pub fn put(
        &self,
        device: &mut Device,
        contents: Option<&[u8]>,
    ) -> Result<DeviceTensor, ProgramError> {
        let tensor = self.on(device.architecture())?;
        device.claim(&tensor.buffer).map_err(|error| self.bad(&error))?;
        if let Some(contents) = contents {
            let bytes = contents.to_vec();
            let values = Tensor::from_bytes(self.shape, self.layout, self.format, bytes);
            let written = values.and_then(|values| tensor.write(device, &values));
            written.map_err(|error| self.bad(&error))?;
        }
        Ok(tensor)
    }

    fn bad(&self, why: &dyn std::fmt::Display) -> ProgramError {
        ProgramError::BadTensor { name: self.name.clone(), why: why.to_string(), site: self.site }
    }
}

/// What is declared about tensors, with the tensors of a chip.
pub(crate) fn declarations(
    arch: &Architecture,
    (tensors, contributions, row_sums): (
        &[TensorDescription],
        &[ContributionDescription],
        &[RowSumDescription],
    ),
) -> Result<Declarations, ProgramError> {
    let number = |role: TensorRole, name: &str, site: Site| {
        let mut of_role = tensors.iter().filter(|tensor| tensor.role == role);
        let found = of_role.position(|tensor| tensor.name == name);
        found.ok_or_else(|| ProgramError::NoSuchTensor { name: name.to_owned(), site })
    };
    let mut all = Declarations::default();
    for (place, tensor) in tensors.iter().enumerate() {
        if tensors[..place].iter().any(|other| other.name == tensor.name) {
            let (name, site) = (tensor.name.clone(), tensor.site);
            return Err(ProgramError::SameTensor { name, site });
        }
        let padding = match &tensor.padding {
            PaddingRule::Free => OutputPadding::Free,
            PaddingRule::Zero => OutputPadding::Zero,
            PaddingRule::Unchanged(name) => {
                OutputPadding::Unchanged(number(TensorRole::Input, name, tensor.site)?)
            }
        };
        let declared = TensorDeclaration {
            name: tensor.name.clone(),
            tensor: tensor.on(arch)?,
            is_padding_used: tensor.padding_used,
            padding,
            is_inferred: tensor.inferred,
            site: tensor.site,
        };
        match tensor.role {
            TensorRole::Input => all.inputs.push(declared),
            TensorRole::Output => all.outputs.push(declared),
            TensorRole::Other => all.others.push(declared),
        }
    }
    for declared in contributions {
        let ContributionDescription { rows, columns, site, .. } = *declared;
        let output = number(TensorRole::Output, &declared.output, site)?;
        let input = number(TensorRole::Input, &declared.input, site)?;
        all.contributions.push(ContributionDeclaration { output, input, rows, columns, site });
    }
    for declared in row_sums {
        let (cb, site) = (declared.buffer_index, declared.site);
        let input = number(TensorRole::Input, &declared.input, site)?;
        all.row_sums.push(RowSumDeclaration { cb, input, site });
    }
    Ok(all)
}
