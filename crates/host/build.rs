//! Embeds the C++ headers below `include`, and the runtime compiled from them: the first host
//! program of a user need not wait for it. Without a compiler here, it is compiled then.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

// Both are files of `metal`, by links: a package has them as its own.
mod embed;
mod host_flags;

use embed::{Header, Headers};
use host_flags::{DIALECT, FLAGS, RUNTIME_FLAGS, SHIM_PREFIX};

/// The two parts of the runtime.
const RUNTIME: [&str; 2] = ["tilewright/host/core.cpp", "tilewright/host/more.cpp"];

fn main() -> io::Result<()> {
    let headers = embed::embed("include")?;
    println!("cargo::rerun-if-env-changed=CXX");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let mut list = String::from("&[\n");
    // Programs are compiled where they run.
    if env::var_os("TARGET") == env::var_os("HOST") {
        let folder = out.join("include");
        write(&headers, &folder)?;
        for (object, file, version) in compiled(&folder, &out) {
            let object = format!("include_bytes!({object:?})");
            let about = format!("file: {file:?}, compiler: {version:?}, object: {object}");
            let _ = writeln!(list, "Prebuilt {{ {about} }},");
        }
    }
    list.push_str("]\n");
    fs::write(out.join("prebuilt.rs"), list)
}

fn write(headers: &Headers, folder: &Path) -> io::Result<()> {
    for (name, header) in headers {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("below the folder"))?;
        match header {
            Header::File(file) => fs::copy(file, path).map(drop)?,
            Header::Text(text) => fs::write(path, text)?,
        }
    }
    Ok(())
}

/// Objects with their files and the version of the compiler; none that it does not compile.
fn compiled(folder: &Path, out: &Path) -> Vec<(PathBuf, &'static str, String)> {
    let compiler = env::var("CXX").ok().filter(|it| !it.is_empty());
    let compiler = compiler.unwrap_or_else(|| "g++".to_owned());
    let asked = Command::new(&compiler).arg("--version").output();
    let Some(said) = asked.ok().filter(|it| it.status.success()) else { return Vec::new() };
    let said = String::from_utf8_lossy(&said.stdout);
    let version = said.lines().next().unwrap_or_default();
    let begun = RUNTIME.map(|file| {
        let object = out.join(file.replace('/', "-")).with_extension("o");
        let mut command = Command::new(&compiler);
        command.args(FLAGS).args(DIALECT).args(RUNTIME_FLAGS).env("LC_ALL", "C");
        command.arg(format!("-ffile-prefix-map={}={SHIM_PREFIX}", folder.display()));
        command.arg("-I").arg(folder).arg("-c").arg("-o").arg(&object).arg(folder.join(file));
        (object, file, command.spawn())
    });
    let ended = begun.into_iter().filter_map(|(object, file, child)| {
        let is_made = child.and_then(|mut child| child.wait()).is_ok_and(|it| it.success());
        if !is_made {
            println!("cargo::warning={version} does not compile {file}: see its messages");
        }
        is_made.then(|| (object, file, version.to_owned()))
    });
    ended.collect()
}
