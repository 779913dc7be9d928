//! `Request::program`: a user's own program of Rust kernels, through the whole pipeline.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tilewright_run::prelude::*;

const CORE: CoreCoord = CoreCoord { x: 0, y: 0 };

fn values() -> Vec<f32> {
    (0..1024_u16).map(|at| f32::from(at % 128)).collect()
}

/// Copies a tile from DRAM to DRAM; `is_awaited` says whether its reader waits for the bytes.
fn copy(device: &mut Device, is_awaited: bool) -> Result<(Program, DeviceTensor), Box<dyn Error>> {
    let (shape, layout, format) = (Shape::new(&[32, 32])?, Layout::Tile, DataFormat::Bfloat16);
    let x = Tensor::from_f32(shape, &values())?.convert(layout, format)?;
    let x = x.to_device(device, Storage::Dram)?;
    let y = DeviceTensor::empty(device, shape, layout, format, Storage::Dram)?;
    let mut builder = Program::builder("copy a tile");
    builder.circular_buffer(CORE, CbSpec::tiles(0, "cb_tile", format, 2));
    builder.input("x", &x).output("y", &y);
    let args = |tensor: &DeviceTensor| {
        let mut words = Vec::new();
        tensor.accessor_args().append_to(&mut words);
        CompileTimeArgs::positional(&words)
    };
    let (read_at, write_at) = (DataMovementPlace::Reader, DataMovementPlace::Writer);
    let reader = builder.data_movement("reader", CORE, read_at, args(&x), move |k| {
        let (x, _) = k.tensor_accessor(0, k.arg(0));
        k.cb_reserve_back(0, 1);
        k.noc_async_read_page(0, &x, k.get_write_ptr(0));
        if is_awaited {
            k.noc_async_read_barrier();
        }
        k.cb_push_back(0, 1);
    });
    let writer = builder.data_movement("writer", CORE, write_at, args(&y), |k| {
        let (y, _) = k.tensor_accessor(0, k.arg(0));
        k.cb_wait_front(0, 1);
        k.noc_async_write_page(0, &y, k.get_read_ptr(0));
        k.noc_async_write_barrier();
        k.cb_pop_front(0, 1);
    });
    builder.runtime_args(reader, CORE, &[x.buffer.address_word()]);
    builder.runtime_args(writer, CORE, &[y.buffer.address_word()]);
    Ok((builder.build(device.architecture(), device.l1_lowest())?, y))
}

/// A request for the copy, which must give `wanted`, and how often it has been prepared.
fn request(is_awaited: bool, wanted: Vec<f32>) -> (Request, Arc<AtomicUsize>) {
    let prepared = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&prepared);
    let request = Request::program("copy a tile", move |device| {
        counter.fetch_add(1, Ordering::Relaxed);
        let (program, y) = copy(device, is_awaited)?;
        Ok(Prepared::from(program).expecting("y", y, wanted.clone()))
    });
    (request, prepared)
}

#[test]
fn a_right_program_passes_under_every_schedule() {
    let (request, prepared) = request(true, values());
    let outcome = request.seeds(3).run().expect("it runs");
    assert_eq!(outcome.verdict(), RunVerdict::Pass, "{:?}", outcome.run.findings);
    assert_eq!((outcome.run.schedules, prepared.load(Ordering::Relaxed)), (3, 3));
    assert!(outcome.output("y").is_some_and(|y| y.in_bound && y.judged == 1024));
}

#[test]
fn a_value_that_differs_in_a_bit_fails() {
    let mut wanted = values();
    wanted[700] += 0.5;
    let outcome = request(true, wanted).0.run().expect("it runs");
    assert_eq!(outcome.verdict(), RunVerdict::Fail);
    let y = outcome.output("y").expect("it was judged");
    assert_eq!((y.in_bound, y.outside, y.worst_index), (false, 1, Some(700)));
}

#[test]
fn the_tools_watch_it() {
    let outcome = request(false, values()).0.run().expect("it runs");
    let ids: Vec<&str> = outcome.run.findings.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids, ["unawaited-read"]);
}

#[test]
fn a_program_that_cannot_be_prepared_is_a_failure_with_its_name() {
    let refuse = |_: &mut Device| Err("there is no such tensor".into());
    let failure = Request::program("mine", refuse).run().expect_err("refused");
    assert_eq!(failure.message, "mine: there is no such tensor");
}
