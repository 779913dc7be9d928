//! The inputs that an operation's exact results are computed from, checked, and results that are
//! computed in parts.

use std::sync::Arc;

use tilewright_metal::{Exact, ExactValues, Parts, Shape};
pub use tilewright_metal::{Given, Roles, Wanted};
use tilewright_tile::bound::Approx;

use crate::operation::OpError;
use crate::parallel;

/// Values of a part where each is computed alone.
const ALONE: usize = 1 << 12;

/// `count` exact values, of which each is computed alone, by its index.
pub(crate) fn one_by_one(
    count: usize,
    of: impl Fn(usize) -> Approx + Send + Sync + 'static,
) -> Exact {
    in_parts(count, ALONE, move |part, values| {
        let start = part * ALONE;
        values.iter_mut().enumerate().for_each(|(at, value)| *value = of(start + at));
    })
}

/// `count` exact values in parts of `values`; `part` writes the one with a number.
pub(crate) fn in_parts(
    count: usize,
    values: usize,
    part: impl Fn(usize, &mut [Approx]) + Send + Sync + 'static,
) -> Exact {
    Box::new(InParts { count, parts: Parts { values, part: Arc::new(part) } })
}

struct InParts {
    count: usize,
    parts: Parts,
}

impl ExactValues for InParts {
    fn all(&self) -> Vec<Approx> {
        let mut all = vec![Approx::ZERO; self.count];
        parallel::fill(&mut all, self.parts.values, |number, part| (self.parts.part)(number, part));
        all
    }

    fn parts(&self) -> Option<Parts> {
        Some(self.parts.clone())
    }
}

/// The given inputs, or what is wrong with their number or shapes.
pub(crate) fn taken<const COUNT: usize>(
    roles: &Roles,
    given: Vec<Given>,
    shapes: [Shape; COUNT],
) -> Result<[Vec<f32>; COUNT], OpError> {
    assert_eq!((given.len(), roles.inputs.len()), (COUNT, COUNT), "one for each role");
    for ((given, wanted), name) in given.iter().zip(&shapes).zip(roles.inputs) {
        if given.shape().volume() != wanted.volume() || given.shape().width() != wanted.width() {
            return Err(OpError::Invalid(format!(
                "`{name}` has shape {}, where the operation needs {wanted}",
                given.shape()
            )));
        }
    }
    let values: Vec<Vec<f32>> = given.iter().map(|given| given.tensor.to_f32()).collect();
    Ok(values.try_into().unwrap_or_else(|_| unreachable!("counted above")))
}
