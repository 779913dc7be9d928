//! From a case of the second golden set to a script: functions of the vector unit on any number of
//! operands, each in a buffer of its own, and results in one buffer each.

use tilewright_machine::{ComputeSettings, DstSync};
use tilewright_tile::sfpu::program::FunctionId;
use tilewright_tile::{DataFormat, Fidelity, Relu};

use super::case::{ArrayRef, Arrays, Refusal, TileCase};
use super::script::{
    A, Buffer, DstStep, ExpectedFormat, OUT, Operand, Packs, Script, Section, Side, Step,
};
use super::sequence_case;
use super::tile_case::{format, input};

/// Most operands, and most results, of a case.
const MOST_TILES: usize = 4;

/// The options of `cfg`, as tokens `key=value`.
#[derive(Default)]
pub(super) struct Options<'a> {
    template: Option<&'a str>,
    cast: [Option<&'a str>; 2],
    pub(super) scalars: Vec<u32>,
    in_formats: Vec<&'a str>,
    out_formats: Vec<&'a str>,
    /// The Dst tile of each result.
    out_dst: Vec<u32>,
    pub(super) program: Option<&'a str>,
}

impl<'a> Options<'a> {
    /// Reads the tokens; none for a case of the first set, whose options are other ones.
    pub(super) fn read(cfg: &'a str) -> Result<Option<Options<'a>>, Refusal> {
        let mut options = Options::default();
        for token in cfg.split_whitespace() {
            let Some((key, value)) = token.split_once('=') else { return Ok(None) };
            let list = || value.split(',').collect::<Vec<_>>();
            match key {
                "template" => options.template = Some(value),
                "IN" => options.cast[0] = Some(value),
                "OUT" => options.cast[1] = Some(value),
                "scalars" => options.scalars = words(&list())?,
                "in_fmts" => options.in_formats = list(),
                "out_fmts" => options.out_formats = list(),
                "out_dst" => options.out_dst = words(&list())?,
                "program" => options.program = Some(value),
                _ => return Ok(None),
            }
        }
        Ok(Some(options))
    }

    /// The name of a function with the template arguments that choose it.
    fn name(&self, op: &str) -> String {
        match (self.cast, self.template) {
            ([Some(from), Some(to)], _) => format!("{op}<{from},{to}>"),
            (_, Some(template)) => format!("{op}<{template}>"),
            (_, None) => op.to_owned(),
        }
    }
}

fn words(list: &[&str]) -> Result<Vec<u32>, Refusal> {
    let word = |text: &str| match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    };
    let words = list.iter().map(|text| {
        word(text).ok_or_else(|| Refusal::new("cfg", format!("`{text}` is not a 32-bit word")))
    });
    words.collect()
}

/// The steps of a case, if its operation is one of the second set's.
pub(super) fn steps(case: &TileCase, options: &Options<'_>) -> Result<Option<Vec<Step>>, Refusal> {
    if let Some(steps) = sequence_case::steps(case, options)? {
        return Ok(Some(steps));
    }
    let Some(function) = FunctionId::from_name(&options.name(&case.op)) else { return Ok(None) };
    let wanted = function.function().scalars.len();
    if options.scalars.len() != wanted {
        let why = format!("has {} scalars; `{}` takes {wanted}", options.scalars.len(), case.op);
        return Err(Refusal::new("cfg", why));
    }
    let mut steps = copies(case, options);
    let scalars = options.scalars.clone();
    let tiles = (0..case.a.len() as u32).collect();
    steps.push(Step::OnDst(DstStep::Function { function, tiles, out: 0, scalars }));
    Ok(Some(steps))
}

/// Operand i goes to tile i of Dst.
pub(super) fn copies(case: &TileCase, options: &Options<'_>) -> Vec<Step> {
    let operand = |place: usize| match options.in_formats.is_empty() {
        true => Operand { cb: A, tile: place as u32 },
        false => Operand { cb: place as u8, tile: 0 },
    };
    let copy = |place| Step::Copy { from: operand(place), dst: place as u32, reconfigure: true };
    (0..case.a.len()).map(copy).collect()
}

/// What a case does on the machine.
pub(super) fn script(
    case: &TileCase,
    options: &Options<'_>,
    steps: Vec<Step>,
    arrays: &Arrays,
) -> Result<Script, Refusal> {
    if case.a.len() > MOST_TILES || case.out.len() > MOST_TILES {
        return Err(Refusal::new("A", format!("has more than {MOST_TILES} tiles")));
    }
    let mut buffers = inputs(case, options, arrays)?;
    let mut formats: Vec<ExpectedFormat> = Vec::new();
    if options.in_formats.is_empty() {
        formats.push(super::tile_case::register("src_fmt_a", A, &case.src_fmt_a)?);
    }
    let to_dst = match case.unpack_to_dest {
        true => buffers.iter().map(|buffer| buffer.id).collect(),
        false => Vec::new(),
    };
    let mut packs = Vec::new();
    for (place, output) in out_formats(case, options)?.into_iter().enumerate() {
        let id = OUT + place as u8;
        buffers.push(Buffer { id, format: output, pages: 1, contents: Vec::new(), pushed: 0 });
        let dst = options.out_dst.get(place).copied().unwrap_or(place as u32);
        packs.push(Packs { to: id, tiles: vec![dst] });
    }
    let (field, side) = ("pack_src", Side::PackSource);
    let pack_source = format(field, &case.pack_src)?;
    formats.push(ExpectedFormat { field, buffer: OUT, side, format: pack_source });
    Ok(Script {
        settings: ComputeSettings {
            width: case.dest.width(),
            sync: DstSync::Half,
            fidelity: Fidelity::HiFi4,
        },
        bfp8_pack_precise: false,
        to_dst,
        buffers,
        relu: Relu::Off,
        accumulate_in_l1: false,
        sections: vec![Section::Dst { steps, packs }],
        formats,
    })
}

/// One buffer for all operands, or one for each if their formats differ.
fn inputs(case: &TileCase, options: &Options<'_>, arrays: &Arrays) -> Result<Vec<Buffer>, Refusal> {
    if options.in_formats.is_empty() {
        return Ok(vec![input(A, "A", "in_fmt_a", &case.in_fmt_a, &case.a, arrays)?]);
    }
    if options.in_formats.len() != case.a.len() {
        return Err(Refusal::new("cfg", "in_fmts does not name one format for each tile of A"));
    }
    let operands = options.in_formats.iter().zip(&case.a).enumerate();
    let buffer = |(place, (name, tile)): (usize, (&&str, &ArrayRef))| {
        input(place as u8, "A", "cfg", name, std::slice::from_ref(tile), arrays)
    };
    operands.map(buffer).collect()
}

fn out_formats(case: &TileCase, options: &Options<'_>) -> Result<Vec<DataFormat>, Refusal> {
    if options.out_formats.is_empty() {
        return Ok(vec![format("pack_dst", &case.pack_dst)?; case.out.len()]);
    }
    options.out_formats.iter().map(|name| format("cfg", name)).collect()
}
