//! A device's memory as Python allocates it. Nothing runs here: a run has a chip of its own.

use std::collections::BTreeMap;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use serde::Serialize;
use tilewright_metal::{
    Architecture, Buffer, DeviceTensor, Paging, Storage, TensorDescription, TensorError,
};

/// The addresses of one chip's memory.
#[pyclass(unsendable)]
pub struct Device {
    device: tilewright_metal::Device,
    /// What was allocated, by memory and address.
    buffers: BTreeMap<(Storage, u32), Buffer>,
}

/// Where a tensor was put.
#[derive(Serialize)]
struct Placed {
    address: u32,
    page_bytes: u32,
    aligned_page_bytes: u32,
    pages: u32,
    bank_bytes: u64,
    bytes: usize,
    accessor_words: Vec<u32>,
}

#[pymethods]
impl Device {
    #[new]
    fn new(name: &str) -> PyResult<Device> {
        let device = tilewright_metal::Device::named(name).map_err(invalid)?;
        Ok(Device { device, buffers: BTreeMap::new() })
    }

    /// The chip's number in tt-metal's `ARCH`.
    fn arch(&self) -> u32 {
        self.device.architecture().tt_metal_arch
    }

    /// Gives a tensor room; takes and gives JSON.
    fn allocate(&mut self, parts: &str) -> PyResult<String> {
        let parts: TensorDescription = serde_json::from_str(parts).map_err(failed)?;
        let TensorDescription { shape, layout, format, memory, .. } = parts;
        let tensor = DeviceTensor::empty(&mut self.device, shape, layout, format, memory);
        let tensor = tensor.map_err(failed)?;
        let placed = Placed::of(&tensor).map_err(failed)?;
        self.buffers.insert((tensor.buffer.storage, placed.address), tensor.buffer);
        serde_json::to_string(&placed).map_err(invalid)
    }

    /// Takes a tensor's room back.
    fn free(&mut self, address: u32, storage: &str) -> PyResult<()> {
        match self.buffers.remove(&(storage_named(storage)?, address)) {
            Some(buffer) => self.device.free(&buffer).map_err(failed),
            None => Ok(()),
        }
    }

    /// Columns and rows of cores.
    fn grid(&self) -> (u8, u8) {
        let arch = self.device.architecture();
        (arch.grid_columns, arch.grid_rows)
    }

    fn dram_banks(&self) -> u8 {
        self.device.architecture().dram_banks
    }

    fn l1_bytes(&self) -> u32 {
        self.device.architecture().l1_bytes
    }
}

impl Placed {
    fn of(tensor: &DeviceTensor) -> Result<Placed, TensorError> {
        let buffer = &tensor.buffer;
        let paging = Paging::new(&tensor.shape, tensor.layout, tensor.format)?;
        Ok(Placed {
            address: buffer.address_word(),
            page_bytes: buffer.page_bytes,
            aligned_page_bytes: buffer.page_stride,
            pages: buffer.pages,
            bank_bytes: buffer.bank_bytes(),
            bytes: paging.bytes(),
            accessor_words: tensor.accessor_args().words(),
        })
    }
}

fn storage_named(name: &str) -> PyResult<Storage> {
    match name {
        "dram" => Ok(Storage::Dram),
        "l1" => Ok(Storage::L1),
        other => Err(PyValueError::new_err(format!("unknown memory `{other}`"))),
    }
}

/// Bytes that addresses in L1 are multiples of.
#[pyfunction]
pub fn l1_alignment(device: &str) -> PyResult<u32> {
    Ok(Architecture::named(device).map_err(invalid)?.l1_alignment)
}

/// Bytes that addresses in DRAM are multiples of.
#[pyfunction]
pub fn dram_alignment(device: &str) -> PyResult<u32> {
    Ok(Architecture::named(device).map_err(invalid)?.dram_read_alignment)
}

/// Bytes of L1 that buffers may take on each core.
#[pyfunction]
pub fn l1_unreserved_bytes(device: &str) -> PyResult<u32> {
    let arch = Architecture::named(device).map_err(invalid)?;
    Ok(arch.l1_bytes - arch.l1_base)
}

pub fn invalid(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

pub fn failed(error: impl std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
