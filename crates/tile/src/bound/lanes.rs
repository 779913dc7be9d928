//! 32 values at a time: the vector unit's steps of two operands in a 32-bit Dst.
//!
//! Gives the bounds of the functions of one value bit for bit. Loops are compiled for the host's
//! SIMD instructions: values lie apart from errors, and nothing in a loop branches, for that.

use super::approx::Approx;
use super::grid::{self, FP32_BITS, LOWEST};
use super::pack::pack;
use super::sfpu::{self, Store};
use super::{Growth, LAMBDA};
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
        let mut all = Self::ZERO;
        all.store(values);
        all
    }

    /// Replaces all lanes by what up to 32 stored fp32 patterns hold, and zero in the others.
    pub fn store(&mut self, values: &[f32]) {
        if let Ok(values) = values.try_into() {
            return each(Stored(values), self);
        }
        let mut padded = [0.0_f32; LANES];
        padded[..values.len()].copy_from_slice(values);
        each(Stored(&padded), self);
    }

    /// One lane.
    #[inline(always)]
    pub fn get(&self, lane: usize) -> Approx {
        Approx::new(self.values[lane], self.errors[lane])
    }

    /// A step of one value on all of them.
    #[must_use]
    pub fn map(&self, step: impl Fn(Approx) -> Approx) -> Self {
        let mut all = Self::ZERO;
        for lane in 0..LANES {
            all.set(lane, step(self.get(lane)));
        }
        all
    }

    /// Writes as many of the first lanes as there is room for.
    pub fn copy_to(&self, out: &mut [Approx]) {
        let lanes = self.values.iter().zip(&self.errors);
        out.iter_mut().zip(lanes).for_each(|(out, (value, error))| {
            *out = Approx::new(*value, *error);
        });
    }

    /// All lanes in order.
    pub fn to_array(&self) -> [Approx; LANES] {
        std::array::from_fn(|lane| self.get(lane))
    }

    #[inline(always)]
    fn set(&mut self, lane: usize, x: Approx) {
        (self.values[lane], self.errors[lane]) = (x.value, x.error);
    }
}

/// What binary functions of the vector unit leave in a 32-bit Dst, lane by lane.
pub fn binary_lanes(op: Binary, x: &ApproxLanes, y: &ApproxLanes) -> ApproxLanes {
    let mut out = ApproxLanes::ZERO;
    binary_lanes_to(op, x, y, &mut out);
    out
}

/// The same, written to `out`: lanes are large enough for copies to cost.
pub fn binary_lanes_to(op: Binary, x: &ApproxLanes, y: &ApproxLanes, out: &mut ApproxLanes) {
    match op {
        Binary::Mul => each(Multiply { x, y }, out),
        Binary::Add => each(Add { x, y }, out),
        Binary::Sub => each(Subtract { x, y }, out),
        Binary::Rsub => each(Subtract { x: y, y: x }, out),
        // All others one by one: they are rare.
        _ => {
            for lane in 0..LANES {
                out.set(lane, sfpu::binary(op, DstWidth::Bits32, x.get(lane), y.get(lane)));
            }
        }
    }
}

/// Dst values packed as [`pack`] does it, lane by lane.
pub fn pack_lanes(
    packing: &Packing,
    x: &ApproxLanes,
) -> Result<ApproxLanes, UnsupportedConversion> {
    let mut out = ApproxLanes::ZERO;
    pack_lanes_to(packing, x, &mut out)?;
    Ok(out)
}

/// The same, written to `out`, which is left as it is if there is no such conversion.
pub fn pack_lanes_to(
    packing: &Packing,
    x: &ApproxLanes,
    out: &mut ApproxLanes,
) -> Result<(), UnsupportedConversion> {
    pack(packing, Approx::ZERO)?;
    let is_rounded = (packing.width, packing.source) == (DstWidth::Bits32, DataFormat::Bfloat16);
    if is_rounded && packing.relu == Relu::Off {
        // What most kernels do, without a question in the loop.
        each(PackBf16(x), out);
        return Ok(());
    }
    for lane in 0..LANES {
        out.set(lane, pack(packing, x.get(lane))?);
    }
    Ok(())
}

/// A step of one lane. `at` must be `#[inline(always)]`: see [`SimdLoop`].
trait Step {
    fn at(&self, lane: usize) -> Approx;
}

/// Writes what a step gives for each lane.
#[inline(always)]
fn each(step: impl Step, out: &mut ApproxLanes) {
    dispatch::run(Each { step, out });
}

struct Each<'a, S> {
    step: S,
    out: &'a mut ApproxLanes,
}

impl<S: Step> SimdLoop for Each<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        for lane in 0..LANES {
            self.out.set(lane, self.step.at(lane));
        }
    }
}

struct Stored<'a>(&'a [f32; LANES]);

impl Step for Stored<'_> {
    #[inline(always)]
    fn at(&self, lane: usize) -> Approx {
        Approx::from_bits(self.0[lane].to_bits())
    }
}

struct Multiply<'a> {
    x: &'a ApproxLanes,
    y: &'a ApproxLanes,
}

impl Step for Multiply<'_> {
    #[inline(always)]
    fn at(&self, lane: usize) -> Approx {
        let (x, y) = (self.x.get(lane), self.y.get(lane));
        sfpu::multiply(DstWidth::Bits32, Store::Nearest, x, y)
    }
}

struct Add<'a> {
    x: &'a ApproxLanes,
    y: &'a ApproxLanes,
}

impl Step for Add<'_> {
    #[inline(always)]
    fn at(&self, lane: usize) -> Approx {
        add(self.x.get(lane), self.y.get(lane))
    }
}

struct Subtract<'a> {
    x: &'a ApproxLanes,
    y: &'a ApproxLanes,
}

impl Step for Subtract<'_> {
    #[inline(always)]
    fn at(&self, lane: usize) -> Approx {
        add(self.x.get(lane), -self.y.get(lane))
    }
}

struct PackBf16<'a>(&'a ApproxLanes);

impl Step for PackBf16<'_> {
    #[inline(always)]
    fn at(&self, lane: usize) -> Approx {
        grid::overflow(grid::flush(grid::nearest(self.0.get(lane), grid::BF16_BITS)))
    }
}

/// [`sfpu::add`] in a 32-bit Dst, without branches: one sum is as bad as many.
#[inline(always)]
fn add(x: Approx, y: Approx) -> Approx {
    // The operand is flushed when it is loaded, and once more as what a sum starts from.
    let x = grid::flush(grid::flush(x));
    let mut sum = Lane {
        value: x.value,
        linear: x.error,
        nearest: 0.0,
        variance: 0.0,
        rounding: 0.0,
        grain: grid::grain_of(x, FP32_BITS),
    };
    sum.add_in_sfpu::<false>(y);
    sum.approx()
}

/// 32 running values in a 32-bit Dst, each with the bound on its error.
#[derive(Clone, Debug)]
pub struct AccumulatorLanes {
    growth: Growth,
    value: [f64; LANES],
    linear: [f64; LANES],
    nearest: [f64; LANES],
    variance: [f64; LANES],
    rounding: [f64; LANES],
    grain: [f64; LANES],
}

impl AccumulatorLanes {
    /// Zero in every lane.
    pub fn new(growth: Growth) -> Self {
        Self {
            growth,
            value: [0.0; LANES],
            linear: [0.0; LANES],
            nearest: [0.0; LANES],
            variance: [0.0; LANES],
            rounding: [0.0; LANES],
            grain: [f64::INFINITY; LANES],
        }
    }

    /// Adds a value to each of the first `count` lanes, as [`Accumulator::add_in_sfpu`] does.
    ///
    /// [`Accumulator::add_in_sfpu`]: super::Accumulator::add_in_sfpu
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
        let mut all = ApproxLanes::ZERO;
        each(Running(self), &mut all);
        all
    }

    #[inline(always)]
    fn get(&self, lane: usize) -> Lane {
        Lane {
            value: self.value[lane],
            linear: self.linear[lane],
            nearest: self.nearest[lane],
            variance: self.variance[lane],
            rounding: self.rounding[lane],
            grain: self.grain[lane],
        }
    }

    #[inline(always)]
    fn set(&mut self, lane: usize, one: &Lane) {
        self.value[lane] = one.value;
        self.linear[lane] = one.linear;
        self.nearest[lane] = one.nearest;
        self.variance[lane] = one.variance;
        self.rounding[lane] = one.rounding;
        self.grain[lane] = one.grain;
    }
}

struct Running<'a>(&'a AccumulatorLanes);

impl Step for Running<'_> {
    #[inline(always)]
    fn at(&self, lane: usize) -> Approx {
        self.0.get(lane).approx()
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
        for lane in 0..self.count {
            let mut one = self.lanes.get(lane);
            one.add_in_sfpu::<STATISTICAL>(self.x.get(lane));
            self.lanes.set(lane, &one);
        }
    }
}

/// What `Accumulator` keeps of a sum in a 32-bit Dst that the vector unit alone adds to: its ties
/// have no bias, and no fault displaces it.
#[derive(Clone, Copy)]
struct Lane {
    value: f64,
    linear: f64,
    nearest: f64,
    variance: f64,
    rounding: f64,
    grain: f64,
}

impl Lane {
    /// `Accumulator::add_in_sfpu` without branches: what is not charged is charged as zero.
    #[inline(always)]
    fn add_in_sfpu<const STATISTICAL: bool>(&mut self, x: Approx) {
        let x = grid::flush(x);
        let (value, lost) = grid::sum(self.value, x.value);
        self.value = value;
        self.linear = self.linear + x.error + lost;
        let grain = self.grain.min(grid::grain_of(x, FP32_BITS));

        let unit = grid::unit(value.abs() + self.error(), FP32_BITS);
        let half = unit / 2.0;
        let (is_rounded, is_swallowed) = (grain < unit, x.most() < half);
        self.linear += if is_rounded & is_swallowed { x.most() } else { 0.0 };
        let is_nearest = is_rounded & !is_swallowed;
        self.nearest += if is_nearest { half } else { 0.0 };
        self.rounding = if STATISTICAL {
            let deviation = half + grain / 2.0;
            self.variance += if is_nearest { deviation * deviation } else { 0.0 };
            let likely = self.nearest.min(LAMBDA * self.variance.sqrt());
            if is_nearest { likely } else { self.rounding }
        } else {
            self.nearest
        };

        let sum = Approx::new(value, self.error());
        let flushed = grid::flushed(sum.least(), sum.most());
        self.linear += if grain < LOWEST { flushed } else { 0.0 };
        self.linear = if grid::overflows(sum.most()) { f64::INFINITY } else { self.linear };
        self.grain = grain.max(grid::unit(sum.least(), FP32_BITS));
    }

    #[inline(always)]
    fn error(&self) -> f64 {
        self.linear + self.rounding
    }

    #[inline(always)]
    fn approx(&self) -> Approx {
        Approx::computed(self.value, self.error())
    }
}
