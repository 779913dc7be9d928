//! Long sums: the worst case always holds; the statistical form holds where roundings are
//! random, and is shown to fail where they are not.

use tilewright_tile::bound::{Accumulator, Approx, Growth, Multiplication};
use tilewright_tile::fpu::{self, Elementwise, ElementwiseOp, Pool, ReduceDim};
use tilewright_tile::sfpu::{self, Binary};
use tilewright_tile::{
    Broadcast, Chip, DataFormat, DstWidth, Fidelity, Lanes, PackMask, Packing, Relu, TILE_VALUES,
    index, pack,
};

use crate::data::{BF16, Family, Judge, Operand, Random, TF32, WIDTHS, float};

/// Families whose roundings vary from term to term.
const RANDOM: [Family; 5] =
    [Family::Uniform, Family::Positive, Family::Biased, Family::Wide, Family::Near];

/// A running sum beside both of its bounds.
struct Both {
    worst: Vec<Accumulator>,
    statistical: Vec<Accumulator>,
}

impl Both {
    fn new(width: DstWidth, count: usize) -> Both {
        let start = |growth| vec![Accumulator::new(width, growth, Approx::ZERO); count];
        Both { worst: start(Growth::Worst), statistical: start(Growth::Statistical) }
    }

    fn each(&mut self, add: impl Fn(usize, &mut Accumulator)) {
        for sums in [&mut self.worst, &mut self.statistical] {
            sums.iter_mut().enumerate().for_each(|(at, sum)| add(at, sum));
        }
    }

    /// Judges both, and prints by how much the statistical bound is the smaller one.
    #[track_caller]
    fn judge(&self, device: &[u32], name: &str) {
        let mut worst = Judge::default();
        let mut statistical = Judge::default();
        let mut gain = 0.0;
        for (at, &bits) in device.iter().enumerate() {
            let (w, s) = (self.worst[at], self.statistical[at]);
            worst.see(w.approx(), bits, || format!("{name} at {at}"));
            statistical.see(s.approx(), bits, || format!("{name} statistical at {at}"));
            gain += w.approx_without_excursion().error / s.approx().error;
        }
        worst.expect(&format!("{name} worst case"), Some(0.0));
        let gain = gain / device.len() as f64;
        statistical.expect(&format!("{name} statistical, {gain:.1} times smaller"), Some(0.0));
    }
}

/// 256 tiles of a row, as LayerNorm over 8,192 features sums them.
#[test]
fn row_sums_stay_in_bound() {
    let mut random = Random(31);
    for width in WIDTHS {
        for formats in [TF32, BF16] {
            for family in RANDOM {
                let how = Multiplication { fidelity: Fidelity::HiFi4, formats };
                row_sums(&mut random, width, how, family);
            }
        }
    }
}

fn row_sums(random: &mut Random, width: DstWidth, how: Multiplication, family: Family) {
    let scaler_bits = (1.0f32 / 8192.0).to_bits();
    let scaler = Approx::from_bits(scaler_bits);
    let scalers: Lanes = std::array::from_fn(|at| if at % 256 < 16 { scaler_bits } else { 0 });
    let Multiplication { fidelity, formats } = how;
    let mut sums = Both::new(width, 32);
    let mut dst = [0; TILE_VALUES];
    for _ in 0..256 {
        let data = Operand::exact(random, family, formats.b.source_mask());
        let (pool, dim) = (Pool::Sum, ReduceDim::Row);
        fpu::reduce(
            Chip::Wormhole,
            pool,
            dim,
            width,
            fidelity,
            formats,
            &data.lanes,
            &scalers,
            &mut dst,
        );
        sums.each(|row, sum| {
            sum.add_row(how, &std::array::from_fn(|k| data.approx[index(row, k)]), scaler);
        });
    }
    let device: Vec<u32> = (0..32).map(|row| dst[index(row, 0)]).collect();
    sums.judge(&device, &format!("row sum {width:?} {:?} {family:?}", formats.b));
}

/// 256 products added to one Dst tile: LayerNorm's sums of dy·γ before they are reduced.
#[test]
fn sums_of_products_stay_in_bound() {
    let mut random = Random(32);
    for width in WIDTHS {
        for family in RANDOM {
            let how = Multiplication { fidelity: Fidelity::HiFi4, formats: BF16 };
            let mut sums = Both::new(width, TILE_VALUES);
            let mut dst = [0; TILE_VALUES];
            for _ in 0..256 {
                let a = Operand::exact(&mut random, family, 0xffff_0000);
                let b = Operand::exact(&mut random, family, 0xffff_0000);
                fpu::elementwise(&multiplying(width, how), &a.lanes, &b.lanes, &mut dst, false);
                sums.each(|at, sum| sum.add_product(how, a.approx[at], b.approx[at]));
            }
            sums.judge(&dst, &format!("256 products {width:?} {family:?}"));
        }
    }
}

fn multiplying(width: DstWidth, how: Multiplication) -> ElementwiseOp {
    let Multiplication { fidelity, formats } = how;
    let op = Elementwise::Mul;
    ElementwiseOp {
        op,
        broadcast: Broadcast::None,
        accumulate: false,
        fidelity,
        width,
        formats,
        chip: Chip::Wormhole,
    }
}

/// 256 tiles added by the SFPU, and by the packer in L1.
#[test]
fn sums_outside_the_fpu_stay_in_bound() {
    let mut random = Random(33);
    for width in WIDTHS {
        let output = match width {
            DstWidth::Bits16 => DataFormat::Bfloat16,
            DstWidth::Bits32 => DataFormat::Float32,
        };
        let packing = Packing {
            width,
            source: output,
            output,
            relu: Relu::Off,
            mask: PackMask::None,
            accumulate: true,
        };
        for family in RANDOM {
            let (mut sums, mut packed) =
                (Both::new(width, TILE_VALUES), Both::new(width, TILE_VALUES));
            let (mut dst, mut l1) = ([0; TILE_VALUES], vec![0; output.tile_bytes()]);
            for _ in 0..256 {
                let x = Operand::exact(&mut random, family, width.mask());
                sfpu::binary_into_first(Chip::Wormhole, Binary::Add, width, &mut dst, &x.lanes);
                sums.each(|at, sum| sum.add_in_sfpu(x.approx[at]));
                pack(&x.lanes, &packing, &mut l1).expect("modelled");
                packed.each(|at, sum| sum.add_packed(output, x.approx[at]).expect("modelled"));
            }
            sums.judge(&dst, &format!("256 SFPU sums {width:?} {family:?}"));
            let mut lanes = [0; TILE_VALUES];
            tilewright_tile::unpack(&l1, output, output, &mut lanes).expect("modelled");
            packed.judge(&lanes, &format!("256 L1 sums {width:?} {family:?}"));
        }
    }
}

/// One value added over and over rounds the same way over and over: only the worst case holds.
#[test]
fn constants_defeat_statistics() {
    let term = Approx::from_bits(0x3dcc_cccd);
    let width = DstWidth::Bits32;
    let mut worst = Accumulator::new(width, Growth::Worst, Approx::ZERO);
    let mut statistical = Accumulator::new(width, Growth::Statistical, Approx::ZERO);
    let mut dst = 0;
    for _ in 0..300_000 {
        dst = sfpu::fma(Chip::Wormhole, 0x3f80_0000, dst, 0x3dcc_cccd);
        worst.add_in_sfpu(term);
        statistical.add_in_sfpu(term);
    }
    println!(
        "300,000 times 0.1f: {:.3} of the worst case, {:.3} of the statistical bound",
        worst.approx().ratio(float(dst)),
        statistical.approx().ratio(float(dst))
    );
    assert!(worst.approx().admits(float(dst)));
    assert!(!statistical.approx().admits(float(dst)), "then Statistical may be offered for these");
}
