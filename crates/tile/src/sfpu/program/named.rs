//! The functions that `Unary` and `Binary` name: which program each of them is.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::catalogue::{Function, read, shared};
use super::run::Operands;
use super::state::VectorState;
use crate::sfpu::Unary;
use crate::{Chip, DstWidth, Lanes};

/// The division of two tiles.
const DIVISION: &str = "div";

/// Replaces every value of a tile by its function.
pub(in crate::sfpu) fn unary(chip: Chip, op: Unary, width: DstWidth, tile: &mut Lanes) {
    let (name, scalar) = name(op);
    run(name, (chip, width), &[scalar], std::slice::from_mut(tile));
}

/// Replaces the first tile by its quotient by the second.
pub(in crate::sfpu) fn divide(chip: Chip, width: DstWidth, tiles: &mut [Lanes; 2]) {
    run(DIVISION, (chip, width), &[], tiles);
}

/// What a function's init call leaves in the programmable registers; none for one it leaves alone.
pub(in crate::sfpu) fn constants(chip: Chip, op: Unary, width: DstWidth) -> [Option<u32>; 3] {
    named(name(op).0).constants(chip, width)
}

/// What the init call of a division leaves there.
pub(in crate::sfpu) fn division_constants(chip: Chip, width: DstWidth) -> [Option<u32>; 3] {
    named(DIVISION).constants(chip, width)
}

fn run(name: &str, (chip, width): (Chip, DstWidth), scalars: &[u32], tiles: &mut [Lanes]) {
    let function = named(name);
    let constants = function.constants(chip, width).map(|constant| constant.unwrap_or(0));
    let state = &mut VectorState::default();
    let operands = &mut Operands::new((chip, width), constants, scalars, tiles, state);
    function.run_program(operands);
}

fn named(name: &str) -> &'static Function {
    static FUNCTIONS: LazyLock<BTreeMap<String, Function>> = LazyLock::new(|| {
        let files = [shared(), ("unary", include_str!("../programs/unary.sfpu"))];
        match read(&files) {
            Ok(all) => all.into_iter().map(|function| (function.name.clone(), function)).collect(),
            Err(error) => {
                panic!("the programs are part of the source, and tests run them: {error}")
            }
        }
    });
    &FUNCTIONS[name]
}

/// The name of a function's program, and its scalar.
fn name(op: Unary) -> (&'static str, u32) {
    let name = match op {
        Unary::Rsqrt { legacy: true, approx: _, fast: _ } => "rsqrt_legacy",
        Unary::Rsqrt { legacy: false, approx: false, fast: false } => "rsqrt",
        Unary::Rsqrt { legacy: false, approx: false, fast: true } => "rsqrt_fast",
        Unary::Rsqrt { legacy: false, approx: true, fast: false } => "rsqrt_approximate",
        Unary::Rsqrt { legacy: false, approx: true, fast: true } => "rsqrt_approximate_fast",
        Unary::Sqrt { approx: false, fast: false } => "sqrt",
        Unary::Sqrt { approx: false, fast: true } => "sqrt_fast",
        Unary::Sqrt { approx: true, fast: false } => "sqrt_approximate",
        Unary::Sqrt { approx: true, fast: true } => "sqrt_approximate_fast",
        Unary::Recip { legacy: true } => "recip_legacy",
        Unary::Recip { legacy: false } => "recip",
        Unary::Exp { approx: true } => "exp_approximate",
        Unary::Exp { approx: false } => "exp",
        Unary::Gelu { fast: true } => "gelu_fast",
        Unary::Gelu { fast: false } => "gelu",
        Unary::Sigmoid => "sigmoid",
        Unary::Silu => "silu",
        Unary::Tanh => "tanh",
        Unary::Log => "log",
        Unary::Abs => "abs",
        Unary::Negative => "negative",
        Unary::RsubScalar(scalar) => return ("rsub", scalar),
        Unary::Square
        | Unary::Fill(_)
        | Unary::AddScalar(_)
        | Unary::SubScalar(_)
        | Unary::MulScalar(_)
        | Unary::DivScalar(_) => unreachable!("one instruction, which `direct` computes"),
    };
    (name, 0)
}
