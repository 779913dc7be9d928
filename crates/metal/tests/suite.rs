//! Programs, tensors and the kernel API, in Rust and C++, as one test binary.

mod capture;
#[path = "../../machine/tests/common/mod.rs"]
mod common;
mod cpp_common;
mod cpp_faults;
mod cpp_kernels;
mod cpp_lines;
mod cpp_sfpi;
mod cpp_spellings;
mod cpp_vector;
mod description;
mod program;
mod tensor;
mod tensor_io;
