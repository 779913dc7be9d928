//! Devices of a mesh and the buffers on them.
//!
//! A host program says of a buffer how large its pages are and not what they mean: it is described
//! as rows of integers, one for each page, or as tiles if it is sharded.

use std::collections::BTreeMap;

use serde_json::json;
use tilewright_metal::{
    Architecture, CoreCoord, Device, DeviceTensor, L1Address, Layout, MemoryConfig, RuntimeWords,
    Shape, Site, Storage, TensorAccessorArgs, TensorDescription, TensorRole, intern,
};
use tilewright_tile::{DataFormat, Integer, TILE_SIDE};

use crate::message::{Allocate, Line, Shards};

/// Devices that a program may ask for.
const DEVICES_MAX: usize = 64;

/// Devices that are driven together. Buffers have the same address on all of them.
pub(crate) struct Mesh {
    pub(crate) devices: Vec<Device>,
}

impl Mesh {
    pub(crate) fn new(arch: &Architecture, devices: usize) -> Result<Mesh, String> {
        if devices == 0 || devices > DEVICES_MAX {
            return Err(format!("a mesh of {devices} devices; it may have 1 to {DEVICES_MAX}"));
        }
        Ok(Mesh { devices: (0..devices).map(|_| Device::new(arch.clone())).collect() })
    }
}

/// A buffer of a mesh.
pub(crate) struct HostBuffer {
    pub(crate) mesh: u64,
    pub(crate) name: String,
    pub(crate) tensor: DeviceTensor,
    /// Which devices hold something in it.
    pub(crate) filled: Vec<bool>,
    /// Whether a launch may have written what it holds.
    pub(crate) is_result: bool,
    pub(crate) site: Site,
}

impl HostBuffer {
    /// Takes the memory on every device of a mesh.
    pub(crate) fn allocate(
        mesh: &mut Mesh,
        asked: &Allocate,
        name: String,
    ) -> Result<HostBuffer, String> {
        let page_bytes = u32::try_from(asked.page_bytes).map_err(|_| "pages of 4 GiB or more")?;
        let storage = if asked.is_l1 { Storage::L1 } else { Storage::Dram };
        let (form, memory) = match &asked.shards {
            None => {
                let pages = asked.bytes / u64::from(page_bytes);
                (Form::rows(page_bytes, pages as usize), MemoryConfig::from(storage))
            }
            Some(shards) => sharded(shards, storage, page_bytes)?,
        };
        let Form { format, layout, sizes } = form;
        let shape = Shape::new(&sizes).map_err(|error| error.to_string())?;
        let mut made = None;
        for device in &mut mesh.devices {
            let tensor = DeviceTensor::empty(device, shape, layout, format, memory.clone());
            made = Some(tensor.map_err(|error| error.to_string())?);
        }
        Ok(HostBuffer {
            mesh: asked.mesh,
            name,
            tensor: made.ok_or("a mesh without devices")?,
            filled: vec![false; mesh.devices.len()],
            is_result: false,
            site: site(&asked.site),
        })
    }

    /// Its pages are the values of a tensor: what is outside of its shape is padding.
    pub(crate) fn mean(
        &mut self,
        shape: &[usize],
        format: &str,
        is_tiled: bool,
    ) -> Result<(), String> {
        let format = DataFormat::from_name(format).map_err(|error| error.to_string())?;
        let shape = Shape::new(shape).map_err(|error| error.to_string())?;
        let layout = if is_tiled { Layout::Tile } else { Layout::RowMajor };
        self.tensor = DeviceTensor { shape, layout, format, ..self.tensor };
        Ok(())
    }

    pub(crate) fn address(&self) -> u32 {
        self.tensor.buffer.address_word()
    }

    /// What a program is told of it.
    pub(crate) fn description(&self, role: TensorRole, device: usize) -> TensorDescription {
        TensorDescription {
            inferred: role == TensorRole::Output && !self.filled[device],
            site: self.site,
            ..TensorDescription::new(&self.name, role, &self.tensor)
        }
    }

    /// Its role in a launch: what holds something is read; what holds nothing and is named by the
    /// program's arguments is made. A place in L1 that all cores share is neither.
    pub(crate) fn role(&self, device: usize, is_named: bool) -> TensorRole {
        let buffer = &self.tensor.buffer;
        let is_shared = buffer.storage == Storage::L1 && buffer.sharding().is_none();
        match (self.filled[device], is_named && !is_shared) {
            (true, _) => TensorRole::Input,
            (false, true) => TensorRole::Output,
            (false, false) => TensorRole::Other,
        }
    }

    /// The words of its accessor, how many are compile-time arguments first.
    pub(crate) fn accessor_words(&self, runtime: u32) -> Vec<u64> {
        let groups = [
            (1 << 2, RuntimeWords::RANK),
            (1 << 3, RuntimeWords::BANKS),
            (1 << 4, RuntimeWords::TENSOR_SHAPE),
            (1 << 5, RuntimeWords::SHARD_SHAPE),
            (1 << 6, RuntimeWords::BANK_COORDINATES),
        ];
        let asked = groups.into_iter().filter(|(bit, _)| runtime & bit != 0);
        let asked = asked.fold(RuntimeWords::default(), |all, (_, group)| all.and(group));
        let args = TensorAccessorArgs::with_runtime(&self.tensor.buffer, asked);
        let (words, common) = (args.words(), args.common_words());
        let count = std::iter::once(words.len() as u64);
        count.chain(words.into_iter().chain(common).map(u64::from)).collect()
    }

    /// Replaces its first bytes on a device.
    pub(crate) fn write(
        &mut self,
        device: usize,
        on: &mut Device,
        bytes: &[u8],
    ) -> Result<(), String> {
        let buffer = &self.tensor.buffer;
        let wrong = |error: tilewright_metal::BufferError| error.to_string();
        if bytes.len() > buffer.bytes() {
            return Err(format!("{} bytes for a buffer of {}", bytes.len(), buffer.bytes()));
        }
        if bytes.len() == buffer.bytes() {
            buffer.write(on, bytes).map_err(wrong)?;
        } else {
            let mut all = buffer.read(on).map_err(wrong)?;
            all[..bytes.len()].copy_from_slice(bytes);
            buffer.write(on, &all).map_err(wrong)?;
        }
        self.filled[device] = true;
        Ok(())
    }

    pub(crate) fn read(&self, on: &mut Device) -> Result<Vec<u8>, String> {
        self.tensor.buffer.read(on).map_err(|error| error.to_string())
    }

    /// Whether bytes of a core's L1 are all its own.
    pub(crate) fn has_in_l1(&self, core: [u8; 2], at: u32, bytes: u64) -> bool {
        let buffer = &self.tensor.buffer;
        let here = match buffer.sharding() {
            Some(_) => buffer.shard_bytes(CoreCoord::new(core[0], core[1])).unwrap_or(0),
            None => buffer.bank_bytes(),
        };
        let (from, end) = (u64::from(at), u64::from(at) + bytes);
        buffer.storage == Storage::L1 && from >= buffer.address && end <= buffer.address + here
    }

    /// Replaces bytes of a core's L1, which are its own.
    pub(crate) fn write_l1(
        &mut self,
        device: usize,
        on: &mut Device,
        (core, at): ([u8; 2], u32),
        bytes: &[u8],
    ) -> Result<(), String> {
        let [x, y] = core;
        let core = on.machine_mut().core_mut(CoreCoord::new(x, y));
        let there = core.and_then(|core| core.l1_mut().get_mut(L1Address(at), bytes.len()));
        there.ok_or_else(|| no_core(x, y))?.copy_from_slice(bytes);
        self.filled[device] = true;
        Ok(())
    }

    /// Bytes of a core's L1, which are its own.
    pub(crate) fn read_l1(
        &self,
        on: &Device,
        (core, at): ([u8; 2], u32),
        bytes: u64,
    ) -> Result<Vec<u8>, String> {
        let [x, y] = core;
        let core = on.machine().core(CoreCoord::new(x, y));
        let there = core.and_then(|core| core.l1().get(L1Address(at), bytes as usize));
        there.map(<[u8]>::to_vec).ok_or_else(|| no_core(x, y))
    }
}

/// All buffers, by the numbers that the host program knows.
pub(crate) type Buffers = BTreeMap<u64, HostBuffer>;

/// What pages are taken for.
struct Form {
    format: DataFormat,
    layout: Layout,
    /// Rows and columns of values.
    sizes: [usize; 2],
}

impl Form {
    /// Rows of integers, one for each page.
    fn rows(page_bytes: u32, pages: usize) -> Form {
        let (integer, bytes) = match page_bytes {
            page if page.is_multiple_of(4) => (Integer::UInt32, 4),
            page if page.is_multiple_of(2) => (Integer::UInt16, 2),
            _ => (Integer::UInt8, 1),
        };
        let (format, layout) = (DataFormat::Integer(integer), Layout::RowMajor);
        Form { format, layout, sizes: [pages, (page_bytes / bytes) as usize] }
    }

    /// Tiles, if pages have the size of one.
    fn tiles(page_bytes: u32, [rows, columns]: [u32; 2]) -> Option<Form> {
        let formats = [DataFormat::Bfloat16, DataFormat::Float32, DataFormat::Bfp8];
        let mut formats = formats.into_iter();
        let format = formats.find(|it| it.tile_bytes() == page_bytes as usize)?;
        let sizes = [rows, columns].map(|pages| pages as usize * TILE_SIDE);
        Some(Form { format, layout: Layout::Tile, sizes })
    }
}

/// Pages that are cut into shards.
fn sharded(
    shards: &Shards,
    storage: Storage,
    page_bytes: u32,
) -> Result<(Form, MemoryConfig), String> {
    let [rows, columns] = shards.tensor;
    let [shard_rows, shard_columns] = shards.shard;
    let (form, shape) = match Form::tiles(page_bytes, shards.tensor) {
        Some(form) => (form, [shard_rows, shard_columns].map(|it| it * TILE_SIDE as u32)),
        // Pages that are parts of rows, each as wide as its shard.
        None if shard_columns == 1 => {
            let mut form = Form::rows(page_bytes, rows as usize);
            let width = form.sizes[1];
            form.sizes[1] = width * columns as usize;
            (form, [shard_rows, width as u32])
        }
        None => {
            return Err(format!(
                "shards of {shard_rows}x{shard_columns} pages of {page_bytes} bytes are not \
                 modelled; pages must be tiles, or as wide as a shard"
            ));
        }
    };
    let spec = json!({
        "memory_layout": shards.layout,
        "grid": shards.core_ranges,
        "shape": shape,
        "orientation": shards.orientation,
    });
    let spec = serde_json::from_value(spec).map_err(|error| error.to_string())?;
    Ok((form, MemoryConfig { storage, shards: Some(spec) }))
}

fn no_core(x: u8, y: u8) -> String {
    format!("there is no core ({x},{y})")
}

/// A line as reports have it.
pub(crate) fn site(line: &Line) -> Site {
    Site::new(intern(&line.file), line.line, 0)
}
