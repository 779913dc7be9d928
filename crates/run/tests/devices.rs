//! The same request on several devices: what each refuses, and what differs between them.

use std::sync::Arc;

use tilewright_machine::{DramAddress, L1Address, NocAddress};
use tilewright_metal::Family;
use tilewright_run::prelude::*;
use tilewright_run::record::Devices;
use tilewright_run::{FrontEnd, Silent};

/// Operations of which an output differs in bits between the chips, on inputs without special
/// values. There is none: they use sums, products, exponentials, square roots and the legacy
/// reciprocal, which the list of differing functions has for NaN, Inf and -0 alone.
const DIFFERING: [&str; 0] = [];

fn on_both(request: &Request) -> Devices {
    let front: Arc<dyn FrontEnd> = Arc::new(Silent);
    let devices = ["n150", "p150"].map(str::to_owned);
    tilewright_run::compare(request, &devices, &front).expect("it can run")
}

/// Reads 32 bytes of DRAM from an address that is a multiple of 32 and not of 64.
fn half_aligned(device: &mut Device) -> Result<Prepared, Box<dyn std::error::Error>> {
    let (shape, layout, format) = (Shape::new(&[64, 64])?, Layout::Tile, DataFormat::Bfloat16);
    DeviceTensor::empty(device, shape, layout, format, Storage::Dram)?;
    let core = CoreCoord::new(0, 0);
    let mut builder = Program::builder("half aligned");
    let place = DataMovementPlace::Reader;
    builder.data_movement("reader", core, place, CompileTimeArgs::default(), |k| {
        let from = NocAddress::Dram(DramAddress { bank: 1, offset: 1024 + 32 });
        k.noc_async_read(from, L1Address(0x2_0000), 32);
        k.noc_async_read_barrier();
    });
    Ok(Prepared::from(builder.build(device.architecture(), device.l1_lowest())?))
}

#[test]
fn an_alignment_that_only_one_chip_requires() {
    let devices = on_both(&Request::program("half aligned", half_aligned));
    let verdicts: Vec<RunVerdict> = devices.runs.iter().map(|run| run.verdict).collect();
    assert_eq!(verdicts, [RunVerdict::Unjudged, RunVerdict::Fail]);
    let [only] = devices.findings.as_slice() else { panic!("{:?}", devices.findings) };
    assert_eq!(
        (only.id.as_str(), only.found_in.as_slice()),
        ("misaligned", &["p150".to_owned()][..])
    );
    assert!(only.title.contains("modulo 64"), "{}", only.title);
    assert_eq!(devices.verdict, RunVerdict::Fail);
}

#[test]
fn operations_stay_in_bound_on_both_chips() {
    let mut differing = Vec::new();
    for operation in tilewright_ops::operations() {
        let name = operation.name();
        for family in [Family::Uniform, Family::WideRange, Family::Ramp] {
            let request = Request::new(name).shape("64x64".parse().expect("a shape"));
            let devices = on_both(&Request { input: Some(family), ..request });
            for run in &devices.runs {
                let device = &run.request.device;
                assert_eq!(run.verdict, RunVerdict::Pass, "{name} {family} on {device}");
            }
            assert!(devices.findings.is_empty(), "{name}: {:?}", devices.findings);
            if devices.outputs.iter().any(|output| output.differing > 0) {
                differing.push(name);
            }
        }
    }
    differing.dedup();
    assert_eq!(differing, DIFFERING);
}

#[test]
fn a_device_that_is_not_known_is_refused_by_name() {
    let failure = Request::new("identity").device("n300").run().expect_err("refused");
    assert_eq!(failure.message, "there is no device `n300`");
    assert_eq!(failure.help.as_deref(), Some("give one of n150, p100a, p150"));
}

#[test]
fn the_grid_is_the_device_s() {
    for (device, cores) in [("n150", 64), ("p100a", 110), ("p150", 130)] {
        let shape = "512x512".parse().expect("a shape");
        let outcome = Request::new("identity").shape(shape).device(device).run().expect("it runs");
        assert_eq!((outcome.verdict(), outcome.run.request.cores), (RunVerdict::Pass, cores));
    }
}
