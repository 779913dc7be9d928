//! What a program is made of: circular buffers, kernels, and each core's share of the work.

use std::path::PathBuf;

use tilewright_run::prelude::*;

use crate::queue::Error;

/// A circular buffer of tiles: its index, its name in reports, its pages and their format.
pub type Ring = (u8, &'static str, u32, DataFormat);

/// A kernel on every core.
pub struct Kernel<'a> {
    /// Its source.
    pub file: PathBuf,
    /// Its processors.
    pub config: KernelConfig,
    /// Its compile-time arguments.
    pub compile_time_args: Vec<u32>,
    /// The runtime arguments of a core, from its share of the work.
    pub arguments: Box<dyn Fn(&CoreWork) -> Vec<u32> + 'a>,
}

/// The compile-time arguments by which a kernel finds the pages of tensors.
pub fn accessors(first: &[u32], tensors: &[DeviceTensor]) -> Vec<u32> {
    let words = tensors
        .iter()
        .flat_map(|tensor| tensor.accessor_args().words());
    first.iter().copied().chain(words).collect()
}

/// A number of tiles, rows or values as kernels take it.
pub fn word(count: usize) -> Result<u32, Error> {
    Ok(u32::try_from(count)?)
}

/// Kernels on as many cores as there are units of work for, each with its share. The last tensor is
/// the output.
pub fn program(
    arch: &Architecture,
    units: u32,
    (kernels, rings): (&[Kernel<'_>], &[Ring]),
    (names, tensors): (&[&str], &[DeviceTensor]),
) -> Result<ProgramDescription, Error> {
    let split = WorkSplit::new(arch, word(arch.cores())?, units)?;
    let cores: CoreSet = split.shares().iter().map(|share| share.core).collect();
    let mut builder = Program::builder("operation_name");
    let (output, inputs) = tensors.split_last().ok_or("a program has an output")?;
    for (name, input) in names.iter().zip(inputs) {
        builder.input(name, input);
    }
    builder.output("output", output);
    for (index, name, pages, format) in rings {
        builder.circular_buffer(&cores, CbSpec::tiles(*index, name, *format, *pages));
    }
    for kernel in kernels {
        let name = kernel
            .file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy();
        let source = KernelSource::File(kernel.file.clone());
        let mut described = KernelDescription::new(&name, source, &cores, kernel.config.clone());
        described
            .compile_time_args
            .clone_from(&kernel.compile_time_args);
        let id = builder.kernel(described);
        for share in split.shares() {
            builder.runtime_args(id, share.core, &(kernel.arguments)(share));
        }
    }
    Ok(builder.into_description())
}
