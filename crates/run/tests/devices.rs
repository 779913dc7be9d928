//! The same request on several devices: what each refuses, and what differs between them.

use std::sync::Arc;

use tilewright_machine::{DramAddress, L1Address, NocAddress};
use tilewright_metal::Family;
use tilewright_run::prelude::*;
use tilewright_run::record::Devices;
use tilewright_run::{FrontEnd, Silent};

/// Operations and inputs of which an output differs in bits between the chips. `recip_tile`, which
/// softmax uses, may differ in its last bit for any operand, and does so for the sum of one row;
/// all else differs for NaN, infinities and zeros alone.
const DIFFERING: [(&str, Family); 4] = [
    ("softmax", Family::Normal),
    ("layernorm-fw", Family::Special),
    ("layernorm-bw", Family::Special),
    ("layernorm-rm", Family::Special),
];

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
        for family in Family::ALL {
            let request = Request::new(name).shape("64x64".parse().expect("a shape"));
            let devices = on_both(&Request { input: Some(family), ..request });
            for run in &devices.runs {
                let device = &run.request.device;
                // A NaN in each row leaves LayerNorm's gradients nothing to compare.
                let is_special = family == Family::Special;
                let nothing_left = is_special && run.verdict == RunVerdict::Unjudged;
                let is_right = run.verdict == RunVerdict::Pass || nothing_left;
                assert!(is_right, "{name} {family} on {device}: {:?}", run.verdict);
            }
            assert!(devices.findings.is_empty(), "{name}: {:?}", devices.findings);
            if devices.outputs.iter().any(|output| output.differing > 0) {
                differing.push((name, family));
            }
        }
    }
    assert_eq!(differing, DIFFERING);
}

/// Two programs in one manifest, cores that send each other parts of sums, and broadcasts. The grid
/// of cores differs, and with it who adds the parts up.
#[test]
#[cfg(target_os = "linux")]
fn examples_in_cpp_give_the_same_bits_on_both_chips() {
    let has = |compiler| std::process::Command::new(compiler).arg("--version").output().is_ok();
    if !["g++", "clang++"].into_iter().any(has) {
        tilewright_testing::skip!("there is no C++ compiler");
        return;
    }
    for example in ["layernorm/backward", "softmax"] {
        let manifest = format!("../../examples/{example}/program.toml");
        let devices = on_both(&Request::new(manifest));
        assert_eq!(devices.verdict, RunVerdict::Pass, "{example}: {:?}", devices.findings);
        assert!(!devices.outputs.is_empty(), "{example}");
        for output in &devices.outputs {
            assert_eq!(output.differing, 0, "{example}: {}", output.name);
        }
    }
}

#[test]
fn a_device_that_is_not_known_is_refused_by_name() {
    let failure = Request::new("identity").device("n300").run().expect_err("refused");
    assert_eq!(failure.message, "unknown device `n300`");
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
