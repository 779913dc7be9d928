//! The tools sync and dst on whole operations: silent on those that are right, and on the
//! published LayerNorm backward kernel exactly what is wrong with it.

use tilewright_check::{Finding, FindingId, Session, Tools};
use tilewright_metal::{Device, NocMode, RunOptions, Shape};
use tilewright_ops::Request;
use tilewright_ops::family::Family;
use tilewright_ops::layernorm::published::Faults;
use tilewright_ops::layernorm::reference::BackwardInputs;
use tilewright_ops::layernorm::repro::prepare_published;
use tilewright_tile::DataFormat;

const OPTIONS: RunOptions = RunOptions { threads: 2, ..RunOptions::USUAL };

fn published(shape: &str, faults: Faults) -> Vec<Finding> {
    let shape: Shape = shape.parse().expect("a shape");
    let row = Shape::new(&[shape.width()]).expect("a width");
    let values = |shape: &Shape, stream| Family::Uniform.values(shape, 7, stream);
    let (x, gamma, dy) = (values(&shape, 0), values(&row, 1), values(&shape, 3));
    let inputs =
        BackwardInputs::new((DataFormat::Bfloat16, Family::Uniform), &shape, [&x, &gamma, &dy]);
    let (mut device, program, _) =
        prepare_published(&shape, &inputs, faults, 0.0).expect("a program that fits");
    let mut session = Session::new(&program, &Tools::all());
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

const ROW_SHAPES: [&str; 3] = ["13x20", "32x33", "40x213"];
const BLOCK_SHAPE: &str = "33x5301";

#[test]
fn the_published_kernel_accumulates_onto_a_stale_value() {
    for shape in ROW_SHAPES {
        let found = published(shape, Faults::PUBLISHED);
        assert_eq!(found.len(), 1, "{found:#?}");
        check_stale(&found[0]);
    }
}

#[test]
fn the_published_kernel_nests_sections_in_its_block_path() {
    let found = published(BLOCK_SHAPE, Faults::PUBLISHED);
    assert_eq!(found.len(), 2, "{found:#?}");
    assert_eq!(found[0].id, FindingId::NestedAcquire);
    assert!(line(&found[0], 1).contains("tile_regs_acquire"));
    assert!(found[0].marks[0].site.line != found[0].marks[1].site.line);
    check_stale(&found[1]);
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
    assert_eq!(found[0].id, FindingId::StarvedWait, "{found:#?}");
    assert!(found[0].facts[0].contains("no schedule can satisfy it"), "{found:#?}");
}

#[test]
fn operations_that_are_right_have_no_findings() {
    for operation in tilewright_ops::operations() {
        for (shape, noc) in [("1x1x64x96", NocMode::Timed), ("2x1x40x70", NocMode::Late)] {
            let mut device = Device::n150();
            let mut request = Request::new(shape.parse().expect("a shape"), DataFormat::Bfloat16);
            request.cores = 4;
            request.settings = operation.settings(request.format);
            let Ok(prepared) = operation.prepare(&mut device, &request) else { continue };
            for program in &prepared.programs {
                let mut session = Session::new(program, &Tools::all());
                let options = RunOptions { noc, ..OPTIONS };
                let observers: &mut [&mut dyn tilewright_metal::Observer] = &mut [&mut session];
                let outcome = program.run(&mut device, options, observers).expect("stacks");
                let found = session.findings(program, &outcome);
                assert!(found.is_empty(), "{} {shape}: {found:#?}", operation.name());
            }
        }
    }
}
