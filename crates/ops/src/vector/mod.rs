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
mod order;
mod sums;
mod unit;

pub use elementwise::{Element, elements};

use crate::formulas::{BF16, Formula};
use crate::operation::Choice;

/// The call that a kernel makes.
pub(crate) const CALL: Choice = Choice {
    name: "call",
    values: &["the kernel's call, such as clamp_tile(-1, 1)"],
    about: "tt-metal's name and template arguments, and the scalars as numbers; calls that follow \
            in the same kernel come after a semicolon",
};

/// The calls that a kernel makes on each operand first.
pub(crate) const ON: [Choice; 3] = [on("on_first"), on("on_second"), on("on_third")];

const fn on(name: &'static str) -> Choice {
    let values = &["none", "a call of one tile"];
    Choice { name, values, about: "calls on that operand alone before the kernel's call" }
}

/// Whether operands are packed between those calls and the kernel's call.
pub(crate) const INTERMEDIATES: Choice = Choice {
    name: "intermediates",
    values: &["none", "bf16", "fp32"],
    about: "the format of buffers between the calls on an operand and the kernel's call, if there \
            are any",
};

/// Every reference, in the order in which `tilewright list` shows them.
pub(crate) static REFERENCES: [Formula; 7] = [
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
        choices: &[CALL, ON[0], ON[1], INTERMEDIATES],
        roles: elementwise::BINARY,
        formats: &[],
        exact: elementwise::exact,
    },
    Formula {
        name: "sfpu-ternary",
        about: "a function of three tensors by the vector unit, the last ones repeated if need be",
        choices: &[CALL, ON[0], ON[1], ON[2], INTERMEDIATES],
        roles: elementwise::TERNARY,
        formats: &[],
        exact: elementwise::exact,
    },
    Formula {
        name: "sfpu-cumsum",
        about: "running sums down the columns of each matrix, as cumsum_tile",
        choices: &[],
        roles: sums::ROLES,
        formats: &[],
        exact: sums::cumulative,
    },
    Formula {
        name: "sfpu-reduce",
        about: "sums or extremes of columns or rows, as sfpu_reduce",
        choices: &[sums::POOL, sums::DIM],
        roles: sums::ROLES,
        formats: &[],
        exact: sums::reduce,
    },
    Formula {
        name: "sfpu-topk",
        about: "the largest values of each row, in order, and their columns",
        choices: &[order::K, order::LARGEST],
        roles: order::TOP,
        formats: BF16,
        exact: order::top,
    },
    Formula {
        name: "sfpu-max-with-indices",
        about: "the largest of each column's first rows, and the second tensor's value there",
        choices: &[order::WINDOW],
        roles: order::MAX,
        formats: BF16,
        exact: order::max_with_indices,
    },
];
