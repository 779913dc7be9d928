//! One case: files in a folder, and a command that is started there.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::random::Random;
use super::{arguments, tensor, text};

/// Where manifests to begin with lie.
const MANIFESTS: &[&str] =
    &["examples", "crates/run/tests/manifests", "crates/cli/tests/manifests"];
/// The program whose tensors come from files.
const COPY: &str = "xtask/fuzz/copy";
/// Stands for a compiler, so that a manifest that is right ends there and not in a compilation.
const NO_COMPILER: &str = "no-such-compiler";

/// What all cases have in common.
pub struct Materials {
    root: PathBuf,
    manifests: Vec<PathBuf>,
    golden: PathBuf,
}

/// A command, ready to start.
pub struct Case {
    /// The words behind `tilewright`.
    pub words: Vec<String>,
    /// Where it is started.
    pub folder: PathBuf,
}

impl Materials {
    /// Looks for the manifests of the repository.
    pub fn of(root: &Path) -> io::Result<Materials> {
        let mut manifests = Vec::new();
        for folder in MANIFESTS {
            collect(&root.join(folder), &mut manifests)?;
        }
        manifests.sort();
        let golden = root.join("crates/cli/tests/golden/right");
        Ok(Materials { root: root.to_owned(), manifests, golden })
    }

    /// Writes the files of a case below `folder` and says what to start.
    pub fn case(&self, folder: &Path, mut random: Random) -> io::Result<Case> {
        let random = &mut random;
        fs::create_dir_all(folder)?;
        let mut case = match random.below(10) {
            0..=3 => self.manifest(folder, random)?,
            4..=6 => self.tensors(folder, random)?,
            7 => self.golden(folder, random)?,
            _ => Case { words: arguments::words(None, random), folder: folder.to_owned() },
        };
        if random.once_in(2) {
            case.words.push("--json".to_owned());
        }
        Ok(case)
    }

    /// A manifest of the repository, changed; its kernels are not compiled.
    fn manifest(&self, folder: &Path, random: &mut Random) -> io::Result<Case> {
        let original = &self.manifests[random.below(self.manifests.len())];
        let home = original.parent().expect("a file lies in a folder");
        let (above, own) = (folder.join("tree"), folder.join("tree/program"));
        fs::create_dir_all(&own)?;
        link_all(home.parent().expect("below the root"), &above, "program")?;
        link_all(home, &own, "program.toml")?;
        let manifest = fs::read_to_string(original)?;
        fs::write(own.join("program.toml"), text::changed(&manifest, random))?;
        let mut words = arguments::words(Some("program.toml"), random);
        words.extend(["--cxx", NO_COMPILER].map(str::to_owned));
        Ok(Case { words, folder: own })
    }

    /// A program that compiles, with files of tensors that may be wrong.
    fn tensors(&self, folder: &Path, random: &mut Random) -> io::Result<Case> {
        let home = self.root.join(COPY);
        link_all(&home, folder, "program.toml")?;
        let manifest = fs::read_to_string(home.join("program.toml"))?;
        let shape = tensor::shape(random);
        let input = tensor::file(&shape, random);
        let other = if random.once_in(4) { tensor::shape(random) } else { shape };
        let output = tensor::file(&other, random);
        let output_name = output.name.replace("x.", "y.");
        fs::write(folder.join(input.name), input.bytes)?;
        fs::write(folder.join(&output_name), output.bytes)?;
        let manifest = manifest.replace("x.npy", input.name).replace("y.npy", &output_name);
        fs::write(folder.join("program.toml"), manifest)?;
        Ok(Case {
            words: arguments::words(Some("program.toml"), random),
            folder: folder.to_owned(),
        })
    }

    /// A folder of golden data, changed.
    fn golden(&self, folder: &Path, random: &mut Random) -> io::Result<Case> {
        let data = folder.join("golden");
        fs::create_dir_all(&data)?;
        for entry in fs::read_dir(&self.golden)? {
            let path = entry?.path();
            let name = path.file_name().expect("an entry of a folder");
            let bytes = fs::read(&path)?;
            let bytes = match path.extension().is_some_and(|kind| kind == "jsonl") {
                true => text::changed(&String::from_utf8_lossy(&bytes), random),
                false if random.once_in(3) => bytes[..random.below(bytes.len() + 1)].to_vec(),
                false => bytes,
            };
            fs::write(data.join(name), bytes)?;
        }
        let words = ["vectors", "golden"].map(str::to_owned).to_vec();
        Ok(Case { words, folder: folder.to_owned() })
    }
}

/// Every manifest below a folder.
fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, found)?;
        } else if path.extension().is_some_and(|kind| kind == "toml") {
            found.push(path);
        }
    }
    Ok(())
}

/// Links to everything in a folder but what the case writes itself.
fn link_all(from: &Path, to: &Path, but: &str) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_name() != but && entry.file_name() != "target" {
            symlink(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}
