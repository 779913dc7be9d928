//! Operations in a few words, for reports.

use tilewright_machine::{MathOperation, UnpackOperation, VectorOperation};
use tilewright_tile::fpu::{Elementwise, Pool, ReduceDim};
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

/// A function of the vector unit whose init loads what it needs; none for the others.
pub(super) fn constants(operation: VectorOperation) -> Option<&'static str> {
    let declared = operation.declared();
    // Asked of every call, and most need no init: the name is made for those that do.
    declared.needs_init.then(|| match operation {
        VectorOperation::Function(id) => id.function().base_name(),
        VectorOperation::Unary(_)
        | VectorOperation::Binary(_)
        | VectorOperation::Masked(_)
        | VectorOperation::CopyValues
        | VectorOperation::Sum(_)
        | VectorOperation::Transpose
        | VectorOperation::Code => declared.name.trim_end_matches("_tile"),
    })
}
