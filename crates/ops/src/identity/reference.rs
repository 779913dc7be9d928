//! The identity, with what the two ways through the registers may change.

use tilewright_metal::{ComputeConfig, Exact};
use tilewright_tile::DataFormat;
use tilewright_tile::bound::Approx;

use crate::reference::one_by_one;
use crate::steps::Steps;

/// Each value copied and packed twice: once to a tile, once back to a stick.
pub(super) fn identity(config: &ComputeConfig, format: DataFormat, stored: Vec<f32>) -> Exact {
    let steps = Steps::new(config, format);
    // A NaN or an infinity is an infinity after the first way, and stays one on the second.
    let again = move |x: Approx| if x.is_finite() { steps.pack(steps.copy(x)) } else { x };
    one_by_one(stored.len(), move |at| again(steps.moved(stored[at])))
}
