//! Every function of the vector unit that is a program, by name.

use std::sync::LazyLock;

use super::assemble::assemble;
use super::parse::{self, Definition, File};
use super::run::{Operands, Program};
use crate::DstWidth;

macro_rules! program_file {
    ($name:literal) => {
        ($name, include_str!(concat!("../programs/", $name, ".sfpu")))
    };
}

/// The programs, by family.
const FILES: &[(&str, &str)] = &[
    program_file!("shared"),
    program_file!("activation"),
    program_file!("activation_gated"),
    program_file!("binary"),
    program_file!("integer"),
    program_file!("integer_comparison"),
    program_file!("integer_division"),
    program_file!("rounding"),
    program_file!("power"),
    program_file!("trigonometry"),
    program_file!("exponential"),
    program_file!("gamma"),
    program_file!("quantisation"),
    program_file!("typecast"),
];

/// A function in the list of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionId(pub u16);

/// A function of the vector unit.
#[derive(Debug)]
pub struct Function {
    /// tt-metal's name, with the template arguments that choose the program.
    pub name: String,
    /// The scalars of a call, in order.
    pub scalars: Vec<String>,
    constants: [[Option<u32>; 3]; 2],
    narrow: Program,
    wide: Program,
}

impl Function {
    /// Operand tiles of a call.
    pub fn tiles(&self) -> usize {
        self.narrow.tiles.max(self.wide.tiles).max(1)
    }

    /// What its init call leaves in the programmable registers; none for one it leaves alone.
    pub fn constants(&self, width: DstWidth) -> [Option<u32>; 3] {
        match width {
            DstWidth::Bits16 => self.constants[0],
            DstWidth::Bits32 => self.constants[1],
        }
    }

    /// Instructions for each group of 32 lanes.
    pub fn instructions(&self, width: DstWidth) -> usize {
        self.program(width).steps.len()
    }

    /// Replaces a tile by the function of some.
    pub fn run(&self, operands: Operands<'_>) {
        self.program(operands.width).run(operands);
    }

    fn program(&self, width: DstWidth) -> &Program {
        match width {
            DstWidth::Bits16 => &self.narrow,
            DstWidth::Bits32 => &self.wide,
        }
    }
}

impl FunctionId {
    /// The function of a name such as `where_tile<Float32>`.
    pub fn from_name(name: &str) -> Option<FunctionId> {
        let place = functions().iter().position(|function| function.name == name)?;
        Some(FunctionId(place as u16))
    }

    /// The function.
    pub fn function(self) -> &'static Function {
        &functions()[usize::from(self.0)]
    }
}

/// Every function, in the order of the files.
pub fn functions() -> &'static [Function] {
    static FUNCTIONS: LazyLock<Vec<Function>> = LazyLock::new(|| match read(FILES) {
        Ok(functions) => functions,
        Err(error) => panic!("the programs are part of the source, and tests read them: {error}"),
    });
    &FUNCTIONS
}

fn read(files: &[(&str, &str)]) -> Result<Vec<Function>, String> {
    let mut all = File::default();
    for (name, text) in files {
        let file = parse::parse(text).map_err(|error| format!("{name}: {error}"))?;
        all.subroutines.extend(file.subroutines);
        all.definitions.extend(file.definitions);
    }
    let mut functions = Vec::new();
    for definition in &all.definitions {
        for name in names(&definition.name) {
            functions.push(function(name, definition, &all)?);
        }
    }
    Ok(functions)
}

/// `f<A|B>` is two functions that compute the same.
fn names(name: &str) -> Vec<String> {
    match name.split_once('<') {
        Some((base, templates)) => {
            let templates = templates.trim_end_matches('>').split('|');
            templates.map(|template| format!("{base}<{template}>")).collect()
        }
        None => vec![name.to_owned()],
    }
}

fn function(name: String, definition: &Definition, all: &File) -> Result<Function, String> {
    let program = |width| {
        assemble(definition, &all.subroutines, width).map_err(|error| format!("`{name}`: {error}"))
    };
    let constants = |width: usize| {
        std::array::from_fn(|at| definition.constants[width].get(at).copied().flatten())
    };
    let (narrow, wide) = (program(DstWidth::Bits16)?, program(DstWidth::Bits32)?);
    let scalars = definition.scalars.clone();
    Ok(Function { name, scalars, constants: [constants(0), constants(1)], narrow, wide })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_is_read() {
        if let Err(error) = read(FILES) {
            panic!("{error}");
        }
    }
}
