//! SFPU instructions and whole-tile functions against the scalar model, on every SIMD level.

mod model;

use model::data::{KINDS, Kind, Random, assert_tiles, on_every_level, pair_up, tile, value};
use proptest::prelude::*;
use tilewright_tile::sfpu::program::{Function, FunctionId, Operands, VectorState};
use tilewright_tile::sfpu::{self, Binary, Mask, Rounding, Sum, Tiles, Unary};
use tilewright_tile::{Chip, DstWidth, Lanes, Magnitudes, TILE_VALUES, face};

const WIDTHS: [DstWidth; 2] = [DstWidth::Bits16, DstWidth::Bits32];

fn kinds() -> impl Strategy<Value = Kind> {
    proptest::sample::select(KINDS.to_vec())
}

fn check_unary(op: Unary, width: DstWidth, x: &Lanes) {
    let expected: Lanes = std::array::from_fn(|i| model::programs::unary(op, x[i], width));
    on_every_level(|level| {
        let mut tile = *x;
        sfpu::unary(Chip::Wormhole, op, width, &mut tile);
        assert_tiles(&tile, &expected, |i| format!("{level:?} {op:?} {width:?} of {:08x}", x[i]));
    });
}

fn check_binary(op: Binary, width: DstWidth, x: &Lanes, y: &Lanes) {
    let expected: Lanes = std::array::from_fn(|i| model::programs::binary(op, x[i], y[i], width));
    on_every_level(|level| {
        let (mut out, mut first, mut second) = ([0; 1024], *x, *y);
        sfpu::binary(Chip::Wormhole, op, width, x, y, &mut out);
        sfpu::binary_into_first(Chip::Wormhole, op, width, &mut first, y);
        sfpu::binary_into_second(Chip::Wormhole, op, width, x, &mut second);
        for actual in [out, first, second] {
            assert_tiles(&actual, &expected, |i| {
                format!("{level:?} {op:?} {width:?} of {:08x} and {:08x}", x[i], y[i])
            });
        }
    });
}

/// A tile in which all values are one but for some, as reductions leave it.
fn sparse(random: &mut Random, kind: Kind, others: usize, mask: u32) -> Lanes {
    let mut sparse = [value(random, kind) & mask; 1024];
    for (place, value) in tile(random, kind, mask).into_iter().take(others).enumerate() {
        sparse[3 * place % 1024] = value;
    }
    sparse
}

#[test]
fn functions_of_a_narrow_dst_stay_what_they_were_when_they_are_called_often() {
    let random = &mut Random::new(1);
    let (width, narrow) = (DstWidth::Bits16, DstWidth::Bits16.mask());
    for kind in KINDS {
        for op in Unary::all(value(random, kind)) {
            // More values than a narrow Dst has patterns, so that a table is made.
            for _ in 0..65 {
                sfpu::unary(Chip::Wormhole, op, width, &mut tile(random, kind, narrow));
            }
            check_unary(op, width, &tile(random, kind, narrow));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn functions_of_tiles_with_few_values_agree_with_the_model(
        seed: u64,
        kind in kinds(),
        others in proptest::sample::select(vec![0, 1, 64, 254, 255, 256, 300]),
    ) {
        let random = &mut Random::new(seed);
        for width in WIDTHS {
            for op in Unary::all(value(random, kind)) {
                check_unary(op, width, &sparse(random, kind, others, width.mask()));
            }
        }
    }

    #[test]
    fn unary_functions_agree_with_the_model(seed: u64, kind in kinds()) {
        let random = &mut Random::new(seed);
        for width in WIDTHS {
            for op in Unary::all(value(random, kind)) {
                check_unary(op, width, &tile(random, kind, width.mask()));
            }
        }
    }

    #[test]
    fn binary_functions_agree_with_the_model(seed: u64, kind in kinds()) {
        let random = &mut Random::new(seed);
        for width in WIDTHS {
            let x = tile(random, kind, width.mask());
            let mut y = tile(random, kind, width.mask());
            pair_up(random, &x, &mut y, width.mask());
            for op in Binary::ALL {
                check_binary(*op, width, &x, &y);
            }
        }
    }
}

#[test]
fn sums_of_small_numbers_are_exact() {
    let tile: Lanes = std::array::from_fn(|i| {
        let (row, column) = face::position(i);
        ((row * 7 + column * 3) as f32).to_bits()
    });
    let total = |values: &mut dyn Iterator<Item = u32>| values.map(f32::from_bits).sum::<f32>();
    let (mut columns, mut rows) = (tile, tile);
    sfpu::sum(Chip::Wormhole, Sum::Columns, &mut columns);
    sfpu::sum(Chip::Wormhole, Sum::Rows, &mut rows);
    for place in 0..32 {
        let column = total(&mut (0..32).map(|row| tile[face::index(row, place)]));
        let row = total(&mut (0..32).map(|column| tile[face::index(place, column)]));
        assert_eq!(f32::from_bits(columns[face::index(0, place)]), column);
        assert_eq!(f32::from_bits(rows[face::index(place, 0)]), row);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn sums_agree_with_the_model(seed: u64, kind in kinds()) {
        let x = tile(&mut Random::new(seed), kind, u32::MAX);
        for sum in [Sum::Columns, Sum::Rows] {
            let (mut actual, expected) = (x, model::programs::sum(sum, &x));
            sfpu::sum(Chip::Wormhole, sum, &mut actual);
            assert_tiles(&actual, &expected, |i| format!("{sum:?} of {:08x}", x[i]));
        }
    }

    #[test]
    fn fma_agrees_with_the_model(seed: u64, kinds in (kinds(), kinds(), kinds())) {
        let random = &mut Random::new(seed);
        for _ in 0..4000 {
            let x = value(random, kinds.0);
            let y = value(random, kinds.1);
            // Half of the addends nearly cancel the product.
            let product = model::sfpu::mul(x, y);
            let near = (product ^ 0x8000_0000).wrapping_add(random.bits() & 3).wrapping_sub(1);
            let z = if random.bits() & 1 == 0 { near } else { value(random, kinds.2) };
            for (chip, expected) in [
                (Chip::Wormhole, model::sfpu::fma(x, y, z)),
                (Chip::Blackhole, model::sfpu::fma_blackhole(x, y, z)),
            ] {
                let actual = sfpu::fma(chip, x, y, z);
                prop_assert!(actual == expected,
                    "fma({x:08x}, {y:08x}, {z:08x}): {actual:08x}, not {expected:08x}, {chip:?}");
            }
        }
    }

    #[test]
    fn conversions_agree_with_the_model(seed: u64, kind in kinds()) {
        let random = &mut Random::new(seed);
        for _ in 0..2000 {
            let x = value(random, kind);
            let small = x & 0x807f_ffff | (120 + random.bits() % 30) << 23;
            for x in [x, small] {
                let round = |mode| sfpu::stochastic_round(mode, x);
                prop_assert_eq!(round(Rounding::Bfloat16), model::sfpu::to_bf16(x));
                let integer = |max, keeps_sign| model::sfpu::to_integer(x, max, keeps_sign);
                prop_assert_eq!(round(Rounding::Unsigned8), integer(255, false));
                prop_assert_eq!(round(Rounding::SignMagnitude8), integer(127, true));
                prop_assert_eq!(round(Rounding::Unsigned16), integer(65535, false));
                prop_assert_eq!(round(Rounding::SignMagnitude16), integer(32767, true));
                prop_assert_eq!(sfpu::lane::cast_sign_magnitude(x), model::sfpu::cast(x));
                prop_assert_eq!(sfpu::lane::absolute(x), model::sfpu::abs(x));
            }
        }
    }

    #[test]
    fn masks_write_only_where_the_mask_is_positive_zero(seed: u64, kind in kinds()) {
        let random = &mut Random::new(seed);
        let data = tile(random, kind, u32::MAX);
        let mut mask = tile(random, kind, u32::MAX);
        mask[..512].iter_mut().step_by(3).for_each(|value| *value = 0);
        mask[..512].iter_mut().step_by(5).for_each(|value| *value = 0x8000_0000);
        on_every_level(|_| {
            for (kind, written) in [(Mask::Zero, 0), (Mask::PositiveInfinity, 0x7f80_0000)] {
                let mut out = data;
                sfpu::mask(kind, DstWidth::Bits32, &mut out, &mask);
                let expected: Lanes =
                    std::array::from_fn(|i| if mask[i] == 0 { written } else { data[i] });
                assert_tiles(&out, &expected, |i| format!("{kind:?} value {i}"));
            }
        });
    }
}

/// With a cap of one it is the hyperbolic tangent, for which there are golden cases.
#[test]
fn softcap_of_one_is_tanh() {
    let softcap = FunctionId::from_name("softcap_tile").expect("declared").function();
    let (chip, width, scalars) = (Chip::Blackhole, DstWidth::Bits16, [1.0_f32.to_bits(); 2]);
    for patterns in (0..=u16::MAX).collect::<Vec<_>>().chunks(1024) {
        let ordinary = |pattern: u16| (1..255).contains(&(pattern >> 7 & 255));
        let value = |at: usize| if ordinary(patterns[at]) { patterns[at] } else { 0x3f80 };
        let mut capped: Lanes = std::array::from_fn(|at| u32::from(value(at)) << 16);
        let mut tanh = capped;
        let constants = softcap.constants(chip, width).map(|constant| constant.expect("three"));
        let mut state = VectorState::default();
        let tiles = std::slice::from_mut(&mut capped);
        let mut operands = Operands::new((chip, width), constants, &scalars, tiles, &mut state);
        softcap.run(&mut operands).expect("it is a program");
        sfpu::unary(chip, Unary::Tanh, width, &mut tanh);
        assert_tiles(&capped, &tanh, |at| format!("{:04x}", value(at)));
    }
}

/// What a fill finds in its tile is not in its result.
#[test]
fn a_fill_reads_no_tile() {
    for name in ["fill_tile_int<Int32>", "fill_tile_int<UInt32>", "fill_tile_int<UInt16>"] {
        let fill = FunctionId::from_name(name).expect("declared").function();
        assert_eq!((fill.tiles(), fill.tiles_read()), (1, 0), "{name}");
    }
}

/// The width of Dst decides how accurate it is, and not the format that a kernel names.
#[test]
fn snake_beta_is_one_function_for_both_formats() {
    let [half, single] = ["Float16_b", "Float32"].map(|format| {
        let name = format!("snake_beta_tile<{format}>");
        FunctionId::from_name(&name).expect("declared").function()
    });
    let mut random = Random::new(11);
    for (chip, width) in Chip::ALL.into_iter().flat_map(|chip| WIDTHS.map(|width| (chip, width))) {
        let mut value = || random.with_exponent(124, 129) & width.mask();
        let operands: [Lanes; 3] = std::array::from_fn(|_| std::array::from_fn(|_| value()));
        let run = |function: &Function| {
            let constants = function.constants(chip, width).map(|it| it.unwrap_or(0));
            let (mut tiles, mut state) = (operands, VectorState::default());
            let mut given = Operands::new((chip, width), constants, &[], &mut tiles, &mut state);
            function.run(&mut given).expect("it is a program");
            tiles[0]
        };
        let out = run(half);
        assert_tiles(&out, &run(single), |at| format!("{chip:?} {width:?} value {at}"));
        let accuracy = if width == DstWidth::Bits16 { 2.0_f64.powi(-8) } else { 1e-5 };
        for (at, result) in out.iter().enumerate() {
            let number = |bits: u32| f64::from(f32::from_bits(bits));
            let [x, alpha, beta] = operands.map(|tile| number(tile[at]));
            let exact = x + (alpha * x).sin().powi(2) / beta;
            let error = (number(*result) - exact).abs();
            let sizes = x.abs() + 1.0 / beta.abs();
            assert!(error <= accuracy * sizes, "{chip:?} {width:?}: {x} {alpha} {beta}: {error}");
        }
    }
}

/// A scale that is a power of two is exact, so that it may as well be in the operand.
#[test]
fn an_exponential_with_a_scale_is_that_of_the_product() {
    let scaled = FunctionId::from_name("exp_tile<false,scale>").expect("declared").function();
    let exp = Unary::Exp { approx: false };
    for (chip, width) in Chip::ALL.into_iter().flat_map(|chip| WIDTHS.map(|width| (chip, width))) {
        assert!(sfpu::unary_leaves_constants_of(exp, scaled), "exp_tile_init() serves both");
        let held = sfpu::unary_constants(chip, exp, width)
            .unwrap_or_default()
            .map(|constant| constant.unwrap_or(0));
        for (scale, exponents) in [(0x3f80, 0), (0xbf80, 0), (0x3f00, 1)] {
            for patterns in (0..=u16::MAX).collect::<Vec<_>>().chunks(1024) {
                // Neither zeros, infinities and NaNs nor what becomes one when it is halved.
                let ordinary = |pattern: u16| (2..255).contains(&(pattern >> 7 & 255));
                let value = |at: usize| if ordinary(patterns[at]) { patterns[at] } else { 0x3f80 };
                let mut ours: Lanes = std::array::from_fn(|at| u32::from(value(at)) << 16);
                let sign = (scale & 0x8000) << 16;
                let mut wanted = ours.map(|value| (value ^ sign) - (exponents << 23));
                let mut state = VectorState::default();
                let (tiles, scale) = (std::slice::from_mut(&mut ours), [scale]);
                let mut operands = Operands::new((chip, width), held, &scale, tiles, &mut state);
                scaled.run(&mut operands).expect("it is a program");
                sfpu::unary(chip, exp, width, &mut wanted);
                assert_tiles(&ours, &wanted, |at| format!("{chip:?} {width:?} {:04x}", value(at)));
            }
        }
    }
}

/// Of Wormhole it is what `recip_tile` rounds to a 16-bit Dst, for which there are golden cases; of
/// Blackhole the unit's own estimate, and of the older algorithm all steps but the last.
#[test]
fn an_approximate_reciprocal_has_fewer_steps() {
    let function = |name| FunctionId::from_name(name).expect("declared").function();
    let width = DstWidth::Bits32;
    let run = |name, chip, tile: &mut Lanes| {
        let function = function(name);
        let constants = function.constants(chip, width).map(|constant| constant.unwrap_or(0));
        let mut state = VectorState::default();
        let tiles = std::slice::from_mut(tile);
        let mut operands = Operands::new((chip, width), constants, &[], tiles, &mut state);
        function.run(&mut operands).expect("it is a program");
    };
    for patterns in (0..=u16::MAX).collect::<Vec<_>>().chunks(1024) {
        let ordinary = |pattern: u16| (2..252).contains(&(pattern >> 7 & 255));
        let value = |at: usize| if ordinary(patterns[at]) { patterns[at] } else { 0x3f80 };
        let x: Lanes = std::array::from_fn(|at| u32::from(value(at)) << 16);
        let (mut ours, mut rounded) = (x, x);
        run("recip_tile<APPROX>", Chip::Wormhole, &mut ours);
        sfpu::unary(Chip::Wormhole, Unary::Recip { legacy: false }, DstWidth::Bits16, &mut rounded);
        let ours = ours.map(|it| (it + 0x7fff + (it >> 16 & 1)) & 0xffff_0000);
        assert_tiles(&ours, &rounded, |at| format!("{:04x}", value(at)));
        for (name, chip, least) in [
            ("recip_tile<APPROX>", Chip::Blackhole, 2.0_f64.powi(-7)),
            ("recip_tile<APPROX,legacy>", Chip::Wormhole, 2.0_f64.powi(-4)),
            ("recip_tile<APPROX,legacy>", Chip::Blackhole, 2.0_f64.powi(-4)),
        ] {
            let mut estimate = x;
            run(name, chip, &mut estimate);
            for (x, y) in x.iter().zip(estimate) {
                let [x, y] = [*x, y].map(|bits| f64::from(f32::from_bits(bits)));
                assert!((x * y - 1.0).abs() < least, "{name} on {chip:?}: {y} of {x}");
            }
        }
    }
}

/// Products that straddle 2^-126, where host and SFPU flush differently.
#[test]
fn products_next_to_the_smallest_normal_are_exact() {
    let mut random = Random::new(7);
    for _ in 0..200 {
        let x: Lanes = std::array::from_fn(|_| {
            let e = 40 + random.bits() % 40;
            (random.bits() & 0x8000_0000) | e << 23 | (0x7f_ffff - random.bits() % 4)
        });
        let y: Lanes = std::array::from_fn(|i| {
            let e = 127 - ((x[i] >> 23) & 255) + random.bits() % 2;
            (random.bits() & 0x8000_0000) | e << 23 | (random.bits() % 4)
        });
        check_binary(Binary::Mul, DstWidth::Bits32, &x, &y);
    }
}

/// A value of any sign, with an exponent field of this range and a mantissa at either end of its
/// own or anywhere.
fn bordering(random: &mut Random, exponents: std::ops::Range<u32>) -> u32 {
    let exponent = exponents.start + random.bits() % (exponents.end - exponents.start);
    let mantissa = match random.bits() % 3 {
        0 => random.bits() % 4,
        1 => 0x7f_ffff - random.bits() % 4,
        _ => random.bits() & 0x7f_ffff,
    };
    random.bits() & 0x8000_0000 | exponent << 23 | mantissa
}

/// Whole tiles on either side of what decides whether the host's arithmetic is trusted: a single
/// lane beyond it would send all the others the exact way.
#[test]
fn sums_and_products_are_exact_where_the_host_begins_to_be_trusted() {
    let regimes = [
        // Denormals and zeros with sums about 2^-100, and sums that cancel there.
        (0..1, 24..30),
        (24..30, 24..30),
        // Denormals with large factors, and products about the least normal value.
        (0..1, 180..254),
        (30..66, 60..98),
        // Overflow, and exponents of 255.
        (250..255, 250..255),
        (127..254, 127..255),
        (100..150, 254..256),
    ];
    let mut random = Random::new(11);
    for (first, second) in regimes {
        for round in 0..40 {
            let mut x: Lanes = std::array::from_fn(|_| bordering(&mut random, first.clone()));
            let y: Lanes = std::array::from_fn(|_| bordering(&mut random, second.clone()));
            if round % 2 == 0 {
                x.iter_mut().step_by(5).for_each(|x| *x &= 0x8000_0000);
                x.iter_mut().zip(&y).step_by(7).for_each(|(x, y)| *x = y ^ 0x8000_0000);
            }
            for op in [Binary::Add, Binary::Sub, Binary::Rsub, Binary::Mul] {
                for width in [DstWidth::Bits16, DstWidth::Bits32] {
                    check_binary(
                        op,
                        width,
                        &x.map(|x| x & width.mask()),
                        &y.map(|y| y & width.mask()),
                    );
                }
            }
        }
    }
}

/// Values of so many exponents from one on, zeros of both signs among them.
fn near(random: &mut Random, first: u32, exponents: u32) -> Lanes {
    std::array::from_fn(|_| {
        let (bits, spread) = (random.bits(), random.bits());
        let value = bits & 0x807f_ffff | (first + (spread >> 8) % exponents) << 23;
        let kept = value & u32::MAX << (spread & 31).min(20);
        if spread & 15 == 0 { bits & 0x8000_0000 } else { kept }
    })
}

/// Pairs of tiles: ordinary, far apart, near the bounds of the host's arithmetic, and some whose
/// differences nearly vanish.
fn pairs() -> Vec<(Lanes, Lanes)> {
    let mut random = Random::new(5);
    let mut pairs = Vec::new();
    for (x, y) in [(120, 120), (100, 140), (40, 60), (60, 68), (20, 30), (180, 190), (250, 2)] {
        let pair = (near(&mut random, x, 8), near(&mut random, y, 4));
        let close = pair.0.map(|value| value ^ (random.bits() & 3));
        pairs.push((pair.0, close));
        pairs.push(pair);
    }
    pairs.push(([0; TILE_VALUES], [0x8000_0000; TILE_VALUES]));
    pairs
}

/// Compares operations on a pair of tiles with and without what is known of them; how many left
/// something to know of their results.
fn check_known(chip: Chip, width: DstWidth, (x, y): &(Lanes, Lanes)) -> u32 {
    use Binary::{Add, Max, Min, Mul, Rsub, Sub};
    let (x, y) = (x.map(|it| it & width.mask()), y.map(|it| it & width.mask()));
    let known = [x, y].map(Magnitudes::of);
    let mut derived = 0;
    let check = |seen: &Lanes, derived_of: &Lanes, left: Option<Magnitudes>, op: String| {
        assert!(seen == derived_of, "{op} in {width:?}");
        assert!(left.is_none_or(|it| seen.iter().all(|value| it.holds(*value))), "{op}");
    };
    for op in [Add, Sub, Rsub, Mul, Max, Min] {
        let (mut seen, mut derived_of) = ([0; TILE_VALUES], [0; TILE_VALUES]);
        sfpu::binary(chip, op, width, &x, &y, &mut seen);
        let tiles = Tiles::Apart { x: &x, y: &y, out: &mut derived_of };
        let left = sfpu::binary_of_known(chip, op, width, tiles, known);
        check(&seen, &derived_of, left, format!("{op:?}"));
        derived += u32::from(left.is_some());
    }
    for op in [Unary::Square, Unary::AddScalar(y[1]), Unary::MulScalar(y[1])] {
        let (mut seen, mut derived_of) = (x, x);
        sfpu::unary(chip, op, width, &mut seen);
        let left = sfpu::unary_of_known(chip, op, width, &mut derived_of, known[0]);
        check(&seen, &derived_of, left, format!("{op:?}"));
    }
    derived
}

/// What is known of operands spares the look at them and changes nothing.
#[test]
fn what_is_known_changes_no_bits_and_holds_for_results() {
    on_every_level(|_| {
        let mut derived = 0;
        for chip in [Chip::Wormhole, Chip::Blackhole] {
            for width in WIDTHS {
                derived += pairs().iter().map(|pair| check_known(chip, width, pair)).sum::<u32>();
            }
        }
        assert!(derived > 150, "only {derived} results are known in part");
    });
}
