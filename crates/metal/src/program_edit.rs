//! Programs with one thing changed, to see who would notice. Changes to what kernels do are
//! `tilewright_machine::Edit`s of a run.

use std::sync::Arc;

use tilewright_machine::{Architecture, ComputeSettings};

use crate::cb_spec::CbSpec;
use crate::description::{KernelConfig, KernelDescription};
use crate::program::Program;
use crate::program_error::ProgramError;

impl Program {
    /// The same program with a ring of other pages at the same address.
    pub fn with_ring(&self, cb: u8, pages: u32, page_bytes: u32) -> Program {
        let mut program = self.clone();
        let rings = program.placed.values_mut().flatten().filter(|ring| ring.id.0 == cb);
        rings.for_each(|ring| (ring.pages, ring.page_bytes) = (pages, page_bytes));
        for spec in program.specs_mut(cb) {
            (spec.pages, spec.page_bytes) = (pages, page_bytes);
        }
        program
    }

    /// The same program with a ring of so many pages, its buffers placed anew; an error if they do
    /// not fit.
    pub fn with_pages(
        &self,
        arch: &Architecture,
        cb: u8,
        pages: u32,
    ) -> Result<Program, ProgramError> {
        let mut program = self.clone();
        program.specs_mut(cb).for_each(|spec| spec.pages = pages);
        program.place_all(arch, self.l1_room().end)?;
        Ok(program)
    }

    /// How many runtime arguments each kernel has, by its name.
    pub fn runtime_arg_counts(&self) -> Vec<(&str, usize)> {
        let count = |kernel: &KernelDescription| {
            kernel.runtime_args.values().map(|args| args.len()).max().unwrap_or(0)
        };
        self.description
            .kernels
            .iter()
            .map(|kernel| (kernel.name.as_str(), count(kernel)))
            .collect()
    }

    /// The same program with one runtime argument of a kernel changed on every core.
    pub fn with_runtime_arg(
        &self,
        kernel: &str,
        index: usize,
        change: impl Fn(u32) -> u32,
    ) -> Program {
        let mut program = self.clone();
        let kernels = &mut Arc::make_mut(&mut program.description).kernels;
        for kernel in kernels.iter_mut().filter(|it| it.name == kernel) {
            for args in kernel.runtime_args.values_mut() {
                if let Some(value) = args.get_mut(index) {
                    *value = change(*value);
                }
            }
        }
        program
    }

    /// The same program with other settings of its compute kernels; without any there is no change.
    pub fn with_settings(&self, change: impl Fn(ComputeSettings) -> ComputeSettings) -> Program {
        let mut program = self.clone();
        for kernel in &mut Arc::make_mut(&mut program.description).kernels {
            if let KernelConfig::Compute(config) = &mut kernel.config {
                config.settings = change(config.settings);
            }
        }
        program
    }

    fn specs_mut(&mut self, cb: u8) -> impl Iterator<Item = &mut CbSpec> {
        let buffers = &mut Arc::make_mut(&mut self.description).circular_buffers;
        let specs = buffers.iter_mut().flat_map(|buffer| &mut buffer.specs);
        specs.filter(move |spec| spec.id == cb)
    }
}
