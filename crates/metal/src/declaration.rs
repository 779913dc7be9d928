//! What a program says about its tensors: which it reads, which it makes, and what of the one must
//! be in the other.
//!
//! Changes nothing about a run. What is not declared is not checked.

use tilewright_machine::Site;

use crate::device_tensor::DeviceTensor;
use crate::program::{Program, ProgramBuilder};
use crate::program_error::ProgramError;

/// How far an input must reach into one tile of a result, along the rows or columns of tiles. A
/// dimension of one tile is spread over all of the result's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// The first name that was used and not declared.
    pub(crate) unknown: Option<(String, Site)>,
}

impl Declarations {
    /// Every tensor that it names.
    pub fn tensors(&self) -> impl Iterator<Item = &TensorDeclaration> {
        self.inputs.iter().chain(&self.outputs).chain(&self.others)
    }

    pub(crate) fn check(&self) -> Result<(), ProgramError> {
        match self.unknown.clone() {
            Some((name, site)) => Err(ProgramError::NoSuchTensor { name, site }),
            None => Ok(()),
        }
    }

    fn find(&mut self, is_output: bool, name: &str, site: Site) -> Option<usize> {
        let tensors = if is_output { &self.outputs } else { &self.inputs };
        let found = tensors.iter().position(|tensor| tensor.name == name);
        if found.is_none() {
            self.unknown.get_or_insert((name.to_owned(), site));
        }
        found
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

    /// The same with what an input that has been declared holds in the padding of its tiles.
    #[track_caller]
    pub fn output_padded_as(
        &mut self,
        name: &str,
        tensor: &DeviceTensor,
        input: &str,
    ) -> &mut Self {
        let site = Site::here();
        let input = self.declarations().find(false, input, site);
        let padding = input.map(OutputPadding::Unchanged).unwrap_or_default();
        let declared = TensorDeclaration::new(site, name, tensor);
        self.output_as(TensorDeclaration { padding, ..declared })
    }

    /// A tensor that the program reads.
    pub fn input_as(&mut self, declared: TensorDeclaration) -> &mut Self {
        self.declarations().inputs.push(declared);
        self
    }

    /// A tensor that the program makes.
    pub fn output_as(&mut self, declared: TensorDeclaration) -> &mut Self {
        self.declarations().outputs.push(declared);
        self
    }

    /// A tensor that lies in the device's memory and is neither.
    pub fn other_as(&mut self, declared: TensorDeclaration) -> &mut Self {
        self.declarations().others.push(declared);
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
        let declarations = self.declarations();
        let output = declarations.find(true, output, site);
        let input = declarations.find(false, input, site);
        if let (Some(output), Some(input)) = (output, input) {
            let declared = ContributionDeclaration { output, input, rows, columns, site };
            declarations.contributions.push(declared);
        }
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
        let declarations = self.declarations();
        if let Some(input) = declarations.find(false, input, site) {
            declarations.row_sums.push(RowSumDeclaration { cb, input, site });
        }
        self
    }
}
