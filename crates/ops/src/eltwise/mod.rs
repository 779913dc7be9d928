//! Two tensors combined element by element, the second one broadcast if need be.
//!
//! The matrix unit adds, subtracts and multiplies tiles in its source registers, eleven bits at a
//! time; the vector unit works on tiles in Dst, in fp32. What padding comes out as is not defined.

mod blocks;
mod compute;
mod program_factory;
mod reader;
mod reference;
mod writer;

use tilewright_metal::{Device, Shape};
use tilewright_tile::Broadcast;
use tilewright_tile::fpu::Elementwise;
use tilewright_tile::sfpu::Binary;

use crate::operation::{Choice, Expected, OpError, Operation, Prepared, Request};
use crate::reference::{self as given, Given, Roles, Wanted};
use crate::tensors;

/// The operation.
pub struct Eltwise;

const OP: Choice = Choice {
    name: "op",
    values: &["add", "sub", "mul", "div", "max", "min"],
    about: "what is computed; div, max and min need the vector unit",
};
const BROADCAST: Choice = Choice {
    name: "broadcast",
    values: &["none", "row", "column", "scalar"],
    about: "what the second operand has of each matrix: all, one row, one column, one value",
};
const ENGINE: Choice = Choice {
    name: "engine",
    values: &["fpu", "sfpu"],
    about: "who computes: the matrix unit or the vector unit",
};

/// Who computes, and what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Engine {
    Fpu(Elementwise),
    Sfpu(Binary),
}

/// The choices of a request.
#[derive(Clone, Copy, Debug)]
struct Options {
    engine: Engine,
    broadcast: Broadcast,
}

impl Options {
    fn of(request: &Request) -> Result<Options, OpError> {
        let broadcast = match request.choice(&BROADCAST)? {
            "row" => Broadcast::Row,
            "column" => Broadcast::Column,
            "scalar" => Broadcast::Scalar,
            _ => Broadcast::None,
        };
        let op = request.choice(&OP)?;
        let engine = match (request.choice(&ENGINE)?, op) {
            ("fpu", "add") => Engine::Fpu(Elementwise::Add),
            ("fpu", "sub") => Engine::Fpu(Elementwise::Sub),
            ("fpu", "mul") => Engine::Fpu(Elementwise::Mul),
            ("fpu", op) => {
                let why = format!("the matrix unit has no {op}; choose engine sfpu");
                return Err(OpError::Invalid(why));
            }
            (_, "sub") => Engine::Sfpu(Binary::Sub),
            (_, "mul") => Engine::Sfpu(Binary::Mul),
            (_, "div") => Engine::Sfpu(Binary::Div),
            (_, "max") => Engine::Sfpu(Binary::Max),
            (_, "min") => Engine::Sfpu(Binary::Min),
            (_, _) => Engine::Sfpu(Binary::Add),
        };
        Ok(Options { engine, broadcast })
    }

    /// The shape of the second operand.
    fn second_shape(self, first: &Shape) -> Result<Shape, OpError> {
        let (height, width) = match self.broadcast {
            Broadcast::None => (first.height(), first.width()),
            Broadcast::Row => (1, first.width()),
            Broadcast::Column => (first.height(), 1),
            Broadcast::Scalar => (1, 1),
        };
        Ok(first.with_matrix(height, width)?)
    }
}

impl Operation for Eltwise {
    fn name(&self) -> &'static str {
        "eltwise"
    }

    fn about(&self) -> &'static str {
        "two tensors combined element by element, the second one broadcast if need be"
    }

    fn choices(&self) -> &'static [Choice] {
        &[OP, BROADCAST, ENGINE]
    }

    fn roles(&self) -> Roles {
        Roles { inputs: &["first", "second"], outputs: &["y"] }
    }

    fn exact(
        &self,
        _: &Device,
        request: &Request,
        given: Vec<Given>,
    ) -> Result<Vec<Wanted>, OpError> {
        request.check(self)?;
        let (options, shape) = (Options::of(request)?, request.shape);
        let shapes = [shape, options.second_shape(&shape)?];
        let stored = given::taken(&self.roles(), given, shapes)?;
        let values = reference::eltwise(request.clone(), options, stored);
        Ok(vec![Wanted { name: "y", shape, values }])
    }

    fn prepare(&self, device: &mut Device, request: &Request) -> Result<Prepared, OpError> {
        request.check(self)?;
        let options = Options::of(request)?;
        let shape = request.shape;
        let first = tensors::input(device, request, shape, ("first", 0))?;
        let second_shape = options.second_shape(&shape)?;
        let second = tensors::input(device, request, second_shape, ("second", 1))?;
        let output = tensors::output(device, request, shape)?;
        let tensors = [&first.tensor, &second.tensor, &output];
        let program = program_factory::program(device, request, options, tensors)?;
        let input_tiles = (first.tensor.shape.tiles() + second.tensor.shape.tiles()) as u64;
        let wanted = self.exact(device, request, vec![first.given(), second.given()])?;
        let outputs = Expected::all(wanted, &[output]);
        Ok(Prepared { programs: vec![program], input_tiles, outputs })
    }
}
