//! What is compiled for one processor: the kernel's file behind what tt-metal's build would put
//! before it.
//!
//! The names are those of tt-metal's `genfiles.cpp` and `hal_1xx_common.cpp`.

use std::fmt::Write as _;
use std::path::PathBuf;

use tilewright_machine::{Architecture, CbConfig, DstSync, NocId, Processor};
use tilewright_tile::{DataFormat, DstWidth, Fidelity, Integer, Small};

use crate::api_generation::ApiGeneration;
use crate::description::NocSharing;
use crate::formats::{BufferFormats, FormatRules, FormatTable};
use crate::kernel::{CompileTimeArgs, ComputeConfig};
use crate::reserved_l1::ZEROS;

/// A kernel's source and how to find what it includes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CppSource {
    /// The file.
    pub file: PathBuf,
    /// The text, if there is no such file; then `file` is only what reports call it.
    pub text: Option<String>,
    /// Where its own headers are looked for, after ours.
    pub include_paths: Vec<PathBuf>,
    /// Text between the host's definitions and the kernel, such as generated names.
    pub prelude: String,
}

impl CppSource {
    /// A file that needs no headers but ours.
    pub fn file(file: impl Into<PathBuf>) -> CppSource {
        CppSource { file: file.into(), ..CppSource::default() }
    }
}

/// All that decides an object besides the compiler and the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The kernel's name in its program.
    pub kernel: String,
    /// Its source.
    pub source: CppSource,
    /// The processor that the object is for.
    pub processor: Processor,
    /// What tt-metal's build would put before the kernel.
    pub(super) text: String,
    /// Names that are generated for this kernel, between that and the kernel.
    pub(super) prelude: String,
    pub(super) descriptors: String,
    /// The chip in the names of tt-metal's folders.
    pub(super) chip_folder: &'static str,
}

/// What a unit is made of.
pub struct UnitParts<'a> {
    /// The kernel's name in its program.
    pub kernel: &'a str,
    /// Its source.
    pub source: &'a CppSource,
    /// The processor that the object is for.
    pub processor: Processor,
    /// The network a data-movement kernel uses.
    pub noc: NocId,
    /// How the core's data-movement processors share the networks.
    pub noc_mode: NocSharing,
    /// Arguments and definitions.
    pub args: &'a CompileTimeArgs,
    /// What the compute kernel of the core is compiled with.
    pub config: &'a ComputeConfig,
    /// The rings of the core.
    pub buffers: &'a [CbConfig],
}

impl Unit {
    /// Writes the text of a unit.
    pub(crate) fn new(arch: &Architecture, parts: &UnitParts<'_>, formats: &FormatTable) -> Unit {
        let mut text = String::new();
        device(&mut text, arch);
        processor(&mut text, parts);
        arguments(&mut text, parts.args);
        // Headers ask for the generation of the API, and for nothing else that a kernel defines.
        let is_api = |name: &str| ApiGeneration::BeforeV074.define() == Some(name);
        let (of_headers, own): (Vec<_>, Vec<_>) =
            parts.args.defines.iter().partition(|(name, _)| is_api(name));
        define(&mut text, &of_headers);
        let before = if is_compute(parts.processor) { "compute_unit.h" } else { "dataflow_unit.h" };
        let _ = writeln!(text, "#include \"tilewright/{before}\"");
        define(&mut text, &own);
        Unit {
            kernel: parts.kernel.to_owned(),
            source: parts.source.clone(),
            processor: parts.processor,
            text,
            prelude: parts.source.prelude.clone(),
            descriptors: descriptors(arch, parts, formats),
            chip_folder: arch.tt_metal_folder,
        }
    }

    /// A unit without a program, for surveys: Dst has 16 bits, and no ring holds fp16. `before` and
    /// `after` stand around what tt-metal's build would put before the kernel.
    pub fn alone(arch: &Architecture, parts: &UnitParts<'_>, before: &str, after: &str) -> Unit {
        let width = DstWidth::Bits16;
        let rules = FormatRules { width, bfp8_pack_precise: false, has_half: false };
        let mut formats = FormatTable::default();
        for buffer in parts.buffers {
            formats.set(buffer.id, BufferFormats::of(buffer.format, false, rules));
        }
        let mut unit = Unit::new(arch, parts, &formats);
        unit.text = format!("{before}{}{after}", unit.text);
        unit
    }
}

fn define(text: &mut String, defines: &[(&String, &String)]) {
    for (name, value) in defines {
        let _ = writeln!(text, "#define {name} {value}");
    }
}

fn is_compute(processor: Processor) -> bool {
    match processor {
        Processor::Unpack | Processor::Math | Processor::Pack => true,
        Processor::Reader | Processor::Writer => false,
    }
}

fn device(text: &mut String, arch: &Architecture) {
    let (dram, l1) = (u32::from(arch.dram_banks), arch.cores() as u32);
    let mut define = |name: &str, value: u32| {
        let _ = writeln!(text, "#define {name} {value}");
    };
    define(arch.tt_metal_macro, 1);
    define("TENSIX_FIRMWARE", 1);
    define("KERNEL_BUILD", 1);
    define("LOCAL_MEM_EN", 0);
    for (name, banks) in [("DRAM", dram), ("L1", l1)] {
        define(&format!("NUM_{name}_BANKS"), banks);
        if banks.is_power_of_two() {
            define(&format!("LOG_BASE_2_OF_NUM_{name}_BANKS"), banks.ilog2());
        } else {
            define(&format!("IS_NOT_POW2_NUM_{name}_BANKS"), 1);
        }
    }
    define("TW_GRID_COLUMNS", arch.grid_columns.into());
    define("TW_GRID_ROWS", arch.grid_rows.into());
    define("TW_DRAM_ALIGNMENT", arch.dram_read_alignment);
    define("TW_DRAM_ALIGNMENT_BITS", arch.dram_read_alignment.ilog2());
    define("TW_L1_ALIGNMENT", arch.l1_alignment);
    define("TW_L1_BYTES", arch.l1_bytes);
    define("NUM_CIRCULAR_BUFFERS", arch.circular_buffers.into());
    define("MEM_ZEROS_BASE", ZEROS.start);
    define("MEM_ZEROS_SIZE", ZEROS.end - ZEROS.start);
}

fn processor(text: &mut String, parts: &UnitParts<'_>) {
    let noc = match parts.noc {
        NocId::Zero => 0,
        NocId::One => 1,
    };
    let trisc = |index: u32, name: &str| {
        let index = format!("#define COMPILE_FOR_TRISC {index}\n");
        format!("{index}#define UCK_CHLKC_{name} 1\n#define TRISC_{name} 1\n")
    };
    // In the order of tt-metal's processors of a core: BRISC, NCRISC, TRISC 0 to 2.
    let (index, defines) = match parts.processor {
        Processor::Writer => (0, "#define COMPILE_FOR_BRISC 1\n".to_owned()),
        Processor::Reader => (1, "#define COMPILE_FOR_NCRISC 1\n".to_owned()),
        Processor::Unpack => (2, trisc(0, "UNPACK")),
        Processor::Math => (3, trisc(1, "MATH")),
        Processor::Pack => (4, trisc(2, "PACK")),
    };
    let _ = writeln!(text, "#define PROCESSOR_INDEX {index}\n#define PROGRAMMABLE_CORE_TYPE 0");
    let mode = match parts.noc_mode {
        NocSharing::Dedicated => 0,
        NocSharing::Dynamic => 1,
    };
    let _ = writeln!(text, "#define NOC_INDEX {noc}\n#define NOC_MODE {mode}");
    text.push_str(&defines);
}

fn arguments(text: &mut String, args: &CompileTimeArgs) {
    if !args.values.is_empty() {
        let values: Vec<String> = args.values.iter().map(u32::to_string).collect();
        let _ = writeln!(text, "#define KERNEL_COMPILE_TIME_ARGS {}", values.join(","));
    }
    if !args.named.is_empty() {
        let pairs: Vec<String> =
            args.named.iter().map(|(name, value)| format!("{{{name:?},{value}}}")).collect();
        let _ = writeln!(text, "#define KERNEL_COMPILE_TIME_ARG_MAP {}", pairs.join(","));
    }
}

/// `chlkc_descriptors.h`: arrays by buffer index, and what math is compiled with.
fn descriptors(arch: &Architecture, parts: &UnitParts<'_>, formats: &FormatTable) -> String {
    const ABSENT: u32 = 255;
    let mut text =
        String::from("#pragma once\n#include <cstdint>\n#include \"tilewright/enums.h\"\n");
    let of = |ask: &dyn Fn(&CbConfig) -> u32, absent: u32| -> Vec<u32> {
        (0..arch.circular_buffers)
            .map(|id| parts.buffers.iter().find(|it| it.id.0 == id).map_or(absent, ask))
            .collect()
    };
    let found = |config: &CbConfig| formats.get(config.id).expect("every placed buffer has them");
    let mut array = |kind: &str, name: &str, values: Vec<u32>| {
        let values: Vec<String> = values.iter().map(u32::to_string).collect();
        let _ = writeln!(text, "constexpr {kind} {name}[] = {{{}}};", values.join(","));
    };
    let code = |format: DataFormat| u32::from(format_code(format));
    array("uint8_t", "unpack_src_format", of(&|it| code(found(it).unpack.l1), ABSENT));
    array("uint8_t", "unpack_dst_format", of(&|it| code(found(it).unpack.register), ABSENT));
    array("unsigned char", "pack_src_format", of(&|it| code(found(it).pack.source), ABSENT));
    array("unsigned char", "pack_dst_format", of(&|it| code(found(it).pack.output), ABSENT));
    for side in ["unpack", "pack"] {
        array("uint16_t", &format!("{side}_tile_size"), of(&|it| it.format.tile_bytes() as u32, 0));
        // Every tile is 32x32: four faces of 16 rows, two by two.
        for (name, value) in [
            ("tile_num_faces", 4),
            ("tile_face_r_dim", 16),
            ("tile_r_dim", 32),
            ("tile_c_dim", 32),
            ("partial_face", 0),
            ("narrow_tile", 0),
            ("num_faces_r_dim", 2),
            ("num_faces_c_dim", 2),
        ] {
            array("uint8_t", &format!("{side}_{name}"), of(&|_| value, value));
        }
    }
    compiled_with(&mut text, parts);
    text
}

fn compiled_with(text: &mut String, parts: &UnitParts<'_>) {
    let config = parts.config;
    let is_wide = config.settings.width == DstWidth::Bits32;
    let sync = match config.settings.sync {
        DstSync::Half => "Half",
        DstSync::Full => "Full",
    };
    let fidelity = match config.settings.fidelity {
        Fidelity::LoFi => "LoFi",
        Fidelity::HiFi2 => "HiFi2",
        Fidelity::HiFi3 => "HiFi3",
        Fidelity::HiFi4 => "HiFi4",
    };
    let _ = writeln!(text, "constexpr bool DST_ACCUM_MODE = {is_wide};");
    // Helpers of data movement that ask for it take its absence for an answer.
    if is_compute(parts.processor) {
        let _ = writeln!(text, "#define DST_SYNC_MODE ckernel::DstSync::Sync{sync}");
    }
    let _ = writeln!(
        text,
        "constexpr ckernel::MathFidelity MATH_FIDELITY = ckernel::MathFidelity::{fidelity};"
    );
    let _ = writeln!(text, "constexpr bool APPROX = {};", config.math_approx_mode);
}

/// The hardware's number of a format (tt-metal `tensix_types.h`).
pub(super) fn format_code(format: DataFormat) -> u8 {
    match format {
        DataFormat::Float32 => 0,
        DataFormat::Tf32 => 4,
        DataFormat::Bfloat16 => 5,
        DataFormat::Bfp8 => 6,
        DataFormat::Small(Small::Float16) => 1,
        DataFormat::Small(Small::Bfp4) => 7,
        DataFormat::Small(Small::Bfp2) => 15,
        DataFormat::Integer(Integer::Int8) => 14,
        DataFormat::Integer(Integer::UInt8) => 30,
        DataFormat::Integer(Integer::Int32) => 8,
        DataFormat::Integer(Integer::UInt16) => 9,
        DataFormat::Integer(Integer::UInt32) => 24,
    }
}
