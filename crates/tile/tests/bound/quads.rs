//! Four sums at a time against one at a time: equal in every bit, at every SIMD level.

use tilewright_tile::bound::{
    Accumulator, Approx, DEPTH, DotSums, Extent, Four, Growth, Multiplication, QUAD, Single,
};
use tilewright_tile::{DstWidth, Fidelity, Lanes, SimdLevel, dispatch};

use crate::data::{BF16, FAMILIES, Family, MIXED, Operand, Random, TF32, WIDTHS};

/// Tiles that follow one another in a sum.
const TILES: usize = 12;

/// An operand of a product: what is stored, and what is known of the register.
type Pair = (f32, Approx);

const ZERO: Pair = (0.0, Approx::ZERO);

#[test]
fn quads_give_the_bounds_of_single_sums() {
    let detected = dispatch::detected();
    for level in SimdLevel::ALL.into_iter().filter(|level| *level <= detected) {
        dispatch::force(Some(level)).expect("the host has it");
        let mut random = Random(11);
        for width in WIDTHS {
            for fidelity in Fidelity::ALL {
                for formats in [TF32, BF16, MIXED] {
                    for family in FAMILIES {
                        let how = Multiplication { fidelity, formats };
                        compare(&mut random, width, how, family, level);
                    }
                }
            }
        }
    }
    dispatch::force(None).expect("the host has it");
}

fn compare(
    random: &mut Random,
    width: DstWidth,
    how: Multiplication,
    family: Family,
    level: SimdLevel,
) {
    let mut sums = DotSums::new(width);
    let mut wanted = [Accumulator::new(width, Growth::Worst, Approx::ZERO); QUAD];
    let mut exact = [(0.0_f64, 0.0_f64); QUAD];
    for tile in 0..TILES {
        let a = Operand::exact(random, family, how.formats.a.source_mask());
        let b = Operand::exact(random, family, how.formats.b.source_mask());
        let in_a = |sum, k| taken(&a, sum * DEPTH + k, |x| Single::in_a(how, x.0, x.1).is_some());
        let in_b = |k| taken(&b, k, |x| Single::in_b(how, x.0, x.1).is_some());
        let four =
            |k| Four::new(std::array::from_fn(|sum| single(Single::in_a, how, in_a(sum, k))));
        let ours: [Four; DEPTH] = std::array::from_fn(four);
        let theirs: [Single; DEPTH] = std::array::from_fn(|k| single(Single::in_b, how, in_b(k)));
        sums.add(how, &ours, &theirs);
        for (at, sum) in wanted.iter_mut().enumerate() {
            let a: [Pair; DEPTH] = std::array::from_fn(|k| in_a(at, k));
            let b: [Pair; DEPTH] = std::array::from_fn(in_b);
            sum.add_dot(how, &a.map(|it| it.1), &b.map(|it| it.1));
            let products = a.iter().zip(&b).map(|(a, b)| f64::from(a.0) * f64::from(b.0));
            products.for_each(|product| neumaier(&mut exact[at], product));
        }
        for (at, (got, sum)) in sums.approx().iter().zip(&wanted).enumerate() {
            let wanted = sum.approx_without_excursion();
            let bits = |x: Approx| [x.value.to_bits(), x.error.to_bits()];
            let about = format!("{width:?} {how:?} {family:?} {level:?} tile {tile} sum {at}");
            assert_eq!(bits(*got), bits(wanted), "{about}: {got:?} is not {wanted:?}");
            let exact = exact[at].0 + exact[at].1;
            assert_eq!(sums.exact()[at].to_bits(), exact.to_bits(), "{about}");
        }
    }
}

#[test]
fn sums_that_f64_holds_need_not_look_for_what_it_loses() {
    let detected = dispatch::detected();
    for level in SimdLevel::ALL.into_iter().filter(|level| *level <= detected) {
        dispatch::force(Some(level)).expect("the host has it");
        let mut random = Random(12);
        for width in WIDTHS {
            for fidelity in Fidelity::ALL {
                for formats in [TF32, BF16, MIXED] {
                    let how = Multiplication { fidelity, formats };
                    let is_whole =
                        FAMILIES.map(|family| compare_whole(&mut random, width, how, family));
                    let count = is_whole.iter().filter(|it| **it).count();
                    let (least, most) = if formats == BF16 { (4, 7) } else { (0, 3) };
                    let about = format!("{width:?} {how:?} {level:?}: {is_whole:?}");
                    assert!((least..=most).contains(&count), "{about}");
                }
            }
        }
    }
    dispatch::force(None).expect("the host has it");
}

/// Compares the two ways to add, if all sums are whole; whether they are.
fn compare_whole(
    random: &mut Random,
    width: DstWidth,
    how: Multiplication,
    family: Family,
) -> bool {
    let mut all = Vec::new();
    let mut extents = ([Extent::NONE; QUAD], Extent::NONE);
    for _ in 0..TILES {
        let a = Operand::exact(random, family, how.formats.a.source_mask());
        let b = Operand::exact(random, family, how.formats.b.source_mask());
        let in_a = |sum, k| taken(&a, sum * DEPTH + k, |x| Single::in_a(how, x.0, x.1).is_some());
        let in_b = |k| taken(&b, k, |x| Single::in_b(how, x.0, x.1).is_some());
        let four = |k| std::array::from_fn(|sum| single(Single::in_a, how, in_a(sum, k)));
        let a: [[Single; QUAD]; DEPTH] = std::array::from_fn(four);
        let b: [Single; DEPTH] = std::array::from_fn(|k| single(Single::in_b, how, in_b(k)));
        for k in 0..DEPTH {
            extents.0.iter_mut().zip(&a[k]).for_each(|(extent, factor)| extent.count(factor));
            extents.1.count(&b[k]);
        }
        all.push((a.map(Four::new), b));
    }
    if !extents.0.iter().all(|extent| extent.is_whole_with(&extents.1)) {
        return false;
    }
    let (mut whole, mut wanted) = (DotSums::new(width), DotSums::new(width));
    for (tile, (a, b)) in all.iter().enumerate() {
        whole.add_whole(how, a, b);
        wanted.add(how, a, b);
        let bits = |sums: &DotSums| {
            let approx = sums.approx().map(|it| [it.value.to_bits(), it.error.to_bits()]);
            (approx, sums.exact().map(f64::to_bits))
        };
        let about = format!("{width:?} {how:?} {family:?} tile {tile}");
        assert_eq!(bits(&whole), bits(&wanted), "{about}: {whole:?} is not {wanted:?}");
    }
    true
}

/// An element of an operand, or zero in place of one that quads do not take.
fn taken(operand: &Operand, at: usize, is_taken: impl Fn(Pair) -> bool) -> Pair {
    let lanes: &Lanes = &operand.lanes;
    let pair = (f32::from_bits(lanes[at]), operand.approx[at]);
    if is_taken(pair) { pair } else { ZERO }
}

fn single(
    of: impl Fn(Multiplication, f32, Approx) -> Option<Single>,
    how: Multiplication,
    pair: Pair,
) -> Single {
    of(how, pair.0, pair.1).expect("it was asked before")
}

fn neumaier((sum, lost): &mut (f64, f64), value: f64) {
    let next = *sum + value;
    *lost += if sum.abs() >= value.abs() { *sum - next + value } else { value - next + *sum };
    *sum = next;
}

#[test]
fn quads_take_what_is_exact() {
    let how = Multiplication { fidelity: Fidelity::HiFi4, formats: TF32 };
    let taken = |x| Single::in_a(how, 1.0, x).is_some() && Single::in_b(how, 1.0, x).is_some();
    assert!(taken(Approx::ZERO) && taken(Approx::exact(-1.5)));
    assert!(!taken(Approx::special()) && !taken(Approx::new(1.0, 0.125)));
    assert!(!taken(Approx::exact(f64::from(f32::MIN_POSITIVE) / 2.0)));
    assert!(Single::in_a(how, f32::INFINITY, Approx::exact(1.0)).is_none());
}
