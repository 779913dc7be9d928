//! Every function of the vector unit that is a program, by name.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::assemble::assemble;
use super::parse::{self, Definition, File};
use super::run::{Operands, Program};
use super::sequence::{Registers, SEQUENCES, Sequence, Writes};
use super::state::VectorState;
use crate::sfpu::Declared;
use crate::{Chip, DstWidth};

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

/// Subroutines that all families use.
pub(super) fn shared() -> (&'static str, &'static str) {
    FILES[0]
}

/// Functions whose loads and stores have another width than Dst, and the rows that they reach.
const OTHER_ROWS: &[(&str, DstWidth, Rows)] = &[
    ("typecast_tile<Float32,Float16_b>", DstWidth::Bits16, Rows::Wide),
    ("rand_tile", DstWidth::Bits16, Rows::Wide),
    ("where_tile<Float16_b>", DstWidth::Bits32, Rows::Narrow),
    ("copy_dest_values<Float16_b>", DstWidth::Bits32, Rows::Narrow),
];

/// Rows of Dst as a function's loads and stores count them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// Those of Dst's own width.
    Own,
    /// Loads and stores of 16 bits in a 32-bit Dst: half as many rows for a tile, and every other
    /// group of eight is the lower halves of the group before it.
    Narrow,
    /// Stores of 32 bits in a 16-bit Dst: twice as many rows for a tile.
    Wide,
}

/// A function in the list of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionId(pub u16);

/// A function of the vector unit.
pub struct Function {
    /// tt-metal's name, with the template arguments that choose the program.
    pub name: String,
    /// The scalars of a call, in order.
    pub scalars: Vec<String>,
    /// The init call, for people.
    init_call: String,
    /// The only chip that it is known on, if there is one.
    only_on: Option<Chip>,
    /// On each chip, and with each width of Dst.
    constants: ByChip<[[Option<u32>; 3]; 2]>,
    body: Body,
}

/// One for each chip.
type ByChip<T> = [T; Chip::ALL.len()];

enum Body {
    Programs(Box<ByChip<Programs>>),
    Sequence(&'static Sequence),
}

/// A function on one chip.
pub(super) struct Programs {
    /// With a 16-bit Dst.
    narrow: Program,
    /// With a 32-bit Dst.
    wide: Program,
}

impl Programs {
    fn new(definition: &Definition, all: &File, chip: Chip) -> Result<Programs, String> {
        let program = |width| assemble(definition, &all.subroutines, (chip, width));
        Ok(Programs { narrow: program(DstWidth::Bits16)?, wide: program(DstWidth::Bits32)? })
    }

    pub(super) fn of(&self, width: DstWidth) -> &Program {
        match width {
            DstWidth::Bits16 => &self.narrow,
            DstWidth::Bits32 => &self.wide,
        }
    }
}

/// About as many instructions as the cheapest sequence has for each group of 32 lanes.
const SEQUENCE_INSTRUCTIONS: usize = 4;

impl Function {
    /// The name without template arguments.
    pub fn base_name(&self) -> &str {
        self.name.split('<').next().unwrap_or(&self.name)
    }

    /// The same that is declared of functions with a fast path; instructions on the first chip.
    pub fn declared(&'static self) -> Declared {
        Declared {
            name: &self.name,
            init_call: &self.init_call,
            needs_init: self.needs_init(),
            instructions: self.instructions(Chip::Wormhole, DstWidth::Bits32) as u64,
        }
    }

    /// Whether its init call leaves constants, or instructions to replay, that it needs.
    fn needs_init(&self) -> bool {
        match &self.body {
            Body::Programs(_) => self.constants.iter().flatten().flatten().any(Option::is_some),
            Body::Sequence(sequence) => sequence.needs_init,
        }
    }

    /// Whether the init of another function leaves what it needs.
    pub fn has_init_of(&self, other: &Function) -> bool {
        if let Body::Sequence(_) = self.body {
            return self.init_call == other.init_call;
        }
        // Chips have the same init calls, whatever those leave.
        let mine = self.constants[Chip::Wormhole as usize].iter().flatten();
        let others = other.constants[Chip::Wormhole as usize].iter().flatten();
        mine.zip(others).all(|(mine, others)| mine.is_none() || mine == others)
    }

    /// The rows that it reaches with a width of Dst.
    pub fn rows(&self, width: DstWidth) -> Rows {
        let other = OTHER_ROWS.iter().find(|(name, of, _)| *name == self.name && *of == width);
        other.map_or(Rows::Own, |(_, _, rows)| *rows)
    }

    /// Why it is not modelled after what has been called before, if so.
    pub fn refusal(&self, chip: Chip, state: &VectorState) -> Option<String> {
        if let Some(only) = self.only_on.filter(|only| *only != chip) {
            let (name, only, chip) = (&self.name, only.name(), chip.name());
            return Some(format!("{name} on {chip}: there is evidence for {only} alone"));
        }
        let continues = matches!(self.registers(), Registers::Continues | Registers::Ends);
        (continues && !state.is_kept).then(|| {
            format!(
                "{}: it goes on from registers of the vector unit that another function has \
                 overwritten",
                self.name
            )
        })
    }

    /// Which tiles it stores to.
    pub fn writes(&self) -> Writes {
        match &self.body {
            Body::Programs(_) => Writes::Result,
            Body::Sequence(sequence) => sequence.writes,
        }
    }

    /// What it does with the values that registers hold between calls.
    pub fn registers(&self) -> Registers {
        match &self.body {
            Body::Programs(_) => Registers::Overwrites,
            Body::Sequence(sequence) => sequence.registers,
        }
    }

    /// Whether it goes over its tiles lane by lane.
    pub fn is_program(&self) -> bool {
        matches!(self.body, Body::Programs(_))
    }

    /// Operand tiles of a call.
    pub fn tiles(&self) -> usize {
        match &self.body {
            // One that loads nothing is given the tile that it stores to.
            Body::Programs(_) => self.tiles_read().max(1),
            Body::Sequence(sequence) => sequence.tiles,
        }
    }

    /// How many of its operand tiles it reads; it only stores to the others.
    pub fn tiles_read(&self) -> usize {
        match &self.body {
            Body::Programs(programs) => {
                let tiles = programs.iter().flat_map(|it| [it.narrow.tiles, it.wide.tiles]);
                tiles.max().unwrap_or(0)
            }
            Body::Sequence(sequence) => sequence.reads,
        }
    }

    /// What its init call leaves in the programmable registers; none for one it leaves alone.
    pub fn constants(&self, chip: Chip, width: DstWidth) -> [Option<u32>; 3] {
        let [narrow, wide] = self.constants[chip as usize];
        match width {
            DstWidth::Bits16 => narrow,
            DstWidth::Bits32 => wide,
        }
    }

    /// Instructions for each group of 32 lanes.
    pub fn instructions(&self, chip: Chip, width: DstWidth) -> usize {
        match &self.body {
            Body::Programs(programs) => programs[chip as usize].of(width).steps.len(),
            Body::Sequence(_) => SEQUENCE_INSTRUCTIONS,
        }
    }

    /// Runs its program; a sequence has none.
    pub(super) fn run_program(&self, operands: &mut Operands<'_>) {
        if let Body::Programs(programs) = &self.body {
            programs[operands.chip as usize].of(operands.width).run(operands);
        }
    }

    /// Computes the tiles that it stores to, or says that it would reach past them.
    pub fn run(&self, operands: &mut Operands<'_>) -> Result<(), String> {
        match &self.body {
            Body::Programs(_) => self.run_program(operands),
            Body::Sequence(sequence) => (sequence.run)(operands),
        }
        operands.state.is_kept = match self.registers() {
            Registers::Overwrites | Registers::Ends => false,
            Registers::Sets | Registers::Continues => true,
            Registers::Keeps => operands.state.is_kept,
        };
        match operands.overran {
            true => Err(format!("{}: with these arguments it reaches past its tiles", self.name)),
            false => Ok(()),
        }
    }
}

impl FunctionId {
    /// The function of a name such as `where_tile<Float32>`.
    pub fn from_name(name: &str) -> Option<FunctionId> {
        let place = functions().iter().position(|function| function.name == name)?;
        Some(FunctionId(place as u16))
    }

    /// The function whose name has a hash, as C++ kernels give it. A name without template
    /// arguments is that of an init which all variants share: it means the first of them.
    pub fn from_hash(hash: u32) -> Option<FunctionId> {
        static PLACES: LazyLock<BTreeMap<u32, u16>> = LazyLock::new(|| {
            let mut places = BTreeMap::new();
            for (place, function) in (0..).zip(functions()) {
                places.entry(name_hash(function.base_name())).or_insert(place);
            }
            let names = functions().iter().map(|function| name_hash(&function.name));
            places.extend(names.zip(0..));
            places
        });
        PLACES.get(&hash).copied().map(FunctionId)
    }

    /// The function.
    pub fn function(self) -> &'static Function {
        &functions()[usize::from(self.0)]
    }
}

/// FNV-1a, as in the C++ headers.
pub(in crate::sfpu) const fn name_hash(name: &str) -> u32 {
    let (bytes, mut hash, mut at) = (name.as_bytes(), 0x811c_9dc5_u32, 0);
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    hash
}

/// Every function, in the order of the files; then the sequences.
pub fn functions() -> &'static [Function] {
    static FUNCTIONS: LazyLock<Vec<Function>> = LazyLock::new(|| match read(FILES) {
        Ok(programs) => programs.into_iter().chain(sequences()).collect(),
        Err(error) => panic!("the programs are part of the source, and tests read them: {error}"),
    });
    &FUNCTIONS
}

pub(super) fn read(files: &[(&str, &str)]) -> Result<Vec<Function>, String> {
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

fn sequences() -> impl Iterator<Item = Function> {
    SEQUENCES.iter().copied().flatten().map(|sequence| Function {
        name: sequence.name.to_owned(),
        scalars: sequence.scalars.iter().map(|scalar| (*scalar).to_owned()).collect(),
        init_call: sequence.init.to_owned(),
        only_on: sequence.only_on,
        constants: sequence.constants.map(|of_chip| [of_chip; 2]),
        body: Body::Sequence(sequence),
    })
}

fn init_call(name: &str) -> String {
    format!("{}_init()", name.split('<').next().unwrap_or(name))
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
    let programs =
        |chip| Programs::new(definition, all, chip).map_err(|error| format!("`{name}`: {error}"));
    let constants = definition.constants.each_ref().map(|of_chip| {
        of_chip.each_ref().map(|words| std::array::from_fn(|at| words.get(at).copied().flatten()))
    });
    let [wormhole, blackhole] = Chip::ALL.map(programs);
    let body = Body::Programs(Box::new([wormhole?, blackhole?]));
    let scalars = definition.scalars.clone();
    let init_call = init_call(&name);
    let only_on = definition.only_on;
    Ok(Function { name, scalars, init_call, only_on, constants, body })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_their_hashes_are_unique() {
        for (place, function) in functions().iter().enumerate() {
            assert_eq!(FunctionId::from_name(&function.name), Some(FunctionId(place as u16)));
            assert_eq!(FunctionId::from_hash(name_hash(&function.name)).unwrap().0, place as u16);
        }
    }

    #[test]
    fn every_program_is_read() {
        if let Err(error) = read(FILES) {
            panic!("{error}");
        }
    }
}
