//! Whole programs on the simulated device, beside a memcpy of the same bytes in the same run.
//!
//! A program's rate is in input tiles a second; a bf16 tile has 2,048 bytes, so that memcpy's rate
//! in the same unit stands beside it. The tensors are larger than the host's caches. Each tile
//! operation alone is in the bench `tile` of `tilewright-tile`.

use std::time::Duration;

use tilewright_metal::{Device, Ending, RunOptions};
use tilewright_ops::{Request, find};
use tilewright_testing::bench::BenchGroup;
use tilewright_tile::DataFormat;

const SHAPE: &str = "1x1x2048x8192";
/// Long enough for a program of many tiles.
const SAMPLE: Duration = Duration::from_millis(200);
const TILES: u64 = 2048 / 32 * 8192 / 32;

fn request(choices: &[(&str, &str)], cores: u32) -> Request {
    let mut request = Request::new(SHAPE.parse().expect("a shape"), DataFormat::Bfloat16);
    request.cores = cores;
    choices.iter().fold(request, |request, (name, value)| request.choose(name, value))
}

/// A plain copy of as many tiles as the programs have.
fn memcpy(format: DataFormat) {
    let mut group = BenchGroup::new("memcpy").elements(TILES, SAMPLE);
    let bytes = TILES as usize * format.tile_bytes();
    let (from, mut to) = (vec![1_u8; bytes], vec![0_u8; bytes]);
    group.bench_function(format.name(), |sampler| {
        sampler.iter(|| to.copy_from_slice(std::hint::black_box(&from)));
    });
}

fn program(name: &str, label: &str, request: &Request, threads: usize) {
    let operation = find(name).expect("an operation");
    let mut device = Device::n150();
    let prepared = operation.prepare(&mut device, request).expect("a right request");
    let options = RunOptions { threads, ..RunOptions::default() };
    let mut group = BenchGroup::new(label).elements(prepared.input_tiles, SAMPLE);
    group.bench_function(format!("threads/{threads}"), |sampler| {
        sampler.iter(|| {
            for outcome in prepared.run(&mut device, options, &mut []).expect("stacks") {
                assert_eq!(outcome.ending, Ending::Completed);
            }
        });
    });
}

fn main() {
    memcpy(DataFormat::Bfloat16);
    program("copy", "copy, 1 core", &request(&[], 1), 1);
    for threads in [1, 2] {
        program("copy", "copy, 64 cores", &request(&[], 64), threads);
    }
    memcpy(DataFormat::Float32);
    let shape = SHAPE.parse().expect("a shape");
    let wide = Request::new(shape, DataFormat::Float32);
    program("copy", "copy fp32, 64 cores", &wide, 1);
    program("eltwise", "eltwise add", &request(&[("op", "add")], 64), 1);
    program("eltwise", "eltwise mul", &request(&[("op", "mul")], 64), 1);
    program("reduce", "reduce sum row", &request(&[("dim", "row")], 64), 1);
    program("softmax", "softmax", &request(&[], 64), 1);
    let mut small = request(&[], 64);
    small.shape = "512x512".parse().expect("a shape");
    program("matmul", "matmul 512", &small, 1);
}
