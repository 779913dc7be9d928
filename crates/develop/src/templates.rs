//! The templates: files of this crate, in the binary.

use crate::scaffold::Template;

/// A path below the operation's folder, and the text.
type File = (&'static str, &'static str);

macro_rules! files {
    ($folder:literal: $($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../templates/", $folder, "/", $path)))),*]
    };
}

/// The folder of an operation's kernels.
const KERNELS: &str = "operation_name/kernels/";

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
macro_rules! own {
    ($template:literal) => {
        files!($template: "SPECIFICATION.md", "python/operation_name/operation.py",
            "python/operation_name/program.py", "python/tests/cases.py")
    };
}

/// The files of a template's own, and its kernels.
fn own(template: Template) -> (&'static [File], [&'static [File]; 2]) {
    match template {
        Template::Elementwise => (own!("elementwise"), [ELEMENTWISE, TILES]),
        Template::Reduction => (own!("reduction"), [REDUCTION, TILES]),
        Template::Normalisation => (own!("normalisation"), [NORMALISATION, &[]]),
        Template::Matmul => (own!("matmul"), [MATMUL, TILES]),
    }
}

/// All files of a template, with placeholders.
pub(crate) fn files(template: Template) -> Vec<(String, &'static str)> {
    let (own, kernels) = own(template);
    let plain =
        |(path, text): &File| (path.strip_prefix("python/").unwrap_or(path).to_owned(), *text);
    let kernels = kernels.into_iter().chain([STUBS]).flatten();
    let kernels = kernels.map(|(path, text)| (format!("{KERNELS}{path}"), *text));
    PYTHON.iter().chain(own).map(plain).chain(kernels).collect()
}
