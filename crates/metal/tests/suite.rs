//! The device, programs and the kernel API, in Rust and C++, as one test binary.

mod capture;
mod circular_buffers;
mod common;
mod copy;
mod cpp_common;
mod cpp_faults;
mod cpp_kernels;
mod cpp_lines;
mod cpp_sfpi;
mod cpp_spellings;
mod cpp_vector;
mod description;
mod determinism;
mod dst;
mod edits;
mod endings;
mod livelock;
mod noc;
mod pause;
mod tensor;
mod tensor_io;
