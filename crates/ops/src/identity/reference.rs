//! The identity, with what the two ways through the registers may change.

use tilewright_metal::ComputeConfig;
use tilewright_tile::DataFormat;
use tilewright_tile::bound::Approx;

use crate::parallel;
use crate::steps::Steps;

/// Each value copied and packed twice: once to a tile, once back to a stick.
pub(super) fn identity(config: &ComputeConfig, format: DataFormat, stored: &[f32]) -> Vec<Approx> {
    let steps = Steps::new(config, format);
    // A NaN or an infinity is an infinity after the first way, and stays one on the second.
    let again = |x: Approx| if x.is_finite() { steps.pack(steps.copy(x)) } else { x };
    parallel::map(stored.len(), |at| again(steps.moved(stored[at])))
}
