//! The init call that an operation needs, as kernels write it.

use tilewright_machine::{MathOperation, SourceId, UnpackOperation};
use tilewright_tile::fpu::{Elementwise, Pool, ReduceDim};
use tilewright_tile::{Broadcast, Transpose};

/// The init of an operation of the matrix unit on buffers of these names; an operand that is not
/// known has none.
pub(crate) fn math(operation: MathOperation, names: [&str; 2]) -> String {
    let [a, b] = names.map(|name| if name.is_empty() { "INPUT" } else { name });
    match operation {
        MathOperation::Copy => format!("copy_tile_init({a})"),
        MathOperation::Move => format!("fast_tilize_init({a}, ROW_TILES, OUTPUT)"),
        MathOperation::Broadcast { broadcast, .. } => {
            format!("unary_bcast_init<BroadcastType::{}>({a})", direction(broadcast))
        }
        MathOperation::Elementwise { op, reuse: Some(to), .. } => {
            let to = match to {
                SourceId::A => "DEST_TO_SRCA",
                SourceId::B => "DEST_TO_SRCB",
            };
            let op = match op {
                Elementwise::Add => "ELWADD",
                Elementwise::Sub => "ELWSUB",
                Elementwise::Mul => "ELWMUL",
            };
            format!("binary_reuse_dest_init<{op}, EltwiseBinaryReuseDestType::{to}>({a})")
        }
        MathOperation::Elementwise { op, broadcast, .. } => {
            let op = match op {
                Elementwise::Add => "add",
                Elementwise::Sub => "sub",
                Elementwise::Mul => "mul",
            };
            let spread = match broadcast {
                Broadcast::None => "",
                Broadcast::Column => "_bcast_cols",
                Broadcast::Row => "_bcast_rows",
                Broadcast::Scalar => "_bcast_scalar",
            };
            format!("{op}{spread}_init({a}, {b})")
        }
        MathOperation::Matmul { transpose: false, .. } => format!("matmul_init({b}, {a})"),
        MathOperation::Matmul { transpose: true, .. } => format!("matmul_init({b}, {a}, true)"),
        MathOperation::Reduce { pool, dim } => reduce(pool, dim, [a, b]),
    }
}

fn reduce(pool: Pool, dim: ReduceDim, sources: [&str; 2]) -> String {
    let data = tilewright_machine::reduce_data_source(pool, dim);
    let [data, scaler] = match data {
        SourceId::A => sources,
        SourceId::B => [sources[1], sources[0]],
    };
    let pool = match pool {
        Pool::Sum | Pool::PooledSum => "SUM",
        Pool::Max => "MAX",
        Pool::BlockMax => return "reduce_block_max_row_init<TILES>(OUTPUT)".to_owned(),
    };
    let dim = match dim {
        ReduceDim::Row => "REDUCE_ROW",
        ReduceDim::Column => "REDUCE_COL",
        ReduceDim::Scalar => "REDUCE_SCALAR",
    };
    format!("reduce_init<PoolType::{pool}, ReduceDim::{dim}>({data}, {scaler}, OUTPUT)")
}

fn direction(broadcast: Broadcast) -> &'static str {
    match broadcast {
        Broadcast::None => "NONE",
        Broadcast::Column => "COL",
        Broadcast::Row => "ROW",
        Broadcast::Scalar => "SCALAR",
    }
}

/// The init that sets unpack for a call, as far as unpack's part of the call says.
pub(crate) fn unpack(operation: UnpackOperation, [a, b]: [&str; 2]) -> String {
    match operation {
        UnpackOperation::One { transpose: Transpose::None, .. } => {
            format!("copy_tile_init({})", if a.is_empty() { b } else { a })
        }
        UnpackOperation::One { transpose: Transpose::Whole, .. } => format!("transpose_init({a})"),
        UnpackOperation::One { transpose: Transpose::Faces, .. } => {
            format!("copy_tile_to_dst_init_short({a}, 1)")
        }
        UnpackOperation::One { transpose: Transpose::Within, .. } => {
            format!("copy_tile_to_dst_init_short({a}, 0, 1)")
        }
        UnpackOperation::Both => format!("add_init({a}, {b})"),
        UnpackOperation::Tilize { row_tiles } => format!("tilize_init({a}, {row_tiles}, OUTPUT)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inits_read_as_kernels_write_them() {
        let check = |operation, text| assert_eq!(math(operation, ["cb_a", "cb_b"]), text);
        check(MathOperation::Copy, "copy_tile_init(cb_a)");
        let plain = |op, broadcast| MathOperation::Elementwise {
            op,
            broadcast,
            accumulate: false,
            reuse: None,
        };
        check(plain(Elementwise::Add, Broadcast::None), "add_init(cb_a, cb_b)");
        check(plain(Elementwise::Mul, Broadcast::Column), "mul_bcast_cols_init(cb_a, cb_b)");
        check(
            MathOperation::Matmul { transpose: false, fidelity: None },
            "matmul_init(cb_b, cb_a)",
        );
        let one = math(MathOperation::Matmul { transpose: false, fidelity: None }, ["cb_a", ""]);
        assert_eq!(one, "matmul_init(INPUT, cb_a)");
        check(
            MathOperation::Reduce { pool: Pool::Sum, dim: ReduceDim::Row },
            "reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_b, cb_a, OUTPUT)",
        );
        check(
            MathOperation::Reduce { pool: Pool::Max, dim: ReduceDim::Column },
            "reduce_init<PoolType::MAX, ReduceDim::REDUCE_COL>(cb_a, cb_b, OUTPUT)",
        );
    }
}
