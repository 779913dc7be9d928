//! LayerNorm: forward, backward, and the backward kernel whose faults hid for eight months.

#[doc(hidden)]
pub mod published;
