//! Kernels and what they are given: arguments, defines, the processor they run on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tilewright_machine::{ComputeSettings, Context, NocAddress, Site, StopReason};

use crate::api::{Compute, DataMovement};
use crate::buffer::Buffer;
use crate::description::DataMovementConfig;

/// A data-movement kernel.
pub type DataMovementKernel = Arc<dyn Fn(&DataMovement<'_>) + Send + Sync>;
/// A compute kernel: one source that runs on unpack, math and pack.
pub type ComputeKernel = Arc<dyn Fn(&Compute<'_>) + Send + Sync>;

/// Where a data-movement kernel runs and which network it uses unless it says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataMovementPlace {
    /// On the reader processor (NCRISC), network 0, as tt-metal's reader configuration.
    Reader,
    /// On the writer processor (BRISC), network 1, as tt-metal's writer configuration.
    Writer,
    /// On a processor and network of choice.
    On(DataMovementConfig),
}

/// What a compute kernel is compiled with, besides arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ComputeConfig {
    /// Width and sharing of Dst, fidelity.
    pub settings: ComputeSettings,
    /// Whether vector functions are compiled in their approximate form.
    pub math_approx_mode: bool,
    /// Whether Bfp8 is packed from the full value of Dst.
    pub bfp8_pack_precise: bool,
    /// Float32 buffers that go straight to Dst, by index.
    pub unpack_to_dst: BTreeSet<u8>,
}

/// Arguments fixed for a kernel on all its cores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompileTimeArgs {
    /// By position.
    pub values: Vec<u32>,
    /// By name.
    pub named: BTreeMap<String, u32>,
    /// Preprocessor definitions; for Rust kernels, named switches.
    pub defines: BTreeMap<String, String>,
}

impl CompileTimeArgs {
    /// Positional arguments alone.
    pub fn positional(values: &[u32]) -> CompileTimeArgs {
        CompileTimeArgs { values: values.to_vec(), ..CompileTimeArgs::default() }
    }

    /// Adds a definition.
    pub fn define(mut self, name: &str, value: &str) -> CompileTimeArgs {
        self.defines.insert(name.to_owned(), value.to_owned());
        self
    }
}

/// All arguments of a kernel on one core.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arguments {
    pub(crate) compile_time: Arc<CompileTimeArgs>,
    pub(crate) common: Arc<[u32]>,
    pub(crate) runtime: Arc<[u32]>,
    /// Addresses of semaphores, by id.
    pub(crate) semaphores: Arc<[u32]>,
    /// Where the declared tensors are.
    pub(crate) tensors: Arc<[Buffer]>,
}

impl Arguments {
    /// Whether a page that an address generator was asked for is beyond its tensor's last.
    pub(crate) fn is_beyond(&self, at: NocAddress, base: u32, page: u32) -> bool {
        let is_it = |tensor: &&Buffer| tensor.begins_at(at, base);
        self.tensors.iter().find(is_it).is_some_and(|tensor| page >= tensor.pages)
    }

    /// An argument by position, or the end of the run with what there is.
    pub(crate) fn positional(
        &self,
        context: &Context<'_>,
        site: Site,
        kind: ArgumentKind,
        index: usize,
    ) -> u32 {
        let list = match kind {
            ArgumentKind::CompileTime => &self.compile_time.values[..],
            ArgumentKind::Common => &self.common[..],
            ArgumentKind::Runtime => &self.runtime[..],
            ArgumentKind::Semaphore => &self.semaphores[..],
        };
        list.get(index).copied().unwrap_or_else(|| {
            let name = format!("{} {index}", kind.name());
            let given = format!("{} of them", list.len());
            context.stop(site, StopReason::NoSuchArgument { name, given })
        })
    }
}

/// A list of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentKind {
    CompileTime,
    Common,
    Runtime,
    Semaphore,
}

impl ArgumentKind {
    fn name(self) -> &'static str {
        match self {
            ArgumentKind::CompileTime => "compile-time argument",
            ArgumentKind::Common => "common runtime argument",
            ArgumentKind::Runtime => "runtime argument",
            ArgumentKind::Semaphore => "semaphore",
        }
    }
}
