//! Whole programs on the simulated device, beside a memcpy of the same bytes in the same run.
//!
//! `bytes/s` of a program counts its input and output tensors once, as memcpy's does. Each tile
//! operation alone is in the bench `tile` of `tilewright-tile`.

#![allow(missing_docs, reason = "criterion's macros write functions without documentation")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tilewright_metal::{Device, Ending, RunOptions};
use tilewright_ops::{Request, find};
use tilewright_tile::DataFormat;

const SHAPE: &str = "1x1x1024x4096";

fn request(choices: &[(&str, &str)], cores: u32) -> Request {
    let mut request = Request::new(SHAPE.parse().expect("a shape"), DataFormat::Bfloat16);
    request.cores = cores;
    choices.iter().fold(request, |request, (name, value)| request.choose(name, value))
}

fn memcpy(criterion: &mut Criterion, bytes: u64) {
    let mut group = criterion.benchmark_group("memcpy");
    group.throughput(Throughput::Bytes(bytes)).sample_size(20);
    let (from, mut to) = (vec![1_u8; bytes as usize], vec![0_u8; bytes as usize]);
    group.bench_function("same bytes", |bencher| {
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
    memcpy(criterion, 1024 * 4096 * 2);
    for threads in [1, 2] {
        program(criterion, "copy", "copy, 64 cores", &request(&[], 64), threads);
    }
    program(criterion, "copy", "copy, 1 core", &request(&[], 1), 1);
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
