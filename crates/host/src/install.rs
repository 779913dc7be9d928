//! The headers and the runtime of host programs as a package for other build systems.

use std::fs;
use std::io;
use std::path::Path;

use tilewright_metal::cpp::{CompileOptions, Workshop};
use tilewright_run::not_compiled;
use tilewright_run::record::Failure;

use crate::exec::{HOST_HEADERS, WHOLE_RUNTIME};

/// Files of the package that are the same everywhere, but for the version.
const FILES: [(&str, &str); 2] = [
    (
        "lib/cmake/tt-metalium/tt-metalium-config.cmake",
        include_str!("../package/tt-metalium-config.cmake"),
    ),
    ("lib/pkgconfig/tilewright-host.pc", include_str!("../package/tilewright-host.pc")),
];

/// Writes a package that CMake and pkg-config find below a folder: headers, the runtime compiled
/// for a compiler, and a file for each of the two. Gives what to tell the user.
pub fn install(folder: &Path, cxx: Option<&Path>) -> Result<String, Failure> {
    let options = CompileOptions { cxx: cxx.map(Path::to_owned), ..CompileOptions::default() };
    let runtime = Workshop::open(&options)
        .and_then(|workshop| workshop.executable_runtime(HOST_HEADERS, WHOLE_RUNTIME))
        .map_err(|error| not_compiled(&error))?;
    for (path, text) in HOST_HEADERS.files {
        write(&folder.join("include/tilewright-host").join(path), text.as_bytes())?;
    }
    write(&folder.join("lib/tilewright_host.o"), &runtime)?;
    for (path, text) in FILES {
        let text = text.replace("@VERSION@", env!("CARGO_PKG_VERSION"));
        write(&folder.join(path), text.as_bytes())?;
    }
    let shown = folder.display();
    Ok(format!(
        "the package is in {shown}\n  \
         cmake:      find_package(TT-Metalium), with -DCMAKE_PREFIX_PATH={shown}\n  \
         pkg-config: tilewright-host, with PKG_CONFIG_PATH={shown}/lib/pkgconfig\n"
    ))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    folder.and_then(|()| fs::write(path, bytes)).map_err(|error| not_written(path, &error))
}

fn not_written(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("cannot write {}: {error}", path.display()))
        .help("give a folder that you may write to, such as --install build/tilewright")
}
