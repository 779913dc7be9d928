//! A new operation from a template: sources, kernels, a specification, and tests for every stage.

use std::borrow::Cow;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tilewright_run::record::{Failure, New};

use crate::templates;

/// Stands for the operation's name in templates, in files and in their names.
const PLACEHOLDER: &str = "operation_name";
/// The longest name that is taken.
const NAME_LENGTH_MAX: usize = 64;
/// What an operation's author fills in.
const SPECIFICATION: &str = "SPECIFICATION.md";

macro_rules! names {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $variant:ident $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$about])* $variant,)* }

        impl $name {
            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }
        }
    };
}

names! {
    /// What the tests of an operation are written in.
    Language {
        /// pytest runs them.
        Python "python",
        /// cargo runs them.
        Rust "rust",
    }
}

names! {
    /// What an operation begins as.
    Template {
        /// A sum of two tensors.
        Elementwise "elementwise",
        /// Sums of rows.
        Reduction "reduction",
        /// LayerNorm of row-major tensors: tilize, normalise, untilize.
        Normalisation "normalisation",
        /// A product of two matrices.
        Matmul "matmul",
    }
}

/// An operation to be scaffolded.
#[derive(Clone, Debug)]
pub struct Scaffold {
    /// Its name.
    pub name: String,
    /// What it begins as.
    pub template: Template,
    /// What its host's side and its tests are written in.
    pub language: Language,
    /// The folder that its own folder is made in.
    pub parent: PathBuf,
}

impl Scaffold {
    /// Writes the files. Nothing is overwritten: if one is there, none is written.
    pub fn write(&self) -> Result<New, Failure> {
        check_name(&self.name)?;
        let folder = self.parent.join(&self.name);
        let files = self.files();
        if let Some((path, _)) = files.iter().find(|(path, _)| folder.join(path).exists()) {
            let there = folder.join(path);
            return Err(Failure::new(format!("{} exists already", there.display()))
                .help("nothing was written; give another name, or another folder with --output"));
        }
        for (path, text) in &files {
            let path = folder.join(path);
            write_new(&path, text).map_err(|error| {
                Failure::new(format!("{} cannot be written: {error}", path.display()))
            })?;
        }
        Ok(New {
            name: self.name.clone(),
            language: self.language.name().to_owned(),
            template: self.template.name().to_owned(),
            directory: folder.display().to_string(),
            files: files.into_iter().map(|(path, _)| path).collect(),
        })
    }

    /// Paths below the operation's folder, and texts.
    fn files(&self) -> Vec<(String, String)> {
        let named = |text: &str| text.replace(PLACEHOLDER, &self.name);
        let files = templates::files(self.template, self.language).into_iter();
        let files = files.map(|(path, text)| (named(&path), named(&self.said(&path, text))));
        let mut files: Vec<_> = files.collect();
        files.sort();
        files
    }

    /// The text of a file. In Rust a tensor is on the device by its type, which no rule must say.
    fn said<'a>(&self, path: &str, text: &'a str) -> Cow<'a, str> {
        match self.language {
            Language::Rust if path == SPECIFICATION => {
                let lines = text.lines().filter(|line| !line.contains("on the device"));
                Cow::Owned(lines.flat_map(|line| [line, "\n"]).collect())
            }
            Language::Rust | Language::Python => Cow::Borrowed(text),
        }
    }
}

/// Writes a file that is not there yet.
fn write_new(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes())
}

/// Words of Python or Rust, and names that the scaffold's own modules have.
const RESERVED: &[&str] = &[
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "cases",
    "class",
    "const",
    "continue",
    "crate",
    "def",
    "descriptors",
    "del",
    "dyn",
    "elif",
    "else",
    "enum",
    "except",
    "extern",
    "false",
    "finally",
    "fn",
    "for",
    "from",
    "global",
    "host",
    "if",
    "impl",
    "import",
    "in",
    "is",
    "lambda",
    "let",
    "loop",
    "match",
    "mod",
    "move",
    "mut",
    "nonlocal",
    "not",
    "numpy",
    "operation",
    "or",
    "pass",
    "program",
    "pub",
    "pytest",
    "queue",
    "raise",
    "ref",
    "return",
    "self",
    "static",
    "struct",
    "super",
    "test",
    "tests",
    "tilewright",
    "torch",
    "trait",
    "true",
    "try",
    "ttnn",
    "type",
    "unsafe",
    "use",
    "where",
    "while",
    "with",
    "yield",
    PLACEHOLDER,
];

fn check_name(name: &str) -> Result<(), Failure> {
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let starts_well = name.starts_with(|c: char| c.is_ascii_lowercase());
    if !starts_well || !name.chars().all(is_word) || name.len() > NAME_LENGTH_MAX {
        return Err(Failure::new(format!("`{name}` is no name for an operation")).help(format!(
            "give a letter and then letters, digits and underscores, in lower case, \
             {NAME_LENGTH_MAX} at most"
        )));
    }
    if RESERVED.contains(&name) {
        return Err(Failure::new(format!("`{name}` has a meaning of its own in Python or Rust"))
            .help("give another name"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaffold(name: &str, parent: &Path) -> Scaffold {
        Scaffold {
            name: name.to_owned(),
            template: Template::Elementwise,
            language: Language::Python,
            parent: parent.to_owned(),
        }
    }

    #[test]
    fn nothing_is_overwritten() {
        let parent =
            std::env::temp_dir().join(format!("tilewright-scaffold-{}", std::process::id()));
        drop(fs::remove_dir_all(&parent));
        let new = scaffold("scale_shift", &parent).write().expect("a folder of its own");
        assert!(new.files.iter().any(|file| file == "scale_shift/kernels/compute.cpp"));
        let kept = parent.join("scale_shift/tests/cases.py");
        fs::write(&kept, "mine").expect("an edit");
        let again = scaffold("scale_shift", &parent).write().expect_err("the folder is taken");
        assert!(again.message.ends_with("exists already"), "{}", again.message);
        assert_eq!(fs::read_to_string(&kept).expect("the edit"), "mine");
        fs::remove_dir_all(&parent).expect("an end");
    }

    #[test]
    fn names_are_identifiers_of_both_languages() {
        for name in ["", "Big", "2d", "a-b", "../up", "class", "fn", "operation_name", "é"] {
            assert!(check_name(name).is_err(), "{name}");
        }
        assert!(check_name("layernorm_fused_rm").is_ok());
    }

    #[test]
    fn no_template_keeps_its_placeholder() {
        let all =
            [Template::Elementwise, Template::Reduction, Template::Normalisation, Template::Matmul];
        let languages = [Language::Python, Language::Rust];
        for (template, language) in all.into_iter().flat_map(|it| languages.map(|l| (it, l))) {
            let scaffold = scaffold("swish", Path::new("."));
            let files = Scaffold { template, language, ..scaffold }.files();
            for (path, text) in &files {
                assert!(!path.contains(PLACEHOLDER) && !text.contains(PLACEHOLDER), "{path}");
            }
            let tests = files.iter().filter(|(path, _)| path.starts_with("tests/")).count();
            assert!(tests >= 7, "{}", template.name());
        }
    }
}
