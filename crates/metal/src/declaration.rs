//! What a program says about its tensors: which it reads, which it makes, and what of the one must
//! be in the other.
//!
//! Changes nothing about a run. What is not declared is not checked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tilewright_machine::Site;

use crate::description::{
    ContributionDescription, PaddingRule, RowSumDescription, TensorDescription, TensorRole,
};
use crate::device_tensor::DeviceTensor;
use crate::program::Program;
use crate::program_builder::ProgramBuilder;

/// How far an input must reach into one tile of a result, along the rows or columns of tiles. A
/// dimension of one tile is spread over all of the result's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Extent {
    /// The tiles at the result's own place.
    Same,
    /// All tiles of the result's matrix.
    Matrix,
    /// All tiles of the tensor.
    All,
}

/// What the tiles of an output must hold beyond its values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputPadding {
    /// Anything.
    #[default]
    Free,
    /// Zeros.
    Zero,
    /// What an input holds there; its number among the inputs.
    Unchanged(usize),
}

/// A tensor that a program reads or makes, or that lies beside those in the device's memory.
#[derive(Clone, Debug)]
pub struct TensorDeclaration {
    /// What reports call it.
    pub name: String,
    /// The tensor.
    pub tensor: DeviceTensor,
    /// Of an input, whether results may depend on what its tiles hold beyond its values.
    pub is_padding_used: bool,
    /// Of an output, what its tiles must hold beyond its values.
    pub padding: OutputPadding,
    /// Of an output, whether only that nothing fills it makes it one.
    pub is_inferred: bool,
    /// The line.
    pub site: Site,
}

impl TensorDeclaration {
    /// A tensor of which nothing more is said.
    pub fn new(site: Site, name: &str, tensor: &DeviceTensor) -> TensorDeclaration {
        TensorDeclaration {
            name: name.to_owned(),
            tensor: *tensor,
            is_padding_used: false,
            padding: OutputPadding::Free,
            is_inferred: false,
            site,
        }
    }
}

/// What of an input must be in every tile of an output.
#[derive(Clone, Debug)]
pub struct ContributionDeclaration {
    /// The output's number among the outputs.
    pub output: usize,
    /// The input's number among the inputs.
    pub input: usize,
    /// Its rows of tiles.
    pub rows: Extent,
    /// Its columns of tiles.
    pub columns: Extent,
    /// The line.
    pub site: Site,
}

/// A buffer whose pages must hold whole tile-rows of an input.
#[derive(Clone, Copy, Debug)]
pub struct RowSumDeclaration {
    /// The buffer.
    pub cb: u8,
    /// The input's number among the inputs.
    pub input: usize,
    /// The line.
    pub site: Site,
}

/// Everything that a program has declared about its tensors.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    /// What it reads.
    pub inputs: Vec<TensorDeclaration>,
    /// What it makes.
    pub outputs: Vec<TensorDeclaration>,
    /// What else lies in the device's memory, so that who strays there can be told so.
    pub others: Vec<TensorDeclaration>,
    /// What of the inputs must be in the outputs.
    pub contributions: Vec<ContributionDeclaration>,
    /// What of the inputs must be in buffers.
    pub row_sums: Vec<RowSumDeclaration>,
}

impl Declarations {
    /// Every tensor that it names.
    pub fn tensors(&self) -> impl Iterator<Item = &TensorDeclaration> {
        self.inputs.iter().chain(&self.outputs).chain(&self.others)
    }
}

impl Program {
    /// What it has declared about its tensors.
    pub fn declarations(&self) -> &Declarations {
        &self.declarations
    }
}

impl ProgramBuilder {
    /// A tensor that the program reads. No result may depend on the padding of its tiles.
    #[track_caller]
    pub fn input(&mut self, name: &str, tensor: &DeviceTensor) -> &mut Self {
        self.input_as(TensorDeclaration::new(Site::here(), name, tensor))
    }

    /// A tensor that the program reads and whose padding the host has filled with values that
    /// results may depend on.
    #[track_caller]
    pub fn padded_input(&mut self, name: &str, tensor: &DeviceTensor) -> &mut Self {
        let declared = TensorDeclaration::new(Site::here(), name, tensor);
        self.input_as(TensorDeclaration { is_padding_used: true, ..declared })
    }

    /// A tensor that the program makes, every element of it.
    #[track_caller]
    pub fn output(&mut self, name: &str, tensor: &DeviceTensor) -> &mut Self {
        self.output_as(TensorDeclaration::new(Site::here(), name, tensor))
    }

    /// The same with zeros in the padding of its tiles.
    #[track_caller]
    pub fn zero_padded_output(&mut self, name: &str, tensor: &DeviceTensor) -> &mut Self {
        let declared = TensorDeclaration::new(Site::here(), name, tensor);
        self.output_as(TensorDeclaration { padding: OutputPadding::Zero, ..declared })
    }

    /// The same with what an input holds in the padding of its tiles.
    #[track_caller]
    pub fn output_padded_as(
        &mut self,
        name: &str,
        tensor: &DeviceTensor,
        input: &str,
    ) -> &mut Self {
        let padding = PaddingRule::Unchanged(input.to_owned());
        let described = TensorDescription::new(name, TensorRole::Output, tensor);
        self.tensor(TensorDescription { padding, site: Site::here(), ..described })
    }

    /// A tensor that the program reads.
    pub fn input_as(&mut self, declared: TensorDeclaration) -> &mut Self {
        self.declare(TensorRole::Input, declared)
    }

    /// A tensor that the program makes.
    pub fn output_as(&mut self, declared: TensorDeclaration) -> &mut Self {
        self.declare(TensorRole::Output, declared)
    }

    /// A tensor that lies in the device's memory and is neither.
    pub fn other_as(&mut self, declared: TensorDeclaration) -> &mut Self {
        self.declare(TensorRole::Other, declared)
    }

    fn declare(&mut self, role: TensorRole, declared: TensorDeclaration) -> &mut Self {
        let mut inputs = self.description().tensors.iter();
        let padding = match declared.padding {
            OutputPadding::Free => PaddingRule::Free,
            OutputPadding::Zero => PaddingRule::Zero,
            OutputPadding::Unchanged(input) => {
                let inputs = inputs.by_ref().filter(|tensor| tensor.role == TensorRole::Input);
                let name = inputs.skip(input).map(|tensor| tensor.name.clone()).next();
                PaddingRule::Unchanged(name.unwrap_or_else(|| format!("input {input}")))
            }
        };
        self.tensor(TensorDescription {
            padding_used: declared.is_padding_used,
            padding,
            inferred: declared.is_inferred,
            site: declared.site,
            ..TensorDescription::new(&declared.name, role, &declared.tensor)
        })
    }

    fn tensor(&mut self, described: TensorDescription) -> &mut Self {
        self.description().tensors.push(described);
        self
    }

    /// What of an input must be in every tile of an output.
    #[track_caller]
    pub fn contributes(
        &mut self,
        output: &str,
        input: &str,
        rows: Extent,
        columns: Extent,
    ) -> &mut Self {
        self.contributes_at(Site::here(), output, input, (rows, columns))
    }

    /// The same, declared by a line that is not the caller's.
    pub fn contributes_at(
        &mut self,
        site: Site,
        output: &str,
        input: &str,
        (rows, columns): (Extent, Extent),
    ) -> &mut Self {
        let (output, input) = (output.to_owned(), input.to_owned());
        let described = ContributionDescription { output, input, rows, columns, site };
        self.description().contributions.push(described);
        self
    }

    /// A buffer whose pages must hold whole tile-rows of an input. Pages of a running sum, each
    /// of which is in the next, need to do so only when the sum is done.
    #[track_caller]
    pub fn row_sum(&mut self, cb: u8, input: &str) -> &mut Self {
        self.row_sum_at(Site::here(), cb, input)
    }

    /// The same, declared by a line that is not the caller's.
    pub fn row_sum_at(&mut self, site: Site, cb: u8, input: &str) -> &mut Self {
        let input = input.to_owned();
        self.description().row_sums.push(RowSumDescription { buffer_index: cb, input, site });
        self
    }
}
