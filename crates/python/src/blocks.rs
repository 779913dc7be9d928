//! Block formats, whose tiles only `metal` encodes.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tilewright_metal::{Layout, Shape, Tensor};
use tilewright_tile::DataFormat;

use crate::device::{failed, invalid};

/// Bytes of a tile of fp32 values.
const FP32_TILE_BYTES: usize = 4096;

/// Tiles of fp32 values in a block format.
#[pyfunction]
pub fn encode_blocks<'py>(
    py: Python<'py>,
    format: &str,
    tiles: &[u8],
) -> PyResult<Bound<'py, PyBytes>> {
    let format = DataFormat::from_name(format).map_err(invalid)?;
    let shape = tiles_shape(tiles.len() / FP32_TILE_BYTES)?;
    let tensor = Tensor::from_bytes(shape, Layout::Tile, DataFormat::Float32, tiles.to_vec());
    let tensor = tensor.and_then(|it| it.convert(Layout::Tile, format)).map_err(failed)?;
    Ok(PyBytes::new(py, tensor.bytes()))
}

/// Tiles of a block format as fp32 values.
#[pyfunction]
pub fn decode_blocks<'py>(
    py: Python<'py>,
    format: &str,
    tiles: &[u8],
) -> PyResult<Bound<'py, PyBytes>> {
    let format = DataFormat::from_name(format).map_err(invalid)?;
    let shape = tiles_shape(tiles.len() / format.tile_bytes())?;
    let tensor = Tensor::from_bytes(shape, Layout::Tile, format, tiles.to_vec());
    let tensor =
        tensor.and_then(|it| it.convert(Layout::Tile, DataFormat::Float32)).map_err(failed)?;
    Ok(PyBytes::new(py, tensor.bytes()))
}

/// A column of so many tiles.
fn tiles_shape(tiles: usize) -> PyResult<Shape> {
    Shape::new(&[tiles * 32, 32]).map_err(failed)
}
