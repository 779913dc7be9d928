//! The templates: files of this crate, in the binary.

use crate::scaffold::{Language, Template};

/// A path below the operation's folder, and the text.
type File = (&'static str, &'static str);

macro_rules! files {
    ($folder:literal: $($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../templates/", $folder, "/", $path)))),*]
    };
}

const STUBS: &[File] = files!("kernels": "stub/reader.cpp", "stub/compute.cpp", "stub/writer.cpp");
const TILES: &[File] = files!("kernels/tiles": "writer.cpp");
const ELEMENTWISE: &[File] = files!("kernels/elementwise": "reader.cpp", "compute.cpp");
const REDUCTION: &[File] = files!("kernels/reduction": "reader.cpp", "compute.cpp");
const NORMALISATION: &[File] =
    files!("kernels/normalisation": "reader.cpp", "compute.cpp", "writer.cpp");
const MATMUL: &[File] = files!("kernels/matmul": "reader.cpp", "compute.cpp");

const PYTHON: &[File] = files!(
    "python/common":
    "operation_name/__init__.py",
    "operation_name/descriptors.py",
    "tests/conftest.py",
    "tests/host.py",
    "tests/test_1_api.py",
    "tests/test_2_parameters.py",
    "tests/test_3_registration.py",
    "tests/test_4_device_operation.py",
    "tests/test_5_program_factory.py",
    "tests/test_6_stub_kernels.py",
    "tests/test_7_kernels.py",
);
const RUST: &[File] = files!(
    "rust/common":
    "gitignore",
    "package.toml",
    "src/descriptors.rs",
    "src/lib.rs",
    "src/queue.rs",
    "tests/host/mod.rs",
    "tests/stage_1_api.rs",
    "tests/stage_2_parameters.rs",
    "tests/stage_3_registration.rs",
    "tests/stage_4_device_operation.rs",
    "tests/stage_5_program_factory.rs",
    "tests/stage_6_stub_kernels.rs",
    "tests/stage_7_kernels.rs",
);
macro_rules! own {
    ($template:literal) => {
        (
            &files!($template: "SPECIFICATION.md", "python/operation_name/operation.py",
                "python/operation_name/program.py", "python/tests/cases.py")[..],
            &files!($template: "SPECIFICATION.md", "rust/src/operation.rs", "rust/src/program.rs",
                "rust/tests/cases/mod.rs")[..],
        )
    };
}

/// What a template has of its own.
struct Own {
    /// The specification, and the host's side in Python and in Rust.
    hosts: (&'static [File], &'static [File]),
    kernels: [&'static [File]; 2],
}

fn own(template: Template) -> Own {
    let (hosts, kernels) = match template {
        Template::Elementwise => (own!("elementwise"), [ELEMENTWISE, TILES]),
        Template::Reduction => (own!("reduction"), [REDUCTION, TILES]),
        Template::Normalisation => (own!("normalisation"), [NORMALISATION, &[][..]]),
        Template::Matmul => (own!("matmul"), [MATMUL, TILES]),
    };
    Own { hosts, kernels }
}

/// All files of a template, with placeholders.
pub(crate) fn files(template: Template, language: Language) -> Vec<(String, &'static str)> {
    let Own { hosts: (python, rust), kernels } = own(template);
    let (common, own, folder) = match language {
        Language::Python => (PYTHON, python, "operation_name/kernels/"),
        Language::Rust => (RUST, rust, "src/kernels/"),
    };
    let kernels = kernels.into_iter().chain([STUBS]).flatten();
    let kernels = kernels.map(|(path, text)| (format!("{folder}{path}"), *text));
    let placed = |(path, text): &File| (place(path, language).to_owned(), *text);
    common.iter().chain(own).map(placed).chain(kernels).collect()
}

/// Where a file of a template goes.
fn place(path: &'static str, language: Language) -> &'static str {
    match path {
        // A folder with a Cargo.toml would be a package of its own, which ours cannot contain.
        "package.toml" => "Cargo.toml",
        // Ours would be obeyed in this repository.
        "gitignore" => ".gitignore",
        _ => path
            .strip_prefix(language.name())
            .and_then(|path| path.strip_prefix('/'))
            .unwrap_or(path),
    }
}
