//! From a case of a single operation to a script.

use std::collections::BTreeSet;

use tilewright_machine::{ComputeSettings, DstSync, SourceId};
use tilewright_tile::fpu::{Elementwise, Pool, ReduceDim};
use tilewright_tile::sfpu::{Binary, Mask, Unary};
use tilewright_tile::{Broadcast, DataFormat, Fidelity, Relu};

use super::case::{ArrayRef, Arrays, Refusal, TileCase};
use super::function_case::{self, Options};
use super::script::{
    A, B, Buffer, DstStep, ElementwiseStep, ExpectedFormat, OUT, Operand, Packs, Script, Section,
    Side, Step,
};

const FIRST: Operand = Operand { cb: A, tile: 0 };

/// What a case of a single operation does on the machine.
pub(super) fn script(case: &TileCase, arrays: &Arrays) -> Result<Script, Refusal> {
    if let Some(options) = Options::read(case.cfg.as_deref().unwrap_or(""))?
        && let Some(steps) = function_case::steps(case, &options)?
    {
        return function_case::script(case, &options, steps, arrays);
    }
    let sections = vec![section(case)?];
    let tiles = match &sections[0] {
        Section::Dst { .. } => 1,
        Section::Tilize { tiles } | Section::Untilize { tiles } => *tiles,
    };
    let out = format("pack_dst", &case.pack_dst)?;
    let mut buffers = vec![input(A, "A", "in_fmt_a", &case.in_fmt_a, &case.a, arrays)?];
    let mut formats = vec![register("src_fmt_a", A, &case.src_fmt_a)?];
    if !case.b.is_empty() {
        buffers.push(input(B, "B", "in_fmt_b", &case.in_fmt_b, &case.b, arrays)?);
        formats.push(register("src_fmt_b", B, &case.src_fmt_b)?);
    }
    let contents = match &case.out_init {
        Some(array) => contents("out_init", out, std::slice::from_ref(array), arrays)?,
        None => Vec::new(),
    };
    buffers.push(Buffer { id: OUT, format: out, pages: tiles, contents, pushed: 0 });
    let pack_source = format("pack_src", &case.pack_src)?;
    let (field, side) = ("pack_src", Side::PackSource);
    formats.push(ExpectedFormat { field, buffer: OUT, side, format: pack_source });
    Ok(Script {
        settings: ComputeSettings {
            width: case.dest.width(),
            sync: DstSync::Half,
            fidelity: fidelity(case.fidelity.as_deref().unwrap_or("HiFi4"))?,
        },
        bfp8_pack_precise: is_pack_precise(case)?,
        to_dst: case.unpack_to_dest.then_some(A).into_iter().collect(),
        buffers,
        relu: relu(case)?,
        accumulate_in_l1: case.op == "copy_tile+pack_l1_acc",
        sections,
        formats,
    })
}

/// What of Dst a case's operation leaves meaningful, by index in a tile.
pub(super) fn meaningful(case: &TileCase) -> Result<fn(usize) -> bool, Refusal> {
    if !matches!(case.op.as_str(), "reduce_tile" | "reduce_block_max_row") {
        return Ok(|_| true);
    }
    Ok(match reduce_dim(case)? {
        ReduceDim::Row => |place| place / 256 % 2 == 0 && place % 16 == 0,
        ReduceDim::Column => |place| place < 512 && place % 256 < 16,
        ReduceDim::Scalar => |place| place == 0,
    })
}

/// A data format by the name that a field gives.
pub(super) fn format(field: &str, name: &str) -> Result<DataFormat, Refusal> {
    DataFormat::from_name(name).map_err(|error| Refusal::new(field, error))
}

/// A fidelity by its name.
pub(super) fn fidelity(name: &str) -> Result<Fidelity, Refusal> {
    let known = Fidelity::ALL.map(Fidelity::name).join(", ");
    Fidelity::from_name(name)
        .ok_or_else(|| Refusal::new("fidelity", format!("`{name}` is not known; known: {known}")))
}

/// The format that unpacking a buffer is to make.
pub(super) fn register(
    field: &'static str,
    buffer: u8,
    name: &str,
) -> Result<ExpectedFormat, Refusal> {
    Ok(ExpectedFormat { field, buffer, side: Side::Register, format: format(field, name)? })
}

/// A buffer that holds a case's tiles.
pub(super) fn input(
    id: u8,
    field: &str,
    format_field: &str,
    name: &str,
    tiles: &[ArrayRef],
    arrays: &Arrays,
) -> Result<Buffer, Refusal> {
    let format = format(format_field, name)?;
    if tiles.is_empty() {
        return Err(Refusal::new(field, "has no tile; the operation needs one"));
    }
    let contents = contents(field, format, tiles, arrays)?;
    let pages = tiles.len() as u32;
    Ok(Buffer { id, format, pages, contents, pushed: pages })
}

fn contents(
    field: &str,
    format: DataFormat,
    tiles: &[ArrayRef],
    arrays: &Arrays,
) -> Result<Vec<u8>, Refusal> {
    let mut contents = Vec::new();
    for tile in tiles {
        let bytes = arrays.bytes(tile);
        if bytes.len() != format.tile_bytes() {
            let (has, needs) = (bytes.len(), format.tile_bytes());
            let why = format!("a tile has {has} bytes; one of {format} has {needs}");
            return Err(Refusal::new(field, why));
        }
        contents.extend_from_slice(bytes);
    }
    Ok(contents)
}

fn is_pack_precise(case: &TileCase) -> Result<bool, Refusal> {
    match case.note.split_once("bfp8_pack_precise=") {
        // The second set says it by the formats alone.
        None => Ok(case.pack_dst.starts_with("Bfp") && case.pack_src != "Bfp8_b"),
        Some((_, "0")) => Ok(false),
        Some((_, "1")) => Ok(true),
        Some((_, other)) => {
            Err(Refusal::new("note", format!("bfp8_pack_precise is 0 or 1, not `{other}`")))
        }
    }
}

fn relu(case: &TileCase) -> Result<Relu, Refusal> {
    let Some(mode) = case.relu_mode else { return Ok(Relu::Off) };
    let threshold = case.relu_threshold.as_deref().unwrap_or("0x0000");
    let bits = threshold.strip_prefix("0x").and_then(|hex| u16::from_str_radix(hex, 16).ok());
    let bits = bits.ok_or_else(|| {
        Refusal::new("relu_threshold", format!("`{threshold}` is not 16 bits such as 0x3f00"))
    })?;
    match mode {
        0 => Ok(Relu::Off),
        1 => Ok(Relu::Zero),
        2 => Ok(Relu::MinThreshold(bits)),
        3 => Ok(Relu::MaxThreshold(bits)),
        other => Err(Refusal::new("relu_mode", format!("{other} is not known; known: 0 to 3"))),
    }
}

fn section(case: &TileCase) -> Result<Section, Refusal> {
    match case.op.as_str() {
        "tilize" => Ok(Section::Tilize { tiles: block_tiles(case)? }),
        "pack_untilize" => Ok(Section::Untilize { tiles: block_tiles(case)? }),
        _ => {
            let packs = vec![Packs { to: OUT, tiles: vec![0] }];
            Ok(Section::Dst { steps: steps(case)?, packs })
        }
    }
}

fn block_tiles(case: &TileCase) -> Result<u32, Refusal> {
    let tiles = required("ct_dim", case.ct_dim)?;
    if tiles as usize != case.a.len() {
        let has = case.a.len();
        return Err(Refusal::new("ct_dim", format!("is {tiles}, and A has {has} tiles")));
    }
    Ok(tiles)
}

fn required<V>(field: &str, value: Option<V>) -> Result<V, Refusal> {
    value.ok_or_else(|| Refusal::new(field, "is missing; the operation needs it"))
}

/// The steps that leave the result in tile 0 of Dst.
fn steps(case: &TileCase) -> Result<Vec<Step>, Refusal> {
    let copy = |tile, dst| Step::Copy { from: Operand { cb: A, tile }, dst, reconfigure: true };
    match case.op.as_str() {
        "copy_tile" | "copy_tile+pack_relu" | "copy_tile+pack_l1_acc" => Ok(vec![copy(0, 0)]),
        "transpose_wh_tile" => Ok(vec![Step::Transpose { from: FIRST, dst: 0 }]),
        "add_tiles" | "sub_tiles" | "mul_tiles" => elementwise(case),
        "matmul_tiles" => matmul(case),
        "reduce_tile" | "reduce_block_max_row" => reduce(case),
        "binary_reuse_dest_tiles" => Ok(vec![copy(0, 0), reuse(case)?]),
        "mask_tile" => Ok(vec![copy(0, 0), copy(1, 1), masked(Mask::Zero)]),
        "mask_posinf_tile" => Ok(vec![copy(0, 0), copy(1, 1), masked(Mask::PositiveInfinity)]),
        name => {
            if let Some(op) = Binary::from_name(name) {
                let step = DstStep::Binary { op, x: 0, y: 1, out: 0 };
                return Ok(vec![copy(0, 0), copy(1, 1), Step::OnDst(step)]);
            }
            let op = unary(name, case.cfg.as_deref().unwrap_or(""))?;
            Ok(vec![copy(0, 0), Step::OnDst(DstStep::Unary { op, dst: 0 })])
        }
    }
}

fn masked(mask: Mask) -> Step {
    Step::OnDst(DstStep::Mask { mask, dst: 0 })
}

fn elementwise(case: &TileCase) -> Result<Vec<Step>, Refusal> {
    let op = elementwise_op("op", case.op.trim_end_matches("_tiles"))?;
    let broadcast = match case.bcast.as_deref().unwrap_or("none") {
        "none" => Broadcast::None,
        "col" => Broadcast::Column,
        "row" => Broadcast::Row,
        "scalar" => Broadcast::Scalar,
        other => {
            let why = format!("`{other}` is not known; known: none, col, row, scalar");
            return Err(Refusal::new("bcast", why));
        }
    };
    if case.acc_to_dest && broadcast != Broadcast::None {
        return Err(Refusal::new("acc_to_dest", "is 1 with a broadcast, whose init has none"));
    }
    let step = |tile| {
        Step::Elementwise(ElementwiseStep {
            op,
            broadcast,
            accumulate: case.acc_to_dest,
            a: Operand { cb: A, tile },
            b: Operand { cb: B, tile },
            dst: 0,
            reconfigure: true,
        })
    };
    Ok((0..repeats("n_acc", case.n_acc, case)?).map(step).collect())
}

/// How often an operation is repeated, with a tile of A for each time.
fn repeats(field: &str, value: Option<u32>, case: &TileCase) -> Result<u32, Refusal> {
    let times = required(field, value)?;
    if times == 0 || times as usize > case.a.len() {
        let has = case.a.len();
        return Err(Refusal::new(field, format!("is {times}, and A has {has} tiles")));
    }
    Ok(times)
}

/// `add`, `sub` or `mul`.
pub(super) fn elementwise_op(field: &str, name: &str) -> Result<Elementwise, Refusal> {
    match name {
        "add" => Ok(Elementwise::Add),
        "sub" => Ok(Elementwise::Sub),
        "mul" => Ok(Elementwise::Mul),
        other => Err(Refusal::new(field, format!("`{other}` is not known; known: add, sub, mul"))),
    }
}

fn matmul(case: &TileCase) -> Result<Vec<Step>, Refusal> {
    let step = |tile| Step::Matmul {
        in0: Operand { cb: A, tile },
        in1: Operand { cb: B, tile },
        transpose: case.transpose_b,
        dst: 0,
    };
    Ok((0..repeats("kt", case.kt, case)?).map(step).collect())
}

fn reduce(case: &TileCase) -> Result<Vec<Step>, Refusal> {
    let pool = match required("pool", case.pool.as_deref())? {
        "SUM" | "AVG" => Pool::Sum,
        "MAX" if case.op == "reduce_block_max_row" => Pool::BlockMax,
        "MAX" => Pool::Max,
        other => {
            let why = format!("`{other}` is not known; known: SUM, AVG, MAX");
            return Err(Refusal::new("pool", why));
        }
    };
    let dim = reduce_dim(case)?;
    let scaler = Operand { cb: B, tile: 0 };
    let step = |tile| Step::Reduce { pool, dim, data: Operand { cb: A, tile }, scaler, dst: 0 };
    Ok((0..repeats("n_acc", case.n_acc, case)?).map(step).collect())
}

fn reduce_dim(case: &TileCase) -> Result<ReduceDim, Refusal> {
    match required("dim", case.dim.as_deref())? {
        "REDUCE_ROW" => Ok(ReduceDim::Row),
        "REDUCE_COL" => Ok(ReduceDim::Column),
        "REDUCE_SCALAR" => Ok(ReduceDim::Scalar),
        other => {
            let known = "REDUCE_ROW, REDUCE_COL, REDUCE_SCALAR";
            Err(Refusal::new("dim", format!("`{other}` is not known; known: {known}")))
        }
    }
}

fn reuse(case: &TileCase) -> Result<Step, Refusal> {
    let op = elementwise_op("ew", required("ew", case.ew.as_deref())?)?;
    let dest_to = match required("reuse", case.reuse.as_deref())? {
        "DEST_TO_SRCA" => SourceId::A,
        "DEST_TO_SRCB" => SourceId::B,
        other => {
            let why = format!("`{other}` is not known; known: DEST_TO_SRCA, DEST_TO_SRCB");
            return Err(Refusal::new("reuse", why));
        }
    };
    Ok(Step::Reuse { op, dest_to, from: Operand { cb: A, tile: 1 }, dst: 0 })
}

/// The variant of a function of one tile that a case spells out in `cfg`.
fn unary(name: &str, cfg: &str) -> Result<Unary, Refusal> {
    let mut options = Flags::read(cfg)?;
    let op = Unary::from_name(name, |words, _| options.take(words));
    let op = op.ok_or_else(|| {
        let why = format!("operation `{name}` is not known; see tests/golden/README.md");
        Refusal::new("op", why)
    })?;
    options.finish(name)?;
    Ok(op)
}

/// The options of `cfg` that are on.
struct Flags<'a>(BTreeSet<&'a str>);

impl<'a> Flags<'a> {
    fn read(cfg: &'a str) -> Result<Flags<'a>, Refusal> {
        let mut on = BTreeSet::new();
        for word in cfg.split_whitespace() {
            match word.split_once('=') {
                None => on.insert(word),
                Some((name, "1")) => on.insert(name),
                Some((_, "0")) => false,
                Some((name, value)) => {
                    let why = format!("option `{name}` is 0 or 1, not `{value}`");
                    return Err(Refusal::new("cfg", why));
                }
            };
        }
        Ok(Flags(on))
    }

    /// Whether all of these words are on; then they are taken.
    fn take(&mut self, words: &str) -> bool {
        let is_on = words.split(' ').all(|word| self.0.contains(word));
        self.0.retain(|on| !is_on || !words.split(' ').any(|word| word == *on));
        is_on
    }

    /// Refuses what nobody took.
    fn finish(self, op: &str) -> Result<(), Refusal> {
        match self.0.first() {
            None => Ok(()),
            Some(left) => {
                Err(Refusal::new("cfg", format!("option `{left}` of `{op}` is not modelled")))
            }
        }
    }
}
