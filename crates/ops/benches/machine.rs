//! Whole programs on the simulated device, beside a memcpy of the same bytes in the same run.
//!
//! A program's rate is in input tiles a second; a bf16 tile has 2,048 bytes, so that memcpy's rate
//! in the same unit stands beside it. The tensors are larger than the host's caches. Each tile
//! operation alone is in the bench `tile` of `tilewright-tile`.

#![allow(missing_docs, reason = "criterion's macros write functions without documentation")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tilewright_metal::{Device, Ending, RunOptions};
use tilewright_ops::{Request, find};
use tilewright_tile::DataFormat;

const SHAPE: &str = "1x1x2048x8192";
const TILES: u64 = 2048 / 32 * 8192 / 32;

fn request(choices: &[(&str, &str)], cores: u32) -> Request {
    let mut request = Request::new(SHAPE.parse().expect("a shape"), DataFormat::Bfloat16);
    request.cores = cores;
    choices.iter().fold(request, |request, (name, value)| request.choose(name, value))
}

/// A plain copy of as many tiles as the programs have.
fn memcpy(criterion: &mut Criterion, format: DataFormat) {
    let mut group = criterion.benchmark_group("memcpy");
    group.throughput(Throughput::Elements(TILES)).sample_size(20);
    let bytes = TILES as usize * format.tile_bytes();
    let (from, mut to) = (vec![1_u8; bytes], vec![0_u8; bytes]);
    group.bench_function(format.name(), |bencher| {
        bencher.iter(|| to.copy_from_slice(std::hint::black_box(&from)));
    });
    group.finish();
}

fn program(criterion: &mut Criterion, name: &str, label: &str, request: &Request, threads: usize) {
    let operation = find(name).expect("an operation");
    let mut device = Device::n150();
    let prepared = operation.prepare(&mut device, request).expect("a right request");
    let options = RunOptions { threads, ..RunOptions::default() };
    let mut group = criterion.benchmark_group(label);
    group.throughput(Throughput::Elements(prepared.input_tiles)).sample_size(10);
    group.bench_with_input(BenchmarkId::new("threads", threads), &threads, |bencher, _| {
        bencher.iter(|| {
            for outcome in prepared.run(&mut device, options, &mut []).expect("stacks") {
                assert_eq!(outcome.ending, Ending::Completed);
            }
        });
    });
    group.finish();
}

fn machine(criterion: &mut Criterion) {
    memcpy(criterion, DataFormat::Bfloat16);
    program(criterion, "copy", "copy, 1 core", &request(&[], 1), 1);
    for threads in [1, 2] {
        program(criterion, "copy", "copy, 64 cores", &request(&[], 64), threads);
    }
    memcpy(criterion, DataFormat::Float32);
    let shape = SHAPE.parse().expect("a shape");
    let wide = Request::new(shape, DataFormat::Float32);
    program(criterion, "copy", "copy fp32, 64 cores", &wide, 1);
    program(criterion, "eltwise", "eltwise add", &request(&[("op", "add")], 64), 1);
    program(criterion, "eltwise", "eltwise mul", &request(&[("op", "mul")], 64), 1);
    program(criterion, "reduce", "reduce sum row", &request(&[("dim", "row")], 64), 1);
    program(criterion, "softmax", "softmax", &request(&[], 64), 1);
    let mut small = request(&[], 64);
    small.shape = "512x512".parse().expect("a shape");
    program(criterion, "matmul", "matmul 512", &small, 1);
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_secs(2));
    targets = machine
}
criterion_main!(benches);
