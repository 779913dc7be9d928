//! What hosts would give kernels, assumed: arguments, buffers, and the names of Metal 2.0.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use tilewright_machine::{Architecture, CbConfig, CbId, L1Address, NocId, Processor};
use tilewright_tile::{DataFormat, DstWidth};

use crate::cpp::unit::{CppSource, Unit, UnitParts};
use crate::formats::{BufferFormats, FormatRules, FormatTable};
use crate::kernel::{CompileTimeArgs, ComputeConfig};

/// The assumptions, for whoever reads the figures.
pub const NOTE: &str = "kernels are compiled without their hosts: compile-time arguments are \
                        assumed (1 to 31 in turn; else all 1; else all 0), tensors are interleaved \
                        in DRAM, buffers are bf16, macros are those of tilewright/corpus.h";

/// One assumption on compile-time arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assumed {
    /// 1 to 31 in turn, so that buffers differ.
    Distinct,
    /// All 1.
    Ones,
    /// All 0.
    Zeros,
}

impl Assumed {
    pub(super) const ALL: [Assumed; 3] = [Assumed::Distinct, Assumed::Ones, Assumed::Zeros];

    /// How `api/compile_time_args.h` makes the argument at a place.
    fn formula(self) -> &'static str {
        match self {
            Assumed::Distinct => "1 + (place) % 31",
            Assumed::Ones => "1",
            Assumed::Zeros => "0",
        }
    }
}

/// A kernel's unit for one processor.
pub(super) fn unit(
    file: &Path,
    include_paths: &[PathBuf],
    texts: &[String],
    processor: Processor,
    assumed: Assumed,
) -> Unit {
    let arch = Architecture::wormhole_n150();
    let source = CppSource {
        file: file.to_owned(),
        include_paths: include_paths.to_vec(),
        prelude: prelude(texts),
    };
    let (config, args) = (ComputeConfig::default(), CompileTimeArgs::default());
    let buffers: Vec<CbConfig> = (0..arch.circular_buffers).map(buffer).collect();
    let mut formats = FormatTable::default();
    let rules = FormatRules { width: DstWidth::Bits16, bfp8_pack_precise: false };
    for buffer in &buffers {
        formats.set(buffer.id, BufferFormats::of(buffer.format, false, rules));
    }
    let parts = UnitParts {
        kernel: "kernel",
        source: &source,
        processor,
        noc: NocId::Zero,
        args: &args,
        config: &config,
        buffers: &buffers,
    };
    let mut unit = Unit::new(&arch, &parts, &formats);
    unit.text = format!("#define TW_CORPUS(place) {}\n{}", assumed.formula(), unit.text);
    unit
}

fn buffer(id: u8) -> CbConfig {
    let format = DataFormat::Bfloat16;
    let page_bytes = format.tile_bytes() as u32;
    CbConfig { id: CbId(id), base: L1Address(0), page_bytes, pages: 2, format }
}

/// Definitions of hosts, and the generated namespaces with every name that the kernel asks for.
fn prelude(texts: &[String]) -> String {
    let mut text = String::from("#include \"tilewright/corpus.h\"\n");
    let mut namespace = |name: &str, header: &str, declare: &dyn Fn(usize, &str) -> String| {
        let names = members(texts, name);
        if names.is_empty() {
            return;
        }
        let _ = writeln!(text, "#include \"{header}\"\nnamespace {name} {{");
        for (place, member) in names.iter().enumerate() {
            let _ = writeln!(text, "inline constexpr {};", declare(place, member));
        }
        text.push_str("}\n");
    };
    namespace("args", "experimental/kernel_args.h", &|place, name| {
        format!("experimental::CtaVal<uint32_t> {name}{{TW_CORPUS({place})}}")
    });
    namespace("dfb", "api/dataflow/dataflow_buffer.h", &|place, name| {
        format!("DFBBindingToken {name}{{{}}}", place % 32)
    });
    namespace("tensor", "api/tensor/tensor_binding_token.h", &|_, name| {
        format!("tensor_accessor::TensorBindingToken<0, 0> {name}{{}}")
    });
    namespace("sem", "cstdint", &|place, name| format!("uint32_t {name} = {}", place % 8));
    namespace("scratch", "api/scratchpad.h", &|_, name| {
        format!("ScratchpadBindingToken {name}{{0, 1024}}")
    });
    text
}

/// The names behind `space::` in all texts, where nothing qualifies `space` itself.
fn members(texts: &[String], space: &str) -> BTreeSet<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let prefix = format!("{space}::");
    let mut names = BTreeSet::new();
    for text in texts {
        for (at, _) in text.match_indices(&prefix) {
            let is_own = !text[..at].chars().next_back().is_some_and(|it| is_part(it) || it == ':');
            let name: String =
                text[at + prefix.len()..].chars().take_while(|it| is_part(*it)).collect();
            if is_own && !name.is_empty() {
                names.insert(name);
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::{members, prelude};

    #[test]
    fn generated_names_are_those_that_the_kernel_asks_for() {
        let texts =
            ["get_arg(args::rows); f(dfb::x, dfb::y); my_args::no; a::args::no;".to_owned()];
        assert_eq!(Vec::from_iter(members(&texts, "args")), ["rows"]);
        let text = prelude(&texts);
        assert!(
            text.contains("namespace dfb {\ninline constexpr DFBBindingToken x{0};\n"),
            "{text}"
        );
        assert!(!text.contains("namespace tensor"), "{text}");
    }
}
