//! From cases of several calls to steps: programs that a case spells out, and operations that need
//! another call before them.

use tilewright_tile::sfpu::program::FunctionId;

use super::case::{Refusal, TileCase};
use super::function_case::{Options, copies};
use super::script::{A, DstStep, Operand, Step};

/// Values of a column that `topk_merge` keeps in all cases, and its logarithm.
const TOP: u32 = 32;
const LOG_TOP: u32 = 5;
/// Rows of a tile.
const ROWS: u32 = 32;

/// The steps of a case that takes several calls; none if it takes one.
pub(super) fn steps(case: &TileCase, options: &Options<'_>) -> Result<Option<Vec<Step>>, Refusal> {
    if let Some(program) = options.program {
        let steps: Result<Vec<_>, _> = program.split('|').map(spelled_out).collect();
        return Ok(Some(steps?.into_iter().flatten().collect()));
    }
    let scalar = |at: usize| options.scalars.get(at).copied().unwrap_or(0);
    let sorted = |is_stable: &str| {
        let scalars = vec![scalar(0), scalar(1), 0, 0, 0];
        top_k(&format!("topk_local_sort<{is_stable}>"), scalars)
    };
    let merged = |iteration| top_k("topk_merge<false,false>", vec![iteration, TOP]);
    let calls = match case.op.as_str() {
        "topk_local_sort" => vec![sorted("false")?],
        "topk_local_sort_stable" => vec![sorted("true")?],
        "topk_merge" => vec![sorted("false")?, merged(scalar(2))?],
        "topk_rebuild" => {
            let scalars = vec![scalar(0), 0, TOP, LOG_TOP, scalar(2)];
            vec![sorted("false")?, merged(0)?, top_k("topk_rebuild<false>", scalars)?]
        }
        "dropout_tile" => vec![
            call("prng_seed", vec![], vec![scalar(2)])?,
            call("dropout_tile", vec![0], vec![scalar(0), scalar(1)])?,
        ],
        "rand_tile" => vec![
            call("prng_seed", vec![], vec![scalar(2)])?,
            call("rand_tile", vec![0], vec![scalar(0), scalar(1)])?,
        ],
        "cumsum_tile_next" => vec![
            call("cumsum_tile", vec![0], vec![])?,
            call("cumsum_tile<false>", vec![1], vec![])?,
            call_to("copy_dest_values<Float16_b>", vec![1], 0, vec![])?,
        ],
        "max_reduce_with_indices" => {
            vec![call("max_reduce_with_indices", vec![0, 1, 1, 2], vec![])?]
        }
        _ => return Ok(None),
    };
    let mut steps = copies(case, options);
    steps.extend(calls);
    Ok(Some(steps))
}

fn top_k(name: &str, scalars: Vec<u32>) -> Result<Step, Refusal> {
    call(name, vec![0, 1, 2, 3], scalars)
}

/// A call whose result, if it has one of its own, is its first tile.
fn call(name: &str, tiles: Vec<u32>, scalars: Vec<u32>) -> Result<Step, Refusal> {
    let out = tiles.first().copied().unwrap_or(0);
    call_to(name, tiles, out, scalars)
}

fn call_to(name: &str, tiles: Vec<u32>, out: u32, scalars: Vec<u32>) -> Result<Step, Refusal> {
    let function = FunctionId::from_name(name)
        .ok_or_else(|| Refusal::new("op", format!("`{name}` is not modelled")))?;
    Ok(Step::OnDst(DstStep::Function { function, tiles, out, scalars }))
}

/// A step such as `welford_update<0>,0,32`: a call and its arguments.
fn spelled_out(text: &str) -> Result<Vec<Step>, Refusal> {
    let mut words = text.split(',');
    let name = words.next().unwrap_or("");
    let wrong = || Refusal::new("cfg", format!("`{text}` is not a known step of a program"));
    let arguments: Option<Vec<u32>> = words.map(|word| word.parse().ok()).collect();
    let arguments = arguments.ok_or_else(wrong)?;
    Ok(match (name, arguments.as_slice()) {
        ("copy", &[operand, dst]) => {
            let from = Operand { cb: A, tile: operand };
            vec![Step::Copy { from, dst, reconfigure: true }]
        }
        ("welford_init", []) => vec![call("welford_clear", vec![], vec![])?],
        ("welford_update<0>", &[dst, start]) => vec![welford(dst, start, 0, ROWS)?],
        ("welford_update_rows<0>", &[dst, start, first, rows]) => {
            vec![welford(dst, start, first, rows)?]
        }
        ("welford_finalize_to_row<0>", &[mean, scale]) => {
            let scalars = vec![reciprocal(scale)];
            vec![call("welford_finalize_to_row", vec![mean, mean + 1], scalars)?]
        }
        ("welford_finalize_to_face<0>", &[mean, scale]) => {
            let scalars = vec![reciprocal(scale), 0];
            vec![call("welford_finalize_to_face", vec![mean, mean + 1], scalars)?]
        }
        ("ema_tile", &[dst, _, _, alpha, beta]) => vec![
            call("ema_factors", vec![], vec![alpha, beta])?,
            call("ema_clear_previous_output", vec![], vec![])?,
            call("ema_tile", vec![dst, dst + 1], vec![])?,
        ],
        _ => return Err(wrong()),
    })
}

fn welford(dst: u32, start: u32, first: u32, rows: u32) -> Result<Step, Refusal> {
    let reciprocals = (0..ROWS).map(|row| reciprocal(start.saturating_add(row)));
    call("welford_update", vec![dst], [first, rows].into_iter().chain(reciprocals).collect())
}

/// Of the number of values up to one that has this index.
fn reciprocal(index: u32) -> u32 {
    (1.0 / (index.saturating_add(1) as f32)).to_bits()
}
