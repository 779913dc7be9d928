//! Functions that exchange values between lanes, or carry them from one group of lanes to the next.
//!
//! Written for the unit's 32 lanes: four rows of Dst, every other column. What they leave beside
//! their result is part of the tile too, and comes out as on the hardware.

mod arithmetic;
mod broadcast;
mod extreme;
mod scan;
mod sort;
mod sum;
mod unit;

use super::run::Operands;
use crate::Chip;
use crate::bits::{ONE, SIGN};
use crate::sfpu::MINUS_ONE;
use crate::sfpu::lane::fma;
use extreme::{Compared, Extreme};
use sort::IsStable;
use sum::Numbers;

/// A function as a sequence of the unit's instructions.
#[derive(Clone, Copy)]
pub(super) struct Sequence {
    /// tt-metal's name, with the template arguments that choose it.
    pub(super) name: &'static str,
    /// The init call, for people.
    pub(super) init: &'static str,
    /// Whether its init leaves something in the unit that it needs.
    pub(super) needs_init: bool,
    /// The scalars of a call, in order.
    pub(super) scalars: &'static [&'static str],
    /// Operand tiles.
    pub(super) tiles: usize,
    /// How many of them it reads; it only stores to the others.
    pub(super) reads: usize,
    pub(super) writes: Writes,
    pub(super) registers: Registers,
    /// What its init call leaves in the programmable registers, on each chip.
    pub(super) constants: [[Option<u32>; 3]; Chip::ALL.len()],
    /// The only chip with evidence for it, if it is not known on all.
    pub(super) only_on: Option<Chip>,
    pub(super) run: fn(&mut Operands<'_>),
}

/// Which tiles a function stores to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// The tile that the call names as its result.
    Result,
    /// Some of its operands, by their places.
    Operands(&'static [usize]),
}

/// What a function does with the values that registers hold between calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registers {
    /// It overwrites them.
    Overwrites,
    /// It sets them for calls to come.
    Sets,
    /// It goes on from them, and leaves them for the next call.
    Continues,
    /// It goes on from them, and overwrites them.
    Ends,
    /// It leaves them alone.
    Keeps,
}

impl Sequence {
    const fn new(
        name: &'static str,
        init: &'static str,
        tiles: usize,
        run: fn(&mut Operands<'_>),
    ) -> Sequence {
        Sequence {
            name,
            init,
            needs_init: false,
            scalars: &[],
            tiles,
            reads: tiles,
            writes: Writes::Result,
            registers: Registers::Overwrites,
            constants: [[None; 3]; Chip::ALL.len()],
            only_on: None,
            run,
        }
    }

    /// Its init leaves something that it needs.
    const fn after_init(mut self) -> Sequence {
        self.needs_init = true;
        self
    }

    const fn scalars(mut self, names: &'static [&'static str]) -> Sequence {
        self.scalars = names;
        self
    }

    /// It reads only the first of its operands.
    const fn reading(mut self, reads: usize) -> Sequence {
        self.reads = reads;
        self
    }

    const fn writing(mut self, places: &'static [usize]) -> Sequence {
        self.writes = Writes::Operands(places);
        self
    }

    const fn constants(mut self, constants: [Option<u32>; 3]) -> Sequence {
        self.constants = [constants; Chip::ALL.len()];
        self
    }

    const fn only_on(mut self, chip: Chip) -> Sequence {
        self.only_on = Some(chip);
        self
    }

    /// What its init call leaves on Blackhole, if that is something else.
    const fn blackhole_constants(mut self, constants: [Option<u32>; 3]) -> Sequence {
        self.constants[Chip::Blackhole as usize] = constants;
        self
    }

    const fn registers(mut self, registers: Registers) -> Sequence {
        self.registers = registers;
        self
    }
}

/// Declares the `sfpu_reduce` of a pool, a format and a direction.
macro_rules! reduce {
    ($name:expr, $run:expr) => {
        Sequence::new(concat!("sfpu_reduce<", $name, ">"), "sfpu_reduce_init()", 1, $run)
            .after_init()
    };
}

/// Every sequence.
pub(super) const SEQUENCES: &[&[Sequence]] =
    &[ELEMENTWISE, SUMS, AVERAGES, MAXIMA, MINIMA, SORTS, SCANS];

const ELEMENTWISE: &[Sequence] = &[
    Sequence::new("power_iterative_tile", "power_iterative_tile_init()", 1, arithmetic::power)
        .scalars(&["exponent"]),
    Sequence::new("gcd_tile", "gcd_tile_init()", 2, arithmetic::greatest_divisor).after_init(),
    // 48/17 and 32/17.
    Sequence::new("lcm_tile", "lcm_tile_init()", 2, arithmetic::least_multiple)
        .after_init()
        .constants([Some(0x4034_b4b5), Some(0x3ff0_f0f1), None]),
    Sequence::new("polygamma_tile", "polygamma_tile_init()", 1, arithmetic::polygamma)
        .after_init()
        .scalars(&["n", "scale"])
        .constants([Some(0x3ea5_7ebb), Some(0x3fba_2e90), Some(0x4007_c1f2)])
        .blackhole_constants([Some(0x4000_0000), None, None]),
    Sequence::new("tiled_prod_tile", "tiled_prod_tile_init()", 1, scan::running_product),
    Sequence::new(
        "alt_complex_rotate90_tile",
        "alt_complex_rotate90_tile_init()",
        1,
        broadcast::rotate_complex,
    ),
    Sequence::new("sfpu_add_bcast_row", "sfpu_binary_bcast_init()", 2, |it| {
        broadcast::row(it, |chip, x, y| fma(chip, x, ONE, y));
    }),
    Sequence::new("sfpu_sub_bcast_row", "sfpu_binary_bcast_init()", 2, |it| {
        broadcast::row(it, |chip, x, y| fma(chip, y, MINUS_ONE, x));
    }),
    Sequence::new("sfpu_mul_bcast_row", "sfpu_binary_bcast_init()", 2, |it| {
        broadcast::row(it, |chip, x, y| fma(chip, x, y, 0));
    }),
    Sequence::new("sfpu_add_bcast_col", "sfpu_binary_bcast_init()", 2, |it| {
        broadcast::column(it, |chip, x, y| fma(chip, x, ONE, y));
    }),
    Sequence::new("sfpu_sub_bcast_col", "sfpu_binary_bcast_init()", 2, |it| {
        broadcast::column(it, |chip, x, y| fma(chip, x, ONE, y ^ SIGN));
    }),
    Sequence::new("sfpu_mul_bcast_col", "sfpu_binary_bcast_init()", 2, |it| {
        broadcast::column(it, |chip, x, y| fma(chip, x, y, 0));
    }),
    Sequence::new("sfpu_add_top_row<Float32>", "sfpu_add_top_row_init()", 2, |it| {
        sum::top_rows(it, Numbers::Float);
    }),
    Sequence::new("sfpu_add_top_row<Int32>", "sfpu_add_top_row_init()", 2, |it| {
        sum::top_rows(it, Numbers::SignMagnitude);
    }),
    Sequence::new("sfpu_add_top_row<UInt32>", "sfpu_add_top_row_init()", 2, |it| {
        sum::top_rows(it, Numbers::Integer);
    }),
];

const SUMS: &[Sequence] = &[
    reduce!("SUM,Float32,COL", |it| sum::of_columns(it, Numbers::Float, |_, sum| sum)),
    reduce!("SUM,Float16_b,COL", |it| sum::of_columns(it, Numbers::Float, |_, sum| sum)),
    reduce!("SUM,Int32,COL", |it| sum::of_columns(it, Numbers::Integer, |_, sum| sum)),
    reduce!("SUM,UInt32,COL", |it| sum::of_columns(it, Numbers::Integer, |_, sum| sum)),
    reduce!("SUM,Float32,ROW", |it| sum::of_rows(it, Numbers::Float)),
    reduce!("SUM,Float16_b,ROW", |it| sum::of_rows(it, Numbers::Float)),
    reduce!("SUM,Int32,ROW", |it| sum::of_rows(it, Numbers::Integer)),
    reduce!("SUM,UInt32,ROW", |it| sum::of_rows(it, Numbers::Integer)),
    Sequence::new("sfpu_sum_int_col", "sfpu_sum_int_init()", 1, sum::groups_of_rows),
    Sequence::new("sfpu_sum_int_row", "sfpu_sum_int_init()", 1, sum::groups_of_columns),
];

const AVERAGES: &[Sequence] = &[
    reduce!("AVG,Float32,COL", |it| sum::of_columns(it, Numbers::Float, sum::average)),
    reduce!("AVG,Float16_b,COL", |it| sum::of_columns(it, Numbers::Float, sum::average)),
    reduce!("AVG,Int32,COL", |it| {
        sum::of_columns(it, Numbers::Converted, sum::average_signed);
    }),
    reduce!("AVG,UInt32,COL", |it| sum::of_columns(it, Numbers::Integer, sum::average_signed)),
];

/// Declares the eight functions of an extreme.
macro_rules! extremes {
    ($list:ident, $pool:literal, $extreme:expr) => {
        const $list: &[Sequence] = &[
            reduce!(concat!($pool, ",Float32,COL"), |it| {
                extreme::of_columns(it, $extreme, Compared::Float);
            }),
            reduce!(concat!($pool, ",Float16_b,COL"), |it| {
                extreme::of_columns(it, $extreme, Compared::Float);
            }),
            reduce!(concat!($pool, ",Int32,COL"), |it| {
                extreme::of_columns(it, $extreme, Compared::Signed);
            }),
            reduce!(concat!($pool, ",UInt32,COL"), |it| {
                extreme::of_columns(it, $extreme, Compared::Word);
            }),
            reduce!(concat!($pool, ",Float32,ROW"), |it| {
                extreme::of_rows(it, $extreme, Compared::Float);
            }),
            reduce!(concat!($pool, ",Float16_b,ROW"), |it| {
                extreme::of_rows(it, $extreme, Compared::Float);
            }),
            reduce!(concat!($pool, ",Int32,ROW"), |it| {
                extreme::of_rows(it, $extreme, Compared::Signed);
            }),
            reduce!(concat!($pool, ",UInt32,ROW"), |it| {
                extreme::of_rows(it, $extreme, Compared::Word);
            }),
        ];
    };
}

extremes!(MAXIMA, "MAX", Extreme::Maximum);
extremes!(MINIMA, "MIN", Extreme::Minimum);

/// Declares a function of top-k: two tiles of values, then two of indices.
macro_rules! top_k {
    ($name:literal, $scalars:expr, $run:expr) => {
        Sequence::new($name, "topk_tile_init()", 4, $run)
            .after_init()
            .scalars($scalars)
            .writing(&[0, 1, 2, 3])
    };
}

const PHASES: &[&str] = &["idir", "end_phase", "start_phase", "end_step", "start_step"];
const MERGE: &[&str] = &["m_iter", "k"];
const REBUILD: &[&str] = &["idir", "m_iter", "k", "logk", "skip_second"];

const SORTS: &[Sequence] = &[
    top_k!("topk_local_sort<false>", PHASES, |it| sort::local_sort(it, IsStable(false))),
    top_k!("topk_local_sort<true>", PHASES, |it| sort::local_sort(it, IsStable(true))),
    top_k!("topk_merge<false,false>", MERGE, |it| sort::merge(it, false, IsStable(false))),
    top_k!("topk_merge<false,true>", MERGE, |it| sort::merge(it, false, IsStable(true))),
    top_k!("topk_merge<true,false>", MERGE, |it| sort::merge(it, true, IsStable(false))),
    top_k!("topk_merge<true,true>", MERGE, |it| sort::merge(it, true, IsStable(true))),
    top_k!("topk_rebuild<false>", REBUILD, |it| sort::rebuild(it, IsStable(false))),
    top_k!("topk_rebuild<true>", REBUILD, |it| sort::rebuild(it, IsStable(true))),
    Sequence::new(
        "max_reduce_with_indices",
        "max_reduce_with_indices_init()",
        4,
        extreme::with_indices,
    )
    .after_init()
    .reading(2)
    .writing(&[0, 1]),
];

/// Row and number of rows, and a reciprocal for each row of a tile.
const WELFORD_ROWS: &[&str] = &{
    let mut names = ["reciprocal"; 34];
    names[0] = "start_row";
    names[1] = "num_rows";
    names
};

const SCANS: &[Sequence] = &[
    Sequence::new("cumsum_tile", "cumsum_tile_init()", 1, scan::first_sum)
        .after_init()
        .registers(Registers::Sets),
    Sequence::new("cumsum_tile<false>", "cumsum_tile_init()", 1, scan::cumulative_sum)
        .after_init()
        .registers(Registers::Continues),
    Sequence::new("ema_factors", "ema_init(alpha, beta)", 0, scan::load_factors)
        .scalars(&["alpha", "beta"])
        .writing(&[])
        .registers(Registers::Sets),
    Sequence::new("ema_clear_previous_output", "ema_init(alpha, beta)", 0, scan::clear_average)
        .writing(&[])
        .registers(Registers::Continues),
    Sequence::new("ema_tile", "ema_init(alpha, beta)", 2, scan::moving_average)
        .after_init()
        .reading(1)
        .writing(&[1])
        .registers(Registers::Continues),
    Sequence::new("welford_clear", "welford_init()", 0, scan::welford_clear)
        .writing(&[])
        .registers(Registers::Sets),
    Sequence::new("welford_update", "welford_init()", 1, scan::welford_update)
        .after_init()
        .scalars(WELFORD_ROWS)
        .writing(&[])
        .registers(Registers::Continues),
    Sequence::new("welford_save_state", "welford_init()", 2, scan::welford_store)
        .scalars(&["group"])
        .reading(0)
        .writing(&[0, 1])
        .registers(Registers::Continues),
    Sequence::new("welford_restore_state", "welford_init()", 2, scan::welford_restore)
        .scalars(&["group"])
        .writing(&[])
        .registers(Registers::Sets),
    Sequence::new("welford_finalize_to_row", "welford_init()", 2, scan::welford_to_row)
        .scalars(&["scale"])
        .reading(0)
        .writing(&[0, 1])
        .registers(Registers::Ends),
    Sequence::new("welford_finalize_to_face", "welford_init()", 2, scan::welford_to_face)
        .scalars(&["scale", "group"])
        .reading(0)
        .writing(&[0, 1])
        .registers(Registers::Ends),
    Sequence::new("init_scalars", "", 0, scan::keep_scalars)
        .scalars(&["first", "second", "third"])
        .writing(&[])
        .registers(Registers::Keeps),
    Sequence::new("prng_seed", "dropout_kernel_init(seed)", 0, scan::seed)
        .scalars(&["seed"])
        .writing(&[])
        .registers(Registers::Keeps),
    Sequence::new("dropout_tile", "dropout_kernel_init(seed)", 1, scan::dropout)
        .scalars(&["probability", "scale"]),
    Sequence::new("rand_tile", "rand_tile_init(seed)", 1, scan::random)
        .scalars(&["from", "scale"])
        .reading(0)
        .only_on(Chip::Blackhole),
];
