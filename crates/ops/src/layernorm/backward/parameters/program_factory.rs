//! Pairs of tile-columns, and shares of their rows, dealt out to cores.

use tilewright_metal::{
    CbSpec, CompileTimeArgs, CoreCoord, CoreSet, DataMovementPlace, Device, Extent, Program,
    ProgramBuilder, WorkSplit,
};
use tilewright_tile::DataFormat;

use super::super::Tensors;
use super::{PAIR, Plan, compute, reader, writer};
use crate::layernorm::cb;
use crate::layernorm::forward::compute_config;
use crate::layernorm::tile_rows::{accessors, addresses};
use crate::operation::{OpError, Request};

/// One core's work: pairs of columns, rows, and who adds its part to the others'.
struct Work {
    core: CoreCoord,
    first_pair: u32,
    pairs: u32,
    first_row: u32,
    rows: u32,
    /// Its place among those who share the pair; 0 adds the parts up.
    place: u32,
    root: CoreCoord,
}

/// The one function from shapes and options to a program.
pub(in crate::layernorm::backward) fn program(
    device: &Device,
    request: &Request,
    tensors: &Tensors,
) -> Result<Program, OpError> {
    let shape = &request.shape;
    let row_tiles = shape.tile_columns() as u32;
    let rows = (shape.tile_rows() * shape.matrices()) as u32;
    let work = deal(device, request.cores, row_tiles.div_ceil(PAIR), rows)?;
    let last_rows = (shape.height() as u32 - 1) % 32 + 1;
    let plan = Plan {
        format: request.format,
        row_tiles,
        matrix_rows: shape.tile_rows() as u32,
        last_rows,
        sharers: work.iter().map(|work| work.place + 1).max().unwrap_or(1),
    };
    let cores: CoreSet = work.iter().map(|work| work.core).collect();
    let mut builder = Program::builder("layernorm_bw_parameters");
    let specs = buffers(plan);
    let config = compute_config(request, &specs);
    for spec in specs {
        builder.circular_buffer(&cores, spec);
    }
    builder.semaphore(&cores, 0);
    declare(&mut builder, tensors);
    let inputs = [&tensors.x, &tensors.mean, &tensors.rstd, &tensors.dy];
    let outputs = [&tensors.dgamma, &tensors.dbeta];
    let place = DataMovementPlace::Reader;
    let read = builder.data_movement("reader", &cores, place, accessors(&inputs), move |ctx| {
        reader::kernel(ctx, plan);
    });
    let no_args = CompileTimeArgs::default();
    let compute = builder.compute("compute", &cores, config, no_args, move |ctx| {
        compute::kernel(ctx, plan);
    });
    let place = DataMovementPlace::Writer;
    let write = builder.data_movement("writer", &cores, place, accessors(&outputs), move |ctx| {
        writer::kernel(ctx, plan);
    });
    for work in &work {
        let share = [work.first_pair, work.pairs, work.first_row, work.rows, work.place];
        builder.runtime_args(read, work.core, &[&addresses(&inputs)[..], &share].concat());
        builder.runtime_args(compute, work.core, &share);
        let root = [u32::from(work.root.x), u32::from(work.root.y)];
        let args = [&addresses(&outputs)[..], &share, &root].concat();
        builder.runtime_args(write, work.core, &args);
    }
    Ok(builder.build(device.architecture(), device.l1_lowest())?)
}

/// dγ and dβ are sums over all rows of their columns.
fn declare(builder: &mut ProgramBuilder, tensors: &Tensors) {
    builder.input("x", &tensors.x).input("dy", &tensors.dy);
    builder.input("mean", &tensors.mean).input("rstd", &tensors.rstd);
    builder.output("dgamma", &tensors.dgamma).output("dbeta", &tensors.dbeta);
    for input in ["x", "dy", "mean", "rstd"] {
        builder.contributes("dgamma", input, Extent::All, Extent::Same);
    }
    builder.contributes("dbeta", "dy", Extent::All, Extent::Same);
}

/// Tile-rows of each core that shares the rows of a pair, in the order in which they are added.
pub(in crate::layernorm::backward) fn row_shares(
    device: &Device,
    request: &Request,
) -> Result<Vec<usize>, OpError> {
    let shape = &request.shape;
    let pairs = (shape.tile_columns() as u32).div_ceil(PAIR);
    let rows = (shape.tile_rows() * shape.matrices()) as u32;
    let work = deal(device, request.cores, pairs, rows)?;
    let of_first_pair = work.iter().filter(|work| work.first_pair == 0);
    Ok(of_first_pair.map(|work| work.rows as usize).collect())
}

/// Every core takes whole pairs if there are enough; otherwise the rows of each pair are shared.
fn deal(device: &Device, cores: u32, pairs: u32, rows: u32) -> Result<Vec<Work>, OpError> {
    let arch = device.architecture();
    let by_pair = WorkSplit::new(arch, cores, pairs)?;
    let sharers = (cores / pairs).min(rows).max(1);
    if sharers == 1 {
        let whole = |share: &tilewright_metal::CoreWork| Work {
            core: share.core,
            first_pair: share.first_unit,
            pairs: share.units,
            first_row: 0,
            rows,
            place: 0,
            root: share.core,
        };
        return Ok(by_pair.shares().iter().map(whole).collect());
    }
    let by_row = WorkSplit::new(arch, sharers, rows)?;
    let mut work = Vec::new();
    for pair in 0..pairs {
        let core = |place: u32| arch.core_at((pair * sharers + place) as usize);
        for (place, share) in (0..).zip(by_row.shares()) {
            work.push(Work {
                core: core(place),
                first_pair: pair,
                pairs: 1,
                first_row: share.first_unit,
                rows: share.units,
                place,
                root: core(0),
            });
        }
    }
    Ok(work)
}

fn buffers(plan: Plan) -> Vec<CbSpec> {
    let (bf16, fp32, format) = (DataFormat::Bfloat16, DataFormat::Float32, plan.format);
    let mut specs = vec![
        CbSpec::tiles(cb::X, "cb_x", format, 2 * PAIR),
        CbSpec::tiles(cb::DY, "cb_dy", format, 2 * PAIR),
        CbSpec::tiles(cb::MEAN, "cb_mean", format, 2),
        CbSpec::tiles(cb::RSTD, "cb_rstd", format, 2),
        CbSpec::tiles(cb::ONES, "cb_ones", bf16, 1),
        CbSpec::tiles(cb::MASK, "cb_mask", bf16, 1),
        CbSpec::tiles(cb::SPLIT, "cb_split", fp32, 4 * PAIR),
        CbSpec::tiles(cb::OUT, "cb_dgamma", format, 2 * PAIR),
        CbSpec::tiles(cb::DBETA, "cb_dbeta", format, 2 * PAIR),
    ];
    if plan.sharers > 1 {
        let parts = 2 * PAIR * (plan.sharers - 1);
        specs.push(CbSpec::tiles(cb::PARTIAL_IN, "cb_partial_in", fp32, parts));
        specs.push(CbSpec::tiles(cb::PARTIAL_OUT, "cb_partial_out", fp32, 2 * PAIR));
    }
    specs
}
