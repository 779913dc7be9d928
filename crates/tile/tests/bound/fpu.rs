//! Element-wise operations, matrix products, reductions and moves.

use crate::data::{self, BF16, FAMILIES, Family, Judge, MIXED, Operand, Random, TF32, WIDTHS};
use tilewright_tile::bound::{self, Accumulator, Approx, Growth, Multiplication};
use tilewright_tile::fpu::{self, Elementwise, ElementwiseOp, Pool, ReduceDim};
use tilewright_tile::{
    Broadcast, Chip, DataFormat, DstWidth, Fidelity, Lanes, SourceFormats, TILE_VALUES, index,
    position,
};

fn operation(op: Elementwise, width: DstWidth, multiplication: Multiplication) -> ElementwiseOp {
    let Multiplication { fidelity, formats } = multiplication;
    ElementwiseOp {
        op,
        broadcast: Broadcast::None,
        accumulate: true,
        fidelity,
        width,
        formats,
        chip: Chip::Wormhole,
    }
}

/// Both kinds of operands: known exactly, and truncated by the unpacker.
fn operands(random: &mut Random, family: Family, format: DataFormat) -> [Operand; 2] {
    let exact = Operand::exact(random, family, format.source_mask());
    [exact, Operand::unpacked(random, family, format)]
}

#[test]
fn sums_of_sources_stay_in_bound() {
    let mut random = Random(1);
    for width in WIDTHS {
        for formats in [TF32, BF16, MIXED] {
            for family in FAMILIES {
                sums_of_sources(&mut random, width, formats, family);
            }
        }
    }
}

fn sums_of_sources(random: &mut Random, width: DstWidth, formats: SourceFormats, family: Family) {
    let name = format!("add {width:?} {:?}+{:?} {family:?}", formats.a, formats.b);
    let mut judge = Judge::default();
    let old = Operand::exact(random, family, width.mask());
    let (a, b) = (operands(random, family, formats.a), operands(random, family, formats.b));
    let multiplication = Multiplication { fidelity: Fidelity::HiFi4, formats };
    for (a, b) in a.iter().zip(&b) {
        for (op, sign) in [(Elementwise::Add, 1.0), (Elementwise::Sub, -1.0)] {
            for accumulate in [false, true] {
                let op = ElementwiseOp { accumulate, ..operation(op, width, multiplication) };
                let mut dst = old.lanes;
                fpu::elementwise(&op, &a.lanes, &b.lanes, &mut dst, false);
                let approx = |at: usize| {
                    let start = if accumulate { old.approx[at] } else { Approx::ZERO };
                    let mut sum = Accumulator::new(width, Growth::Worst, start);
                    let b = if sign < 0.0 { -b.approx[at] } else { b.approx[at] };
                    sum.add_sources(formats, a.approx[at], b);
                    sum.approx()
                };
                judge.see_tile(approx, &dst, &name);
            }
        }
    }
    judge.expect(&name, family.demand(0.5));
}

#[test]
fn products_stay_in_bound() {
    let mut random = Random(2);
    for width in WIDTHS {
        for fidelity in Fidelity::ALL {
            for formats in [TF32, BF16, MIXED] {
                for family in FAMILIES {
                    products(&mut random, width, Multiplication { fidelity, formats }, family);
                }
            }
        }
    }
}

fn products(random: &mut Random, width: DstWidth, how: Multiplication, family: Family) {
    let name = format!("mul {width:?} {how:?} {family:?}");
    let mut judge = Judge::default();
    let old = Operand::exact(random, family, width.mask());
    let (a, b) = (operands(random, family, how.formats.a), operands(random, family, how.formats.b));
    for (a, b) in a.iter().zip(&b) {
        for dst_is_zero in [true, false] {
            let mut dst = old.lanes;
            let op = operation(Elementwise::Mul, width, how);
            fpu::elementwise(&op, &a.lanes, &b.lanes, &mut dst, dst_is_zero);
            let approx = |at: usize| {
                let start = if dst_is_zero { Approx::ZERO } else { old.approx[at] };
                bound::multiply_sources(width, how, a.approx[at], b.approx[at], start)
            };
            judge.see_tile(approx, &dst, &name);
        }
    }
    judge.expect(&name, family.demand(0.3));
}

/// A 32-bit Dst that nearly cancels what is added: the silicon's renormalisation fault (4.1).
#[test]
fn renormalised_sums_stay_in_bound() {
    let mut random = Random(3);
    let width = DstWidth::Bits32;
    let mut faults = 0;
    for fidelity in Fidelity::ALL {
        for formats in [TF32, BF16] {
            let how = Multiplication { fidelity, formats };
            faults += cancelled_products(&mut random, width, how);
            faults += cancelled_matrix_products(&mut random, width, how);
        }
    }
    println!("{faults} faults seen");
    assert!(faults > 50, "the test must see the fault it is about: {faults}");
}

fn cancelled_products(random: &mut Random, width: DstWidth, how: Multiplication) -> usize {
    let a = Operand::exact(random, Family::Uniform, how.formats.a.source_mask());
    let b = Operand::exact(random, Family::Uniform, how.formats.b.source_mask());
    let op = operation(Elementwise::Mul, width, how);
    let mut product = [0; TILE_VALUES];
    fpu::elementwise(&op, &a.lanes, &b.lanes, &mut product, true);
    let old = cancelling(random, &product);
    let mut dst = old;
    fpu::elementwise(&op, &a.lanes, &b.lanes, &mut dst, false);
    count_faults(width, &old, &dst, |at, sum| sum.add_product(how, a.approx[at], b.approx[at]))
}

fn cancelled_matrix_products(random: &mut Random, width: DstWidth, how: Multiplication) -> usize {
    let in0 = Operand::exact(random, Family::Uniform, how.formats.b.source_mask());
    let in1 = Operand::exact(random, Family::Uniform, how.formats.a.source_mask());
    let mut product = [0; TILE_VALUES];
    let Multiplication { fidelity, formats } = how;
    fpu::matmul(
        Chip::Wormhole,
        width,
        fidelity,
        formats,
        &in0.lanes,
        &in1.lanes,
        false,
        &mut product,
    );
    let old = cancelling(random, &product);
    let mut dst = old;
    fpu::matmul(Chip::Wormhole, width, fidelity, formats, &in0.lanes, &in1.lanes, false, &mut dst);
    count_faults(width, &old, &dst, |at, sum| {
        let (row, column) = position(at);
        let a: [Approx; 32] = std::array::from_fn(|k| in1.approx[index(k, column)]);
        let b: [Approx; 32] = std::array::from_fn(|k| in0.approx[index(row, k)]);
        sum.add_dot(how, &a, &b);
    })
}

/// The negated values, a few units in the last place off.
fn cancelling(random: &mut Random, values: &Lanes) -> Lanes {
    values.map(|bits| {
        let off = (random.bits() % 7) as u32;
        (bits ^ 0x8000_0000).wrapping_add(off).wrapping_sub(3)
    })
}

/// Insists on the bound that knows of the fault, and counts the elements that needed it.
fn count_faults(
    width: DstWidth,
    old: &Lanes,
    dst: &Lanes,
    add: impl Fn(usize, &mut Accumulator),
) -> usize {
    let mut judge = Judge::default();
    let mut faults = 0;
    for at in 0..TILE_VALUES {
        let mut sum = Accumulator::new(width, Growth::Worst, Approx::from_bits(old[at]));
        add(at, &mut sum);
        judge.see(sum.approx(), dst[at], || format!("cancelled at {at}"));
        faults += usize::from(!sum.approx_without_excursion().admits(data::float(dst[at])));
    }
    faults
}

#[test]
fn matrix_products_stay_in_bound() {
    let mut random = Random(4);
    for width in WIDTHS {
        for fidelity in Fidelity::ALL {
            for formats in [TF32, BF16, MIXED] {
                for family in FAMILIES {
                    let how = Multiplication { fidelity, formats };
                    for is_exact in [true, false] {
                        matrix_products(&mut random, width, how, family, is_exact);
                    }
                }
            }
        }
    }
}

fn matrix_products(
    random: &mut Random,
    width: DstWidth,
    how: Multiplication,
    family: Family,
    is_exact: bool,
) {
    let mut dst = [0; TILE_VALUES];
    let mut sums = vec![Accumulator::new(width, Growth::Worst, Approx::ZERO); TILE_VALUES];
    for _ in 0..2 {
        let [exact, unpacked] = operands(random, family, how.formats.b);
        let in0 = if is_exact { exact } else { unpacked };
        let [exact, unpacked] = operands(random, family, how.formats.a);
        let in1 = if is_exact { exact } else { unpacked };
        fpu::matmul(
            Chip::Wormhole,
            width,
            how.fidelity,
            how.formats,
            &in0.lanes,
            &in1.lanes,
            false,
            &mut dst,
        );
        for row in 0..32 {
            let b: [Approx; 32] = std::array::from_fn(|k| in0.approx[index(row, k)]);
            for column in 0..32 {
                let a: [Approx; 32] = std::array::from_fn(|k| in1.approx[index(k, column)]);
                sums[index(row, column)].add_dot(how, &a, &b);
            }
        }
    }
    let excursions = sums.iter().filter(|sum| sum.excursion() > 0.0).count();
    let exact = if is_exact { "exact" } else { "unpacked" };
    let name = format!("matmul {width:?} {how:?} {family:?} {exact}, {excursions} excursions");
    let mut judge = Judge::default();
    judge.see_tile(|at| sums[at].approx(), &dst, &name);
    // Sixty-four roundings are rarely all at their worst.
    judge.expect(&name, if excursions == 0 { family.demand(0.03) } else { family.demand(0.0) });
}

#[test]
fn reductions_stay_in_bound() {
    let mut random = Random(5);
    for width in WIDTHS {
        for fidelity in Fidelity::ALL {
            for formats in [TF32, BF16, MIXED] {
                for family in FAMILIES {
                    for dim in [ReduceDim::Row, ReduceDim::Column, ReduceDim::Scalar] {
                        let how = Multiplication { fidelity, formats };
                        reductions(&mut random, width, how, family, dim);
                    }
                }
            }
        }
    }
}

/// Row 0 of every face holds the scaler, as the reductions expect it.
fn scaler_tile(scaler: u32) -> Lanes {
    std::array::from_fn(|at| if at % 256 < 16 { scaler } else { 0 })
}

/// Three tiles on top of each other; the scaler is 1/96 cut to bf16, as kernels make it.
fn reductions(
    random: &mut Random,
    width: DstWidth,
    how: Multiplication,
    family: Family,
    dim: ReduceDim,
) {
    let name = format!("reduce {dim:?} {width:?} {how:?} {family:?}");
    let scaler_bits = (1.0f32 / 96.0).to_bits() & 0xffff_0000;
    let scaler = Approx::from_bits(scaler_bits);
    // The data is in SrcB for rows, in SrcA otherwise.
    let format = if dim == ReduceDim::Row { how.formats.b } else { how.formats.a };
    let results = if dim == ReduceDim::Scalar { 1 } else { 32 };
    let mut sums = [Accumulator::new(width, Growth::Worst, Approx::ZERO); 32];
    let mut dst = [0; TILE_VALUES];
    for _ in 0..3 {
        let data = Operand::unpacked(random, family, format);
        let scalers = scaler_tile(scaler_bits);
        let Multiplication { fidelity, formats } = how;
        fpu::reduce(
            Chip::Wormhole,
            Pool::Sum,
            dim,
            width,
            fidelity,
            formats,
            &data.lanes,
            &scalers,
            &mut dst,
        );
        for (at, sum) in sums[..results].iter_mut().enumerate() {
            let row = || std::array::from_fn(|k| data.approx[index(at, k)]);
            let column = || std::array::from_fn(|k| data.approx[index(k, at)]);
            match dim {
                ReduceDim::Row => sum.add_row(how, &row(), scaler),
                ReduceDim::Column => sum.add_column(how, &column(), scaler),
                ReduceDim::Scalar => {
                    let tile: &[Approx; TILE_VALUES] =
                        data.approx.as_slice().try_into().expect("a whole tile");
                    sum.add_tile(how, tile, scaler);
                }
            }
        }
    }
    let mut judge = Judge::default();
    for (at, sum) in sums[..results].iter().enumerate() {
        let place = if dim == ReduceDim::Row { index(at, 0) } else { index(0, at) };
        judge.see(sum.approx(), dst[place], || format!("{name} at {at}"));
    }
    judge.expect(&name, family.demand(0.0));
}

#[test]
fn maxima_stay_in_bound() {
    let mut random = Random(6);
    for width in WIDTHS {
        // Tf32 sources belong to a 32-bit Dst; a bf16 Dst would cut them on top.
        for format in [DataFormat::Bfloat16, data::widest_source(width)] {
            for family in FAMILIES {
                let data = Operand::unpacked(&mut random, family, format);
                let formats = SourceFormats { a: format, b: format };
                let ones = scaler_tile(0x3f80_0000);
                let mut dst = [u32::MAX; TILE_VALUES];
                let dim = ReduceDim::Column;
                let fidelity = Fidelity::HiFi4;
                fpu::reduce(
                    Chip::Wormhole,
                    Pool::Max,
                    dim,
                    width,
                    fidelity,
                    formats,
                    &data.lanes,
                    &ones,
                    &mut dst,
                );
                for column in 0..32 {
                    let values = (0..32).map(|row| bound::copy(data.approx[index(row, column)]));
                    let maximum = bound::maximum(values);
                    let got = data::float(dst[index(0, column)]);
                    assert!(maximum.admits(got), "{width:?} {family:?} {maximum:?} {got:e}");
                }
            }
        }
    }
}

#[test]
fn moves_stay_in_bound() {
    let mut random = Random(7);
    for width in WIDTHS {
        for format in [DataFormat::Bfloat16, data::widest_source(width)] {
            for family in FAMILIES {
                let name = format!("move {width:?} {format:?} {family:?}");
                let data = Operand::exact(&mut random, family, width.mask());
                let mut moved = [0; TILE_VALUES];
                fpu::move_dst_to_source(width, format, &data.lanes, &mut moved);
                let approx = |at: usize| bound::move_to_source(width, format, data.approx[at]);
                Judge::default().see_tile(approx, &moved, &name);

                let source = Operand::unpacked(&mut random, family, format);
                let formats = SourceFormats { a: format, b: format };
                let mut copied = [0; TILE_VALUES];
                fpu::copy(width, formats, &source.lanes, &mut copied);
                let copy = |at: usize| bound::copy(source.approx[at]);
                Judge::default().see_tile(copy, &copied, &name);
            }
        }
    }
}
