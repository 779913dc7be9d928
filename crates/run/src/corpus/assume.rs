//! What hosts would give kernels, assumed: arguments, buffers, and the names of Metal 2.0.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use tilewright_machine::{CbConfig, CbId, L1Address, NocId, Processor};
use tilewright_metal::cpp::{CppSource, Diagnostic, Unit, UnitParts};
use tilewright_metal::{CompileTimeArgs, ComputeConfig, NocSharing};
use tilewright_tile::DataFormat;

use super::Target;
use super::hosts::{Host, host_of};

/// The assumptions, for readers of the figures.
pub const NOTE: &str = "kernels are compiled without their hosts: compile-time arguments are \
                        assumed (1 to 31 in turn, or what a failed assertion compares one with; \
                        else all 1; else all 0), tensors are interleaved in DRAM, or sharded where \
                        a kernel walks over shards, buffers are bf16, macros are those of \
                        tilewright/corpus.h; for some kernels what their hosts give is known";

/// One assumption on compile-time arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Assumed {
    /// 1 to 31 in turn, so that buffers differ.
    Distinct,
    /// The same, but where the kernel's assertions compare one with another value.
    Learned(BTreeMap<u32, u32>),
    /// All 1.
    Ones,
    /// All 0.
    Zeros,
}

/// Distinct arguments are 1 to this in turn.
const DISTINCT_MAX: u32 = 31;

impl Assumed {
    /// How `api/compile_time_args.h` makes the argument at a place, `known` ones apart.
    fn formula(&self, known: &[(u32, u32)]) -> String {
        let given: String =
            known.iter().map(|(at, value)| format!("(place) == {at} ? {value} : ")).collect();
        format!("({given}{})", self.assumed())
    }

    fn assumed(&self) -> String {
        let distinct = format!("(1 + (place) % {DISTINCT_MAX})");
        match self {
            Assumed::Distinct => distinct,
            Assumed::Learned(values) => {
                let mut formula = String::new();
                for (value, wanted) in values {
                    let _ = write!(formula, "{distinct} == {value} ? {wanted} : ");
                }
                format!("({formula}{distinct})")
            }
            Assumed::Ones => "1".to_owned(),
            Assumed::Zeros => "0".to_owned(),
        }
    }

    /// The assumption that failed assertions lead to: an argument that was compared with a value
    /// gets it. None if they say nothing new.
    pub(super) fn taught_by(&self, wrong: &[Diagnostic]) -> Option<Assumed> {
        let known = match self {
            Assumed::Distinct => BTreeMap::new(),
            Assumed::Learned(values) => values.clone(),
            Assumed::Ones | Assumed::Zeros => return None,
        };
        let mut values = known.clone();
        for (given, wanted) in wrong.iter().filter_map(|it| demand(&it.message)) {
            values.entry(given).or_insert(wanted);
        }
        (values != known).then_some(Assumed::Learned(values))
    }
}

/// The argument in a failed assertion, by its value, and the value that would do: `(4 == 128)`.
fn demand(message: &str) -> Option<(u32, u32)> {
    let comparison = message.strip_suffix(')')?.rsplit_once('(')?.1;
    let (left, right) = [" == ", " >= ", " <= "].iter().find_map(|it| comparison.split_once(it))?;
    let (left, right) = (left.parse::<u32>().ok()?, right.parse::<u32>().ok()?);
    let is_argument = |value: &u32| (1..=DISTINCT_MAX).contains(value);
    if is_argument(&left) {
        Some((left, right))
    } else {
        is_argument(&right).then_some((right, left))
    }
}

/// A kernel's unit for one processor.
pub(super) fn unit(
    file: &Path,
    target: Target<'_>,
    texts: &[String],
    processor: Processor,
    assumed: &Assumed,
) -> Unit {
    let source = CppSource {
        file: file.to_owned(),
        include_paths: target.include_paths.to_vec(),
        prelude: format!("{}{}", definitions(host_of(file)), prelude(texts)),
        ..CppSource::default()
    };
    unit_of(&source, target, texts, processor, assumed)
}

/// The unit of a source that is whole.
pub(super) fn unit_of(
    source: &CppSource,
    target: Target<'_>,
    texts: &[String],
    processor: Processor,
    assumed: &Assumed,
) -> Unit {
    let (arch, host) = (target.arch, host_of(&source.file));
    let (config, args) = (ComputeConfig::default(), CompileTimeArgs::default());
    let buffers: Vec<CbConfig> = (0..arch.circular_buffers).map(buffer).collect();
    let parts = UnitParts {
        kernel: "kernel",
        source,
        processor,
        noc: NocId::Zero,
        noc_mode: NocSharing::default(),
        args: &args,
        config: &config,
        buffers: &buffers,
    };
    let before = format!(
        "#define TW_CORPUS(place) {}\n#define TW_CORPUS_SHARDED {}\n",
        assumed.formula(host.args),
        u8::from(walks_over_shards(texts))
    );
    Unit::alone(arch, &parts, &before, "#include \"tilewright/corpus.h\"\n")
}

/// A host's own definitions, instead of assumed ones.
fn definitions(host: &Host) -> String {
    let one = |(name, value): &(&str, &str)| format!("#undef {name}\n#define {name} {value}\n");
    host.defines.iter().map(one).collect()
}

/// Whether a kernel asks for the pages of a shard, which no interleaved tensor has.
fn walks_over_shards(texts: &[String]) -> bool {
    texts.iter().any(|text| text.contains(".shard_pages("))
}

fn buffer(id: u8) -> CbConfig {
    let format = DataFormat::Bfloat16;
    let page_bytes = format.tile_bytes() as u32;
    CbConfig { id: CbId(id), base: L1Address(0), page_bytes, pages: 2, format }
}

/// The generated namespaces, with every name that the kernel asks for.
fn prelude(texts: &[String]) -> String {
    let mut text = String::new();
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
    use super::{Assumed, demand, members, prelude};
    use tilewright_metal::cpp::{Diagnostic, DiagnosticKind};

    #[test]
    fn a_failed_assertion_teaches_an_argument() {
        assert_eq!(demand("static assertion failed: x (4 == 128)"), Some((4, 128)));
        assert_eq!(demand("static assertion failed (256 <= 7)"), Some((7, 256)));
        assert_eq!(demand("static assertion failed (64 == 128)"), None);
        assert_eq!(demand("static assertion failed (f() == 128)"), None);
        let message = "static assertion failed: x (4 == 128)".to_owned();
        let (kernel, file, kind) = (String::new(), String::new(), DiagnosticKind::Other);
        let wrong = [Diagnostic { kernel, file, line: 1, column: 1, kind, message }];
        let learned = Assumed::Distinct.taught_by(&wrong).expect("something new");
        let distinct = "(1 + (place) % 31)";
        let formula = format!("((place) == 5 ? 32 : ({distinct} == 4 ? 128 : {distinct}))");
        assert_eq!(learned.formula(&[(5, 32)]), formula);
        assert_eq!(learned.taught_by(&wrong), None);
        assert_eq!(Assumed::Ones.taught_by(&wrong), None);
    }

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
