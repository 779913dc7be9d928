//! Several steps after each other: LayerNorm of one row of tiles, every intermediate compared.

use tilewright_tile::bound::{self, Accumulator, Approx, Growth, Multiplication};
use tilewright_tile::fpu::{self, Elementwise, ElementwiseOp};
use tilewright_tile::sfpu::{self, Binary, Unary};
use tilewright_tile::{
    Broadcast, Chip, DataFormat, DstWidth, Fidelity, Lanes, PackMask, Packing, Relu, SourceFormats,
    TILE_VALUES, index, pack,
};

use crate::data::{Family, Judge, Operand, Random};

const TILES: usize = 8;
const FEATURES: f64 = (TILES * 32) as f64;
const EPSILON: u32 = 0x3727_c5ac; // 1e-5
const WIDTH: DstWidth = DstWidth::Bits32;
const RSQRT: Unary = Unary::Rsqrt { approx: false, legacy: false, fast: false };
const FORMATS: SourceFormats = SourceFormats { a: DataFormat::Bfloat16, b: DataFormat::Tf32 };
const HOW: Multiplication = Multiplication { fidelity: Fidelity::HiFi4, formats: FORMATS };

/// A Dst tile and its bounds.
type Tile = (Lanes, Vec<Approx>);

/// The row sum as a matmul with a scaler tile, which leaves it in every column.
///
/// in0, the fp32 data, goes to SrcB through tf32; in1, the scaler, is SrcA.
fn row_sum(row: &[Tile], scaler_bits: u32) -> Tile {
    let scaler = Approx::from_bits(scaler_bits);
    let mut dst = [0; TILE_VALUES];
    let mut sums = vec![Accumulator::new(WIDTH, Growth::Worst, Approx::ZERO); TILE_VALUES];
    for (lanes, approx) in row {
        let lanes = lanes.map(|bits| bits & 0xffff_e000);
        let scalers = [scaler_bits; TILE_VALUES];
        fpu::matmul(
            Chip::Wormhole,
            WIDTH,
            HOW.fidelity,
            FORMATS,
            &lanes,
            &scalers,
            false,
            &mut dst,
        );
        for (at, sum) in sums.iter_mut().enumerate() {
            let (row, _) = tilewright_tile::position(at);
            let data = std::array::from_fn::<_, 32, _>(|k| tf32(approx[index(row, k)]));
            sum.add_dot(HOW, &[scaler; 32], &data);
        }
    }
    (dst, sums.iter().map(|sum| sum.approx_without_excursion()).collect())
}

fn tf32(x: Approx) -> Approx {
    bound::unpack(x, DataFormat::Float32, DataFormat::Tf32).expect("modelled")
}

fn binary(op: Binary, x: &Tile, y: &Tile) -> Tile {
    let mut out = [0; TILE_VALUES];
    sfpu::binary(Chip::Wormhole, op, WIDTH, &x.0, &y.0, &mut out);
    let approx = x.1.iter().zip(&y.1).map(|(&x, &y)| bound::binary(op, WIDTH, x, y));
    (out, approx.collect())
}

fn unary(op: Unary, x: &Tile) -> Tile {
    let mut out = x.0;
    sfpu::unary(Chip::Wormhole, op, WIDTH, &mut out);
    (out, x.1.iter().map(|&x| bound::unary(op, WIDTH, x)).collect())
}

/// `mul_tiles` of an fp32 tile (SrcB, tf32) with a bf16 one (SrcA).
fn product(a: &Tile, b: &Tile) -> Tile {
    let op = ElementwiseOp {
        chip: Chip::Wormhole,
        op: Elementwise::Mul,
        broadcast: Broadcast::None,
        accumulate: false,
        fidelity: HOW.fidelity,
        width: WIDTH,
        formats: FORMATS,
    };
    let mut dst = [0; TILE_VALUES];
    let b_lanes = b.0.map(|bits| bits & 0xffff_e000);
    fpu::elementwise(&op, &a.0, &b_lanes, &mut dst, true);
    let approx =
        a.1.iter()
            .zip(&b.1)
            .map(|(&a, &b)| bound::multiply_sources(WIDTH, HOW, a, tf32(b), Approx::ZERO));
    (dst, approx.collect())
}

fn packed(tile: &Tile) -> Tile {
    let packing = Packing {
        width: WIDTH,
        source: DataFormat::Bfloat16,
        output: DataFormat::Bfloat16,
        relu: Relu::Off,
        mask: PackMask::None,
        accumulate: false,
    };
    let mut l1 = [0; 2048];
    pack(&tile.0, &packing, &mut l1).expect("modelled");
    let lanes =
        std::array::from_fn(|at| u32::from(u16::from_le_bytes([l1[2 * at], l1[2 * at + 1]])) << 16);
    (lanes, tile.1.iter().map(|&x| bound::pack(&packing, x).expect("modelled")).collect())
}

#[track_caller]
fn judge(judge: &mut Judge, name: &str, tile: &Tile) {
    judge.see_tile(|at| tile.1[at], &tile.0, &name);
}

#[test]
fn layernorm_stays_in_bound() {
    for family in [Family::Uniform, Family::Biased, Family::Wide, Family::Integers] {
        let mut random = Random(41);
        let mut row = || {
            let operand = Operand::exact(&mut random, family, 0xffff_0000);
            (operand.lanes, operand.approx)
        };
        let x: Vec<Tile> = (0..TILES).map(|_| row()).collect();
        let gamma = row();
        layernorm(&x, &gamma, family);
    }
}

fn layernorm(x: &[Tile], gamma: &Tile, family: Family) {
    let scaler = ((1.0 / FEATURES) as f32).to_bits();
    let [mut centring, mut scaling, mut writing] = [(); 3].map(|()| Judge::default());
    let mean = row_sum(x, scaler);
    let centred: Vec<Tile> = x.iter().map(|x| binary(Binary::Sub, x, &mean)).collect();
    let squares: Vec<Tile> = centred.iter().map(|x| unary(Unary::Square, x)).collect();
    let variance = row_sum(&squares, scaler);
    let rstd = unary(RSQRT, &unary(Unary::AddScalar(EPSILON), &variance));
    judge(&mut scaling, "rstd", &rstd);
    for x in &centred {
        judge(&mut centring, "x - mean", x);
        let normal = binary(Binary::Mul, x, &rstd);
        judge(&mut writing, "y", &packed(&product(gamma, &normal)));
    }
    centring.expect(&format!("layernorm {family:?} x - mean"), Some(0.0));
    scaling.expect(&format!("layernorm {family:?} rstd"), Some(0.0));
    writing.expect(&format!("layernorm {family:?} y"), Some(0.1));
}
