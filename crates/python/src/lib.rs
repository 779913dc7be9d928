//! The native module of the Python package: allocation, runs, and block formats.
//!
//! Translates only. Descriptions and options come as JSON, tensors' contents as writable buffers
//! in the order of logical pages, outcomes go back as JSON.

mod blocks;
mod contents;
mod device;
mod grade;
mod operation;
mod outcome;
mod request;
mod run;
mod sweep;

use pyo3::prelude::*;

/// See `tilewright/_native.pyi` for what each name takes and gives.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<device::Device>()?;
    module.add_class::<sweep::Sweep>()?;
    module.add_function(wrap_pyfunction!(sweep::sweep_job, module)?)?;
    module.add_function(wrap_pyfunction!(device::l1_alignment, module)?)?;
    module.add_function(wrap_pyfunction!(device::dram_alignment, module)?)?;
    module.add_function(wrap_pyfunction!(device::l1_unreserved_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(blocks::encode_blocks, module)?)?;
    module.add_function(wrap_pyfunction!(blocks::decode_blocks, module)?)?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    module.add_function(wrap_pyfunction!(run::capture, module)?)?;
    module.add_function(wrap_pyfunction!(run::compile, module)?)?;
    module.add_function(wrap_pyfunction!(grade::grade, module)?)?;
    module.add_function(wrap_pyfunction!(operation::operate, module)?)?;
    module.add_function(wrap_pyfunction!(operation::trace, module)?)?;
    module.add_function(wrap_pyfunction!(command, module)?)?;
    Ok(())
}

/// The command `tilewright` with its arguments, its own name first; gives the exit code.
#[pyfunction]
fn command(arguments: Vec<std::ffi::OsString>) -> u8 {
    tilewright_cli::command(arguments)
}
