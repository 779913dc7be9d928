//! The tutorial's program: LayerNorm of one tile, without scale and shift, and mistakes to make.
//!
//! `cargo run --example tutorial -- no-barrier`

#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use tilewright_check::{Session, Tools};
use tilewright_metal::api::{Compute, DataMovement};
use tilewright_metal::{
    CbSpec, CompileTimeArgs, ComputeConfig, CoreCoord, CoreRange, DataMovementPlace, Device,
    DeviceTensor, Layout, Program, RunOptions, Shape, Storage, Tensor,
};
use tilewright_report::record::Finding;
use tilewright_report::terminal::{self, Paint};
use tilewright_tile::DataFormat::Bfloat16;
use tilewright_tile::fpu::{Pool, ReduceDim};
use tilewright_tile::{FACE_SIDE, index};

// ANCHOR: buffers
const X: u8 = 0;
const SCALER: u8 = 1;
const MEAN: u8 = 2;
const CENTRED: u8 = 3;
const SQUARE: u8 = 4;
const RSTD: u8 = 5;
const Y: u8 = 16;
const BUFFERS: [(u8, &str); 7] = [
    (X, "cb_x"),
    (SCALER, "cb_scaler"),
    (MEAN, "cb_mean"),
    (CENTRED, "cb_centred"),
    (SQUARE, "cb_square"),
    (RSTD, "cb_rstd"),
    (Y, "cb_y"),
];
// ANCHOR_END: buffers

/// What is done wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// Nothing.
    None,
    /// The reader does not wait for its read.
    NoBarrier,
    /// Compute is not started up.
    NoStartup,
    /// Compute waits for more pages than the buffer has.
    TooManyPages,
    /// A product is added to a value that was used.
    StaleSum,
}

impl Mistake {
    /// Every mistake by its name.
    pub const ALL: [(&str, Mistake); 5] = [
        ("none", Mistake::None),
        ("no-barrier", Mistake::NoBarrier),
        ("no-startup", Mistake::NoStartup),
        ("too-many-pages", Mistake::TooManyPages),
        ("stale-sum", Mistake::StaleSum),
    ];
}

// ANCHOR: reader
fn reader(k: &DataMovement<'_>, mistake: Mistake) {
    let (x, _) = k.tensor_accessor(0, k.arg(0));
    k.cb_reserve_back(SCALER, 1);
    let (at, bytes) = (k.get_write_ptr(SCALER), k.get_tile_size(SCALER));
    k.write_l1(at, bytes, |tile| {
        tile.fill(0);
        // Row 0 of each face holds 1/32, as bf16.
        for (row, column) in (0..32).flat_map(|row| (0..32).map(move |column| (row, column))) {
            if row % FACE_SIDE == 0 {
                tile[2 * index(row, column)..][..2].copy_from_slice(&0x3d00_u16.to_le_bytes());
            }
        }
    });
    k.cb_push_back(SCALER, 1);
    k.cb_reserve_back(X, 1);
    k.noc_async_read_page(0, &x, k.get_write_ptr(X));
    if mistake != Mistake::NoBarrier {
        k.noc_async_read_barrier();
    }
    k.cb_push_back(X, 1);
}
// ANCHOR_END: reader

// ANCHOR: compute
fn compute(k: &Compute<'_>, mistake: Mistake) {
    if mistake != Mistake::NoStartup {
        k.compute_kernel_hw_startup(X, SCALER, MEAN);
    }
    k.cb_wait_front(X, if mistake == Mistake::TooManyPages { 2 } else { 1 });
    k.cb_wait_front(SCALER, 1);
    row_mean(k, X, MEAN, |_| {});

    k.cb_wait_front(MEAN, 1);
    k.sub_bcast_cols_init(X, MEAN);
    section(k, CENTRED, || k.sub_tiles_bcast_cols(X, MEAN, 0, 0, 0));

    k.cb_wait_front(CENTRED, 1);
    k.mul_init(CENTRED, CENTRED);
    section(k, SQUARE, || {
        k.mul_tiles(CENTRED, CENTRED, 0, 0, 0);
        if mistake == Mistake::StaleSum {
            // The square is put aside, and then a second product is meant to replace it.
            k.copy_dest_values_init();
            k.copy_dest_values(0, 1);
            k.mul_tiles(CENTRED, CENTRED, 0, 0, 0);
            k.binary_max_tile_init();
            k.binary_max_tile(0, 1, 0);
        }
    });

    k.cb_wait_front(SQUARE, 1);
    row_mean(k, SQUARE, RSTD, |k| {
        k.binop_with_scalar_tile_init();
        k.add_unary_tile(0, 1e-5_f32.to_bits());
        k.rsqrt_tile_init();
        k.rsqrt_tile(0);
    });

    k.cb_wait_front(RSTD, 1);
    k.mul_bcast_cols_init(CENTRED, RSTD);
    section(k, Y, || k.mul_tiles_bcast_cols(CENTRED, RSTD, 0, 0, 0));
    for cb in [X, SCALER, MEAN, CENTRED, SQUARE, RSTD] {
        k.cb_pop_front(cb, 1);
    }
}

/// The mean of each row in the first column of a tile, and what else is done to it.
fn row_mean(k: &Compute<'_>, from: u8, to: u8, then: impl Fn(&Compute<'_>)) {
    k.reduce_init(Pool::Sum, ReduceDim::Row, from, SCALER, to);
    section(k, to, || {
        k.reduce_tile(Pool::Sum, ReduceDim::Row, (from, 0), (SCALER, 0), 0);
        then(k);
    });
    k.reduce_uninit();
}

/// A section of Dst whose tile 0 goes to a buffer.
#[track_caller]
fn section(k: &Compute<'_>, to: u8, work: impl FnOnce()) {
    k.tile_regs_acquire();
    work();
    k.tile_regs_commit();
    k.cb_reserve_back(to, 1);
    k.tile_regs_wait();
    k.pack_tile(0, to);
    k.tile_regs_release();
    k.cb_push_back(to, 1);
}
// ANCHOR_END: compute

// ANCHOR: writer
fn writer(k: &DataMovement<'_>) {
    let (y, _) = k.tensor_accessor(0, k.arg(0));
    k.cb_wait_front(Y, 1);
    k.noc_async_write_page(0, &y, k.get_read_ptr(Y));
    k.noc_async_write_barrier();
    k.cb_pop_front(Y, 1);
}
// ANCHOR_END: writer

/// Runs the program with a mistake: what is found, or the mean and variance of the first row.
pub fn run(mistake: Mistake) -> String {
    // ANCHOR: program
    let (core, mut device) = (CoreCoord::new(0, 0), Device::n150());
    let shape = Shape::new(&[32, 32]).expect("two sizes");
    let values: Vec<f32> = (0..1024).map(|place| 100.0 + (place % 7) as f32).collect();
    let mut place = |values: &[f32]| {
        let tensor = Tensor::from_f32(shape, values).expect("as many values as the shape has");
        let tensor = tensor.convert(Layout::Tile, Bfloat16).expect("tiles of bf16");
        tensor.to_device(&mut device, Storage::Dram).expect("room")
    };
    let (x, y) = (place(&values), place(&[0.0; 1024]));

    let cores = CoreRange::new(core, core);
    let mut builder = Program::builder("tutorial");
    for (id, name) in BUFFERS {
        builder.circular_buffer(cores, CbSpec::tiles(id, name, Bfloat16, 1));
    }
    builder.input("x", &x).output("y", &y);
    let accessor =
        |tensor: &DeviceTensor| CompileTimeArgs::positional(&tensor.accessor_args().words());
    let read =
        builder.data_movement("reader", cores, DataMovementPlace::Reader, accessor(&x), move |k| {
            reader(k, mistake)
        });
    builder.runtime_args(read, core, &[x.buffer.address_word()]);
    let config = ComputeConfig::default();
    builder.compute("compute", cores, config, CompileTimeArgs::default(), move |k| {
        compute(k, mistake);
    });
    let place = DataMovementPlace::Writer;
    let write = builder.data_movement("writer", cores, place, accessor(&y), writer);
    builder.runtime_args(write, core, &[y.buffer.address_word()]);
    let program = builder.build(device.architecture(), device.l1_lowest()).expect("a program");

    let mut session = Session::new(&program, &Tools::all());
    let outcome = program
        .run(&mut device, RunOptions::USUAL, &mut [&mut session])
        .expect("memory for stacks");
    let findings = session.findings(&program, &outcome);
    // ANCHOR_END: program
    if findings.is_empty() {
        let result = y.to_host(&mut device).expect("the output").to_f32();
        let mean = result[..32].iter().sum::<f32>() / 32.0;
        let variance = result[..32].iter().map(|value| value * value).sum::<f32>() / 32.0;
        return format!("nothing found; row 0 has mean {mean:.3} and variance {variance:.3}\n");
    }
    let draw = |finding| terminal::finding(&Finding::from(finding), "this example", Paint::Plain);
    findings.iter().map(draw).collect()
}

fn main() {
    let asked = std::env::args().nth(1).unwrap_or_else(|| "none".to_owned());
    match Mistake::ALL.iter().find(|(name, _)| *name == asked) {
        Some((_, mistake)) => print!("{}", run(*mistake)),
        None => println!("mistakes: {}", Mistake::ALL.map(|(name, _)| name).join(", ")),
    }
}
