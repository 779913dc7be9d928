//! All tools on whole operations: silent on those that are right, and on the published LayerNorm
//! backward kernel exactly what is wrong with it.

use crate::patient;
use tilewright_check::{Finding, FindingId, Session, Tools};
use tilewright_metal::{Device, Family, Layout, NocMode, RunOptions, Shape, Storage, Tensor};
use tilewright_ops::Request;
use tilewright_ops::layernorm::published::Faults;
use tilewright_ops::layernorm::{Path, fused_rm};
use tilewright_tile::DataFormat;

const OPTIONS: RunOptions = RunOptions { threads: 2, ..RunOptions::USUAL };

fn published(shape: &str, faults: Faults) -> Vec<Finding> {
    published_with(&Tools::all(), shape, faults)
}

fn published_with(tools: &Tools, shape: &str, faults: Faults) -> Vec<Finding> {
    let (mut device, program) = patient::published(shape, faults);
    let mut session = Session::new(&program, tools);
    let outcome = program.run(&mut device, OPTIONS, &mut [&mut session]).expect("stacks");
    session.findings(&program, &outcome)
}

/// The line of the published kernel that a mark points at.
fn line(finding: &Finding, mark: usize) -> String {
    let site = finding.marks[mark].site;
    assert!(site.file.ends_with("layernorm/published/compute.rs"), "{site}");
    let source = include_str!("../../ops/src/layernorm/published/compute.rs");
    source.lines().nth(site.line as usize - 1).unwrap_or_default().trim().to_owned()
}

fn check_stale(finding: &Finding) {
    assert_eq!(finding.id, FindingId::StaleAccumulation);
    assert_eq!(line(finding, 0), "ctx.copy_tile(cb::SUM_DY_GAMMA, 0, temporary);");
    assert_eq!(line(finding, 1), "ctx.sub_binary_tile(target, temporary, target);");
    let product = "ctx.mul_tiles(cb::X_HAT, cb::SUM_DY_GAMMA_X_HAT, operand, 0, temporary);";
    assert_eq!(line(finding, 2), product);
}

/// The matrix unit reads fp32 sums in SrcB as bf16; the unpackers are right.
fn check_swapped(finding: &Finding) {
    assert_eq!(finding.id, FindingId::AluFormat);
    assert_eq!(line(finding, 0), "ctx.reconfig_alu_data_format(sum, cb::SCALER);");
    assert_eq!(line(finding, 1), "ctx.matmul_tiles(sum, cb::SCALER, 0, 0, SUM);");
}

const ROW_SHAPES: [&str; 3] = ["13x20", "32x33", "40x213"];
const BLOCK_SHAPE: &str = "33x5301";

#[test]
fn the_published_kernel_accumulates_onto_a_stale_value() {
    for shape in ROW_SHAPES {
        let found = published(shape, Faults::PUBLISHED);
        assert_eq!(found.len(), 2, "{found:#?}");
        check_swapped(&found[0]);
        check_stale(&found[1]);
    }
}

#[test]
fn the_published_kernel_nests_sections_in_its_block_path() {
    let found = published(BLOCK_SHAPE, Faults::PUBLISHED);
    assert_eq!(found.len(), 3, "{found:#?}");
    check_swapped(&found[0]);
    assert_eq!(found[1].id, FindingId::NestedAcquire);
    assert!(line(&found[1], 1).contains("tile_regs_acquire"));
    assert!(found[1].marks[0].site.line != found[1].marks[1].site.line);
    check_stale(&found[2]);
    assert!(found.iter().all(|finding| finding.count == 2), "two rows of tiles, two cores");
}

#[test]
fn the_repaired_kernel_is_clean() {
    for shape in ROW_SHAPES.into_iter().chain([BLOCK_SHAPE]) {
        let found = published(shape, Faults::REPAIRED);
        assert!(found.is_empty(), "{shape}: {found:#?}");
    }
}

#[test]
fn a_buffer_that_cannot_hold_its_row_is_named() {
    let faults = Faults { one_page_buffer: true, ..Faults::REPAIRED };
    let found = published("40x213", faults);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].id, FindingId::OverReserve, "{found:#?}");
    assert!(found[0].facts[0].contains("no schedule can satisfy it"), "{found:#?}");
    assert!(found[0].consequences[0].starts_with("starved-wait: reader"), "{found:#?}");
}

/// Each fault alone is what these tools say of it, and nothing besides. Those that only change
/// values are for others to find.
#[test]
fn every_fault_has_its_finding() {
    let tools = Tools::parse("sync,dst,format,memory").expect("tools");
    let right = Faults::REPAIRED;
    let faults = [
        (Faults { stale_accumulation: true, ..right }, Some(FindingId::StaleAccumulation)),
        (Faults { nested_acquire: true, ..right }, Some(FindingId::NestedAcquire)),
        (Faults { swapped_alu_formats: true, ..right }, Some(FindingId::AluFormat)),
        (Faults { missing_startup: true, ..right }, Some(FindingId::MissingStartup)),
        (Faults { overwritten_sum: true, ..right }, None),
        (Faults { unmasked_tail: true, ..right }, None),
        (Faults { dropped_last_tile: true, ..right }, None),
    ];
    for (faults, id) in faults {
        let found = published_with(&tools, BLOCK_SHAPE, faults);
        let ids: Vec<FindingId> = found.iter().map(|finding| finding.id).collect();
        assert_eq!(ids, Vec::from_iter(id), "{faults:?}: {found:#?}");
    }
}

/// A page for each stick where compute counts tiles: the waits that never end follow from it.
#[test]
fn a_stick_sized_page_before_tilize_is_named() {
    let faults = fused_rm::Faults { stick_sized_page: true, ..fused_rm::Faults::default() };
    for path in [Path::Row, Path::Block] {
        let mut device = Device::n150();
        let mut place = |shape: &str| {
            let shape: Shape = shape.parse().expect("a shape");
            let values = Family::Uniform.values(&shape, 3, 0);
            let tensor = Tensor::from_f32(shape, &values).expect("a tensor");
            let tensor = tensor.convert(Layout::RowMajor, DataFormat::Bfloat16).expect("a tensor");
            tensor.to_device(&mut device, Storage::Dram).expect("room")
        };
        let (x, gamma, beta) = (place("3x32x288"), place("288"), place("288"));
        let options = fused_rm::Options { path: Some(path), cores: 2, ..Default::default() };
        let epsilon = fused_rm::EPSILON;
        let call = fused_rm::faulty(&mut device, x, gamma, beta, epsilon, &options, faults);
        let program = call.expect("a program that fits").program;
        let tools = Tools::parse("sync,dst,format,memory").expect("tools");
        let mut session = Session::new(&program, &tools);
        let outcome = program.run(&mut device, OPTIONS, &mut [&mut session]).expect("stacks");
        let found = session.findings(&program, &outcome);
        assert_eq!(found.len(), 1, "{path:?}: {found:#?}");
        assert_eq!(found[0].id, FindingId::PageSize);
        let follows = &found[0].consequences;
        assert!(follows.iter().any(|title| title.contains("-wait: ")), "{follows:#?}");
    }
}

#[test]
fn operations_of_every_format_and_path_have_no_findings() {
    let mut runs = 0;
    for operation in tilewright_ops::operations() {
        let choices = operation.choices();
        let paths = choices.iter().find(|choice| choice.name == "path");
        let paths = paths.map_or(vec![""], |choice| choice.values.to_vec());
        for format in [DataFormat::Bfloat16, DataFormat::Float32, DataFormat::Bfp8] {
            for (path, seed) in paths.iter().zip(1..) {
                let mut device = Device::n150();
                let shape = "1x2x96x416".parse().expect("a shape");
                let mut request = Request::new(shape, format);
                request.settings = operation.settings(format);
                if !path.is_empty() {
                    request.choices.insert("path".to_owned(), (*path).to_owned());
                }
                let Ok(prepared) = operation.prepare(&mut device, &request) else { continue };
                for program in &prepared.programs {
                    let mut session = Session::new(program, &Tools::all());
                    let options = RunOptions { seed, ..OPTIONS };
                    let observers: &mut [&mut dyn tilewright_metal::Observer] = &mut [&mut session];
                    let outcome = program.run(&mut device, options, observers).expect("stacks");
                    let found = session.findings(program, &outcome);
                    assert!(found.is_empty(), "{} {path} {format}: {found:#?}", operation.name());
                    runs += 1;
                }
            }
        }
    }
    assert!(runs >= 20, "only {runs} programs ran: requests were refused");
}

/// Shapes with whole and padded tiles; in the tall ones cores share the sums over rows.
const SCHEDULES: [(&str, NocMode); 6] = [
    ("1x1x64x96", NocMode::Timed),
    ("2x1x40x70", NocMode::Late),
    ("1x1x512x64", NocMode::Timed),
    ("1x1x512x64", NocMode::Late),
    ("1x1x300x90", NocMode::Timed),
    ("3x1x70x33", NocMode::Late),
];

#[test]
fn operations_that_are_right_have_no_findings() {
    for operation in tilewright_ops::operations() {
        for (turn, (shape, noc)) in SCHEDULES.into_iter().enumerate() {
            let mut device = Device::n150();
            let mut request = Request::new(shape.parse().expect("a shape"), DataFormat::Bfloat16);
            request.cores = 4;
            request.settings = operation.settings(request.format);
            let Ok(prepared) = operation.prepare(&mut device, &request) else { continue };
            for program in &prepared.programs {
                let mut session = Session::new(program, &Tools::all());
                let options = RunOptions { seed: turn as u64, noc, ..OPTIONS };
                let observers: &mut [&mut dyn tilewright_metal::Observer] = &mut [&mut session];
                let outcome = program.run(&mut device, options, observers).expect("stacks");
                let found = session.findings(program, &outcome);
                assert!(found.is_empty(), "{} {shape}: {found:#?}", operation.name());
            }
        }
    }
}
