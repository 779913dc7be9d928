//! Every function on the machine: its result is inside the reference's bound, to the bit where the
//! bound is the hardware's own error; other functions, scalars and operands are not.

use tilewright_metal::{Given, Layout, Shape, Tensor};
use tilewright_ops::Request;
use tilewright_ops::formulas::formulas;
use tilewright_ops::judge::judge;
use tilewright_tile::bound::Approx;
use tilewright_tile::{Chip, DataFormat, DstWidth, Integer};

use super::cases::{Case, all};
use super::machine::{Unit, run};

/// Tiles of each operand.
const TILES: usize = 8;

/// Where operands come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Family {
    /// Any pattern: NaN, infinities and denormals among them.
    Bits,
    /// Numbers that functions are made for: magnitudes from 2^-6 to 2^4, small whole numbers.
    Usual,
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040);
        (self.0 >> 32) as u32
    }
}

/// A value's bytes in a format.
fn value(format: DataFormat, family: Family, random: &mut Random) -> Vec<u8> {
    let bits = random.next();
    let usual = match random.next() % 37 {
        0 => 0,
        _ => bits & 0x807f_ffff | (121 + random.next() % 10) << 23,
    };
    let whole = (bits as i32) >> (random.next() % 32);
    match (format, family) {
        (DataFormat::Bfloat16, Family::Bits) => (bits as u16).to_le_bytes().to_vec(),
        (DataFormat::Bfloat16, Family::Usual) => ((usual >> 16) as u16).to_le_bytes().to_vec(),
        (DataFormat::Float32, Family::Bits) => bits.to_le_bytes().to_vec(),
        (DataFormat::Float32, Family::Usual) => usual.to_le_bytes().to_vec(),
        (DataFormat::Integer(Integer::UInt16), Family::Bits) => {
            (bits as u16).to_le_bytes().to_vec()
        }
        (DataFormat::Integer(Integer::UInt16), Family::Usual) => {
            (bits as u16 % 40).to_le_bytes().to_vec()
        }
        (DataFormat::Integer(Integer::UInt8), _) => vec![bits as u8],
        (_, Family::Bits) => whole.to_le_bytes().to_vec(),
        (DataFormat::Integer(Integer::UInt32), _) => (bits % 9000).to_le_bytes().to_vec(),
        (_, Family::Usual) => ((bits % 18_000) as i32 - 9000).to_le_bytes().to_vec(),
    }
}

fn operand(format: DataFormat, family: Family, seed: u64) -> Tensor {
    operand_of(&[32, 32 * TILES], format, family, seed)
}

/// Values of a family in a tensor of any shape.
pub fn operand_of(shape: &[usize], format: DataFormat, family: Family, seed: u64) -> Tensor {
    let shape = Shape::new(shape).expect("a shape");
    let mut random = Random(seed);
    let values = |_| value(format, family, &mut random);
    let bytes = (0..shape.volume()).flat_map(values).collect();
    Tensor::from_bytes(shape, Layout::RowMajor, format, bytes).expect("as many as it has")
}

/// A call with everything that its result depends on.
pub struct Trial {
    pub case: Case,
    pub unit: Unit,
    pub inputs: Vec<Tensor>,
    pub to: DataFormat,
}

impl Trial {
    /// None if the function is none of this format.
    pub fn new(case: &Case, unit: Unit, float: DataFormat, family: Family) -> Option<Trial> {
        let from = case.from.unwrap_or(float);
        let is_float = !from.is_integer();
        if is_float && from != float || !is_float && unit.is_straight {
            return None;
        }
        // Whole numbers of 32 bits need Dst to have as many; other ones are half as wide.
        let is_wide = unit.width == DstWidth::Bits32;
        if from.is_integer() && from.is_integer32() != is_wide {
            return None;
        }
        let is_block = |format: DataFormat| format.value_bytes().is_none();
        let to = case.to.unwrap_or(from);
        if is_block(from) || is_block(to) || to.is_integer32() && !is_wide {
            return None;
        }
        let format = |at: usize| match at {
            1 if case.base().contains("quant") => DataFormat::Float32,
            _ => from,
        };
        let inputs = (0..case.tiles).map(|at| operand(format(at), family, 7 + at as u64));
        Some(Trial { case: case.clone(), unit, inputs: inputs.collect(), to })
    }

    /// What the reference says, or why there is none.
    fn reference(&self) -> Result<Vec<Approx>, String> {
        let name = ["", "sfpu-unary", "sfpu-binary", "sfpu-ternary"][self.case.tiles];
        let formula = formulas().find(|it| it.name == name).expect("a reference");
        let given: Vec<Given> =
            self.inputs.iter().cloned().map(|tensor| Given { tensor }).collect();
        let format = self.inputs[0].format();
        let mut request = Request::new(*self.inputs[0].shape(), format);
        request.settings.width = self.unit.width;
        request.kernel = self.unit.kernel(self.to);
        let request = request.choose("call", &self.case.call());
        let wanted = formula.exact(&request, given).map_err(|error| error.to_string())?;
        Ok(wanted[0].values.all())
    }

    /// What the machine gives, or what it refuses.
    fn device(&self) -> Result<Vec<f64>, String> {
        run(self.unit, &self.case, &self.inputs, self.to).map(|tensor| tensor.to_f64())
    }
}

const fn unit(chip: Chip, width: DstWidth, is_straight: bool) -> Unit {
    Unit { chip, width, is_straight }
}

/// Both chips, both widths of Dst, both floats, and both ways to a wide Dst.
pub const UNITS: [(Unit, DataFormat); 7] = [
    (unit(Chip::Wormhole, DstWidth::Bits16, false), DataFormat::Bfloat16),
    (unit(Chip::Wormhole, DstWidth::Bits32, false), DataFormat::Float32),
    (unit(Chip::Wormhole, DstWidth::Bits32, true), DataFormat::Float32),
    (unit(Chip::Wormhole, DstWidth::Bits32, false), DataFormat::Bfloat16),
    (unit(Chip::Blackhole, DstWidth::Bits16, false), DataFormat::Bfloat16),
    (unit(Chip::Blackhole, DstWidth::Bits32, true), DataFormat::Float32),
    (unit(Chip::Blackhole, DstWidth::Bits32, false), DataFormat::Float32),
];

#[test]
fn every_function_is_inside_its_bound() {
    let mut trials = 0;
    let mut wrong = Vec::new();
    for case in all() {
        for (unit, float) in UNITS {
            for family in [Family::Bits, Family::Usual] {
                let Some(trial) = Trial::new(&case, unit, float, family) else { continue };
                let what = format!("{} {unit:?} {float} {family:?}", case.call());
                let (reference, device) = match (trial.reference(), trial.device()) {
                    (Ok(reference), Ok(device)) => (reference, device),
                    (Err(_), _) if is_refused(&case, unit) => continue,
                    (reference, device) => {
                        wrong.push(format!("{what}: {:?} {:?}", reference.err(), device.err()));
                        continue;
                    }
                };
                let judged = judge(&device, &reference);
                let is_whole = judged.unjudged == 0;
                trials += 1;
                if !judged.in_bound || !is_whole {
                    let (worst, outside) = (judged.worst, judged.outside.len());
                    wrong.push(format!("{what}: {outside} outside, {worst:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {trials}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(trials > 1500, "{trials} trials");
}

/// What a kernel must not do in place of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mistake {
    /// The next function of the list with other mathematics.
    Neighbour,
    /// The same function with another first scalar.
    Scalar,
    /// The same function of the elements beside those meant.
    Shift,
}

impl Mistake {
    const ALL: [Mistake; 3] = [Mistake::Neighbour, Mistake::Scalar, Mistake::Shift];

    /// A trial with the mistake in it, where there can be one.
    fn of(self, trial: &Trial, cases: &[Case]) -> Option<Trial> {
        let (mut case, mut inputs) = (trial.case.clone(), trial.inputs.clone());
        match self {
            Mistake::Neighbour => {
                let is_like = |it: &&Case| {
                    (it.tiles, it.from, it.to) == (case.tiles, case.from, case.to)
                        && it.base() != case.base()
                };
                let place = cases.iter().position(|it| it.name == case.name)?;
                case = cases[place..].iter().chain(cases).find(is_like)?.clone();
            }
            Mistake::Scalar => {
                let scalar = case.scalars.first_mut()?;
                *scalar = if scalar.contains('.') { "1.125" } else { "5" };
            }
            Mistake::Shift => {
                for input in &mut inputs {
                    let mut bytes = input.bytes().to_vec();
                    bytes.rotate_left(input.format().value_bytes()?);
                    let (shape, layout) = (*input.shape(), input.layout());
                    *input = Tensor::from_bytes(shape, layout, input.format(), bytes).ok()?;
                }
            }
        }
        Some(Trial { case, inputs, unit: trial.unit, to: trial.to })
    }
}

#[test]
fn other_functions_scalars_and_operands_are_outside() {
    let cases = all();
    let mut rejected = [0; Mistake::ALL.len()];
    for case in &cases {
        for (unit, float) in [UNITS[0], UNITS[2], UNITS[1]] {
            let Some(trial) = Trial::new(case, unit, float, Family::Usual) else { continue };
            let (Ok(reference), Ok(right)) = (trial.reference(), trial.device()) else { continue };
            for mistake in Mistake::ALL {
                let Some(wrong) = mistake.of(&trial, &cases) else { continue };
                let Ok(device) = wrong.device() else { continue };
                // A mistake that changes no value is none: constants, classes, limits out of reach.
                if device == right {
                    continue;
                }
                let judged = judge(&device, &reference);
                let what = format!("{} for {} {unit:?}", wrong.case.call(), case.call());
                assert!(!judged.in_bound, "{mistake:?}: {what}");
                rejected[mistake as usize] += 1;
            }
        }
    }
    assert!(rejected[0] > 400 && rejected[1] > 80 && rejected[2] > 400, "{rejected:?}");
}

/// Functions that have evidence for one chip only, and those whose loads and stores have another
/// width than Dst.
fn is_refused(case: &Case, unit: Unit) -> bool {
    match case.name.as_str() {
        "softcap_tile" => unit.chip == Chip::Wormhole,
        "copy_dest_values<Float16_b>" | "where_tile<Float16_b>" => unit.width == DstWidth::Bits32,
        // The packer has no such conversion from a 16-bit Dst.
        "typecast_tile<Float16_b,UInt8>" | "typecast_tile<UInt16,UInt8>" => {
            unit.width == DstWidth::Bits16
        }
        _ => false,
    }
}
