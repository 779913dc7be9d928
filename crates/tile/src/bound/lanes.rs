//! 32 values at a time: the vector unit's steps of two operands in a 32-bit Dst.
//!
//! The loops call the functions of one value, whose bounds they give bit for bit; they are
//! compiled for the host's SIMD instructions, and values lie apart from errors for that.

use super::accumulate::Accumulator;
use super::approx::Approx;
use super::pack::pack;
use super::sfpu::{self, Store};
use super::{Growth, grid};
use crate::dispatch::{self, SimdLoop};
use crate::sfpu::Binary;
use crate::{DataFormat, DstWidth, Packing, Relu, UnsupportedConversion};

/// Values of a step, as many as a tile is wide.
pub const LANES: usize = 32;

/// 32 exact values and the bounds on their errors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ApproxLanes {
    values: [f64; LANES],
    errors: [f64; LANES],
}

impl ApproxLanes {
    /// Zero, exactly, in every lane.
    pub const ZERO: Self = Self { values: [0.0; LANES], errors: [0.0; LANES] };

    /// The same in every lane.
    pub fn splat(x: Approx) -> Self {
        Self { values: [x.value; LANES], errors: [x.error; LANES] }
    }

    /// What up to 32 stored fp32 patterns hold, in the first lanes; zero in the others.
    pub fn stored(values: &[f32]) -> Self {
        let mut padded = [0.0_f32; LANES];
        padded[..values.len()].copy_from_slice(values);
        each(|lane| Approx::from_bits(padded[lane].to_bits()))
    }

    /// One lane.
    #[inline(always)]
    pub fn get(&self, lane: usize) -> Approx {
        Approx::new(self.values[lane], self.errors[lane])
    }

    /// A step of one value on all of them.
    #[must_use]
    pub fn map(&self, step: impl Fn(Approx) -> Approx) -> Self {
        each(|lane| step(self.get(lane)))
    }

    /// Writes as many of the first lanes as there is room for.
    pub fn copy_to(&self, out: &mut [Approx]) {
        out.iter_mut().zip(self.to_array()).for_each(|(out, x)| *out = x);
    }

    /// All lanes in order.
    pub fn to_array(&self) -> [Approx; LANES] {
        std::array::from_fn(|lane| self.get(lane))
    }
}

/// What `of` gives for each lane, in a loop that is compiled for the host's instructions.
#[inline]
fn each(of: impl Fn(usize) -> Approx) -> ApproxLanes {
    let mut all = ApproxLanes::ZERO;
    dispatch::run(Each { of, all: &mut all });
    all
}

struct Each<'a, Of> {
    of: Of,
    all: &'a mut ApproxLanes,
}

impl<Of: Fn(usize) -> Approx> SimdLoop for Each<'_, Of> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        for lane in 0..LANES {
            let x = (self.of)(lane);
            (self.all.values[lane], self.all.errors[lane]) = (x.value, x.error);
        }
    }
}

/// What binary functions of the vector unit leave in a 32-bit Dst, lane by lane.
pub fn binary_lanes(op: Binary, x: &ApproxLanes, y: &ApproxLanes) -> ApproxLanes {
    const WIDTH: DstWidth = DstWidth::Bits32;
    match op {
        Binary::Mul => each(|lane| sfpu::multiply(WIDTH, Store::Nearest, x.get(lane), y.get(lane))),
        Binary::Add => add(x, y),
        Binary::Sub => add(x, &y.map(|y| -y)),
        Binary::Rsub => binary_lanes(Binary::Sub, y, x),
        // All others one by one: they are rare.
        _ => each(|lane| sfpu::binary(op, WIDTH, x.get(lane), y.get(lane))),
    }
}

/// Dst values packed as [`pack`] does it, lane by lane.
pub fn pack_lanes(
    packing: &Packing,
    x: &ApproxLanes,
) -> Result<ApproxLanes, UnsupportedConversion> {
    pack(packing, Approx::ZERO)?;
    let is_rounded = (packing.width, packing.source) == (DstWidth::Bits32, DataFormat::Bfloat16);
    if is_rounded && packing.relu == Relu::Off {
        // What most kernels do, without a question in the loop.
        return Ok(each(|lane| {
            grid::overflow(grid::flush(grid::nearest(x.get(lane), grid::BF16_BITS)))
        }));
    }
    Ok(x.map(|x| pack(packing, x).unwrap_or(Approx::special())))
}

/// In three loops: the compiler does not vectorise one that does it all.
fn add(x: &ApproxLanes, y: &ApproxLanes) -> ApproxLanes {
    let mut sum = AccumulatorLanes::starting_at(Growth::Worst, x);
    sum.add_in_sfpu(y, LANES);
    sum.approx()
}

/// 32 running values in a 32-bit Dst, each with the bound on its error.
#[derive(Clone, Debug)]
pub struct AccumulatorLanes {
    growth: Growth,
    value: [f64; LANES],
    linear: [f64; LANES],
    nearest: [f64; LANES],
    bias: [f64; LANES],
    variance: [f64; LANES],
    rounding: [f64; LANES],
    grain: [f64; LANES],
}

impl AccumulatorLanes {
    /// Zero in every lane.
    pub fn new(growth: Growth) -> Self {
        Self::starting_at(growth, &ApproxLanes::ZERO)
    }

    fn starting_at(growth: Growth, x: &ApproxLanes) -> Self {
        let mut all = Self {
            growth,
            value: [0.0; LANES],
            linear: [0.0; LANES],
            nearest: [0.0; LANES],
            bias: [0.0; LANES],
            variance: [0.0; LANES],
            rounding: [0.0; LANES],
            grain: [0.0; LANES],
        };
        dispatch::run(Start { lanes: &mut all, x });
        all
    }

    /// Adds a value to each of the first `count` lanes, as [`Accumulator::add_in_sfpu`] does.
    pub fn add_in_sfpu(&mut self, x: &ApproxLanes, count: usize) {
        match self.growth {
            Growth::Worst => {
                dispatch::run(Sum::<false> { lanes: self, x, count: count.min(LANES) })
            }
            Growth::Statistical => {
                dispatch::run(Sum::<true> { lanes: self, x, count: count.min(LANES) })
            }
        }
    }

    /// The running values.
    pub fn approx(&self) -> ApproxLanes {
        each(|lane| self.get(self.growth, lane).approx())
    }

    #[inline(always)]
    fn get(&self, growth: Growth, lane: usize) -> Accumulator {
        Accumulator {
            width: DstWidth::Bits32,
            growth,
            value: self.value[lane],
            linear: self.linear[lane],
            nearest: self.nearest[lane],
            bias: self.bias[lane],
            variance: self.variance[lane],
            rounding: self.rounding[lane],
            excursion: 0.0,
            grain: self.grain[lane],
        }
    }

    #[inline(always)]
    fn set(&mut self, lane: usize, one: &Accumulator) {
        self.value[lane] = one.value;
        self.linear[lane] = one.linear;
        self.nearest[lane] = one.nearest;
        self.bias[lane] = one.bias;
        self.variance[lane] = one.variance;
        self.rounding[lane] = one.rounding;
        self.grain[lane] = one.grain;
    }
}

struct Start<'a> {
    lanes: &'a mut AccumulatorLanes,
    x: &'a ApproxLanes,
}

impl SimdLoop for Start<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        for lane in 0..LANES {
            let dst = grid::flush(self.x.get(lane));
            let one = Accumulator::new(DstWidth::Bits32, Growth::Worst, dst);
            self.lanes.value[lane] = one.value;
            self.lanes.linear[lane] = one.linear;
            self.lanes.grain[lane] = one.grain;
        }
    }
}

struct Sum<'a, const STATISTICAL: bool> {
    lanes: &'a mut AccumulatorLanes,
    x: &'a ApproxLanes,
    count: usize,
}

impl<const STATISTICAL: bool> SimdLoop for Sum<'_, STATISTICAL> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let growth = if STATISTICAL { Growth::Statistical } else { Growth::Worst };
        for lane in 0..self.count {
            let mut one = self.lanes.get(growth, lane);
            one.add_in_sfpu(self.x.get(lane));
            self.lanes.set(lane, &one);
        }
    }
}
