//! Tensors of a `.safetensors` file.

use std::borrow::Cow;
use std::collections::BTreeSet;

use safetensors::tensor::{Dtype, SafeTensors, TensorView, View};
use tilewright_tile::{DataFormat, Integer, Small};

use super::{Problem, assemble};
use crate::tensor::{Layout, Tensor};

const ACCEPTED: &str = "F32 and BF16 are read, and I32, U32 and U16 as whole numbers; \
                        convert with .to(torch.float32)";

pub fn decode(bytes: &[u8], name: Option<&str>) -> Result<Tensor, Problem> {
    let file = SafeTensors::deserialize(bytes).map_err(malformed)?;
    // In the order of names, as the file's own is not kept.
    let mut names: Vec<String> = file.names().into_iter().map(str::to_owned).collect();
    names.sort();
    let name = match (name, names.as_slice()) {
        (Some(name), _) => name,
        (None, [only]) => only,
        (None, _) => return Err(Problem::NotOne { names }),
    };
    match file.tensor(name) {
        Ok(view) => tensor(&view),
        Err(_) => Err(Problem::NoSuchName { name: name.to_owned(), names }),
    }
}

fn tensor(view: &TensorView<'_>) -> Result<Tensor, Problem> {
    let dtype = view.dtype();
    let known = [
        (Dtype::F32, DataFormat::Float32),
        (Dtype::BF16, DataFormat::Bfloat16),
        (Dtype::I32, DataFormat::Integer(Integer::Int32)),
        (Dtype::U32, DataFormat::Integer(Integer::UInt32)),
        (Dtype::U16, DataFormat::Integer(Integer::UInt16)),
    ];
    let Some((_, format)) = known.into_iter().find(|(known, _)| *known == dtype) else {
        return Err(Problem::Type { found: format!("{dtype:?}"), accepted: ACCEPTED });
    };
    let sizes: Vec<u64> = view.shape().iter().map(|&size| size as u64).collect();
    assemble(&sizes, format, view.data())
}

pub fn encode(tensors: &[(&str, &Tensor)]) -> Result<Vec<u8>, Problem> {
    let mut names = BTreeSet::new();
    if let Some((name, _)) = tensors.iter().find(|(name, _)| !names.insert(*name)) {
        return Err(Problem::SameName { name: (*name).to_owned() });
    }
    let stored = tensors.iter().map(|&(name, tensor)| (name, Stored::new(tensor)));
    safetensors::serialize(stored, None).map_err(malformed)
}

/// A tensor as it is written: row-major, without padding or blocks.
struct Stored {
    dtype: Dtype,
    shape: Vec<usize>,
    values: Tensor,
}

impl Stored {
    fn new(tensor: &Tensor) -> Stored {
        let (dtype, format) = match tensor.format() {
            DataFormat::Bfloat16 => (Dtype::BF16, DataFormat::Bfloat16),
            DataFormat::Float32
            | DataFormat::Tf32
            | DataFormat::Bfp8
            | DataFormat::Small(Small::Bfp4 | Small::Bfp2) => (Dtype::F32, DataFormat::Float32),
            format @ DataFormat::Integer(Integer::UInt32) => (Dtype::U32, format),
            format @ DataFormat::Integer(Integer::Int32) => (Dtype::I32, format),
            format @ DataFormat::Integer(Integer::UInt16) => (Dtype::U16, format),
            format @ DataFormat::Integer(Integer::UInt8) => (Dtype::U8, format),
            format @ DataFormat::Integer(Integer::Int8) => (Dtype::I8, format),
            format @ DataFormat::Small(Small::Float16) => {
                unreachable!("a tensor of {format} on the host")
            }
        };
        let shape = tensor.shape().sizes().iter().map(|&size| size as usize).collect();
        let values = tensor.convert(Layout::RowMajor, format);
        let values = values.expect("these formats can be row-major");
        Stored { dtype, shape, values }
    }
}

impl View for Stored {
    fn dtype(&self) -> Dtype {
        self.dtype
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        self.values.bytes().into()
    }

    fn data_len(&self) -> usize {
        self.values.bytes().len()
    }
}

fn malformed(error: safetensors::SafeTensorError) -> Problem {
    Problem::Malformed(format!("not a whole safetensors file: {error}"))
}
