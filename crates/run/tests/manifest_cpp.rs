//! Manifests whose kernels are C++: arguments by name, and whole numbers as an input. The examples
//! are `examples_cpp`.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use tilewright_check::{Session, Tools};
use tilewright_ops::judge;
use tilewright_run::Catalogue;
use tilewright_testing::skip;

use tilewright_manifest::{Manifest, Overrides};
use tilewright_metal::cpp::{CompileOptions, Workshop};
use tilewright_metal::{Device, DeviceTensor, Ending, RunOptions};

/// Tensors by name.
type Tensors = Vec<(String, DeviceTensor)>;

/// What a manifest comes to, with the device and its tensors; none where the host has no compiler.
/// `change` edits its text.
fn run(folder: &str, change: impl Fn(String) -> String) -> Option<(Ending, Device, Tensors)> {
    let cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("tilewright"));
    let workshop = Workshop::open(&CompileOptions { cache, ..CompileOptions::default() })
        .map_err(|error| skip!(error))
        .ok()?;
    let path = Path::new("tests/manifests").join(folder).join("program.toml");
    let text = change(fs::read_to_string(&path).expect("a manifest"));
    let manifest = Manifest::parse(&path, &text).unwrap_or_else(|error| panic!("{error}"));
    let mut device = Device::n150();
    let ready = manifest.prepare(&mut device, &Overrides::default(), &Catalogue);
    let mut ready = ready.unwrap_or_else(|error| panic!("{error}"));
    let prepared = &mut ready.prepared;
    for program in &mut prepared.programs {
        let arch = device.architecture();
        program.compile(arch, &workshop, &|_, _| {}).unwrap_or_else(|error| panic!("{error}"));
    }
    let [program] = prepared.programs.as_slice() else { panic!("{folder} is one program") };
    let mut session = Session::new(program, &Tools::all());
    let outcomes = prepared.run(&mut device, RunOptions::default(), &mut [&mut session]);
    let outcomes = outcomes.expect("it can run");
    if outcomes[0].ending == Ending::Completed {
        assert_eq!(session.findings(program, &outcomes[0]), [], "{folder}");
    }
    for (name, judgement) in judge::outputs(prepared, &mut device).expect("outputs can be read") {
        assert!(judgement.in_bound, "{name}: {judgement:?}");
    }
    Some((outcomes[0].ending.clone(), device, ready.tensors))
}

fn values(device: &mut Device, tensors: &[(String, DeviceTensor)], name: &str) -> Vec<f32> {
    let (_, tensor) = tensors.iter().find(|(it, _)| it == name).expect("a tensor");
    tensor.to_host(device).expect("its values").to_f32()
}

/// The kernels assert what they are given; the writer's tensor is the reader's second one.
#[test]
fn kernels_are_given_everything_by_name() {
    let Some((ending, mut device, tensors)) = run("bindings", |text| text) else { return };
    assert_eq!(ending, Ending::Completed);
    assert!(values(&mut device, &tensors, "y").iter().any(|value| *value != 0.0));
}

#[test]
fn kernels_read_whole_numbers() {
    for format in ["uint32", "int32"] {
        let change = |text: String| text.replace("uint32", format);
        let Some((ending, mut device, tensors)) = run("gather", change) else { return };
        assert_eq!(ending, Ending::Completed);
        let [x, order, y] = ["x", "order", "y"].map(|name| values(&mut device, &tensors, name));
        let tiles = order.len();
        assert!(tiles == 6 && order.iter().any(|number| *number != order[0]), "{order:?}");
        for (index, value) in y.iter().enumerate() {
            let (row, column) = (index / (32 * tiles), index % (32 * tiles));
            let from = 32 * order[column / 32] as usize + column % 32;
            assert_eq!(*value, x[row * 32 * tiles + from], "row {row}, column {column}");
        }
    }
}

/// Rings in shards of L1, shards in banks of DRAM, and networks other than the usual ones: the
/// values of interleaved tensors, with nothing found.
#[test]
fn shards_are_cut_in_every_way() {
    let of = |ran: Option<(Ending, Device, Tensors)>| {
        let (ending, mut device, tensors) = ran?;
        assert_eq!(ending, Ending::Completed);
        Some(["first", "second", "sum"].map(|name| values(&mut device, &tensors, name)))
    };
    let Some(interleaved) = of(run("interleaved", |text| text)) else { return };
    let all = [("height", "[32, 128]"), ("width", "[128, 32]"), ("block", "[64, 64]")];
    // Which shard of the bank belongs to that of the core.
    let orders = [("row-major", "core.index"), ("column-major", "2 * core.x + core.y")];
    for ((layout, shape), (orientation, shard)) in
        all.into_iter().flat_map(|cut| orders.map(|order| (cut, order)))
    {
        let change = |text: String| {
            let cut = |layout: &str| format!("layout = \"{layout}\", shape = {shape}");
            let height = "layout = \"height\", shape = [32, 128]";
            // Four banks in a row are no block of shards; banks are filled one after the other.
            let in_banks = cut(if layout == "block" { "nd" } else { layout });
            let bank = ", cores = \"(2,0)-(5,0)\"";
            let in_cores = format!("{}, orientation = \"{orientation}\"", cut(layout));
            text.replace(&format!("{height}{bank}"), &format!("{in_banks}{bank}"))
                .replace(
                    &format!("{height}, cores = \"(0,0)"),
                    &format!("{in_cores}, cores = \"(0,0)"),
                )
                .replace("core.index", shard)
        };
        let Some(sharded) = of(run("sharded", change)) else { return };
        assert_eq!(sharded, interleaved, "{layout}, {orientation}");
    }
}

#[test]
fn computing_with_whole_numbers_is_refused_by_name() {
    let change = |text: String| {
        let compute = "file = \"compute.cpp\"";
        text.replace(compute, &format!("{compute}\ndefines = {{ COMPUTES = \"1\" }}"))
    };
    let Some((ending, ..)) = run("gather", change) else { return };
    let Ending::Stopped(stops) = ending else { panic!("{ending:?}") };
    let told = format!("{stops:?}");
    assert!(told.contains("NotModelled") && told.contains("UInt32"), "{told}");
}
