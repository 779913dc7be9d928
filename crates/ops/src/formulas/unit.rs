//! The steps of one compute configuration as bounds, on values that know their buffer's format.
//!
//! Adds nothing to `tilewright_tile::bound`: it only says which format a step finds.

use tilewright_tile::bound::{self, Accumulator, Approx, Growth, Multiplication};
use tilewright_tile::sfpu::{Binary, Unary};
use tilewright_tile::{DataFormat, DstWidth, Fidelity, SourceFormats, TILE_SIDE};

use crate::layernorm::reference::growth;
use crate::operation::Request;
use crate::steps::{Steps, estimate_of};

pub(super) const BF16: DataFormat = DataFormat::Bfloat16;
pub(super) const FP32: DataFormat = DataFormat::Float32;

/// A value in a buffer of L1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    pub(super) format: DataFormat,
    pub(super) value: Approx,
}

impl Stored {
    /// A tensor's value.
    pub(super) fn input(format: DataFormat, value: f32) -> Stored {
        Stored { format, value: Approx::from_bits(value.to_bits()) }
    }

    /// A number that the host cut to bf16.
    pub(super) fn cut(exact: f64) -> Stored {
        let cut = f32::from_bits((exact as f32).to_bits() & 0xffff_0000);
        let error = (f64::from(cut) - exact).abs();
        Stored { format: BF16, value: Approx::new(exact, error) }
    }

    /// Exactly one.
    pub(super) fn one() -> Stored {
        Stored { format: BF16, value: Approx::exact(1.0) }
    }
}

/// What is known of the units of a kernel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    width: DstWidth,
    fidelity: Fidelity,
    growth: Growth,
}

impl Unit {
    pub(super) fn new(request: &Request) -> Unit {
        let (width, fidelity) = (request.settings.width, request.settings.fidelity);
        Unit { width, fidelity, growth: growth(request.family) }
    }

    fn steps(self, format: DataFormat) -> Steps {
        Steps { width: self.width, format }
    }

    /// Dst to a buffer.
    pub(super) fn pack(self, format: DataFormat, x: Approx) -> Stored {
        Stored { format, value: self.steps(format).pack(x) }
    }

    /// A buffer to a source register.
    fn source(self, x: Stored) -> Approx {
        self.steps(x.format).unpack(x.value)
    }

    /// `copy_tile`, and `unary_bcast`, which goes the same way.
    pub(super) fn copy(self, x: Stored) -> Approx {
        bound::copy(self.source(x))
    }

    fn formats(self, a: Stored, b: Stored) -> SourceFormats {
        SourceFormats { a: self.steps(a.format).register(), b: self.steps(b.format).register() }
    }

    fn multiplication(self, a: Stored, b: Stored) -> Multiplication {
        Multiplication { fidelity: self.fidelity, formats: self.formats(a, b) }
    }

    /// `mul_tiles` and its broadcasts onto a clear tile.
    pub(super) fn product(self, a: Stored, b: Stored) -> Approx {
        let how = self.multiplication(a, b);
        bound::multiply_sources(self.width, how, self.source(a), self.source(b), Approx::ZERO)
    }

    /// `add_tiles` and its broadcasts.
    pub(super) fn sum(self, a: Stored, b: Stored) -> Approx {
        bound::add_sources(self.width, self.formats(a, b), self.source(a), self.source(b))
    }

    /// `sub_tiles` and its broadcasts.
    pub(super) fn difference(self, a: Stored, b: Stored) -> Approx {
        bound::subtract_sources(self.width, self.formats(a, b), self.source(a), self.source(b))
    }

    /// `add_tiles` onto what Dst holds.
    pub(super) fn sum_onto(self, dst: Approx, a: Stored, b: Stored) -> Approx {
        let mut sum = Accumulator::new(self.width, Growth::Worst, dst);
        sum.add_sources(self.formats(a, b), self.source(a), self.source(b));
        sum.approx()
    }

    /// `mul_tiles` with Dst moved to SrcA for the operand, which a register of `a`'s format cuts.
    pub(super) fn product_of_dst(self, dst: Approx, b: Stored) -> Approx {
        let register = self.steps(b.format).register();
        let a = bound::move_to_source(self.width, register, dst);
        let formats = SourceFormats { a: register, b: register };
        let how = Multiplication { fidelity: self.fidelity, formats };
        bound::multiply_sources(self.width, how, a, self.source(b), Approx::ZERO)
    }

    pub(super) fn add(self, x: Approx, y: Approx) -> Approx {
        bound::binary(Binary::Add, self.width, x, y)
    }

    pub(super) fn sub(self, x: Approx, y: Approx) -> Approx {
        bound::binary(Binary::Sub, self.width, x, y)
    }

    pub(super) fn mul(self, x: Approx, y: Approx) -> Approx {
        bound::binary(Binary::Mul, self.width, x, y)
    }

    pub(super) fn unary(self, operation: Unary, x: Approx) -> Approx {
        bound::unary(operation, self.width, x)
    }

    /// `recip_tile`, whose default is the legacy one (tt-metal `eltwise_unary/recip.h`).
    pub(super) fn recip(self, x: Approx) -> Approx {
        self.unary(Unary::Recip { legacy: true }, x)
    }

    pub(super) fn exp(self, x: Approx) -> Approx {
        self.unary(Unary::Exp { approx: false }, x)
    }

    /// `mul_unary_tile` by the nearest fp32 to a number.
    pub(super) fn scale(self, x: Approx, by: f64) -> Approx {
        let scaled = self.unary(Unary::MulScalar((by as f32).to_bits()), x);
        estimate_of(x.value * by, scaled)
    }

    /// Tiles of a row added up lane by lane by the vector unit; columns beyond the row are zero.
    pub(super) fn lanes(self, row: impl Iterator<Item = Approx>) -> [Approx; TILE_SIDE] {
        let mut lanes = [Accumulator::new(self.width, self.growth, Approx::ZERO); TILE_SIDE];
        row.enumerate().for_each(|(column, x)| lanes[column % TILE_SIDE].add_in_sfpu(x));
        lanes.map(|lane| lane.approx())
    }

    /// Products of a row's tiles that add up in Dst, lane by lane.
    pub(super) fn product_lanes(
        self,
        row: impl Iterator<Item = (Stored, Stored)>,
    ) -> [Approx; TILE_SIDE] {
        let mut lanes = [Accumulator::new(self.width, self.growth, Approx::ZERO); TILE_SIDE];
        for (column, (a, b)) in row.enumerate() {
            let how = self.multiplication(a, b);
            lanes[column % TILE_SIDE].add_product(how, self.source(a), self.source(b));
        }
        lanes.map(|lane| lane.approx())
    }

    /// A row of buffered tiles reduced to one value by the matrix unit, tile after tile onto the
    /// same Dst: `reduce_tile`, or `matmul_tiles` with a column of the scaler.
    pub(super) fn reduce(self, row: &[Stored], scaler: Stored) -> Approx {
        let Some(first) = row.first() else { return Approx::ZERO };
        let how = self.multiplication(scaler, *first);
        let mut sum = Accumulator::new(self.width, self.growth, Approx::ZERO);
        for tile in row.chunks(TILE_SIDE) {
            let mut values = [Approx::ZERO; TILE_SIDE];
            values.iter_mut().zip(tile).for_each(|(to, from)| *to = self.source(*from));
            sum.add_row(how, &values, self.source(scaler));
        }
        sum.approx()
    }
}
