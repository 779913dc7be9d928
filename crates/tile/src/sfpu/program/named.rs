//! The programs of the functions that `Unary` and `Binary` name.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::catalogue::{Function, read as read_files, shared};
use super::run::Operands;
use super::state::VectorState;
use crate::sfpu::{Binary, Options, Unary};
use crate::{Chip, DstWidth, Lanes};

/// Replaces every value of a tile by its function.
pub(in crate::sfpu) fn unary(chip: Chip, op: Unary, width: DstWidth, tile: &mut Lanes) {
    let scalars = [op.options().scalar];
    run(of_unary(op), (chip, width), &scalars, std::slice::from_mut(tile));
}

/// Replaces the first tile by the function of both.
pub(in crate::sfpu) fn binary(chip: Chip, op: Binary, width: DstWidth, tiles: &mut [Lanes; 2]) {
    run(of_binary(op), (chip, width), &[], tiles);
}

/// The program of a function; none if it is one instruction.
pub(in crate::sfpu) fn of_unary(op: Unary) -> Option<&'static Function> {
    PROGRAMS.get(op.declared().name)?[variant(op.options())].as_ref()
}

/// The same of two tiles.
pub(in crate::sfpu) fn of_binary(op: Binary) -> Option<&'static Function> {
    PROGRAMS.get(op.declared().name)?[0].as_ref()
}

/// Reads the programs.
pub(in crate::sfpu) fn read() {
    LazyLock::force(&PROGRAMS);
}

fn run(
    function: Option<&Function>,
    (chip, width): (Chip, DstWidth),
    scalars: &[u32],
    tiles: &mut [Lanes],
) {
    let function = function.expect("a program for what `direct` does not compute; tests run all");
    let constants = function.constants(chip, width).map(|constant| constant.unwrap_or(0));
    let state = &mut VectorState::default();
    let operands = &mut Operands::new((chip, width), constants, scalars, tiles, state);
    function.run_program(operands);
}

/// The programs of a function's variants.
type Variants = [Option<Function>; VARIANTS.len()];

/// What their names have behind the function's.
const VARIANTS: [&str; 5] = ["", "_fast", "_approximate", "_approximate_fast", "_legacy"];

/// The older algorithms have no other option.
fn variant(options: Options) -> usize {
    match (options.legacy, options.approx, options.fast) {
        (false, approx, fast) => 2 * usize::from(approx) + usize::from(fast),
        (true, _, _) => 4,
    }
}

/// By their calls.
static PROGRAMS: LazyLock<BTreeMap<String, Variants>> = LazyLock::new(|| {
    let files = [shared(), ("unary", include_str!("../programs/unary.sfpu"))];
    let functions = match read_files(&files) {
        Ok(functions) => functions,
        Err(error) => panic!("the programs are part of the source, and tests run them: {error}"),
    };
    let mut programs: BTreeMap<String, Variants> = BTreeMap::new();
    for function in functions {
        let ending = |ending: &&str| function.name.ends_with(ending);
        let variant = VARIANTS.iter().rposition(ending).unwrap_or(0);
        let base = function.name.len() - VARIANTS[variant].len();
        let call = format!("{}_tile", &function.name[..base]);
        programs.entry(call).or_default()[variant] = Some(function);
    }
    programs
});
