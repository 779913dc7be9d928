//! One, two or three tensors, element by element.

use tilewright_metal::{Layout, Shape, Tensor};
use tilewright_tile::DataFormat;
use tilewright_tile::bound::Approx;

use super::call::Call;
use super::unit::{Calls, Unit};
use super::{CALL, INTERMEDIATES, ON};
use crate::operation::{Choice, OpError, Request};
use crate::parallel;
use crate::reference::{Given, Roles, Wanted};

pub(super) const UNARY: Roles = Roles { inputs: &["first"], outputs: &["y"] };
pub(super) const BINARY: Roles = Roles { inputs: &["first", "second"], outputs: &["y"] };
pub(super) const TERNARY: Roles = Roles { inputs: &["first", "second", "third"], outputs: &["y"] };

pub(super) fn exact(request: &Request, given: Vec<Given>) -> Result<Vec<Wanted>, OpError> {
    let kernel = Kernel::new(request, given)?;
    let shape = request.shape;
    let values = Box::new(move || {
        let elements = kernel.elements();
        let bound = |it: &Element| it.bound(kernel.output);
        elements.iter().map(bound).collect()
    });
    Ok(vec![Wanted { name: "y", shape, values }])
}

/// Every element of the output: the function, and what the hardware's own gives.
pub fn elements(request: &Request, given: Vec<Given>) -> Result<Vec<Element>, OpError> {
    Ok(Kernel::new(request, given)?.elements())
}

/// An element of an output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Element {
    /// The function; NaN where it has no value, and for operands that are no numbers.
    pub value: f64,
    /// What the vector unit makes of the operands, packed.
    pub device: f64,
}

impl Element {
    /// Whether the hardware has at least the first digit of the function right.
    pub fn is_near(self) -> bool {
        let error = (self.device - self.value).abs();
        error.is_finite() && error <= self.value.abs() / 2.0
    }

    /// A kernel that makes the same calls is as far from the function as the hardware is, and no
    /// further. The hardware's own result is what must come out where operands, function or
    /// hardware are no numbers, where the hardware has not a single digit of the function right
    /// (beyond the range that a polynomial was made for), and for whole numbers, which do not
    /// round.
    fn bound(self, output: DataFormat) -> Approx {
        match self.is_near() && !output.is_integer() {
            true => Approx::new(self.value, (self.device - self.value).abs()),
            false => Approx::exact(self.device),
        }
    }
}

/// A kernel that calls the vector unit, and its operands in tiles.
struct Kernel {
    unit: Unit,
    calls: Calls,
    inputs: Vec<Tensor>,
    output: DataFormat,
}

impl Kernel {
    /// What has no reference is refused now, not when values are asked for.
    fn new(request: &Request, given: Vec<Given>) -> Result<Kernel, OpError> {
        let calls = calls(request, given.len())?;
        let output = request.kernel.outputs.first().copied().flatten().unwrap_or(request.format);
        let given = given.into_iter().zip(TERNARY.inputs);
        let tiles = given.map(|(given, role)| tiled(given.tensor, role, request.shape));
        let inputs: Vec<Tensor> = tiles.collect::<Result<_, _>>()?;
        let kernel = Kernel { unit: Unit::new(request), calls, inputs, output };
        kernel.tile(|tensor| vec![0; tensor.format().tile_bytes()]).map_err(OpError::Invalid)?;
        Ok(kernel)
    }

    /// One tile of the output, of one tile of each input.
    fn tile<Bytes: AsRef<[u8]>>(&self, of: impl Fn(&Tensor) -> Bytes) -> Result<Vec<u8>, String> {
        let pages: Vec<_> = self.inputs.iter().map(|it| (it.format(), of(it))).collect();
        let pages: Vec<_> = pages.iter().map(|(format, page)| (*format, page.as_ref())).collect();
        self.unit.tile(&self.calls, &pages, self.output)
    }

    fn elements(&self) -> Vec<Element> {
        let shape = *self.inputs[0].shape();
        let device = parallel::concat(shape.tiles(), |tile| {
            let bytes = |tensor: &Tensor| {
                let page = tensor.format().tile_bytes();
                tensor.bytes()[tile * page..][..page].to_vec()
            };
            self.tile(bytes).expect("a tile of zeros went the same way")
        });
        let device = Tensor::from_bytes(shape, Layout::Tile, self.output, device);
        let device = device.expect("whole tiles").to_f64();
        let operands: Vec<Vec<f64>> = self.inputs.iter().map(Tensor::to_f64).collect();
        parallel::map(device.len(), |at| {
            let mut own = [0.0; 3];
            own.iter_mut().zip(&operands).for_each(|(to, from)| *to = flushed(from[at]));
            let value = flushed(self.value(&own[..operands.len()]));
            Element { value, device: device[at] }
        })
    }

    fn value(&self, operands: &[f64]) -> f64 {
        if !operands.iter().all(|operand| operand.is_finite()) {
            return f64::NAN;
        }
        let mut operands = operands.to_vec();
        for (operand, first) in operands.iter_mut().zip(&self.calls.first) {
            *operand = chained(*operand, first, self.output);
        }
        let value = self.calls.then[0].value(&operands, self.output);
        chained(value, &self.calls.then[1..], self.output)
    }
}

/// The functions of one number, one after the other.
fn chained(value: f64, calls: &[Call], output: DataFormat) -> f64 {
    calls.iter().fold(value, |value, call| call.value(&[value], output))
}

/// A denormal is zero to the vector unit, as an operand and as a result.
fn flushed(x: f64) -> f64 {
    if x.abs() < f64::from(f32::MIN_POSITIVE) { 0.0 } else { x }
}

/// The calls of a kernel: the first takes all inputs, those after it take its result.
fn calls(request: &Request, inputs: usize) -> Result<Calls, OpError> {
    let Some(text) = request.choices.get(CALL.name) else {
        let why = "say which function the kernel calls: choices = { call = \"relu_tile\" }";
        return Err(OpError::Invalid(why.to_owned()));
    };
    let on = |choice: &Choice| {
        let text = request.choices.get(choice.name).filter(|it| *it != choice.values[0]);
        text.map_or(Ok(Vec::new()), |text| chain(request, text, 1))
    };
    let intermediates = match request.choice(&INTERMEDIATES)? {
        "bf16" => Some(DataFormat::Bfloat16),
        "fp32" => Some(DataFormat::Float32),
        _ => None,
    };
    let first = ON[..inputs].iter().map(on).collect::<Result<_, _>>()?;
    Ok(Calls { first, intermediates, then: chain(request, text, inputs)? })
}

/// Calls one after the other; the first takes so many tiles.
fn chain(request: &Request, text: &str, tiles: usize) -> Result<Vec<Call>, OpError> {
    let read = |text: &str| Call::read(text, request.kernel.is_approximate);
    let calls: Vec<Call> = text.split(';').map(read).collect::<Result<_, _>>()?;
    for (at, call) in calls.iter().enumerate() {
        let (takes, has) = (call.tiles(), if at == 0 { tiles } else { 1 });
        if takes != has {
            let (name, words) = (call.name(), ["none", "one tile", "two tiles", "three tiles"]);
            let word = |count: usize| words.get(count).copied().unwrap_or("more tiles");
            return Err(OpError::Invalid(format!(
                "{name} takes {}, where the reference has {}",
                word(takes),
                word(has)
            )));
        }
    }
    Ok(calls)
}

/// An operand in tiles, as large as the first one: rows, columns or values are repeated.
fn tiled(tensor: Tensor, role: &str, shape: Shape) -> Result<Tensor, OpError> {
    let format = tensor.format();
    if *tensor.shape() == shape {
        return Ok(tensor.convert(Layout::Tile, format)?);
    }
    let own = *tensor.shape();
    let fits = |has: usize, needs: usize| has == needs || has == 1;
    let is_repeated = fits(own.height(), shape.height())
        && fits(own.width(), shape.width())
        && fits(own.matrices(), shape.matrices());
    let Some(bytes) = format.value_bytes().filter(|_| is_repeated) else {
        let why = format!("`{role}` of {format} has shape {own}, which {shape} does not repeat");
        return Err(OpError::Invalid(why));
    };
    let plain = tensor.convert(Layout::RowMajor, format)?;
    let mut repeated = Vec::with_capacity(shape.volume() * bytes);
    for stick in 0..shape.sticks() {
        let (matrix, row) = (stick / shape.height(), stick % shape.height());
        let start = (matrix % own.matrices() * own.height() + row % own.height()) * own.width();
        for column in 0..shape.width() {
            let at = (start + column % own.width()) * bytes;
            repeated.extend_from_slice(&plain.bytes()[at..at + bytes]);
        }
    }
    let plain = Tensor::from_bytes(shape, Layout::RowMajor, format, repeated)?;
    Ok(plain.convert(Layout::Tile, format)?)
}
