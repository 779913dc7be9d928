//! The exact gradients, with the bound on the repaired kernel's error: x̂ kept in bf16, 1/N cut to
//! bf16, sums of products in Dst. What a fault does to them is far outside of it.

use tilewright_tile::bound::{self, Accumulator, Approx, Growth, Multiplication};
use tilewright_tile::sfpu::Binary;
use tilewright_tile::{DataFormat, DstWidth, Fidelity, SourceFormats};

use crate::layernorm::reference::{BackwardInputs, packed, stored};
use crate::parallel;

const WIDTH: DstWidth = DstWidth::Bits32;
const BF16: DataFormat = DataFormat::Bfloat16;

fn multiplication(a: DataFormat, b: DataFormat) -> Multiplication {
    Multiplication { fidelity: Fidelity::HiFi4, formats: SourceFormats { a, b } }
}

/// dx of every element, row-major.
pub fn dx(inputs: &BackwardInputs) -> Vec<Approx> {
    let features = inputs.features;
    parallel::concat(inputs.mean.len(), |row| {
        let (mean, rstd) = (stored(inputs.mean[row]), stored(inputs.rstd[row]));
        let [x, dy] = [&inputs.x, &inputs.dy].map(|values| &values[row * features..][..features]);
        Row { x, dy, gamma: &inputs.gamma, mean, rstd }.dx(inputs.growth())
    })
}

/// dγ of every element, before rows are summed: dy times x̂ as bf16 keeps it.
pub fn dgamma(inputs: &BackwardInputs) -> Vec<Approx> {
    let features = inputs.features;
    parallel::concat(inputs.mean.len(), |row| {
        let (mean, rstd) = (stored(inputs.mean[row]), stored(inputs.rstd[row]));
        let [x, dy] = [&inputs.x, &inputs.dy].map(|values| &values[row * features..][..features]);
        let row = Row { x, dy, gamma: &inputs.gamma, mean, rstd };
        x.iter().zip(dy).map(|(x, dy)| row.dgamma(*x, *dy)).collect::<Vec<Approx>>()
    })
}

struct Row<'a> {
    x: &'a [f32],
    dy: &'a [f32],
    gamma: &'a [f32],
    mean: Approx,
    rstd: Approx,
}

impl Row<'_> {
    fn dx(&self, growth: Growth) -> Vec<Approx> {
        let x_hat: Vec<Approx> = self.x.iter().map(|x| self.x_hat(*x)).collect();
        let mean_product = self.mean_product(growth);
        let mean_with_x_hat = self.mean_with_x_hat(growth, &x_hat);
        let columns = x_hat.iter().enumerate();
        columns
            .map(|(column, x_hat)| self.one(column, *x_hat, mean_product, mean_with_x_hat))
            .collect()
    }

    /// Step 2: the matrix unit subtracts, the vector unit multiplies, bf16 keeps the result.
    fn x_hat(&self, x: f32) -> Approx {
        let formats = SourceFormats { a: BF16, b: BF16 };
        let centred = bound::subtract_sources(WIDTH, formats, stored(x), self.mean);
        packed(BF16, bound::binary(Binary::Mul, WIDTH, centred, self.rstd))
    }

    fn dgamma(&self, x: f32, dy: f32) -> Approx {
        let mut product = Accumulator::new(WIDTH, Growth::Worst, Approx::ZERO);
        product.add_product(multiplication(BF16, BF16), stored(dy), self.x_hat(x));
        packed(BF16, product.approx())
    }

    fn product(&self, column: usize) -> Approx {
        let mut product = Accumulator::new(WIDTH, Growth::Worst, Approx::ZERO);
        let (dy, gamma) = (stored(self.dy[column]), stored(self.gamma[column]));
        product.add_product(multiplication(BF16, BF16), dy, gamma);
        product.approx()
    }

    /// Step 3: products accumulate in Dst, lane by lane.
    fn mean_product(&self, growth: Growth) -> Approx {
        let mut lanes = [Accumulator::new(WIDTH, growth, Approx::ZERO); 32];
        for column in 0..self.x.len() {
            let (dy, gamma) = (stored(self.dy[column]), stored(self.gamma[column]));
            lanes[column % 32].add_product(multiplication(BF16, BF16), dy, gamma);
        }
        self.row_mean(growth, &lanes.map(|lane| lane.approx()))
    }

    /// Step 4: products times x̂, added by the vector unit; the running sum is kept as Tf32 from
    /// block to block, which the whole-row kernel does not do.
    fn mean_with_x_hat(&self, growth: Growth, x_hat: &[Approx]) -> Approx {
        let mut lanes = [Accumulator::new(WIDTH, growth, Approx::ZERO); 32];
        for (column, x_hat) in x_hat.iter().enumerate() {
            let lane = &mut lanes[column % 32];
            if column % (32 * super::BLOCK as usize) < 32 {
                *lane = Accumulator::new(WIDTH, growth, as_tf32(lane.approx()));
            }
            lane.add_in_sfpu(bound::binary(Binary::Mul, WIDTH, self.product(column), *x_hat));
        }
        self.row_mean(growth, &lanes.map(|lane| lane.approx()))
    }

    /// The product with a tile of 1/N in bf16.
    fn row_mean(&self, growth: Growth, sums: &[Approx; 32]) -> Approx {
        let exact = 1.0 / self.x.len() as f64;
        let cut = f32::from_bits((exact as f32).to_bits() & 0xffff_0000);
        let scaler = Approx::new(exact, (f64::from(cut) - exact).abs());
        let mut mean = Accumulator::new(WIDTH, growth, Approx::ZERO);
        let sums = sums.map(as_tf32);
        mean.add_dot(multiplication(BF16, DataFormat::Tf32), &[scaler; 32], &sums);
        mean.approx()
    }

    /// Step 5.
    fn one(&self, column: usize, x_hat: Approx, mean: Approx, mean_with_x_hat: Approx) -> Approx {
        let mut taken = Accumulator::new(WIDTH, Growth::Worst, Approx::ZERO);
        let formats = multiplication(BF16, DataFormat::Tf32);
        taken.add_product(formats, x_hat, as_tf32(mean_with_x_hat));
        let less_mean = bound::binary(Binary::Sub, WIDTH, self.product(column), as_tf32(mean));
        let left = bound::binary(Binary::Sub, WIDTH, less_mean, taken.approx());
        packed(BF16, bound::binary(Binary::Mul, WIDTH, left, self.rstd))
    }
}

/// Through a Float32 buffer and a source register.
fn as_tf32(x: Approx) -> Approx {
    bound::unpack(x, DataFormat::Float32, DataFormat::Tf32).unwrap_or(Approx::special())
}
