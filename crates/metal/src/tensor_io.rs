//! Tensors from and to files, by the name's extension: `.npy` and `.safetensors`.
//!
//! Loaded tensors are row-major, in the file's own precision; any tensor can be saved. Files that
//! hold other types are refused: a silent conversion would change what is tested.

mod npy;
mod safetensors;

use std::fmt;
use std::path::Path;

use tilewright_tile::DataFormat;

use crate::shape::{Shape, ShapeError};
use crate::tensor::{Layout, Tensor};

/// The name under which `save` puts a tensor into a safetensors file.
pub const DEFAULT_NAME: &str = "tensor";

/// Loads the only tensor of a file.
///
/// fp32, bf16 and whole numbers are read. Numpy has no bf16: an array of `uint16` is taken for
/// bf16 patterns.
pub fn load(path: &Path) -> Result<Tensor, TensorIoError> {
    load_from(path, None)
}

/// Loads the tensor called `name` from a safetensors file.
pub fn load_named(path: &Path, name: &str) -> Result<Tensor, TensorIoError> {
    load_from(path, Some(name))
}

fn load_from(path: &Path, name: Option<&str>) -> Result<Tensor, TensorIoError> {
    let fail = |problem| TensorIoError { path: path.display().to_string(), problem };
    let kind = FileKind::of(path).map_err(fail)?;
    let bytes = std::fs::read(path).map_err(|error| fail(Problem::Unreadable(told(&error))))?;
    if bytes.is_empty() {
        return Err(fail(Problem::Empty));
    }
    match (kind, name) {
        (FileKind::Npy, None) => npy::decode(&bytes),
        (FileKind::Npy, Some(name)) => Err(Problem::NoNames { name: name.to_owned() }),
        (FileKind::Safetensors, name) => safetensors::decode(&bytes, name),
    }
    .map_err(fail)
}

/// Saves a tensor, without padding: Float32 as fp32; Bfloat16 as bf16, in npy as fp32; Bfp8_b as
/// fp32. All of these are exact. Whole numbers are saved as such, in npy as fp32.
pub fn save(path: &Path, tensor: &Tensor) -> Result<(), TensorIoError> {
    let fail = |problem| TensorIoError { path: path.display().to_string(), problem };
    match FileKind::of(path).map_err(fail)? {
        FileKind::Npy => write(path, &npy::encode(tensor)),
        FileKind::Safetensors => save_named(path, &[(DEFAULT_NAME, tensor)]),
    }
}

/// Saves tensors under their names in one safetensors file.
pub fn save_named(path: &Path, tensors: &[(&str, &Tensor)]) -> Result<(), TensorIoError> {
    let fail = |problem| TensorIoError { path: path.display().to_string(), problem };
    match FileKind::of(path).map_err(fail)? {
        FileKind::Npy => {
            let name = tensors.first().map_or(DEFAULT_NAME, |(name, _)| name).to_owned();
            Err(fail(Problem::NoNames { name }))
        }
        FileKind::Safetensors => write(path, &safetensors::encode(tensors).map_err(fail)?),
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), TensorIoError> {
    let problem = |error| Problem::Unwritable(told(&error));
    std::fs::write(path, bytes).map_err(|error| TensorIoError {
        path: path.display().to_string(),
        problem: problem(error),
    })
}

/// What the system says, without its own number for it.
fn told(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        std::io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        _ => error.to_string(),
    }
}

/// The file formats.
#[derive(Clone, Copy)]
enum FileKind {
    Npy,
    Safetensors,
}

impl FileKind {
    fn of(path: &Path) -> Result<FileKind, Problem> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension.map(str::to_ascii_lowercase).as_deref() {
            Some("npy") => Ok(FileKind::Npy),
            Some("safetensors") => Ok(FileKind::Safetensors),
            Some(other) => Err(Problem::UnknownExtension { extension: Some(other.to_owned()) }),
            None => Err(Problem::UnknownExtension { extension: None }),
        }
    }
}

/// A row-major tensor of a file's little-endian values.
fn assemble(sizes: &[u64], format: DataFormat, data: &[u8]) -> Result<Tensor, Problem> {
    let sizes: Vec<usize> =
        sizes.iter().map(|&size| usize::try_from(size).unwrap_or(usize::MAX)).collect();
    let shape = Shape::new(&sizes).map_err(Problem::Shape)?;
    let given = data.len();
    Tensor::from_bytes(shape, Layout::RowMajor, format, data.to_vec()).map_err(|_| {
        let expected = shape.volume() * format.value_bytes().unwrap_or(1);
        Problem::WrongSize { shape, given, expected }
    })
}

/// A file that cannot be read or written, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorIoError {
    /// The file.
    pub path: String,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The system cannot read it.
    Unreadable(String),
    /// The system cannot write it.
    Unwritable(String),
    /// Its name does not say which format it has.
    UnknownExtension {
        /// The extension, if there is one.
        extension: Option<String>,
    },
    /// It has no bytes.
    Empty,
    /// It is not of the format that its name says.
    Malformed(String),
    /// Its values have a type that is not read.
    Type {
        /// The type as the file gives it.
        found: String,
        /// What would be right.
        accepted: &'static str,
    },
    /// Its values are stored with the first dimension running fastest.
    FortranOrder,
    /// Its sizes are not a tensor's.
    Shape(ShapeError),
    /// It has more or fewer bytes than its shape says.
    WrongSize {
        /// The shape.
        shape: Shape,
        /// Bytes of values in the file.
        given: usize,
        /// Bytes that there should be.
        expected: usize,
    },
    /// A tensor was asked for, or given, by name in a format without names.
    NoNames {
        /// The name.
        name: String,
    },
    /// The only tensor was asked for, and there are several, or none.
    NotOne {
        /// The names of those there are.
        names: Vec<String>,
    },
    /// Two tensors were given under one name.
    SameName {
        /// The name.
        name: String,
    },
    /// There is no tensor with this name.
    NoSuchName {
        /// The name.
        name: String,
        /// The names of those there are.
        names: Vec<String>,
    },
}

impl fmt::Display for TensorIoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.problem)
    }
}

impl std::error::Error for TensorIoError {}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Unreadable(reason) => write!(f, "cannot be read: {reason}"),
            Problem::Unwritable(reason) => write!(f, "cannot be written: {reason}"),
            Problem::UnknownExtension { extension: Some(extension) } => {
                write!(f, "`.{extension}` is not a tensor file; use .npy or .safetensors")
            }
            Problem::UnknownExtension { extension: None } => {
                f.write_str("the name has no extension; use .npy or .safetensors")
            }
            Problem::Empty => f.write_str("the file is empty"),
            Problem::Malformed(reason) => f.write_str(reason),
            Problem::Type { found, accepted } => {
                write!(f, "values of type {found}; {accepted}")
            }
            Problem::FortranOrder => f.write_str(
                "the array is in Fortran order; save numpy.ascontiguousarray(array) instead",
            ),
            Problem::Shape(error) => error.fmt(f),
            Problem::WrongSize { shape, given, expected } => {
                write!(f, "{given} bytes of values for shape {shape}, which needs {expected}")
            }
            Problem::NoNames { name } => {
                write!(f, "an npy file has no names, so no `{name}`; use a .safetensors file")
            }
            Problem::NotOne { names } if names.is_empty() => f.write_str("no tensor in the file"),
            Problem::NotOne { names } => {
                write!(f, "several tensors in the file; name one of {}", listed(names))
            }
            Problem::SameName { name } => {
                write!(f, "two tensors called `{name}`; names must differ")
            }
            Problem::NoSuchName { name, names } => {
                write!(f, "no tensor `{name}` in the file; it has {}", listed(names))
            }
        }
    }
}

/// The first few names.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut list: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    if names.is_empty() {
        return "none".to_owned();
    }
    if names.len() > SHOWN {
        list.push(format!("and {} more", names.len() - SHOWN));
    }
    list.join(", ")
}
