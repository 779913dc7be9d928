//! Top-k: bitonic sorting networks down the columns of two tiles of values, with the indices of
//! the two tiles after them in tow.
//!
//! Each step sorts pairs of registers. Values of four rows each lie in registers 0 to 3, their
//! indices in 4 to 7; transposing brings rows of a register into registers of their own.

use super::unit::{FACE_ROWS, MinimumRows, ODD, Unit};
use crate::DstWidth;
use crate::sfpu::program::run::{Mode, Operands};

/// Rows of Dst from a value to its index.
const INDICES: usize = 2 * super::unit::TILE_ROWS;
/// Values of a column that are sorted together.
const COLUMN_VALUES: usize = 64;
/// Values that one group of registers holds.
const GROUP: usize = 16;
/// Rows of Dst from one group of 16 values of a column to the next.
const GROUP_ROWS: usize = 32;
/// The phase that sorts whole columns; there is nothing after it.
const LAST_PHASE: usize = 5;
/// Rows from one register of a group to the next.
const STEP: usize = 4;

/// How ties are treated: a stable network repeats each exchange, which undoes that of equals.
#[derive(Clone, Copy)]
pub(super) struct IsStable(pub(super) bool);

/// `topk_local_sort`: phases of the network, of which each sorts runs of twice the length.
pub(super) fn local_sort(it: &mut Operands<'_>, stable: IsStable) {
    let [descends, end_phase, start_phase, end_step, start_step] = scalars(it);
    let is_one_phase = start_phase == end_phase;
    for column in columns() {
        let mut network = Network::new(it, column, stable);
        let mut to_minimum = descends != 0;
        for phase in start_phase..=end_phase.min(LAST_PHASE) {
            match phase {
                0 => network.groups(GROUP_ROWS, 4, 0, STEP, 2 * STEP, Network::phase0),
                1 => network.groups(GROUP_ROWS, 4, 0, STEP, 2 * STEP, Network::phase1),
                2 => network.groups(GROUP_ROWS, 4, 0, STEP, 2 * STEP, Network::phase2),
                3 => {
                    for group in 0..4 {
                        network.phase3(group * GROUP_ROWS, to_minimum);
                        to_minimum = !to_minimum;
                    }
                }
                _ => {
                    let steps = phase + 1;
                    let (first, last) =
                        if is_one_phase { (start_step, end_step) } else { (steps, 4) };
                    to_minimum = network.long_phase(steps, first, last, descends != 0);
                }
            }
        }
    }
}

/// `topk_merge`: keeps the better of two sorted runs of `k` values.
pub(super) fn merge(it: &mut Operands<'_>, is_minimum: bool, stable: IsStable) {
    let [iteration, k] = scalars(it);
    let k = k.min(32);
    let total = (COLUMN_VALUES >> iteration.min(31)).max(2 * k);
    let distance = shifted(k, iteration).min(32);
    let rows = if distance < GROUP { distance } else { 2 * distance };
    let inner = k / STEP;
    for column in columns() {
        let mut network = Network::new(it, column, stable);
        let mut run = 0;
        // Each exchange counts as eight values.
        for _ in 0..total.div_ceil(8 * inner.max(1)) {
            for step in 0..inner {
                network.exchange_pair(run + STEP * step, rows, is_minimum);
            }
            run += 2 * distance;
        }
    }
}

/// `topk_rebuild`: sorts what a merge has kept.
pub(super) fn rebuild(it: &mut Operands<'_>, stable: IsStable) {
    let [descends, iteration, k, log_k, skips_second] = scalars(it);
    let merged = iteration + 1;
    let total = (COLUMN_VALUES >> merged.min(31)).max(2 * k) >> (skips_second & 1);
    let distance = shifted(k, merged).min(32);
    let rows = (distance >> 4) * GROUP_ROWS + (distance & 15);
    let groups = total.div_ceil(GROUP);
    let stride = 2 * GROUP_ROWS;
    for column in columns() {
        let mut network = Network::new(it, column, stable);
        match log_k.wrapping_sub(1) {
            0 => {}
            1 if iteration >= 2 => {
                for group in 0..groups {
                    network.half_phase1(group * stride, rows);
                }
            }
            1 => {
                let far = if rows < GROUP { 4 * rows } else { 2 * rows };
                network.groups(stride, groups, 0, rows, far, Network::phase1);
            }
            2 => network.groups(stride, groups, 0, STEP, rows, Network::phase2),
            3 => {
                let mut to_minimum = descends != 0;
                for group in 0..groups {
                    network.phase3(group * stride, to_minimum);
                    to_minimum = !to_minimum;
                }
            }
            phase => {
                network.long_phase(phase + 1, phase + 1, 4, descends != 0);
            }
        }
    }
}

fn scalars<const N: usize>(it: &Operands<'_>) -> [usize; N] {
    std::array::from_fn(|at| it.scalars.get(at).copied().unwrap_or(0) as usize)
}

fn shifted(value: usize, bits: usize) -> usize {
    value.checked_shl(bits as u32).unwrap_or(usize::MAX)
}

/// The first rows of each half of the columns of the two faces side by side.
fn columns() -> [usize; 4] {
    [0, ODD, FACE_ROWS, FACE_ROWS + ODD]
}

/// The network on one half of a face's columns.
struct Network<'a, 'b> {
    unit: Unit<'a, 'b>,
    column: usize,
    indices: Mode,
    stable: IsStable,
}

impl<'a, 'b> Network<'a, 'b> {
    fn new(it: &'a mut Operands<'b>, column: usize, stable: IsStable) -> Network<'a, 'b> {
        let indices = match it.width {
            DstWidth::Bits16 => Mode::UInt16,
            DstWidth::Bits32 => Mode::Int32,
        };
        Network { unit: Unit::of(it), column, indices, stable }
    }

    /// Loads values and indices of four registers, sorts them, and stores them.
    fn groups(
        &mut self,
        stride: usize,
        count: usize,
        first: usize,
        near: usize,
        far: usize,
        sort: fn(&mut Network<'a, 'b>),
    ) {
        for group in 0..count {
            let at = first + group * stride;
            self.with(&[at, at + near, at + far, at + far + near], sort);
        }
    }

    fn with(&mut self, rows: &[usize], sort: impl FnOnce(&mut Network<'a, 'b>)) {
        for (register, row) in rows.iter().enumerate() {
            self.unit.load(register, Mode::Float, self.column + row);
            self.unit.load(register + 4, self.indices, self.column + row + INDICES);
        }
        sort(self);
        for (register, row) in rows.iter().enumerate() {
            self.unit.store(register, Mode::Float, self.column + row);
            self.unit.store(register + 4, self.indices, self.column + row + INDICES);
        }
    }

    /// Sorts pairs of registers, all of them once or, if stable, twice.
    fn sort(&mut self, pairs: &[(usize, usize)], minimum: MinimumRows) {
        for _ in 0..1 + usize::from(self.stable.0) {
            for (x, y) in pairs {
                self.unit.sort_tracked(*x, *y, minimum);
            }
        }
    }

    fn phase0(&mut self) {
        self.unit.transpose();
        self.sort(&[(0, 1), (3, 2)], MinimumRows::NONE);
        self.unit.transpose();
    }

    fn phase1(&mut self) {
        self.unit.transpose();
        self.sort(&[(0, 2), (1, 3)], MinimumRows::NOT_02);
        self.sort(&[(0, 1), (2, 3)], MinimumRows::NOT_02);
        self.unit.transpose();
    }

    fn phase2(&mut self) {
        if self.stable.0 {
            self.sort(&[(0, 1), (3, 2)], MinimumRows::NONE);
        } else {
            self.sort(&[(0, 1), (2, 3)], MinimumRows::NONE);
            self.unit.exchange_tracked(2, 3);
        }
        self.unit.transpose();
        self.sort(&[(0, 2), (1, 3)], MinimumRows::NOT_01);
        self.sort(&[(0, 1), (2, 3)], MinimumRows::NOT_01);
        self.unit.transpose();
    }

    /// Steps 4 to 1: two registers apart, then one, then the same on rows.
    fn phase3(&mut self, at: usize, to_minimum: bool) {
        let minimum = if to_minimum { MinimumRows::ALL } else { MinimumRows::NONE };
        self.with(&[at, at + STEP, at + 2 * STEP, at + 3 * STEP], |network| {
            for _ in 0..2 {
                network.sort(&[(0, 2), (1, 3)], minimum);
                network.sort(&[(0, 1), (2, 3)], minimum);
                network.unit.transpose();
            }
        });
    }

    /// Two registers only; the other two are transposed along.
    fn half_phase1(&mut self, at: usize, rows: usize) {
        self.with(&[at, at + rows], Network::phase1);
    }

    fn exchange_pair(&mut self, offset: usize, rows: usize, is_minimum: bool) {
        let at = (offset & 15) + (offset >> 4) * GROUP_ROWS;
        let pair = if is_minimum { (1, 0) } else { (0, 1) };
        self.with(&[at, at + rows], |network| network.sort(&[pair], MinimumRows::NONE));
    }

    /// A phase of more than four steps. Returns the direction that comes next.
    fn long_phase(&mut self, steps: usize, first: usize, last: usize, descends: bool) -> bool {
        let length = shifted(1, steps);
        for step in (last + 1..=first.min(LAST_PHASE + 1)).rev() {
            self.long_step(if step == 5 { 16 } else { 32 }, length, descends);
        }
        let mut to_minimum = descends;
        for group in 0..COLUMN_VALUES / GROUP {
            self.phase3(group * GROUP_ROWS, to_minimum);
            to_minimum ^= (group + 1) * GROUP == length;
        }
        to_minimum
    }

    /// Exchanges between values that are `distance` apart.
    fn long_step(&mut self, distance: usize, length: usize, descends: bool) {
        let mut to_minimum = descends;
        let (mut compared, mut first) = (0, 0);
        while compared < COLUMN_VALUES {
            for inner in 0..distance / 8 {
                let at = first + inner / 2 * GROUP_ROWS + inner % 2 * 2 * STEP;
                let far = at + 2 * distance;
                let pairs = if to_minimum { [(2, 0), (3, 1)] } else { [(0, 2), (1, 3)] };
                self.with(&[at, at + STEP, far, far + STEP], |network| {
                    network.sort(&pairs, MinimumRows::NONE);
                });
                compared += GROUP;
            }
            first += 4 * distance;
            to_minimum ^= compared == length;
        }
    }
}
