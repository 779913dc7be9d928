//! A call of the vector unit as a reference names it: `clamp_tile(-1, 1)`.
//!
//! The name and the template arguments are those of the kernel; the numbers are its scalars, where
//! a kernel has their bits. Tiles are left out: a reference knows which they are.

use tilewright_metal::nearest;
use tilewright_tile::sfpu::program::{FunctionId, Operands, Rows, VectorState, functions};
use tilewright_tile::sfpu::{self, Binary, Unary};
use tilewright_tile::{Chip, DataFormat, DstWidth, Lanes};

use super::mathematics::{self, Mathematics};
use crate::operation::OpError;

/// A function of the vector unit with the scalars of a call.
#[derive(Clone, Debug)]
pub(super) struct Call {
    name: String,
    action: Action,
    mathematics: Mathematics,
    /// As the kernel gives them, and as numbers.
    patterns: Vec<u32>,
    scalars: Vec<f64>,
}

/// Who computes it.
#[derive(Clone, Copy, Debug)]
enum Action {
    Unary(Unary),
    Binary(Binary),
    Function(FunctionId),
}

impl Call {
    /// Reads a call; `is_approximate` says whether the kernel is compiled in that mode.
    pub(super) fn read(text: &str, is_approximate: bool) -> Result<Call, OpError> {
        let text: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
        let text = text.replace("DataFormat::", "");
        // The same with the bits of its scalar.
        let text = text.replace("fill_tile_bitcast", "fill_tile");
        let (name, arguments) = match text.split_once('(') {
            Some((name, rest)) => (name, rest.strip_suffix(')').ok_or_else(|| unread(&text))?),
            None => (text.as_str(), ""),
        };
        let written: Vec<&str> = arguments.split(',').filter(|it| !it.is_empty()).collect();
        let (name, action) = resolve(name, is_approximate, &written)?;
        let mathematics = mathematics::of(&name).ok_or_else(|| {
            OpError::Invalid(format!(
                "`{name}` has no reference: it is no function of numbers alone"
            ))
        })?;
        let wanted = scalar_names(action);
        if written.len() != wanted.len() {
            let (given, needed) = (written.len(), wanted.join(", "));
            return Err(OpError::Invalid(format!("{name} takes ({needed}), not {given} numbers")));
        }
        let mut call = Call { name, action, mathematics, patterns: vec![], scalars: vec![] };
        for text in written {
            let (pattern, number) = scalar(mathematics, text).ok_or_else(|| unread(text))?;
            call.patterns.push(pattern);
            call.scalars.push(number);
        }
        if let Action::Unary(_) = action {
            let of_scalar = Unary::with_scalar(&call.name).map(|of| of(call.patterns[0]));
            call.action = of_scalar.map_or(action, Action::Unary);
        }
        Ok(call)
    }

    /// How many tiles it takes.
    pub(super) fn tiles(&self) -> usize {
        match self.action {
            Action::Unary(_) => 1,
            Action::Binary(_) => 2,
            Action::Function(id) => id.function().tiles(),
        }
    }

    /// What the kernel calls.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// What the function is of numbers, for an output's format.
    pub(super) fn value(&self, operands: &[f64], to: DataFormat) -> f64 {
        self.mathematics.value(&self.name, operands, &self.scalars, to)
    }

    /// Replaces the first tile by what the vector unit makes of its operands.
    pub(super) fn run(
        &self,
        (chip, width): (Chip, DstWidth),
        tiles: &mut [Lanes],
    ) -> Result<(), String> {
        match self.action {
            Action::Unary(op) => sfpu::unary(chip, op, width, &mut tiles[0]),
            Action::Binary(op) => {
                let x = tiles[0];
                let [out, y] = &mut tiles[..2] else { unreachable!("as many as it takes") };
                sfpu::binary(chip, op, width, &x, y, out);
            }
            Action::Function(id) => {
                let (function, mut state) = (id.function(), VectorState::default());
                if let Some(why) = function.refusal(chip, &state) {
                    return Err(why);
                }
                if function.rows(width) != Rows::Own {
                    return Err(format!(
                        "{} in a Dst of the other width has no reference",
                        self.name
                    ));
                }
                let constants = function.constants(chip, width).map(|it| it.unwrap_or(0));
                let unit = (chip, width);
                let tiles = &mut tiles[..function.tiles()];
                function.run(&mut Operands::new(
                    unit,
                    constants,
                    &self.patterns,
                    tiles,
                    &mut state,
                ))?;
            }
        }
        Ok(())
    }
}

/// Template arguments that choose, as kernels and hosts write them.
const YES: [&str; 3] = ["true", "1", "1u"];
const NO: [&str; 3] = ["false", "0", "0u"];

/// The function that a name with template arguments stands for, under its full name.
fn resolve(
    name: &str,
    is_approximate: bool,
    scalars: &[&str],
) -> Result<(String, Action), OpError> {
    let (base, template) = name.split_once('<').unwrap_or((name, ""));
    let template: Vec<&str> = template.trim_end_matches('>').split(',').collect();
    let is_plain = template.iter().all(|it| YES.contains(it) || NO.contains(it) || it.is_empty());
    let mut chosen = template.iter().filter(|it| !it.is_empty());
    let mut is_chosen = |word: &str, default: bool| match word {
        "APPROX" => is_approximate,
        _ => chosen.next().map_or(default, |it| YES.contains(it)),
    };
    let unary = Unary::from_name(base, &mut is_chosen).filter(|_| is_plain);
    // A variant that is not modelled has an argument more.
    if let Some(unary) = unary.filter(|_| chosen.all(|it| NO.contains(it))) {
        // The reciprocal's variants for the approximate mode have names of their own.
        let legacy = matches!(unary, Unary::Recip { legacy: true });
        let own = format!("{base}<APPROX{}>", if legacy { ",legacy" } else { "" });
        if let Some(id) = FunctionId::from_name(&own).filter(|_| is_approximate) {
            return Ok((own, Action::Function(id)));
        }
        return Ok((base.to_owned(), Action::Unary(unary)));
    }
    if let Some(of_scalar) = Unary::with_scalar(name).filter(|_| scalars.len() == 1) {
        return Ok((name.to_owned(), Action::Unary(of_scalar(0))));
    }
    if let Some(binary) = Binary::from_name(name) {
        return Ok((name.to_owned(), Action::Binary(binary)));
    }
    // tt-metal's defaults of a template: accurate, but for erf.
    let default = if name == "erf_tile" { "<true>" } else { "<false>" };
    for name in [name.to_owned(), format!("{name}{default}")] {
        if let Some(id) = FunctionId::from_name(&name) {
            return Ok((name, Action::Function(id)));
        }
    }
    let variants = functions().iter().filter(|it| it.base_name() == base);
    let variants: Vec<&str> = variants.map(|it| it.name.as_str()).collect();
    if !variants.is_empty() {
        let known = variants.join(", ");
        return Err(OpError::Invalid(format!("unknown function `{name}`; known: {known}")));
    }
    let near = nearest(base, mathematics::rows().map(|row| row.0));
    let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    Err(OpError::Invalid(format!("the vector unit has no `{name}`{hint}")))
}

fn scalar_names(action: Action) -> Vec<String> {
    match action {
        Action::Unary(op) if Unary::with_scalar(op.declared().name).is_some() => {
            vec!["value".to_owned()]
        }
        Action::Unary(_) | Action::Binary(_) => Vec::new(),
        Action::Function(id) => id.function().scalars.clone(),
    }
}

/// A scalar as a kernel passes it, and as a number. Patterns may be written in hexadecimal.
fn scalar(mathematics: Mathematics, text: &str) -> Option<(u32, f64)> {
    let is_whole = mathematics.takes_whole_scalars();
    let pattern = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None if is_whole => {
            let number: i64 = text.parse().ok()?;
            u32::try_from(number).or_else(|_| i32::try_from(number).map(|it| it as u32)).ok()?
        }
        None => text.parse::<f32>().ok()?.to_bits(),
    };
    let number = match (is_whole, text.parse::<i64>()) {
        (true, Ok(number)) => number as f64,
        (true, Err(_)) => f64::from(pattern as i32),
        (false, _) => f64::from(f32::from_bits(pattern)),
    };
    Some((pattern, number))
}

fn unread(text: &str) -> OpError {
    OpError::Invalid(format!("`{text}` is no call such as `relu_tile` or `clamp_tile(-1, 1)`"))
}
