//! What tiles hold beyond a tensor's values, compared with what a program declares.

use tilewright_check::value::Padded;
use tilewright_metal::{
    Device, DeviceTensor, Layout, OutputPadding, Prepared, Shape, Tensor, TensorDeclaration,
    TensorError,
};

use crate::judgement::Outputs;

/// Tiles a side.
const TILE: usize = 32;

/// Every output whose padding is not as its program declares. Those in `outputs` have been read.
pub(crate) fn padding_faults(
    prepared: &Prepared,
    device: &mut Device,
    outputs: &Outputs,
) -> Result<Vec<Padded>, TensorError> {
    let mut faults = Vec::new();
    for program in &prepared.programs {
        let declared = program.declarations();
        for output in &declared.outputs {
            let input = match output.padding {
                OutputPadding::Free => continue,
                OutputPadding::Zero => None,
                OutputPadding::Unchanged(input) => Some(&declared.inputs[input]),
            };
            faults.extend(fault((device, outputs), output, input)?);
        }
    }
    Ok(faults)
}

fn fault(
    (device, outputs): (&mut Device, &Outputs),
    output: &TensorDeclaration,
    input: Option<&TensorDeclaration>,
) -> Result<Option<Padded>, TensorError> {
    let tensor = &output.tensor;
    if tensor.layout != Layout::Tile || tensor.shape.is_tile_aligned() {
        return Ok(None);
    }
    let got = match outputs.of(tensor) {
        Some(read) => padded(read, tensor)?,
        None => padded(&tensor.to_host(device)?, tensor)?,
    };
    let wanted = match input {
        Some(input) => padded(&input.tensor.to_host(device)?, &input.tensor)?,
        None => vec![0.0; got.len()],
    };
    let is_zero = input.is_none();
    let is_same = |got: f32, wanted: f32| match is_zero {
        true => got == 0.0,
        false => got.to_bits() == wanted.to_bits(),
    };
    let mut wrong =
        places(&tensor.shape).filter(|(index, _)| !is_same(got[*index], wanted[*index]));
    let Some((index, (row, column))) = wrong.next() else { return Ok(None) };
    let tile_of = |(row, column): (usize, usize)| (row / TILE, column / TILE);
    let mut tiles = std::collections::BTreeSet::from([tile_of((row, column))]);
    let mut count = 1;
    for (_, place) in wrong {
        count += 1;
        tiles.insert(tile_of(place));
    }
    Ok(Some(Padded {
        output: output.name.clone(),
        shape: tensor.shape,
        input: input.map(|input| input.name.clone()),
        declared: output.site,
        tile: tile_of((row, column)),
        place: (row % TILE, column % TILE),
        wanted: wanted[index],
        got: got[index],
        places: count,
        tiles: tiles.len(),
    }))
}

/// The values of whole tiles of a tensor that was read, row by row.
fn padded(whole: &Tensor, tensor: &DeviceTensor) -> Result<Vec<f32>, TensorError> {
    let shape = &tensor.shape;
    let shape = shape.with_matrix(shape.padded_height(), shape.padded_width());
    let shape = shape.expect("a tensor of whole tiles is on the device");
    let bytes = whole.bytes().to_vec();
    Ok(Tensor::from_bytes(shape, Layout::Tile, tensor.format, bytes)?.to_f32())
}

/// The places beyond the values: the index among those of whole tiles, and the row, counted through
/// all matrices, and the column.
fn places(shape: &Shape) -> impl Iterator<Item = (usize, (usize, usize))> {
    let (height, width) = (shape.height(), shape.width());
    let (padded_height, padded_width) = (shape.padded_height(), shape.padded_width());
    let rows = shape.matrices() * padded_height;
    (0..rows).flat_map(move |row| {
        let first = if row % padded_height < height { width } else { 0 };
        (first..padded_width).map(move |column| (row * padded_width + column, (row, column)))
    })
}
