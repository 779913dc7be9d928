//! The lines of golden data as data: cases of single operations, chains and tables.
//!
//! Only what a line says. What its operation means to the machine is in `tile_case` and `chain`.

use std::fmt;

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use tilewright_tile::{Chip, DstWidth};

/// One line.
pub(super) struct Case {
    /// Its name.
    pub(super) id: String,
    /// The chip whose answers it has.
    pub(super) chip: Chip,
    /// What it holds.
    pub(super) kind: Kind,
}

/// What a line holds.
pub(super) enum Kind {
    /// A single operation.
    Tile(Box<TileCase>),
    /// Several operations.
    Chain(Box<ChainCase>),
    /// Single instructions.
    Table(Table),
}

impl Case {
    /// Reads a line. A chain has a `program`, a table has `columns`.
    pub(super) fn read(line: &str) -> serde_json::Result<Case> {
        let value: Value = serde_json::from_str(line)?;
        if value.get("program").is_some() {
            let mut chain: ChainCase = serde_json::from_value(value)?;
            let chip = take_chip(&mut chain.note)?;
            return Ok(Case { id: chain.id.clone(), chip, kind: Kind::Chain(Box::new(chain)) });
        }
        if value.get("columns").is_some() {
            let table: Table = serde_json::from_value(value)?;
            let chip = Chip::default();
            return Ok(Case { id: table.id.clone(), chip, kind: Kind::Table(table) });
        }
        let mut tile: TileCase = serde_json::from_value(value)?;
        let chip = tile.cfg.as_mut().map_or(Ok(Chip::default()), take_chip)?;
        Ok(Case { id: tile.id.clone(), chip, kind: Kind::Tile(Box::new(tile)) })
    }

    /// Every array that the line names, with the field that names it.
    pub(super) fn arrays(&self) -> Vec<(&'static str, &ArrayRef)> {
        fn of<'a>(
            field: &'static str,
            arrays: &'a [ArrayRef],
        ) -> impl Iterator<Item = (&'static str, &'a ArrayRef)> {
            arrays.iter().map(move |array| (field, array))
        }
        match &self.kind {
            Kind::Tile(case) => of("A", &case.a)
                .chain(of("B", &case.b))
                .chain(of("dst_out", &case.dst_out))
                .chain(of("out", &case.out))
                .chain(of("out_init", case.out_init.as_slice()))
                .collect(),
            Kind::Chain(case) => of("A", &case.a)
                .chain(of("B", &case.b))
                .chain(of("out", &case.out))
                .chain(of("out32", &case.out32))
                .collect(),
            Kind::Table(table) => vec![("data", &table.data)],
        }
    }
}

/// Takes the tokens that say where a case comes from out of a text, and returns the chip.
fn take_chip(text: &mut String) -> serde_json::Result<Chip> {
    let mut chip = Chip::default();
    let mut rest = Vec::new();
    for token in text.split_whitespace() {
        match token.split_once('=') {
            Some(("arch", "wormhole")) => chip = Chip::Wormhole,
            Some(("arch", "blackhole")) => chip = Chip::Blackhole,
            Some(("arch", other)) => {
                let why = format!("arch={other} is not known; known: wormhole, blackhole");
                return Err(serde::de::Error::custom(why));
            }
            Some(("wormhole_id" | "differs_from_wormhole", _)) => {}
            Some(_) | None => rest.push(token),
        }
    }
    *text = rest.join(" ");
    Ok(chip)
}

/// The type of an array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Element {
    /// Bytes of block formats.
    U8,
    /// Patterns of bfloat16.
    U16,
    /// Patterns of Float32.
    U32,
}

impl Element {
    pub(super) fn bytes(self) -> usize {
        match self {
            Element::U8 => 1,
            Element::U16 => 2,
            Element::U32 => 4,
        }
    }
}

/// An array in the group's `.bin`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ArrayRef {
    /// The first byte.
    pub(super) off: usize,
    /// How many elements.
    pub(super) n: usize,
    /// Their type.
    pub(super) t: Element,
}

impl ArrayRef {
    /// The byte after the last, if there is such a number.
    pub(super) fn end(&self) -> Option<usize> {
        self.n.checked_mul(self.t.bytes())?.checked_add(self.off)
    }
}

/// The arrays of a group: its whole `.bin`.
pub(super) struct Arrays(pub(super) Vec<u8>);

impl Arrays {
    /// Whether an array lies inside.
    pub(super) fn holds(&self, array: &ArrayRef) -> bool {
        array.end().is_some_and(|end| end <= self.0.len())
    }

    /// The bytes of an array.
    pub(super) fn bytes(&self, array: &ArrayRef) -> &[u8] {
        let end = array.end().expect("a folder is opened only if every array lies inside");
        &self.0[array.off..end]
    }

    /// The elements of an array, each as the low bits of a word.
    pub(super) fn elements(&self, array: &ArrayRef) -> Vec<u32> {
        self.bytes(array).chunks_exact(array.t.bytes()).map(word).collect()
    }
}

/// Little-endian bytes, four at most, as a word.
pub(super) fn word(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))
}

/// The width of Dst as cases spell it.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Dest {
    Bf16,
    Fp32,
}

impl Dest {
    pub(super) fn width(self) -> DstWidth {
        match self {
            Dest::Bf16 => DstWidth::Bits16,
            Dest::Fp32 => DstWidth::Bits32,
        }
    }
}

/// How Dst is shared as chains spell it.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Sync {
    Half,
    Full,
}

/// A single operation. Fields that only some operations have are optional.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TileCase {
    pub(super) id: String,
    pub(super) op: String,
    pub(super) dest: Dest,
    pub(super) in_fmt_a: String,
    pub(super) src_fmt_a: String,
    pub(super) in_fmt_b: String,
    pub(super) src_fmt_b: String,
    pub(super) pack_src: String,
    pub(super) pack_dst: String,
    #[serde(rename = "A")]
    pub(super) a: Vec<ArrayRef>,
    #[serde(rename = "B")]
    pub(super) b: Vec<ArrayRef>,
    pub(super) dst_out: Vec<ArrayRef>,
    pub(super) out: Vec<ArrayRef>,
    pub(super) out_init: Option<ArrayRef>,
    pub(super) fidelity: Option<String>,
    #[serde(default, deserialize_with = "flag")]
    pub(super) unpack_to_dest: bool,
    pub(super) bcast: Option<String>,
    #[serde(default, deserialize_with = "flag")]
    pub(super) acc_to_dest: bool,
    pub(super) n_acc: Option<u32>,
    pub(super) kt: Option<u32>,
    #[serde(default, deserialize_with = "flag")]
    pub(super) transpose_b: bool,
    pub(super) pool: Option<String>,
    pub(super) dim: Option<String>,
    pub(super) cfg: Option<String>,
    pub(super) ew: Option<String>,
    pub(super) reuse: Option<String>,
    pub(super) ct_dim: Option<u32>,
    pub(super) relu_mode: Option<u32>,
    pub(super) relu_threshold: Option<String>,
    #[serde(default)]
    pub(super) note: String,
    /// The family of inputs, for people.
    #[serde(rename = "data", default)]
    _data: IgnoredAny,
    /// What the scaler tile in B was made from.
    #[serde(rename = "scaler", default)]
    _scaler: IgnoredAny,
}

/// Several operations.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChainCase {
    pub(super) id: String,
    pub(super) dest: Dest,
    pub(super) sync: Sync,
    pub(super) fidelity: String,
    pub(super) in_fmt_a: String,
    pub(super) src_fmt_a: String,
    pub(super) in_fmt_b: String,
    pub(super) src_fmt_b: String,
    #[serde(default, deserialize_with = "flag")]
    pub(super) unpack_to_dest_a: bool,
    pub(super) program: Vec<ChainSection>,
    #[serde(rename = "A")]
    pub(super) a: Vec<ArrayRef>,
    #[serde(rename = "B")]
    pub(super) b: Vec<ArrayRef>,
    pub(super) out: Vec<ArrayRef>,
    #[serde(default)]
    pub(super) out32: Vec<ArrayRef>,
    /// What the chain is called, and which combination of settings it has, for people.
    #[serde(rename = "op", default)]
    _op: IgnoredAny,
    #[serde(rename = "config", default)]
    _config: IgnoredAny,
    #[serde(rename = "data", default)]
    _data: IgnoredAny,
    #[serde(default)]
    pub(super) note: String,
}

/// One section of Dst in a chain.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChainSection {
    pub(super) ops: Vec<Vec<Value>>,
    pub(super) pack: Vec<u32>,
    #[serde(rename = "pack_T")]
    pub(super) pack_t: Option<u32>,
}

/// Rows of single instructions: operands, then results.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    pub(super) id: String,
    pub(super) columns: Vec<String>,
    pub(super) rows: usize,
    pub(super) data: ArrayRef,
}

/// Why a case cannot be compared: the field that is to blame, and what is wrong with it.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) field: String,
    pub(super) why: String,
}

impl Refusal {
    pub(super) fn new(field: &str, why: impl fmt::Display) -> Refusal {
        Refusal { field: field.to_owned(), why: why.to_string() }
    }
}

/// 0 or 1.
fn flag<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    match u8::deserialize(from)? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(serde::de::Error::custom(format!("a flag is 0 or 1, not {other}"))),
    }
}
