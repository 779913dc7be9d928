//! Our operations on the device, as one test binary.

mod common;
mod copy;
mod eltwise;
mod formulas;
mod identity;
mod layernorm;
mod layernorm_faults;
mod layernorm_fused_rm;
mod layernorm_gradient;
mod layernorm_l1;
mod matmul;
mod published_layernorm;
mod reduce;
mod softmax;
mod vector;
