//! A program of C++ kernels in a folder of its own, where a test may change it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::small;
use tilewright_check::{Finding, Session, Tools};
use tilewright_manifest::{Manifest, Overrides};
use tilewright_metal::cpp::Workshop;
use tilewright_metal::{Device, RunOptions};
use tilewright_run::Catalogue;

/// A copy of a program.
pub struct Folder {
    path: PathBuf,
    from: PathBuf,
    manifest: &'static str,
    workshop: Workshop,
}

/// Loops that a mistake makes endless end soon.
const OPTIONS: RunOptions = RunOptions { cycle_limit: 1 << 22, ..RunOptions::USUAL };

impl Folder {
    /// A copy of a folder of `programs`, one for each test: they may run in many processes.
    /// Nothing, and a message, where the host has no compiler.
    pub fn new(name: &str, manifest: &'static str) -> Option<Folder> {
        let workshop = small::workshop()?;
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults/programs").join(name);
        let thread = std::thread::current();
        let test = thread.name().expect("a test's thread has its name").replace("::", "-");
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("faults").join(test).join(name);
        fs::create_dir_all(&path).expect("a folder");
        let folder = Folder { path, from, manifest, workshop };
        folder.files().iter().for_each(|file| folder.restore(file));
        Some(folder)
    }

    /// The files of the program.
    pub fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.from).expect("programs");
        let paths = entries.map(|entry| entry.expect("a file").path());
        let name = |path: PathBuf| Some(path.file_name()?.to_str()?.to_owned());
        let mut all: Vec<String> = paths.filter(|path| path.is_file()).filter_map(name).collect();
        all.sort();
        all
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.path.join(file)
    }

    pub fn write(&self, file: &str, text: &str) {
        fs::write(self.path(file), text).expect("a file of a test");
    }

    /// Puts the file back as it is in the repository.
    pub fn restore(&self, file: &str) {
        fs::copy(self.from.join(file), self.path(file)).expect("a file of a test");
    }

    /// Replaces a text that is there once.
    #[track_caller]
    pub fn edit(&self, file: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path(file)).expect("a file of a test");
        assert_eq!(text.matches(from).count(), 1, "{file}: `{from}`");
        self.write(file, &text.replace(from, to));
    }

    /// What all tools find on one core.
    pub fn findings(&self) -> Vec<Finding> {
        let path = self.path(self.manifest);
        let text = fs::read_to_string(&path).expect("a manifest");
        let manifest = Manifest::parse(&path, &text).unwrap_or_else(|error| panic!("{error}"));
        let cores = text.contains("split").then_some(1);
        let overrides = Overrides { cores, ..Overrides::default() };
        let mut device = Device::n150();
        let made = manifest.prepare(&mut device, &overrides, &Catalogue);
        let mut made = made.unwrap_or_else(|error| panic!("{error}"));
        let mut found = Vec::new();
        for program in &mut made.prepared.programs {
            let arch = device.architecture();
            let compiled = program.compile(arch, &self.workshop, &|_, _| {});
            compiled.unwrap_or_else(|error| panic!("{error}"));
            let mut session = Session::new(program, &Tools::all());
            let outcome = program.run(&mut device, OPTIONS, &mut [&mut session]).expect("it runs");
            found.extend(session.findings(program, &outcome));
        }
        found
    }
}
