//! Matrix products, batched: A[.., M, K] times B[.., K, N], all in tile layout.
//!
//! A shape of one dimension is a single row. Padding takes no care: tile tensors are padded with
//! zeros, which add nothing to a product.

mod blocks;
mod compute;
mod program_factory;
mod reader;
mod reference;
mod writer;

use tilewright_metal::Device;
use tilewright_tile::TILE_SIDE;

use self::reference::Product;
use crate::operation::{Choice, Expected, OpError, Operation, Prepared, Request};
use crate::reference::{self as given, Given, Roles, Wanted};
use crate::tensors;

/// The operation. The request's shape is that of A.
pub struct Matmul;

const N: Choice = Choice { name: "n", values: &["k", Choice::NUMBER], about: "columns of B" };

impl Operation for Matmul {
    fn name(&self) -> &'static str {
        "matmul"
    }

    fn about(&self) -> &'static str {
        "batched matrix product A[.., M, K] x B[.., K, N]; the shape is that of A"
    }

    fn choices(&self) -> &'static [Choice] {
        &[N]
    }

    fn roles(&self) -> Roles {
        Roles { inputs: &["a", "b"], outputs: &["c"] }
    }

    fn exact(
        &self,
        _: &Device,
        request: &Request,
        given: Vec<Given>,
    ) -> Result<Vec<Wanted>, OpError> {
        request.check(self)?;
        let (rows, depth) = (request.shape.height(), request.shape.width());
        let columns = given.get(1).map_or(depth, |b| b.shape().width());
        let b_shape = request.shape.with_matrix(depth, columns)?;
        let [a, b] = given::taken(&self.roles(), given, [request.shape, b_shape])?;
        let product = Product { request: request.clone(), rows, depth, columns };
        let shape = request.shape.with_matrix(rows, columns)?;
        Ok(vec![Wanted { name: "c", shape, values: product.of(a, b) }])
    }

    fn values_most(&self, request: &Request) -> u64 {
        let (rows, depth) = (request.shape.padded_height(), request.shape.padded_width());
        let columns = request.number(&N, depth as u32).map_or(depth, |it| it as usize);
        let columns = columns.next_multiple_of(TILE_SIDE) as u64;
        let longest = rows.max(depth) as u64;
        let operands = request.shape.matrices() as u64 * longest * columns;
        operands.max(request.shape.padded_volume() as u64)
    }

    fn prepare(&self, device: &mut Device, request: &Request) -> Result<Prepared, OpError> {
        request.check(self)?;
        let (rows, depth) = (request.shape.height(), request.shape.width());
        let columns = request.number(&N, depth as u32)? as usize;
        let (b_shape, out_shape) =
            (request.shape.with_matrix(depth, columns)?, request.shape.with_matrix(rows, columns)?);
        let a = tensors::input(device, request, request.shape, ("a", 0))?;
        let b = tensors::input(device, request, b_shape, ("b", 1))?;
        let out = tensors::output(device, request, out_shape)?;
        let program = program_factory::program(device, request, [&a.tensor, &b.tensor], &out)?;
        let wanted = self.exact(device, request, vec![a.given(), b.given()])?;
        let input_tiles = (request.shape.tiles() + b_shape.tiles()) as u64;
        let outputs = Expected::all(wanted, &[out]);
        Ok(Prepared { programs: vec![program], input_tiles, outputs })
    }
}
