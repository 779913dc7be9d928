//! Program manifests: what is wrong with them, told to the letter, and what right ones make.
//!
//! Each `manifests/wrong/*.toml` has beside it what is said of it; `TILEWRIGHT_BLESS=1` writes
//! that anew.

use std::fs;
use std::path::Path;
use tilewright_ops::judge;
use tilewright_run::Catalogue;
use tilewright_testing::is_bless;

use tilewright_manifest::{self, KernelPlan, Manifest, ManifestError, Overrides, Ready};
use tilewright_metal::{Device, ProgramBuilder, Shape, Tensor, tensor_io};

/// A manifest with kernels that do nothing.
fn prepare(path: &Path, overrides: &Overrides) -> Result<Ready, ManifestError> {
    let text = fs::read_to_string(path).expect("a manifest");
    make(&Manifest::parse(path, &text)?, overrides)
}

fn make(manifest: &Manifest, overrides: &Overrides) -> Result<Ready, ManifestError> {
    manifest.prepare_with(&mut Device::n150(), overrides, &Catalogue, &mut |builder, plan| {
        let (cores, args) = (plan.cores.clone(), plan.compile_time.clone());
        match plan.place {
            Some(place) => builder.data_movement(&plan.name, cores, place, args, |_| {}),
            None => builder.compute(&plan.name, cores, plan.config.clone(), args, |_| {}),
        }
    })
}

/// What the values of a manifest come to; it has a tensor `x` of 70 rows and 100 columns, and the
/// 12 tiles of it are dealt out to 5 cores.
#[track_caller]
fn value(expression: &str) -> Result<i64, String> {
    let text = format!(
        r#"
cores = 5
split = {{ units = "tensor.x.tiles" }}
[values]
it = "{expression}"
three = 3
nine = "three * three"
[tensors.x]
shape = [70, 100]
format = "bf16"
[buffers.cb]
index = "three + 1"
format = "fp32"
pages = 2
[semaphores.first]
[semaphores.second]
[kernels.reader]
file = "reader.cpp"
runs_on = "reader"
"#
    );
    let path = Path::new("tests/manifests/wrong/inline.toml");
    let told = |error: ManifestError| {
        let problems = error.problems.iter().map(|problem| {
            let (line, column) = error.place(problem);
            format!("{line}:{column} {}", problem.message)
        });
        problems.collect::<Vec<_>>().join("; ")
    };
    let ready = Manifest::parse(path, &text).and_then(|it| make(&it, &Overrides::default()));
    ready.map(|ready| ready.values["it"]).map_err(told)
}

#[test]
fn expressions_come_to_numbers() {
    let cases = [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("7 / 2 - 7 % 4", 0),
        ("-7 / 2", -4),
        ("- - 3", 3),
        ("10 - 3 - 2", 5),
        ("0x10 + 1_000", 1016),
        ("ceil_div(70, 32) + round_up(70, 32)", 99),
        ("min(nine, max(2, three))", 3),
        ("divisor(12, 8) * 100 + divisor(7, 4) * 10 + divisor(5, 9)", 615),
        ("tensor.x.tiles", 12),
        ("tensor.x.tile_rows * 10 + tensor.x.tile_columns", 34),
        ("tensor.x.rows * tensor.x.columns", 7000),
        ("tensor.x.pages * tensor.x.page_bytes", 12 * 2048),
        ("buffer.cb * 100 + buffer.cb.pages", 402),
        ("buffer.cb.page_bytes", 4096),
        ("semaphore.second", 1),
        ("cores", 5),
        ("split.count_1 * 10 + split.count_2", 32),
        ("split.units * 10 + split.cores", 125),
        ("grid.x * 10 + grid.y", 88),
        ("start * 10 + count", 3),
        ("f32(1.0)", 0x3f80_0000),
        ("f32(-1 / 4)", 0xbe80_0000),
        ("f32(1e-5)", 0x3727_c5ac),
        ("bf16(1 / 3)", 0x3eab),
        ("bf16_pair(2)", 0x4000_4000),
    ];
    for (expression, wanted) in cases {
        assert_eq!(value(expression), Ok(wanted), "{expression}");
    }
}

#[test]
fn wrong_expressions_are_told_at_their_place() {
    let cases = [
        ("1 +", "5:10 the expression ends where a number, a name or a parenthesis should be"),
        ("1 2", "5:9 `2` where an operator or the end should be"),
        ("(1", "5:9 the expression ends where `)` should be"),
        ("three / (3 - three)", "5:7 3 is divided by zero here"),
        ("divisor(0, 3)", "5:7 a divisor of 0 up to 3 cannot be told"),
        ("9223372036854775807 + 1", "5:7 too large a number"),
        ("it + 1", "5:1 `it` depends on itself"),
        ("for", "5:7 unknown name `for`"),
        ("tensor.y.tiles", "5:7 unknown name `y` in `tensor`"),
        ("grid.z", "5:7 unknown name `z` in `grid`"),
        ("1 + tensor.x.accessor", "5:11 an accessor is several words"),
    ];
    for (expression, wanted) in cases {
        assert_eq!(value(expression), Err(wanted.to_owned()), "{expression}");
    }
}

#[test]
fn every_wrong_manifest_is_refused_with_its_places() {
    let mut cases: Vec<_> = fs::read_dir("tests/manifests/wrong")
        .expect("a folder of manifests")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|it| it == "toml"))
        .collect();
    cases.sort();
    let mut different = Vec::new();
    for path in &cases {
        let told = match prepare(path, &Overrides::default()) {
            Ok(_) => "nothing is wrong\n".to_owned(),
            Err(error) => format!("{error}\n"),
        };
        let expected = path.with_extension("txt");
        if is_bless() {
            fs::write(&expected, &told).expect("what is said");
        }
        if fs::read_to_string(&expected).unwrap_or_default() != told {
            different.push(format!("{}:\n{told}", path.display()));
        }
    }
    assert!(cases.len() > 8, "manifests with errors");
    assert!(different.is_empty(), "`cargo xtask bless` accepts these:\n{}", different.join("\n"));
}

#[track_caller]
fn published(path: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    if is_bless() {
        fs::write(&path, text).expect("a published file");
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(there, text, "{}; `cargo xtask bless` writes it", path.display());
}

#[test]
fn the_published_schema_and_page_are_those_of_the_types() {
    published("docs/schema/manifest.schema.json", &tilewright_manifest::schema());
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/eltwise/program.toml");
    let example = fs::read_to_string(example).expect("an example");
    published("docs/src/manifest.md", &tilewright_run::manifest_page(&example));
}

/// An output that nobody writes is zeros; a file of negative zeros has equal values, other bits.
#[test]
fn a_file_without_a_tolerance_is_held_bit_for_bit() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("manifest-bits");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("kernel.cpp"), "").expect("a kernel");
    let in_bound = |value: f32, tolerance: &str| {
        let shape = Shape::new(&[32, 32]).expect("a shape");
        let tensor = Tensor::from_f32(shape, &[value; 1024]).expect("a tensor");
        tensor_io::save(&folder.join("y.npy"), &tensor).expect("a file");
        let text = format!(
            r#"
[tensors.y]
shape = [32, 32]
format = "bf16"
[kernels.reader]
file = "kernel.cpp"
runs_on = "reader"
[expected.y]
file = "y.npy"
{tolerance}
"#
        );
        let manifest = Manifest::parse(&folder.join("program.toml"), &text).expect("a manifest");
        let mut device = Device::n150();
        let mut add = |builder: &mut ProgramBuilder, plan: &KernelPlan| {
            let place = plan.place.expect("a reader");
            let (cores, args) = (plan.cores.clone(), plan.compile_time.clone());
            builder.data_movement(&plan.name, cores, place, args, |_| {})
        };
        let ready = manifest.prepare_with(&mut device, &Overrides::default(), &Catalogue, &mut add);
        let ready = ready.expect("it is right");
        judge::outputs(&ready.prepared, &mut device).expect("an output")[0].1.in_bound
    };
    assert!(in_bound(0.0, ""));
    assert!(!in_bound(-0.0, ""));
    assert!(in_bound(-0.0, "absolute = 0.0"));
}
