//! SFPU functions of one and two operands.

use tilewright_tile::bound::{self, Approx};
use tilewright_tile::sfpu::{self, Binary, Unary};
use tilewright_tile::{Chip, DstWidth, Lanes, TILE_VALUES};

use crate::data::{FAMILIES, Family, Judge, Operand, Random, WIDTHS};

#[test]
fn functions_of_two_stay_in_bound() {
    let mut random = Random(11);
    for width in WIDTHS {
        for op in Binary::ALL {
            for family in FAMILIES {
                functions_of_two(&mut random, width, *op, family);
            }
        }
    }
}

fn functions_of_two(random: &mut Random, width: DstWidth, op: Binary, family: Family) {
    let name = format!("{op:?} {width:?} {family:?}");
    let mut judge = Judge::default();
    for _ in 0..4 {
        let x = Operand::exact(random, family, width.mask());
        let y = Operand::exact(random, family, width.mask());
        let (blurred_x, blurred_y) = (x.blurred(random), y.blurred(random));
        for chip in Chip::ALL {
            let mut out = [0; TILE_VALUES];
            sfpu::binary(chip, op, width, &x.lanes, &y.lanes, &mut out);
            judge.see_tile(|at| bound::binary(op, width, x.approx[at], y.approx[at]), &out, &name);
            let blurred = |at: usize| bound::binary(op, width, blurred_x[at], blurred_y[at]);
            judge.see_tile(blurred, &out, &name);
        }
    }
    // Denormal divisors are zeros: infinities have no bound.
    if (op, family) != (Binary::Div, Family::Tiny) {
        judge.expect(&name, family.demand(0.5));
    }
}

/// Where a function is tried in fp32: binary exponents, and whether below zero too.
type Domain = (i32, i32, bool);

const POSITIVE: Domain = (-126, 127, false);
const EVERYWHERE: Domain = (-126, 127, true);
/// Where exponentials neither vanish nor overflow.
const MIDDLE: Domain = (-20, 6, true);

const UNARIES: [(Unary, Domain); 20] = [
    (Unary::Rsqrt { approx: false, legacy: false, fast: false }, POSITIVE),
    (Unary::Rsqrt { approx: true, legacy: false, fast: false }, POSITIVE),
    (Unary::Rsqrt { approx: false, legacy: true, fast: false }, (-124, 124, false)),
    (Unary::Sqrt { approx: false, fast: false }, POSITIVE),
    (Unary::Sqrt { approx: true, fast: true }, POSITIVE),
    (Unary::Recip { legacy: false }, EVERYWHERE),
    (Unary::Recip { legacy: true }, EVERYWHERE),
    (Unary::Exp { approx: false }, MIDDLE),
    (Unary::Exp { approx: true }, MIDDLE),
    (Unary::Square, (-70, 60, true)),
    (Unary::Gelu { fast: false }, MIDDLE),
    (Unary::Gelu { fast: true }, MIDDLE),
    (Unary::Sigmoid, MIDDLE),
    (Unary::Silu, MIDDLE),
    (Unary::Tanh, MIDDLE),
    (Unary::Log, POSITIVE),
    (Unary::AddScalar(0x3e4c_cccd), MIDDLE),
    (Unary::SubScalar(0x3e4c_cccd), MIDDLE),
    (Unary::MulScalar(0x3e4c_cccd), EVERYWHERE),
    (Unary::RsubScalar(0x3e4c_cccd), MIDDLE),
];

#[test]
fn functions_of_one_stay_in_bound_in_fp32() {
    let mut random = Random(12);
    for (op, domain) in UNARIES {
        let name = format!("{op:?} Bits32");
        let mut judge = Judge::default();
        for _ in 0..64 {
            let lanes = tile_of(&mut random, domain);
            functions_of_one(&mut random, &mut judge, op, DstWidth::Bits32, lanes, &name);
        }
        // Outside the domain too, where less is judged.
        let mut anywhere = Judge::default();
        for _ in 0..16 {
            let lanes = random.tile(Family::Bits);
            functions_of_one(&mut random, &mut anywhere, op, DstWidth::Bits32, lanes, &name);
        }
        judge.expect(&name, Some(0.5));
    }
}

fn tile_of(random: &mut Random, (from, to, is_signed): Domain) -> Lanes {
    std::array::from_fn(|_| {
        let value = random.scaled(from, to) as f32;
        if is_signed { value.to_bits() } else { value.abs().to_bits() }
    })
}

/// Really every bf16 pattern. Special values and what is outside a function's domain have no
/// bound, so that only the share is asked for, not how many were judged.
#[test]
fn functions_of_one_stay_in_bound_for_every_bf16() {
    let mut random = Random(13);
    for (op, _) in UNARIES {
        let name = format!("{op:?} Bits16");
        let mut judge = Judge::default();
        for tile in 0..64u32 {
            let lanes: Lanes = std::array::from_fn(|at| (tile << 10 | at as u32) << 16);
            functions_of_one(&mut random, &mut judge, op, DstWidth::Bits16, lanes, &name);
        }
        judge.expect(&name, None);
        assert!(judge.worst() >= 0.5, "{name}: only {} of it", judge.worst());
    }
}

fn functions_of_one(
    random: &mut Random,
    judge: &mut Judge,
    op: Unary,
    width: DstWidth,
    lanes: Lanes,
    name: &str,
) {
    let approx = lanes.iter().map(|&bits| Approx::from_bits(bits)).collect();
    let operand = Operand { lanes, approx };
    let blurred = operand.blurred(random);
    for chip in Chip::ALL {
        let mut out = lanes;
        sfpu::unary(chip, op, width, &mut out);
        judge.see_tile(|at| bound::unary(op, width, operand.approx[at]), &out, &name);
        judge.see_tile(|at| bound::unary(op, width, blurred[at]), &out, &name);
    }
}

#[test]
fn fills_and_signs_are_exact_up_to_the_store() {
    for width in WIDTHS {
        for op in [Unary::Fill(0x3e4c_cccd), Unary::Abs, Unary::Negative] {
            let data = Operand::exact(&mut Random(14), Family::Wide, width.mask());
            let mut out = data.lanes;
            sfpu::unary(Chip::Wormhole, op, width, &mut out);
            let mut judge = Judge::default();
            let name = format!("{op:?} {width:?}");
            judge.see_tile(|at| bound::unary(op, width, data.approx[at]), &out, &name);
        }
    }
}
