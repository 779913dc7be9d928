//! Reading folders of golden data, compressed or not.
//!
//! A folder is opened whole or not at all: every line is read and every array is there.

use std::fmt;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use ruzstd::decoding::StreamingDecoder;

use super::case::{Arrays, Case};

/// The folders that a parent folder may have, with groups of cases in them.
const GROUP_FOLDERS: [&str; 4] = ["vectors", "chains", "vectors-2", "blackhole"];
/// The folder with whole kernels.
const KERNEL_FOLDER: &str = "kernels";

/// Golden data, read and ready to be checked.
pub struct Folder {
    pub(super) groups: Vec<Group>,
    pub(super) kernels: usize,
}

/// The cases of one `.jsonl` with their arrays.
pub(super) struct Group {
    pub(super) name: String,
    pub(super) arrays: Arrays,
    pub(super) cases: Vec<Case>,
}

impl Folder {
    /// Reads every `<group>.jsonl` and `<group>.bin` of a folder and of the folders `vectors`,
    /// `chains`, `vectors-2` and `blackhole` below it. Each file may be compressed
    /// (`.zst`); where both forms are there, the plain one counts.
    pub fn open(path: impl AsRef<Path>) -> Result<Folder, FolderError> {
        let path = path.as_ref();
        let mut folder = Folder { groups: Vec::new(), kernels: 0 };
        folder.add(path)?;
        for name in GROUP_FOLDERS.iter().chain([&KERNEL_FOLDER]) {
            let below = path.join(name);
            if below.is_dir() {
                folder.add(&below)?;
            }
        }
        if folder.groups.is_empty() && folder.kernels == 0 {
            return Err(FolderError::Empty { path: path.to_owned() });
        }
        Ok(folder)
    }

    /// How many cases there are, tables included.
    pub fn cases(&self) -> usize {
        self.groups.iter().map(|group| group.cases.len()).sum()
    }

    fn add(&mut self, path: &Path) -> Result<(), FolderError> {
        let names = names(path)?;
        let stems = |ending: &str| {
            let plain = |name: &String| name.strip_suffix(".zst").unwrap_or(name).to_owned();
            let mut stems: Vec<String> = names
                .iter()
                .filter_map(|name| plain(name).strip_suffix(ending).map(str::to_owned))
                .collect();
            stems.dedup();
            stems
        };
        self.kernels += stems(".json").len();
        for stem in stems(".jsonl") {
            self.groups.push(Group::read(path, &stem)?);
        }
        Ok(())
    }
}

impl Group {
    fn read(folder: &Path, name: &str) -> Result<Group, FolderError> {
        let (lines, text) = read(&folder.join(format!("{name}.jsonl")))?;
        let (bin, arrays) = read(&folder.join(format!("{name}.bin")))?;
        let arrays = Arrays(arrays);
        let wrong = |line, why| FolderError::Line { path: lines.clone(), line, why };
        let text = String::from_utf8(text).map_err(|error| {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            wrong(line, "is not UTF-8; each line is one JSON object".to_owned())
        })?;
        let mut cases = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let case = Case::read(line).map_err(|error| wrong(index + 1, bad_json(&error)))?;
            for (field, array) in case.arrays() {
                if !arrays.holds(array) {
                    let why = outside(field, array.end(), &bin, arrays.0.len());
                    return Err(wrong(index + 1, why));
                }
            }
            cases.push(case);
        }
        Ok(Group { name: name.to_owned(), arrays, cases })
    }
}

/// serde_json counts lines inside the text it was given, which is always one line here.
fn bad_json(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or(&text);
    match error.column() {
        0 => format!("is not a case: {what}"),
        column => format!("is not a case: {what}, column {column}"),
    }
}

fn outside(field: &str, end: Option<usize>, bin: &Path, bytes: usize) -> String {
    let end = end.map_or_else(|| "beyond any file".to_owned(), |end| format!("at byte {end}"));
    let bin = bin.display();
    format!("names an array in `{field}` that ends {end}, and {bin} has {bytes} bytes; is it cut?")
}

/// The names in a folder, sorted.
fn names(path: &Path) -> Result<Vec<String>, FolderError> {
    let unreadable = |error| FolderError::Unreadable { path: path.to_owned(), error };
    let mut names = Vec::new();
    for entry in fs::read_dir(path).map_err(unreadable)? {
        names.push(entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned());
    }
    names.sort_by(|a, b| a.trim_end_matches(".zst").cmp(b.trim_end_matches(".zst")));
    Ok(names)
}

/// Reads a file or its compressed form, and says which it was.
fn read(plain: &Path) -> Result<(PathBuf, Vec<u8>), FolderError> {
    let mut compressed = plain.as_os_str().to_owned();
    compressed.push(".zst");
    let compressed = PathBuf::from(compressed);
    let unreadable = |path: &Path, error| FolderError::Unreadable { path: path.to_owned(), error };
    if plain.exists() {
        let bytes = fs::read(plain).map_err(|error| unreadable(plain, error))?;
        return Ok((plain.to_owned(), bytes));
    }
    if !compressed.exists() {
        return Err(FolderError::Missing { path: plain.to_owned() });
    }
    let frame = fs::read(&compressed).map_err(|error| unreadable(&compressed, error))?;
    match decompress(&frame) {
        Ok(bytes) => Ok((compressed, bytes)),
        Err(why) => Err(FolderError::Frame { path: compressed, why }),
    }
}

fn decompress(frame: &[u8]) -> Result<Vec<u8>, String> {
    let mut decoder = StreamingDecoder::new(frame).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    decoder.read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    let decoder = decoder.into_frame_decoder();
    let stored = decoder.get_checksum_from_data();
    if stored.is_some() && stored != decoder.get_calculated_checksum() {
        return Err("its checksum is wrong".to_owned());
    }
    Ok(bytes)
}

/// Why a folder of golden data cannot be read.
#[derive(Debug)]
pub enum FolderError {
    /// Nothing in the folder is golden data.
    Empty {
        /// The folder.
        path: PathBuf,
    },
    /// A group has only one of its two files.
    Missing {
        /// The file that is not there, in neither form.
        path: PathBuf,
    },
    /// A file or folder cannot be read.
    Unreadable {
        /// Which.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A compressed file is damaged.
    Frame {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A line is not a case, or names an array that is not there.
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong, and what would be right.
        why: String,
    },
}

impl fmt::Display for FolderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FolderError::Empty { path } => write!(
                f,
                "{} holds no golden data; it needs <group>.jsonl and <group>.bin, also as .zst, \
                 or the folders vectors or chains with such files",
                path.display()
            ),
            FolderError::Missing { path } => write!(
                f,
                "{0} is missing, and so is {0}.zst; a group has a .jsonl and a .bin",
                path.display()
            ),
            FolderError::Unreadable { path, error } => write!(f, "{}: {error}", path.display()),
            FolderError::Frame { path, why } => write!(
                f,
                "{} is not a whole Zstandard frame: {why}; unpack it anew from its source",
                path.display()
            ),
            FolderError::Line { path, line, why } => {
                write!(f, "{}:{line}: the line {why}", path.display())
            }
        }
    }
}

impl std::error::Error for FolderError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            FolderError::Unreadable { error, .. } => Some(error),
            FolderError::Empty { .. }
            | FolderError::Missing { .. }
            | FolderError::Frame { .. }
            | FolderError::Line { .. } => None,
        }
    }
}
