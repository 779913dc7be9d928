//! Kernels of a description: source, arguments, processor.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use tilewright_machine::{ComputeSettings, CoreCoord, DstSync, NocId, Processor, Site};
use tilewright_tile::{DstWidth, Fidelity};

use super::words;
use crate::core_set::CoreSet;
use crate::kernel::{
    CompileTimeArgs, ComputeConfig, ComputeKernel, DataMovementKernel, DataMovementPlace,
};

/// A kernel on its cores (tt-metal's `KernelDescriptor`).
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KernelDescription {
    /// What reports call it.
    pub name: String,
    /// Its source.
    pub source: KernelSource,
    /// Where it runs.
    #[serde(rename = "core_ranges")]
    #[schemars(with = "Vec<words::Rectangle>")]
    pub cores: CoreSet,
    /// Which processors it runs on, and what a compute kernel is compiled with.
    pub config: KernelConfig,
    /// Compile-time arguments by position.
    #[serde(default)]
    pub compile_time_args: Vec<u32>,
    /// Compile-time arguments by name.
    #[serde(default)]
    pub named_compile_time_args: BTreeMap<String, u32>,
    /// Preprocessor definitions; for Rust kernels, named switches.
    #[serde(default)]
    pub defines: BTreeMap<String, String>,
    /// Where headers of the kernel are looked for, after ours.
    #[serde(default, rename = "compiler_include_paths")]
    pub include_paths: Vec<PathBuf>,
    /// Text between the definitions and the kernel, such as generated names.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prelude: String,
    /// Runtime arguments that all cores share.
    #[serde(default)]
    pub common_runtime_args: Vec<u32>,
    /// Runtime arguments of each core, of any number.
    #[serde(default, with = "runtime_args")]
    #[schemars(with = "Vec<CoreArgs>")]
    pub runtime_args: BTreeMap<CoreCoord, Vec<u32>>,
    /// The line that declares it.
    #[serde(default = "words::site::unknown", with = "words::site")]
    #[serde(skip_serializing_if = "words::site::is_unknown")]
    #[schemars(with = "Option<words::Line>")]
    pub site: Site,
}

impl KernelDescription {
    /// A kernel without arguments.
    pub fn new(
        name: &str,
        source: KernelSource,
        cores: impl Into<CoreSet>,
        config: impl Into<KernelConfig>,
    ) -> KernelDescription {
        KernelDescription {
            name: name.to_owned(),
            source,
            cores: cores.into(),
            config: config.into(),
            compile_time_args: Vec::new(),
            named_compile_time_args: BTreeMap::new(),
            defines: BTreeMap::new(),
            include_paths: Vec::new(),
            prelude: String::new(),
            common_runtime_args: Vec::new(),
            runtime_args: BTreeMap::new(),
            site: words::site::unknown(),
        }
    }

    /// Takes the compile-time arguments.
    pub(crate) fn with_args(self, args: CompileTimeArgs) -> KernelDescription {
        let CompileTimeArgs { values, named, defines } = args;
        KernelDescription {
            compile_time_args: values,
            named_compile_time_args: named,
            defines,
            ..self
        }
    }

    /// The compile-time arguments.
    pub(crate) fn args(&self) -> CompileTimeArgs {
        CompileTimeArgs {
            values: self.compile_time_args.clone(),
            named: self.named_compile_time_args.clone(),
            defines: self.defines.clone(),
        }
    }
}

/// Where a kernel's code is.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KernelSource {
    /// A C++ file; relative to the working folder of the process that compiles it.
    File(PathBuf),
    /// C++ text.
    Text(SourceText),
    /// A function of this process, which cannot be written down.
    #[serde(skip)]
    Rust(RustKernel),
}

impl KernelSource {
    /// Whether it must be compiled before it runs.
    pub fn is_cpp(&self) -> bool {
        match self {
            KernelSource::File(_) | KernelSource::Text(_) => true,
            KernelSource::Rust(_) => false,
        }
    }
}

/// The text of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceText {
    /// What reports call the file.
    pub name: String,
    /// The text.
    pub text: String,
}

/// A kernel in Rust.
#[derive(Clone)]
pub enum RustKernel {
    /// For a data-movement processor.
    DataMovement(DataMovementKernel),
    /// For the compute processors.
    Compute(ComputeKernel),
}

impl fmt::Debug for RustKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RustKernel::DataMovement(_) => "data-movement kernel in Rust",
            RustKernel::Compute(_) => "compute kernel in Rust",
        })
    }
}

/// Which processors a kernel runs on (tt-metal's configuration descriptors).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum KernelConfig {
    /// The reader processor (RISCV_1, NCRISC) on network 0.
    Reader,
    /// The writer processor (RISCV_0, BRISC) on network 1.
    Writer,
    /// A data-movement processor and a network of choice.
    DataMovement(DataMovementConfig),
    /// The three compute processors.
    #[serde(with = "ComputeForm")]
    #[schemars(with = "ComputeForm")]
    Compute(ComputeConfig),
}

/// A data-movement processor and its network. One does not decide the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataMovementConfig {
    /// The processor.
    pub processor: DataMovementProcessor,
    /// The network that it uses unless a call names another.
    #[serde(with = "words::NocName")]
    #[schemars(with = "words::NocName")]
    pub noc: NocId,
    /// Whether the processor has its network to itself.
    #[serde(default)]
    pub noc_mode: NocSharing,
}

/// A data-movement processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum DataMovementProcessor {
    /// BRISC, which runs writers by default.
    #[serde(rename = "riscv_0")]
    Riscv0,
    /// NCRISC, which runs readers by default.
    #[serde(rename = "riscv_1")]
    Riscv1,
}

/// How the data-movement processors of a core share the networks (tt-metal's `NOC_MODE`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum NocSharing {
    /// Each processor has a network of its own.
    #[default]
    #[serde(rename = "dedicated")]
    Dedicated,
    /// Both processors may use both networks.
    #[serde(rename = "dynamic")]
    Dynamic,
}

impl From<DataMovementPlace> for KernelConfig {
    fn from(place: DataMovementPlace) -> KernelConfig {
        match place {
            DataMovementPlace::Reader => KernelConfig::Reader,
            DataMovementPlace::Writer => KernelConfig::Writer,
            DataMovementPlace::On(config) => KernelConfig::DataMovement(config),
        }
    }
}

impl From<ComputeConfig> for KernelConfig {
    fn from(config: ComputeConfig) -> KernelConfig {
        KernelConfig::Compute(config)
    }
}

impl KernelConfig {
    /// Processor and network of a data-movement kernel.
    pub fn data_movement(&self) -> Option<DataMovementConfig> {
        let of =
            |processor, noc| DataMovementConfig { processor, noc, noc_mode: NocSharing::Dedicated };
        match self {
            KernelConfig::Reader => Some(of(DataMovementProcessor::Riscv1, NocId::Zero)),
            KernelConfig::Writer => Some(of(DataMovementProcessor::Riscv0, NocId::One)),
            KernelConfig::DataMovement(config) => Some(*config),
            KernelConfig::Compute(_) => None,
        }
    }

    /// What a compute kernel is compiled with.
    pub fn compute(&self) -> Option<&ComputeConfig> {
        match self {
            KernelConfig::Compute(config) => Some(config),
            KernelConfig::Reader | KernelConfig::Writer | KernelConfig::DataMovement(_) => None,
        }
    }

    /// The processors that the kernel runs on.
    pub fn processors(&self) -> &'static [Processor] {
        match self.data_movement().map(|config| config.processor) {
            Some(DataMovementProcessor::Riscv0) => &[Processor::Writer],
            Some(DataMovementProcessor::Riscv1) => &[Processor::Reader],
            None => &[Processor::Unpack, Processor::Math, Processor::Pack],
        }
    }

    /// The word for where a kernel runs, as errors have it.
    pub(crate) fn place(&self) -> &'static str {
        match self.data_movement().map(|config| config.processor) {
            Some(DataMovementProcessor::Riscv0) => "writer",
            Some(DataMovementProcessor::Riscv1) => "reader",
            None => "compute",
        }
    }
}

/// `ComputeConfig` with tt-metal's names.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct ComputeForm {
    /// Phases of a product.
    #[serde(with = "words::FidelityName")]
    #[schemars(with = "words::FidelityName")]
    math_fidelity: Fidelity,
    /// Whether Dst holds 32-bit values.
    fp32_dest_acc_en: bool,
    /// Whether math and pack share the whole of Dst instead of halves.
    dst_full_sync_en: bool,
    /// Whether vector functions are compiled in their approximate form.
    math_approx_mode: bool,
    /// Whether Bfp8 is packed from the full value of Dst.
    bfp8_pack_precise: bool,
    /// Float32 buffers that are unpacked straight to Dst, by index.
    unpack_to_dest_fp32: BTreeSet<u8>,
}

impl Default for ComputeForm {
    /// tt-metal's defaults.
    fn default() -> ComputeForm {
        ComputeForm {
            math_fidelity: Fidelity::HiFi4,
            fp32_dest_acc_en: false,
            dst_full_sync_en: false,
            math_approx_mode: false,
            bfp8_pack_precise: false,
            unpack_to_dest_fp32: BTreeSet::new(),
        }
    }
}

impl ComputeForm {
    fn serialize<S: Serializer>(config: &ComputeConfig, to: S) -> Result<S::Ok, S::Error> {
        let ComputeSettings { width, sync, fidelity } = config.settings;
        let form = ComputeForm {
            math_fidelity: fidelity,
            fp32_dest_acc_en: width == DstWidth::Bits32,
            dst_full_sync_en: sync == DstSync::Full,
            math_approx_mode: config.math_approx_mode,
            bfp8_pack_precise: config.bfp8_pack_precise,
            unpack_to_dest_fp32: config.unpack_to_dst.clone(),
        };
        Serialize::serialize(&form, to)
    }

    fn deserialize<'de, D: serde::Deserializer<'de>>(from: D) -> Result<ComputeConfig, D::Error> {
        let form = <ComputeForm as Deserialize>::deserialize(from)?;
        Ok(ComputeConfig {
            settings: ComputeSettings {
                width: if form.fp32_dest_acc_en { DstWidth::Bits32 } else { DstWidth::Bits16 },
                sync: if form.dst_full_sync_en { DstSync::Full } else { DstSync::Half },
                fidelity: form.math_fidelity,
            },
            math_approx_mode: form.math_approx_mode,
            bfp8_pack_precise: form.bfp8_pack_precise,
            unpack_to_dst: form.unpack_to_dest_fp32,
        })
    }
}

/// Runtime arguments of one core.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CoreArgs {
    /// Column and row.
    #[serde(with = "words::core")]
    #[schemars(with = "[u8; 2]")]
    core: CoreCoord,
    args: Vec<u32>,
}

/// Runtime arguments as a list of cores; a core that is named twice has those named last.
mod runtime_args {
    use super::*;

    pub(super) fn serialize<S: Serializer>(
        all: &BTreeMap<CoreCoord, Vec<u32>>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(all.iter().map(|(core, args)| CoreArgs { core: *core, args: args.clone() }))
    }

    pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(
        from: D,
    ) -> Result<BTreeMap<CoreCoord, Vec<u32>>, D::Error> {
        let all = Vec::<CoreArgs>::deserialize(from)?;
        Ok(all.into_iter().map(|CoreArgs { core, args }| (core, args)).collect())
    }
}
