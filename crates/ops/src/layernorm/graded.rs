//! The reported tests in small, to be graded by the faults that they notice: one row of tiles on
//! the path that reads a row in blocks, where all the published faults live.

use std::sync::Arc;

use tilewright_metal::{Device, Exact, Expected, Prepared, Shape};
use tilewright_tile::bound::Approx;

use super::published::{Faults, Path, reference};
use super::repro::{Data, place_published};
use crate::operation::OpError;

/// A test of the published operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradedTest {
    /// Its name.
    pub name: &'static str,
    /// Features; a row has 32 of them to a tile.
    pub features: usize,
    /// Its data.
    pub data: Data,
    /// The absolute tolerance of every gradient.
    pub atol: f64,
}

/// The nightly test, the same with a tight tolerance, and two deterministic ones. The last tile of
/// the random ones is partly filled, as it is in the reported shapes; 1/N is exact for the others.
pub const TESTS: [GradedTest; 4] = [
    GradedTest { name: "nightly", features: 490, data: Data::Random { seed: 0 }, atol: 0.5 },
    GradedTest { name: "tight", features: 490, data: Data::Random { seed: 5 }, atol: 0.01 },
    GradedTest {
        name: "deterministic, ones",
        features: 512,
        data: Data::Constants(1.0, 1.0, 0.5),
        atol: 0.01,
    },
    GradedTest {
        name: "deterministic, different values",
        features: 512,
        data: Data::Constants(0.5, 2.0, 1.0),
        atol: 0.01,
    },
];

/// The reported faults one by one, and together as they were published.
pub const FAULTS: [(&str, Faults); 9] = [
    ("as published", Faults::PUBLISHED),
    ("stale accumulation", Faults { stale_accumulation: true, ..Faults::REPAIRED }),
    ("nested acquire", Faults { nested_acquire: true, ..Faults::REPAIRED }),
    ("swapped ALU formats", Faults { swapped_alu_formats: true, ..Faults::REPAIRED }),
    ("overwritten sum", Faults { overwritten_sum: true, ..Faults::REPAIRED }),
    ("dropped last tile", Faults { dropped_last_tile: true, ..Faults::REPAIRED }),
    ("unmasked tail", Faults { unmasked_tail: true, ..Faults::REPAIRED }),
    ("missing start-up", Faults { missing_startup: true, ..Faults::REPAIRED }),
    ("one-page buffer", Faults { one_page_buffer: true, ..Faults::REPAIRED }),
];

/// What padding holds, so that a mask that is left out shows.
const PADDING: f32 = 3.5;

impl GradedTest {
    /// The tensor's shape.
    pub fn shape(&self) -> Shape {
        Shape::new(&[1, 1, 32, self.features]).expect("sizes are not zero")
    }

    /// Puts the test's inputs on a device, with the kernel that has these faults.
    pub fn prepare(&self, device: &mut Device, faults: Faults) -> Result<Prepared, OpError> {
        let shape = self.shape();
        let inputs = self.data.inputs(&shape);
        let kernel = (faults, Path::Block);
        let (program, outputs) = place_published(device, &shape, &inputs, kernel, PADDING)?;
        let inputs = Arc::new(inputs);
        let [dy, dgamma] = [(); 2].map(|()| Arc::clone(&inputs));
        let expected = |name, tensor, exact: Exact| Expected::of(name, tensor, exact);
        let outputs = vec![
            expected("dx", outputs.dx, Box::new(move || reference::dx(&inputs))),
            expected("dgamma", outputs.dgamma, Box::new(move || reference::dgamma(&dgamma))),
            expected("dbeta", outputs.dbeta, Box::new(move || exact(&dy.dy))),
        ];
        Ok(Prepared { outputs, ..Prepared::from(program) })
    }
}

fn exact(values: &[f32]) -> Vec<Approx> {
    values.iter().map(|value| Approx::exact(f64::from(*value))).collect()
}
