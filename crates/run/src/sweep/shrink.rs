//! The smallest case that still fails: fewer cores, smaller sizes, one step at a time.

use std::sync::Arc;

use tilewright_metal::Shape;

use super::plan::{Plan, Point};
use super::row::SweepRow;
use crate::progress::FrontEnd;
use crate::record::Failure;
use crate::request::Request;

/// Runs that are spent on it, at most.
const RUNS_MAX: usize = 64;

/// A failing run made small.
pub(super) struct Shrunk {
    pub(super) request: Request,
    pub(super) row: SweepRow,
}

/// Shrinks the smallest of the failing runs; nothing if none fails.
pub(super) fn shrink(
    plan: &Plan,
    rows: &[SweepRow],
    front: &Arc<dyn FrontEnd>,
) -> Result<Option<Shrunk>, Failure> {
    let failing = rows.iter().filter(|row| row.is_failure());
    let size = |row: &&SweepRow| (volume(&row.point), number(row, "cores"), row.index);
    let Some(first) = failing.min_by_key(size) else { return Ok(None) };
    let mut point: Point = plan.points().swap_remove(first.index);
    let mut row = first.clone();
    let mut runs = 0;
    while runs < RUNS_MAX {
        let mut better = None;
        for smaller in smaller(&point) {
            let Ok(request) = plan.request(&smaller) else { continue };
            runs += 1;
            let outcome = crate::run(&request, front, None);
            let tried = SweepRow::new(first.index, &smaller, &outcome);
            if is_same(&tried, &row) {
                better = Some((smaller, tried));
                break;
            }
        }
        let Some(found) = better else { break };
        (point, row) = found;
    }
    Ok(Some(Shrunk { request: plan.request(&point)?, row }))
}

/// Whether both fail in the same way.
fn is_same(one: &SweepRow, other: &SweepRow) -> bool {
    one.is_failure()
        && one.verdict == other.verdict
        && one.findings.first() == other.findings.first()
}

fn volume(point: &std::collections::BTreeMap<String, String>) -> usize {
    let shape = point.get("shape").and_then(|text| text.parse::<Shape>().ok());
    shape.map_or(0, |shape| shape.volume())
}

fn number(row: &SweepRow, axis: &str) -> u64 {
    row.point.get(axis).and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// The points one step smaller: half of a size, one less, half of the cores.
fn smaller(point: &Point) -> Vec<Point> {
    let mut all = Vec::new();
    for (place, (axis, value)) in point.iter().enumerate() {
        let mut with = |value: String| {
            let mut other = point.clone();
            other[place].1 = value;
            all.push(other);
        };
        match axis.as_str() {
            "shape" => {
                let Ok(shape) = value.parse::<Shape>() else { continue };
                shapes(shape).into_iter().for_each(|shape| with(shape.to_string()));
            }
            "cores" => {
                if let Ok(cores @ 2..) = value.parse::<u32>() {
                    with((cores / 2).to_string());
                }
            }
            _ => {}
        }
    }
    all
}

fn shapes(shape: Shape) -> Vec<Shape> {
    let sizes: Vec<usize> = shape.sizes().iter().map(|size| *size as usize).collect();
    let mut all = Vec::new();
    for place in 0..sizes.len() {
        let size = sizes[place];
        let steps = [size / 2, size.saturating_sub(32), size - 1];
        for less in steps.into_iter().filter(|less| (1..size).contains(less)) {
            let mut sizes = sizes.clone();
            sizes[place] = less;
            all.extend(Shape::new(&sizes).ok());
        }
    }
    all.sort_by_key(Shape::volume);
    all
}
