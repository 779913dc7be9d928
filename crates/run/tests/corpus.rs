//! `tilewright corpus`: what counts as served, what is named, and what is refused with its reason.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};

use tilewright_machine::Architecture;
use tilewright_metal::cpp::{CompileOptions, HEADERS, Workshop};
use tilewright_run::corpus::{
    Answer, Found, Role, Target, find, include_paths, op_strings, survey,
};

fn target<'a>(arch: &'a Architecture, include_paths: &'a [PathBuf]) -> Target<'a> {
    Target { arch, include_paths }
}

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tw-corpus-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Folder(path.canonicalize().expect("a folder"))
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).expect("a kernel");
    }

    fn answers(&self) -> Vec<(String, Role, Answer)> {
        let kernels = find(&self.0, &[]).expect("kernels");
        let name = |it: &Found| it.file.file_stem().expect("a name").to_string_lossy().into_owned();
        let paths = include_paths(&self.0);
        let arch = Architecture::wormhole_n150();
        let answers = survey(&workshop(), &kernels, target(&arch, &paths), &|_, _| {});
        let answers = answers.expect("answers");
        kernels.iter().zip(answers).map(|(it, answer)| (name(it), it.role, answer)).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left lies in the folder for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn workshop() -> Workshop {
    let cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("tilewright"));
    Workshop::open(&CompileOptions { cache, ..CompileOptions::default() }).expect("a compiler")
}

fn missing(names: &[&str]) -> Answer {
    Answer::Missing(names.iter().map(|name| (*name).to_owned()).collect())
}

fn refused(why: &'static str, names: &[&str]) -> Answer {
    Answer::Refused { why, names: names.iter().map(|name| (*name).to_owned()).collect() }
}

#[test]
fn kernels_are_told_apart_by_what_they_need() {
    let folder = Folder::new("roles");
    folder.write("helper.h", "inline uint32_t twice(uint32_t x) { return 2 * x; }\n");
    let reader = "#include \"api/dataflow/dataflow_api.h\"\n#include \"helper.h\"\n";
    folder.write(
        "a_reader.cpp",
        &format!("{reader}void kernel_main() {{ cb_push_back(0, twice(1)); }}"),
    );
    folder.write("b_absent.cpp", &format!("{reader}void kernel_main() {{ no_such_name(1); }}"));
    folder.write("c_fabric.cpp", "#include \"fabric/api.h\"\nvoid kernel_main() {}");
    folder.write("d_assembler.cpp", "void kernel_main() { asm volatile(\"ebreak\"); }");
    folder.write("e_host.cpp", "const char* text = \"void kernel_main() {}\";");
    let compute = "#include \"api/compute/untilize.h\"\nvoid kernel_main() {\n";
    folder.write("f_lacks.cpp", &format!("{compute}    untilize_block(0, 1, 16);\n}}"));
    folder.write("g_unused.cpp", &format!("{compute}    if (false) untilize_block(0, 1);\n}}"));
    folder.write("h_raw.cpp", &format!("{compute}    MATH((TTI_MVMUL(0, 0, 0, 0)));\n}}"));
    const EBREAK: &str =
        "other: inline assembler that the host does not have: no such instruction: `ebreak'";
    let expected = [
        ("a_reader", Role::Dataflow, Answer::Compiles),
        ("b_absent", Role::Dataflow, missing(&["no_such_name"])),
        ("c_fabric", Role::Dataflow, refused("fabric", &["fabric/api.h"])),
        ("d_assembler", Role::Dataflow, refused("inline assembler", &[EBREAK])),
        ("f_lacks", Role::Compute, missing(&["untilize_block"])),
        ("g_unused", Role::Compute, Answer::Compiles),
        ("h_raw", Role::Compute, refused("raw instructions", &["TTI_MVMUL"])),
    ];
    let expected: Vec<(String, Role, Answer)> =
        expected.map(|(name, role, answer)| (name.to_owned(), role, answer)).into();
    assert_eq!(folder.answers(), expected);
}

#[test]
fn operations_that_hosts_inject_are_counted_by_file() {
    let folder = Folder::new("strings");
    let text = r#"return {"recip_tile_init<false>();", fmt::format("recip_tile<false>({});", idst)};
        other = {"no_such_tile_init();", fmt::format("mul_unary_tile({}, {:#x}u);", idst, x)};"#;
    folder.write("my_op_utils.cpp", text);
    let arch = Architecture::wormhole_n150();
    let found = op_strings(&workshop(), &folder.0, &[], target(&arch, &[])).expect("strings");
    let [one] = &found[..] else { panic!("one file: {found:?}") };
    assert!(one.file.ends_with("my_op_utils.cpp"), "{}", one.file.display());
    let calls: Vec<(&str, bool)> = one.calls.iter().map(|(it, is)| (it.as_str(), *is)).collect();
    let expected = [
        ("mul_unary_tile(0, 0u);", true),
        ("no_such_tile_init();", false),
        ("recip_tile<false>(0);", true),
        ("recip_tile_init<false>();", true),
    ];
    assert_eq!(calls, expected);
}

#[test]
fn a_kernel_of_before_2026_and_one_that_walks_over_shards_are_kernels() {
    let folder = Folder::new("entries");
    let compute = "#include \"compute_kernel_api/common.h\"\n";
    folder.write("a_main.cpp", &format!("{compute}namespace NAMESPACE {{ void MAIN {{ }} }}"));
    let walks = "#include \"api/dataflow/dataflow_api.h\"\nvoid kernel_main() {\n\
                 const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), 0);\n\
                 for (const auto& page : tensor.shard_pages(0)) { (void)page.page_id(); }\n\
                 const auto pages = tensor.shard_pages(0);\n\
                 auto at = pages.begin();\n\
                 for (; at < pages.end(); at += 2) { (void)at->page_id(); }\n}";
    folder.write("b_shards.cpp", walks);
    let expected = [("a_main", Role::Compute), ("b_shards", Role::Dataflow)];
    let expected = expected.map(|(name, role)| (name.to_owned(), role, Answer::Compiles));
    assert_eq!(folder.answers(), expected);
}

/// Headers that one side alone may include.
fn is_for(path: &str, role: Role) -> bool {
    let is_header = path.ends_with(".h") || path.ends_with(".hpp");
    let below = |folders: &[&str]| folders.iter().any(|folder| path.starts_with(folder));
    let compute = ["api/compute/", "compute_kernel_api", "internal/llk.h", "internal/sfpu.h"];
    let dataflow = ["api/dataflow/noc", "api/dataflow/e", "api/dataflow/dataflow_api.h"];
    let theirs = match role {
        Role::Compute => {
            below(&dataflow)
                || below(&["internal/dataflow/", "api/tensor/noc_traits.h", "dataflow_api.h"])
                || below(&["noc", "tilewright/dataflow_unit.h"])
        }
        Role::Dataflow => below(&compute) || below(&["tilewright/compute_unit.h"]),
    };
    is_header && !theirs
}

#[test]
fn every_header_compiles_on_the_processors_it_is_for() {
    let folder = Folder::new("headers");
    for (name, role) in [("compute", Role::Compute), ("dataflow", Role::Dataflow)] {
        let mut text = String::new();
        for (path, _) in HEADERS.iter().filter(|(path, _)| is_for(path, role)) {
            text += &format!("#include \"{path}\"\n");
        }
        let call =
            if role == Role::Compute { "tile_regs_acquire()" } else { "noc_async_full_barrier()" };
        folder.write(&format!("{name}.cpp"), &format!("{text}void kernel_main() {{ {call}; }}"));
    }
    for (name, _, answer) in folder.answers() {
        assert_eq!(answer, Answer::Compiles, "{name}");
    }
}
