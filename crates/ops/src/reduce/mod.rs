//! Sums, means and maxima of matrices along their rows, down their columns, or over all of them.
//!
//! The scaler tile makes a mean of a sum. What lies in the padding of the input does not matter.

mod compute;
mod program_factory;
mod reader;
mod reference;
mod strips;
mod writer;

use tilewright_metal::{Device, Shape};
use tilewright_tile::fpu::{Pool, ReduceDim};

use crate::operation::{Choice, Expected, OpError, Operation, Prepared, Request};
use crate::reference::{self as given, Given, Roles, Wanted};
use crate::tensors;

/// The operation.
pub struct Reduce;

const POOL: Choice =
    Choice { name: "pool", values: &["sum", "avg", "max"], about: "what is made of the values" };
const DIM: Choice = Choice {
    name: "dim",
    values: &["row", "column", "scalar"],
    about: "what becomes one value: each row, each column, or each matrix",
};

/// The choices of a request.
#[derive(Clone, Copy, Debug)]
struct Options {
    pool: Pool,
    dim: ReduceDim,
    /// What the sum is multiplied by, before any format cuts it.
    factor: f64,
}

impl Options {
    fn of(request: &Request) -> Result<Options, OpError> {
        let dim = match request.choice(&DIM)? {
            "column" => ReduceDim::Column,
            "scalar" => ReduceDim::Scalar,
            _ => ReduceDim::Row,
        };
        let (height, width) = (request.shape.height(), request.shape.width());
        let values = match dim {
            ReduceDim::Row => width,
            ReduceDim::Column => height,
            ReduceDim::Scalar => height * width,
        };
        let (pool, factor) = match request.choice(&POOL)? {
            "avg" => (Pool::Sum, 1.0 / values as f64),
            "max" => (Pool::Max, 1.0),
            _ => (Pool::Sum, 1.0),
        };
        Ok(Options { pool, dim, factor })
    }

    /// What the scaler tile holds. A scalar reduction applies it twice.
    fn scaler(self) -> f32 {
        match self.dim {
            ReduceDim::Row | ReduceDim::Column => self.factor as f32,
            ReduceDim::Scalar => self.factor.sqrt() as f32,
        }
    }

    /// What padding must hold so as not to change the result.
    fn neutral(self) -> f32 {
        match self.pool {
            Pool::Sum | Pool::PooledSum => 0.0,
            Pool::Max | Pool::BlockMax => f32::NEG_INFINITY,
        }
    }

    /// The shape of the output.
    fn output_shape(self, input: &Shape) -> Result<Shape, OpError> {
        let (height, width) = match self.dim {
            ReduceDim::Row => (input.height(), 1),
            ReduceDim::Column => (1, input.width()),
            ReduceDim::Scalar => (1, 1),
        };
        Ok(input.with_matrix(height, width)?)
    }
}

impl Operation for Reduce {
    fn name(&self) -> &'static str {
        "reduce"
    }

    fn about(&self) -> &'static str {
        "sums, means or maxima of rows, columns or whole matrices"
    }

    fn choices(&self) -> &'static [Choice] {
        &[POOL, DIM]
    }

    fn roles(&self) -> Roles {
        Roles { inputs: &["x"], outputs: &["y"] }
    }

    fn exact(
        &self,
        _: &Device,
        request: &Request,
        given: Vec<Given>,
    ) -> Result<Vec<Wanted>, OpError> {
        request.check(self)?;
        let options = Options::of(request)?;
        let [stored] = given::taken(&self.roles(), given, [request.shape])?;
        let (shape, request) = (options.output_shape(&request.shape)?, request.clone());
        let values = Box::new(move || reference::reduce(&request, options, &stored));
        Ok(vec![Wanted { name: "y", shape, values }])
    }

    fn prepare(&self, device: &mut Device, request: &Request) -> Result<Prepared, OpError> {
        request.check(self)?;
        let options = Options::of(request)?;
        let shape = request.shape;
        let input = tensors::input(device, request, shape, ("x", 0))?;
        let to = tensors::output(device, request, options.output_shape(&shape)?)?;
        let program = program_factory::program(device, request, options, &input.tensor, &to)?;
        let wanted = self.exact(device, request, vec![input.given()])?;
        Ok(Prepared {
            programs: vec![program],
            input_tiles: shape.tiles() as u64,
            outputs: Expected::all(wanted, &[to]),
        })
    }
}
