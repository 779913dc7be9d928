//! Operations in a few words, for reports.

use tilewright_machine::{MathOperation, UnpackOperation, VectorOperation};
use tilewright_tile::fpu::{Elementwise, Pool, ReduceDim};
use tilewright_tile::sfpu::{Binary, Unary};
use tilewright_tile::{Broadcast, Transpose};

use super::source_name;

/// What unpack does.
pub(crate) fn unpack(operation: UnpackOperation) -> String {
    match operation {
        UnpackOperation::One { to, transpose } => {
            let how = match transpose {
                Transpose::None => "",
                Transpose::Whole => ", transposed",
                Transpose::Faces => ", its faces swapped",
                Transpose::Within => ", its faces transposed",
            };
            format!("one tile to {}{how}", source_name(to))
        }
        UnpackOperation::Both => "a tile to each source".to_owned(),
        UnpackOperation::Tilize { row_tiles } => format!("tilize, {row_tiles} tiles wide"),
    }
}

/// What math does.
pub(super) fn math(operation: MathOperation) -> String {
    match operation {
        MathOperation::Copy => "copy".to_owned(),
        MathOperation::Move => "fast tilize".to_owned(),
        MathOperation::Broadcast { broadcast, from } => {
            format!("copy from {}{}", source_name(from), spread(broadcast))
        }
        MathOperation::Elementwise { op, broadcast, reuse, .. } => {
            let op = match op {
                Elementwise::Add => "add",
                Elementwise::Sub => "subtract",
                Elementwise::Mul => "multiply",
            };
            let reuse = reuse
                .map_or_else(String::new, |to| format!(" with Dst's tile in {}", source_name(to)));
            format!("{op}{}{reuse}", spread(broadcast))
        }
        MathOperation::Matmul { .. } => "matmul".to_owned(),
        MathOperation::Reduce { pool, dim } => {
            let pool = match pool {
                Pool::Sum | Pool::PooledSum => "sum",
                Pool::Max => "maximum",
                Pool::BlockMax => "maximum of a row of tiles",
            };
            let dim = match dim {
                ReduceDim::Row => "rows",
                ReduceDim::Column => "columns",
                ReduceDim::Scalar => "the whole tile",
            };
            format!("{pool} of {dim}")
        }
    }
}

fn spread(broadcast: Broadcast) -> &'static str {
    match broadcast {
        Broadcast::None => "",
        Broadcast::Column => " with broadcast columns",
        Broadcast::Row => " with broadcast rows",
        Broadcast::Scalar => " with a broadcast scalar",
    }
}

/// A function of the vector unit that has constants of its own; none for the others.
///
/// tt-metal's `ckernel_sfpu_*.h`: the init of these loads programmable constants or a swap
/// configuration, which the init of another such function replaces. All other functions take their
/// constants with them, and any init serves.
pub(super) fn constants(operation: VectorOperation) -> Option<&'static str> {
    match operation {
        VectorOperation::Unary(op) => match op {
            Unary::Rsqrt { .. } => Some("rsqrt"),
            Unary::Sqrt { .. } => Some("sqrt"),
            Unary::Recip { .. } => Some("recip"),
            Unary::Exp { .. } => Some("exp"),
            Unary::Gelu { .. } => Some("gelu"),
            Unary::Sigmoid => Some("sigmoid"),
            Unary::Silu => Some("silu"),
            Unary::Tanh => Some("tanh"),
            Unary::Log => Some("log"),
            Unary::Square
            | Unary::Abs
            | Unary::Negative
            | Unary::Fill(_)
            | Unary::AddScalar(_)
            | Unary::SubScalar(_)
            | Unary::MulScalar(_)
            | Unary::DivScalar(_)
            | Unary::RsubScalar(_) => None,
        },
        VectorOperation::Binary(op) => match op {
            Binary::Div => Some("div_binary"),
            Binary::Max => Some("binary_max"),
            Binary::Min => Some("binary_min"),
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Rsub => None,
        },
        // Its init records the additions that the call replays.
        VectorOperation::Sum(_) => Some("sfpu_reduce"),
        // What a kernel's own instructions need is its own business.
        VectorOperation::Masked(_)
        | VectorOperation::CopyValues
        | VectorOperation::Transpose
        | VectorOperation::Code => None,
        VectorOperation::Function(id) => {
            let function = id.function();
            function.needs_init().then(|| function.base_name())
        }
    }
}
