//! A launch: what the host program has built, as a program description.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tilewright_metal::{ProgramDescription, TensorDescription};
use tilewright_run::corpus;

/// A program as `include/tilewright/host/program.cpp` writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Built {
    kernels: Vec<Kernel>,
    cbs: Value,
    semaphores: Value,
}

/// A kernel whose source has not been looked for; the rest is as in a description.
#[derive(Deserialize)]
struct Kernel {
    /// The working folder of the host program.
    folder: PathBuf,
    file: String,
    /// The source itself, if there is no file.
    text: String,
    compiler_include_paths: Vec<PathBuf>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl Built {
    /// Reads what a host program sends.
    pub(crate) fn read(json: &[u8]) -> Result<Built, String> {
        serde_json::from_slice(json).map_err(|error| error.to_string())
    }

    /// Every word that a kernel is given.
    pub(crate) fn words(&self) -> impl Iterator<Item = u64> {
        let lists = self.kernels.iter().flat_map(|kernel| {
            let of = |name: &str| kernel.rest.get(name).and_then(Value::as_array);
            let cores = of("runtime_args").into_iter().flatten();
            let cores = cores.filter_map(|core| core.get("args").and_then(Value::as_array));
            let shared = ["compile_time_args", "common_runtime_args"].into_iter().filter_map(of);
            shared.chain(cores).flatten().collect::<Vec<_>>()
        });
        let defines = self.kernels.iter().filter_map(|it| it.rest.get("defines")?.as_object());
        let defines = defines.flat_map(|it| it.values()).filter_map(|it| it.as_str()?.parse().ok());
        lists.filter_map(Value::as_u64).chain(defines)
    }

    /// Tensors that circular buffers lie in.
    pub(crate) fn placed_in(&self) -> impl Iterator<Item = &str> {
        let rings = self.cbs.as_array().into_iter().flatten();
        rings.filter_map(|ring| ring.pointer("/placement/tensor/name")?.as_str())
    }

    /// The description, with the tensors that lie on the device.
    pub(crate) fn description(
        self,
        name: &str,
        tensors: &[TensorDescription],
        source: &Path,
    ) -> Result<ProgramDescription, String> {
        let kernels = self.kernels.into_iter().map(|kernel| kernel.described(source));
        let kernels: Vec<Value> = kernels.collect::<Result<_, _>>()?;
        let description = json!({
            "name": name,
            "kernels": kernels,
            "cbs": self.cbs,
            "semaphores": self.semaphores,
            "tensors": tensors,
        });
        serde_json::from_value(description).map_err(|error| error.to_string())
    }
}

impl Kernel {
    fn described(self, source: &Path) -> Result<Value, String> {
        let stem = Path::new(&self.file).file_stem().unwrap_or_default().to_string_lossy();
        let mut all = self.rest;
        all.insert("name".to_owned(), json!(stem));
        let mut include_paths = self.compiler_include_paths;
        if self.text.is_empty() {
            let called = all.get("site").and_then(|site| site["file"].as_str()).map(Path::new);
            let (root, file) = found(&self.folder, &self.file, called.into_iter().chain([source]))?;
            include_paths.extend(corpus::include_paths(&root));
            all.insert("source".to_owned(), json!({ "file": file }));
        } else {
            let text = json!({ "text": { "name": self.file, "text": self.text } });
            all.insert("source".to_owned(), text);
        }
        all.insert("compiler_include_paths".to_owned(), json!(include_paths));
        Ok(Value::Object(all))
    }
}

/// The folder that a kernel's path is relative to, and the file: in the program's working folder,
/// below TT_METAL_HOME, or in a folder that a source of the program is in. Kernels name their own
/// headers from there, too.
pub(crate) fn found<'a>(
    folder: &Path,
    file: &str,
    sources: impl Iterator<Item = &'a Path>,
) -> Result<(PathBuf, PathBuf), String> {
    let home = std::env::var_os("TT_METAL_HOME").map(PathBuf::from);
    let own = std::env::current_dir().unwrap_or_default();
    let above = sources.flat_map(|source| {
        let above: Vec<PathBuf> =
            own.join(source).ancestors().skip(1).map(Path::to_owned).collect();
        above
    });
    let mut roots = std::iter::once(folder.to_owned()).chain(home).chain(above);
    let root = roots.find(|root| root.join(file).is_file()).ok_or_else(|| {
        format!(
            "there is no kernel file `{file}`: it is looked for in the working folder, in \
             TT_METAL_HOME and in the folders that the host program is in"
        )
    })?;
    let path = root.join(file);
    // Reports name files as the user would from here.
    let shown = path.strip_prefix(&own).map(Path::to_owned).unwrap_or(path);
    Ok((root, shown))
}
