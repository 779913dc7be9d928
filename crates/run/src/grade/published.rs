//! The published LayerNorm backward, whose tests did not notice its faults for eight months.

use tilewright_ops::layernorm::graded::{FAULTS, GradedTest};
use tilewright_ops::layernorm::published::Faults;

use super::Grading;
use crate::request::Request;

/// One of its tests: the repaired kernel, and the kernels with the faults that were reported.
pub fn published(test: GradedTest) -> Grading {
    let request = |faults: Faults| {
        let prepare = move |device: &mut _| test.prepare(device, faults).map_err(Into::into);
        Request::program("layernorm-bw-published", prepare)
    };
    FAULTS.iter().fold(Grading::new(request(Faults::REPAIRED)), |grading, (name, faults)| {
        grading.reported(name, request(*faults))
    })
}
