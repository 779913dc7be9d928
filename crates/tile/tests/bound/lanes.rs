//! 32 values at a time against one at a time: equal in every bit, at every SIMD level.

use tilewright_tile::bound::{
    self, Accumulator, AccumulatorLanes, Approx, ApproxLanes, Growth, LANES,
};
use tilewright_tile::sfpu::Binary;
use tilewright_tile::{DataFormat, DstWidth, PackMask, Packing, Relu, SimdLevel, dispatch};

/// Stored values of all kinds: ordinary, far apart, denormal, signed zero, special.
fn operands(seed: u64) -> [f32; LANES] {
    const ODD: [f32; 10] = [
        0.0,
        -0.0,
        1e-40,
        f32::MIN_POSITIVE,
        -1.0,
        f32::MAX,
        3e38,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
    ];
    let mut state = seed;
    std::array::from_fn(|lane| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(lane as u64 | 1);
        let bits = (state >> 32) as u32;
        match seed % 4 {
            0 => (bits as f32 / (1_u64 << 31) as f32) - 1.0,
            1 => f32::from_bits(bits & 0xffff_0000),
            2 => ODD[bits as usize % ODD.len()],
            _ => f32::from_bits(bits),
        }
    })
}

/// Bits, with one pattern for all NaNs: which one comes out is no fact about bounds.
fn bits(x: Approx) -> [u64; 2] {
    [x.value, x.error].map(|it| if it.is_nan() { f64::NAN.to_bits() } else { it.to_bits() })
}

#[track_caller]
fn check(got: &ApproxLanes, wanted: impl Fn(usize) -> Approx, about: &str) {
    for lane in 0..LANES {
        let (got, wanted) = (got.get(lane), wanted(lane));
        assert_eq!(bits(got), bits(wanted), "{about}, lane {lane}: {got:?} is not {wanted:?}");
    }
}

/// Stored values, and inexact ones: what two steps on them leave.
fn pairs(seed: u64) -> [(ApproxLanes, [Approx; LANES]); 3] {
    let (x, y) = (operands(seed), operands(seed ^ 0x9e37));
    let one = |value: f32| Approx::from_bits(value.to_bits());
    let step = |op, x, y| bound::binary(op, DstWidth::Bits32, x, y);
    let inexact = |lane: usize| {
        let product = step(Binary::Mul, one(x[lane]), one(y[lane]));
        step(Binary::Sub, product, one(x[(lane + 1) % LANES]))
    };
    let (x_lanes, y_lanes) = (ApproxLanes::stored(&x), ApproxLanes::stored(&y));
    let next = std::array::from_fn::<_, LANES, _>(|lane| x[(lane + 1) % LANES]);
    let product = bound::binary_lanes(Binary::Mul, &x_lanes, &y_lanes);
    let inexact_lanes = bound::binary_lanes(Binary::Sub, &product, &ApproxLanes::stored(&next));
    [(x_lanes, x.map(one)), (y_lanes, y.map(one)), (inexact_lanes, std::array::from_fn(inexact))]
}

fn binary_functions_are_those_of_one_value() {
    for seed in 0..400 {
        let pairs = pairs(seed);
        for &op in Binary::ALL {
            for (x_lanes, x) in &pairs {
                for (y_lanes, y) in &pairs {
                    let got = bound::binary_lanes(op, x_lanes, y_lanes);
                    let wanted =
                        |lane: usize| bound::binary(op, DstWidth::Bits32, x[lane], y[lane]);
                    check(&got, wanted, &format!("{op:?}, seed {seed}"));
                }
            }
        }
    }
}

fn packed_values_are_those_of_one_value() {
    let formats = [DataFormat::Bfloat16, DataFormat::Float32];
    let ways = formats.into_iter().flat_map(|to| [(to, Relu::Off), (to, Relu::Zero)]);
    for (format, relu) in ways {
        let packing = Packing {
            width: DstWidth::Bits32,
            source: format,
            output: format,
            relu,
            mask: PackMask::None,
            accumulate: false,
        };
        for seed in 0..400 {
            for (x_lanes, x) in &pairs(seed) {
                let got = bound::pack_lanes(&packing, x_lanes).expect("a format that is packed");
                let wanted = |lane: usize| bound::pack(&packing, x[lane]).expect("the same");
                check(&got, wanted, &format!("{format:?}, {relu:?}, seed {seed}"));
            }
        }
        let refused = Packing { output: DataFormat::Tf32, ..packing };
        assert!(bound::pack_lanes(&refused, &ApproxLanes::ZERO).is_err());
    }
}

fn sums_are_those_of_one_value() {
    for growth in [Growth::Worst, Growth::Statistical] {
        for count in [1, 7, LANES] {
            let mut lanes = AccumulatorLanes::new(growth);
            let mut one = [Accumulator::new(DstWidth::Bits32, growth, Approx::ZERO); LANES];
            // Ordinary values first: special ones end what can be said of a sum.
            for seed in (0..400).map(|it| it * 4).chain(0..100) {
                for (x_lanes, x) in pairs(seed) {
                    lanes.add_in_sfpu(&x_lanes, count);
                    one.iter_mut().zip(x).take(count).for_each(|(sum, x)| sum.add_in_sfpu(x));
                }
                check(&lanes.approx(), |lane| one[lane].approx(), &format!("{growth:?}, {seed}"));
            }
        }
    }
}

#[test]
fn lanes_are_as_single_values_at_every_level() {
    for level in SimdLevel::ALL {
        if dispatch::force(Some(level)).is_ok() {
            binary_functions_are_those_of_one_value();
            sums_are_those_of_one_value();
            packed_values_are_those_of_one_value();
        }
    }
    dispatch::force(None).expect("the detected level is there");
}

#[test]
fn missing_values_are_zero() {
    let lanes = ApproxLanes::stored(&[1.0, f32::NAN]);
    assert_eq!(bits(lanes.get(0)), bits(Approx::exact(1.0)));
    assert_eq!(bits(lanes.get(1)), bits(Approx::special()));
    assert!((2..LANES).all(|lane| lanes.get(lane) == Approx::ZERO));
    let mut out = [Approx::ZERO; 1];
    lanes.copy_to(&mut out);
    assert_eq!(out, [Approx::exact(1.0)]);
}
