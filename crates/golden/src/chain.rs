//! From a chain of operations to a script.

use serde_json::Value;
use tilewright_machine::{ComputeSettings, DstSync, SourceId};
use tilewright_tile::sfpu::{Binary, Mask, Unary};
use tilewright_tile::{Broadcast, DataFormat, DstWidth, Relu};

use super::case::{Arrays, ChainCase, ChainSection, Refusal, Sync};
use super::script::{
    A, B, Buffer, DstStep, ElementwiseStep, OUT, OUT32, Operand, Packs, Script, Section, Step, T,
};
use super::tile_case::{elementwise_op, fidelity, input, register};

/// What a chain does on the machine.
pub(super) fn script(case: &ChainCase, arrays: &Arrays) -> Result<Script, Refusal> {
    let width = case.dest.width();
    let packed: usize = case.program.iter().map(|section| section.pack.len()).sum();
    let spared = case.program.iter().filter(|section| section.pack_t.is_some()).count();
    let mut buffers = vec![
        input(A, "A", "in_fmt_a", &case.in_fmt_a, &case.a, arrays)?,
        input(B, "B", "in_fmt_b", &case.in_fmt_b, &case.b, arrays)?,
        empty(T, DataFormat::Float32, spared),
        empty(OUT, DataFormat::Bfloat16, packed),
    ];
    if width == DstWidth::Bits32 {
        buffers.push(empty(OUT32, DataFormat::Float32, packed));
    }
    let mut pages_of_t = 0;
    let mut sections = Vec::new();
    for section in &case.program {
        sections.push(self::section(section, width, pages_of_t)?);
        pages_of_t += u32::from(section.pack_t.is_some());
    }
    let sync = match case.sync {
        Sync::Half => DstSync::Half,
        Sync::Full => DstSync::Full,
    };
    Ok(Script {
        settings: ComputeSettings { width, sync, fidelity: fidelity(&case.fidelity)? },
        bfp8_pack_precise: false,
        to_dst: case.unpack_to_dest_a.then_some(A).into_iter().collect(),
        buffers,
        relu: Relu::Off,
        accumulate_in_l1: false,
        sections,
        formats: vec![
            register("src_fmt_a", A, &case.src_fmt_a)?,
            register("src_fmt_b", B, &case.src_fmt_b)?,
        ],
    })
}

/// A buffer that the chain fills, of at least one page because a ring has one.
fn empty(id: u8, format: DataFormat, pages: usize) -> Buffer {
    Buffer { id, format, pages: pages.max(1) as u32, contents: Vec::new(), pushed: 0 }
}

/// One section; `pages_of_t` pages of T were packed by the sections before it.
fn section(case: &ChainSection, width: DstWidth, pages_of_t: u32) -> Result<Section, Refusal> {
    let mut steps = Vec::new();
    if pages_of_t > 0 {
        steps.push(Step::Wait { cb: T, pages: pages_of_t });
    }
    for words in &case.ops {
        steps.push(step(words)?);
    }
    let mut packs = vec![Packs { to: OUT, tiles: case.pack.clone() }];
    if width == DstWidth::Bits32 {
        packs.push(Packs { to: OUT32, tiles: case.pack.clone() });
    }
    if let Some(tile) = case.pack_t {
        packs.push(Packs { to: T, tiles: vec![tile] });
    }
    Ok(Section::Dst { steps, packs })
}

fn step(words: &[Value]) -> Result<Step, Refusal> {
    let mut words = Words::new(words)?;
    let name = words.name;
    let step = step_named(name, &mut words)?;
    match step {
        Some(step) => words.finish(step),
        None => {
            let why = format!("operation `{name}` is not known; see tests/golden/README.md");
            Err(Refusal::new("program", why))
        }
    }
}

fn step_named(name: &str, words: &mut Words<'_>) -> Result<Option<Step>, Refusal> {
    let (plain, reconfigure) = match name.strip_suffix("_noreconfig") {
        Some(plain) => (plain, false),
        None => (name, true),
    };
    let step = match plain {
        "copy_tile" => Step::Copy { from: words.operand()?, dst: words.number()?, reconfigure },
        _ if plain.contains("_tiles") && plain != "matmul_tiles" => {
            return elementwise(plain, reconfigure, words);
        }
        _ if !reconfigure => return Ok(None),
        "transpose_tile" => Step::Transpose { from: words.operand()?, dst: words.number()? },
        "matmul_tiles" => {
            let (in0, in1, dst) = (words.operand()?, words.operand()?, words.number()?);
            Step::Matmul { in0, in1, transpose: words.flag()?, dst }
        }
        "unary_bcast_row" => unary_bcast(Broadcast::Row, words)?,
        "unary_bcast_col" => unary_bcast(Broadcast::Column, words)?,
        "unary_bcast_scalar" => unary_bcast(Broadcast::Scalar, words)?,
        _ => match plain.split_once("_reuse_dest_") {
            Some((op, register)) => return reuse(op, register, words),
            None => return Ok(on_dst(plain, words)?.map(Step::OnDst)),
        },
    };
    Ok(Some(step))
}

fn unary_bcast(broadcast: Broadcast, words: &mut Words<'_>) -> Result<Step, Refusal> {
    Ok(Step::Broadcast { broadcast, from: words.operand()?, dst: words.number()? })
}

/// `add_tiles` and its like, also with `_bcast_`.
fn elementwise(
    name: &str,
    reconfigure: bool,
    words: &mut Words<'_>,
) -> Result<Option<Step>, Refusal> {
    let Some((op, ending)) = name.split_once("_tiles") else { return Ok(None) };
    let broadcast = match ending {
        "" => Broadcast::None,
        "_bcast_cols" => Broadcast::Column,
        "_bcast_rows" => Broadcast::Row,
        "_bcast_scalar" => Broadcast::Scalar,
        _ => return Ok(None),
    };
    let op = elementwise_op("program", op)?;
    let (a, b, dst) = (words.operand()?, words.operand()?, words.number()?);
    let accumulate = broadcast == Broadcast::None && words.has_more() && words.flag()?;
    let step = ElementwiseStep { op, broadcast, accumulate, a, b, dst, reconfigure };
    Ok(Some(Step::Elementwise(step)))
}

fn reuse(op: &str, register: &str, words: &mut Words<'_>) -> Result<Option<Step>, Refusal> {
    let dest_to = match register {
        "SRCA" => SourceId::A,
        "SRCB" => SourceId::B,
        _ => return Ok(None),
    };
    let op = elementwise_op("program", op)?;
    Ok(Some(Step::Reuse { op, dest_to, from: words.operand()?, dst: words.number()? }))
}

/// Operations that need no buffer.
fn on_dst(name: &str, words: &mut Words<'_>) -> Result<Option<DstStep>, Refusal> {
    if let Some(op) = Unary::from_name(name, |_, default| default) {
        return Ok(Some(DstStep::Unary { op, dst: words.number()? }));
    }
    if let Some(of) = Unary::with_scalar(name.trim_end_matches("_bitcast")) {
        let (dst, bits) = (words.number()?, words.bits()?);
        return Ok(Some(DstStep::Unary { op: of(bits), dst }));
    }
    if let Some(op) = Binary::from_name(name) {
        let (x, y, out) = (words.number()?, words.number()?, words.number()?);
        return Ok(Some(DstStep::Binary { op, x, y, out }));
    }
    Ok(Some(match name {
        "mask_tile" => DstStep::Mask { mask: Mask::Zero, dst: words.number()? },
        "copy_dest_values" => DstStep::CopyDstValues { from: words.number()?, to: words.number()? },
        "transpose_dest" => DstStep::TransposeDst { dst: words.number()? },
        _ => return Ok(None),
    }))
}

/// An operation's name and the arguments that have not been read yet.
struct Words<'a> {
    name: &'a str,
    all: &'a [Value],
    next: usize,
}

impl<'a> Words<'a> {
    fn new(all: &'a [Value]) -> Result<Words<'a>, Refusal> {
        match all.first() {
            Some(Value::String(name)) => Ok(Words { name, all, next: 1 }),
            Some(_) | None => {
                Err(Refusal::new("program", "an operation begins with its name, a string"))
            }
        }
    }

    fn has_more(&self) -> bool {
        self.next < self.all.len()
    }

    /// The next argument, if it is what the operation needs there.
    fn take<V>(&mut self, needs: &str, read: impl Fn(&Value) -> Option<V>) -> Result<V, Refusal> {
        let place = self.next;
        self.next += 1;
        let given = self.all.get(place);
        given.and_then(read).ok_or_else(|| {
            let given = given.map_or_else(|| "nothing".to_owned(), Value::to_string);
            let why = format!("`{}` needs {needs} as argument {place}, not {given}", self.name);
            Refusal::new("program", why)
        })
    }

    fn operand(&mut self) -> Result<Operand, Refusal> {
        let cb =
            self.take("a buffer (\"A\", \"B\" or \"T\")", |value| match value.as_str()? {
                "A" => Some(A),
                "B" => Some(B),
                "T" => Some(T),
                _ => None,
            })?;
        Ok(Operand { cb, tile: self.number()? })
    }

    fn number(&mut self) -> Result<u32, Refusal> {
        self.take("an index", |value| u32::try_from(value.as_u64()?).ok().filter(|n| *n < 1024))
    }

    fn flag(&mut self) -> Result<bool, Refusal> {
        self.take("0 or 1", |value| match value.as_u64()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        })
    }

    fn bits(&mut self) -> Result<u32, Refusal> {
        self.take("bits such as \"0x3f800000\"", |value| {
            u32::from_str_radix(value.as_str()?.strip_prefix("0x")?, 16).ok()
        })
    }

    /// The step, if the operation has no further argument.
    fn finish(&self, step: Step) -> Result<Step, Refusal> {
        if self.has_more() {
            let (needs, has) = (self.next - 1, self.all.len() - 1);
            let why = format!("`{}` has {has} arguments; it takes {needs}", self.name);
            return Err(Refusal::new("program", why));
        }
        Ok(step)
    }
}
