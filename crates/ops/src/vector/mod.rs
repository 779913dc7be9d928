//! References for kernels that call the vector unit: one function, or a chain of them, between
//! unpack and pack; and sums, orders and maxima along rows or columns.
//!
//! What an element must be is the mathematics in f64. How far from it an element may be is not
//! derived step by step, as the matrix unit's bounds are, nor measured beforehand: every function
//! of the vector unit is here bit for bit, so that the reference runs it on the same operands and
//! takes its own error as the bound. A kernel that calls this function on this data in this format
//! meets the bound exactly; a more accurate one is inside it; another function, scalar, operand or
//! format is further off somewhere. Polynomials and tables have no tighter bound that holds.

mod call;
mod elementwise;
mod mathematics;
mod unit;

pub use elementwise::{Element, elements};

use crate::formulas::Formula;
use crate::operation::Choice;

/// The call that a kernel makes.
pub(crate) const CALL: Choice = Choice {
    name: "call",
    values: &["the kernel's call, such as clamp_tile(-1, 1)"],
    about: "tt-metal's name and template arguments, and the scalars as numbers; calls that follow \
            in the same kernel come after a semicolon",
};

/// Every reference, in the order in which `tilewright list` shows them.
pub(crate) static REFERENCES: [Formula; 3] = [
    Formula {
        name: "sfpu-unary",
        about: "a function of each element by the vector unit",
        choices: &[CALL],
        roles: elementwise::UNARY,
        formats: &[],
        exact: elementwise::exact,
    },
    Formula {
        name: "sfpu-binary",
        about: "a function of two tensors by the vector unit, the second one repeated if need be",
        choices: &[CALL],
        roles: elementwise::BINARY,
        formats: &[],
        exact: elementwise::exact,
    },
    Formula {
        name: "sfpu-ternary",
        about: "a function of three tensors by the vector unit, the last ones repeated if need be",
        choices: &[CALL],
        roles: elementwise::TERNARY,
        formats: &[],
        exact: elementwise::exact,
    },
];
