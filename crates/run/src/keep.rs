//! Tensors and circular buffers that an outcome holds.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use tilewright_metal::{
    CoreCoord, Device, DeviceTensor, Layout, Prepared, Program, Shape, Tensor, nearest,
};
use tilewright_tile::DataFormat;

use crate::record::Failure;
use crate::request::{Request, Subject};

/// The name of a tensor, or of a circular buffer and a core: `y`, `cb_out` or `cb_out@3,0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keep {
    /// The name.
    pub name: String,
    /// The core of a circular buffer; its first core unless given.
    pub core: Option<CoreCoord>,
}

/// What was kept.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Its name.
    pub name: String,
    /// Its values. Pages of a circular buffer are the matrices of the shape `PAGESx32x32`.
    pub tensor: Tensor,
}

impl Keep {
    /// A tensor by its name.
    pub fn tensor(name: &str) -> Keep {
        Keep { name: name.to_owned(), core: None }
    }
}

impl FromStr for Keep {
    type Err = String;

    fn from_str(text: &str) -> Result<Keep, String> {
        let Some((name, core)) = text.split_once('@') else { return Ok(Keep::tensor(text)) };
        let numbers =
            core.split_once(',').and_then(|(x, y)| Some((x.parse().ok()?, y.parse().ok()?)));
        let (x, y) = numbers.ok_or_else(|| format!("`{core}` is not a core; write it as X,Y"))?;
        Ok(Keep { name: name.to_owned(), core: Some(CoreCoord::new(x, y)) })
    }
}

/// A tensor or a ring of pages on a device.
enum Place<'a> {
    Tensor(&'a DeviceTensor),
    Ring(&'a Program, CoreCoord),
}

/// What a request wants kept of programs that are about to run.
pub(crate) fn of(asked: &Request, prepared: &Prepared) -> Vec<Keep> {
    let mut keep = asked.keep.clone();
    if asked.keeps_outputs {
        let judged = prepared.outputs.iter().map(|output| output.name);
        let others = prepared.uncompared().into_iter().map(|output| output.name.as_str());
        keep.extend(judged.chain(others).map(Keep::tensor));
    }
    keep
}

/// Refuses names that the programs do not have, before they run.
pub(crate) fn check(keep: &[Keep], prepared: &Prepared) -> Result<(), Failure> {
    keep.iter().try_for_each(|keep| find(keep, prepared).map(drop))
}

/// Reads what is to be kept from a device.
pub(crate) fn read(
    keep: &[Keep],
    prepared: &Prepared,
    device: &mut Device,
) -> Result<Vec<Kept>, Failure> {
    let read = |keep: &Keep| {
        let wrong = |error: &dyn std::fmt::Display| {
            Failure::new(format!("`{}` cannot be read: {error}", keep.name))
        };
        let tensor = match find(keep, prepared)? {
            Place::Tensor(tensor) => tensor.to_host(device).map_err(|error| wrong(&error))?,
            Place::Ring(program, core) => {
                pages(program, core, &keep.name, device).map_err(|error| wrong(&error))?
            }
        };
        Ok(Kept { name: keep.name.clone(), tensor })
    };
    keep.iter().map(read).collect()
}

/// The tensors of a described program that no longer hold what it was launched with, if they are
/// asked for.
pub(crate) fn changed(
    asked: &Request,
    prepared: &Prepared,
    device: &mut Device,
) -> Result<Vec<Kept>, Failure> {
    let described = match &asked.subject {
        Subject::Described(described) if asked.keeps_changed => described,
        Subject::Described(_) | Subject::Named(_) | Subject::Own(_) => return Ok(Vec::new()),
    };
    let tensors = described.description.tensors.iter();
    let all: Vec<Keep> = tensors.map(|tensor| Keep::tensor(&tensor.name)).collect();
    let mut kept = read(&all, prepared, device)?;
    kept.retain(|it| {
        let before = described.contents.get(&it.name);
        before.is_none_or(|before| before.as_slice() != it.tensor.bytes())
    });
    Ok(kept)
}

/// The tensor with a name, or else the circular buffer, in the last program that has it.
fn find<'a>(keep: &Keep, prepared: &'a Prepared) -> Result<Place<'a>, Failure> {
    let tensors = || {
        let all = prepared.programs.iter().map(Program::declarations);
        all.flat_map(|it| it.inputs.iter().chain(&it.outputs).chain(&it.others))
    };
    if let Some(tensor) = tensors().find(|it| it.name == keep.name && keep.core.is_none()) {
        return Ok(Place::Tensor(&tensor.tensor));
    }
    let has = |program: &Program, core: CoreCoord| {
        program.placed_buffers(core).iter().any(|it| ring_name(program, it.id.0) == keep.name)
    };
    for program in prepared.programs.iter().rev() {
        let core = match keep.core {
            Some(core) => has(program, core).then_some(core),
            None => program.cores().iter().find(|core| has(program, *core)),
        };
        if let Some(core) = core {
            return Ok(Place::Ring(program, core));
        }
    }
    let rings = prepared.programs.iter().flat_map(|it| it.circular_buffers());
    let rings = rings.flat_map(|it| it.specs.iter().map(|spec| spec.name.as_str()));
    let names: Vec<&str> = tensors().map(|it| it.name.as_str()).chain(rings).collect();
    let on = keep.core.map_or_else(String::new, |core| format!(" on core {core}"));
    let failure = Failure::new(format!("unknown tensor or buffer `{}`{on}", keep.name));
    Err(match nearest(&keep.name, names.iter().copied()).filter(|near| *near != keep.name) {
        Some(near) => failure.help(format!("did you mean `{near}`?")),
        None => failure.help(format!("known: {}", names.join(", "))),
    })
}

fn ring_name(program: &Program, id: u8) -> &str {
    let mut specs = program.circular_buffers().iter().flat_map(|it| &it.specs);
    specs.find(|spec| spec.id == id).map_or("", |spec| &spec.name)
}

/// The pages of a ring as they lie in L1.
fn pages(
    program: &Program,
    core: CoreCoord,
    name: &str,
    device: &Device,
) -> Result<Tensor, Box<dyn std::error::Error>> {
    let placed = program.placed_buffers(core).iter();
    let mut placed = placed.filter(|it| ring_name(program, it.id.0) == name);
    let ring = placed.next().ok_or("it is not on this core")?;
    let core = device.machine().core(core).ok_or("there is no such core")?;
    let bytes = core.l1().get(ring.base, ring.bytes() as usize).ok_or("it is outside L1")?;
    let tile_bytes = ring.format.tile_bytes();
    if bytes.len() % tile_bytes != 0 {
        return Err(format!("its {} bytes are no whole {} tiles", bytes.len(), ring.format).into());
    }
    let shape = Shape::new(&[bytes.len() / tile_bytes, 32, 32])?;
    Ok(Tensor::from_bytes(shape, Layout::Tile, ring.format, bytes.to_vec())?)
}

/// A kept tensor without its bytes.
#[derive(Serialize, Deserialize)]
pub(crate) struct KeptHead {
    name: String,
    shape: Vec<u32>,
    is_tiled: bool,
    format: String,
}

impl Kept {
    pub(crate) fn head(&self) -> KeptHead {
        KeptHead {
            name: self.name.clone(),
            shape: self.tensor.shape().sizes().to_vec(),
            is_tiled: self.tensor.layout() == Layout::Tile,
            format: self.tensor.format().name().to_owned(),
        }
    }
}

impl KeptHead {
    pub(crate) fn with(self, bytes: &[u8]) -> Option<Kept> {
        let sizes: Vec<usize> = self.shape.iter().map(|size| *size as usize).collect();
        let shape = Shape::new(&sizes).ok()?;
        let layout = if self.is_tiled { Layout::Tile } else { Layout::RowMajor };
        let format = DataFormat::from_name(&self.format).ok()?;
        let tensor = Tensor::from_bytes(shape, layout, format, bytes.to_vec()).ok()?;
        Some(Kept { name: self.name, tensor })
    }
}

#[cfg(test)]
mod tests {
    use tilewright_tile::{Integer, Small};

    use super::*;

    #[test]
    fn every_format_crosses_from_a_worker() {
        let small = [Small::Float16, Small::Bfp4, Small::Bfp2].map(DataFormat::Small);
        let integers =
            [Integer::UInt32, Integer::Int32, Integer::UInt16, Integer::UInt8, Integer::Int8];
        let integers = integers.map(DataFormat::Integer);
        for format in DataFormat::ALL.into_iter().chain(small).chain(integers) {
            let (shape, bytes) = (Shape::new(&[32, 32]).expect("a shape"), format.tile_bytes());
            let Ok(tensor) = Tensor::from_bytes(shape, Layout::Tile, format, vec![1; bytes]) else {
                // No tensor of this format exists, so none is kept.
                continue;
            };
            let kept = Kept { name: "y".to_owned(), tensor };
            let again = kept.head().with(kept.tensor.bytes()).expect("the same tensor");
            assert_eq!(again.tensor.format(), format);
        }
    }
}
