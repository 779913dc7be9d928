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

/// A tensor that a program reads or makes.
#[derive(Clone, Debug)]
pub struct TensorDeclaration {
    /// What reports call it.
    pub name: String,
    /// The tensor.
    pub tensor: DeviceTensor,
    /// Whether the host has filled the padding of its tiles with values that results may use.
    pub is_padding_filled: bool,
    /// The line.
    pub site: Site,
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
    /// What of the inputs must be in the outputs.
    pub contributions: Vec<ContributionDeclaration>,
    /// What of the inputs must be in buffers.
    pub row_sums: Vec<RowSumDeclaration>,
    /// The first name that was used and not declared.
    pub(crate) unknown: Option<(String, Site)>,
}

impl Declarations {
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
        let declaration = declare(name, tensor, false, Site::here());
        self.declarations().inputs.push(declaration);
        self
    }

    /// A tensor that the program reads and whose padding the host has filled for it.
    #[track_caller]
    pub fn padded_input(&mut self, name: &str, tensor: &DeviceTensor) -> &mut Self {
        let declaration = declare(name, tensor, true, Site::here());
        self.declarations().inputs.push(declaration);
        self
    }

    /// A tensor that the program makes, every element of it.
    #[track_caller]
    pub fn output(&mut self, name: &str, tensor: &DeviceTensor) -> &mut Self {
        let declaration = declare(name, tensor, false, Site::here());
        self.declarations().outputs.push(declaration);
        self
    }

    /// A tensor that the program reads, declared by a line that is not the caller's.
    pub fn input_at(
        &mut self,
        site: Site,
        name: &str,
        tensor: &DeviceTensor,
        is_padding_filled: bool,
    ) -> &mut Self {
        self.declarations().inputs.push(declare(name, tensor, is_padding_filled, site));
        self
    }

    /// A tensor that the program makes, declared by a line that is not the caller's.
    pub fn output_at(&mut self, site: Site, name: &str, tensor: &DeviceTensor) -> &mut Self {
        self.declarations().outputs.push(declare(name, tensor, false, site));
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

fn declare(
    name: &str,
    tensor: &DeviceTensor,
    is_padding_filled: bool,
    site: Site,
) -> TensorDeclaration {
    TensorDeclaration { name: name.to_owned(), tensor: *tensor, is_padding_filled, site }
}
