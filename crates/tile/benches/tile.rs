//! Nanoseconds per tile of every operation, beside a memcpy of a tile.
//!
//! Operands are ordinary values (normal, moderate exponents), which is what fast paths are for;
//! the group `edge` repeats a few operations on random bit patterns, which take the exact paths.

use std::hint::black_box;

use tilewright_testing::bench::BenchGroup;
use tilewright_tile::fpu::{self, Elementwise, ElementwiseOp, Pool, ReduceDim};
use tilewright_tile::sfpu::program::unit::{Code, Register, Rows, Unit};
use tilewright_tile::sfpu::program::{Instruction, Mode, VectorState};
use tilewright_tile::sfpu::{self, Binary, Mask, Unary};
use tilewright_tile::{
    Broadcast, Chip, DataFormat, DstWidth, Fidelity, Lanes, PackMask, Packing, Relu, SourceFormats,
    TILE_VALUES, pack, pack_row_major, tilize, transpose, unpack, unpack_row_major, untilize,
};

const WIDTHS: [(DstWidth, &str); 2] = [(DstWidth::Bits16, "bf16"), (DstWidth::Bits32, "fp32")];
const TF32: SourceFormats = SourceFormats { a: DataFormat::Tf32, b: DataFormat::Tf32 };
const BFLOAT16: SourceFormats = SourceFormats { a: DataFormat::Bfloat16, b: DataFormat::Bfloat16 };

/// A tile of values between 0.25 and 4 with all of the mask's mantissa bits in use.
fn ordinary(seed: u32, mask: u32) -> Lanes {
    let mut state = seed;
    std::array::from_fn(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (sign, e) = (state & 0x8000_0000, 125 + ((state >> 28) & 3));
        (sign | e << 23 | (state >> 5) & 0x7f_ffff) & mask
    })
}

/// A tile of random bit patterns.
fn random_bits(seed: u32, mask: u32) -> Lanes {
    let mut state = u64::from(seed);
    std::array::from_fn(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (state >> 32) as u32 & mask
    })
}

fn moves() {
    let mut group = BenchGroup::new("move");
    let tile = ordinary(1, u32::MAX);
    let mut out = [0; TILE_VALUES];
    group.bench_function("memcpy", |b| {
        b.iter(|| black_box(&mut out).copy_from_slice(black_box(&tile)))
    });
    group.bench_function("tilize", |b| b.iter(|| tilize(black_box(&tile), 32, &mut out)));
    group.bench_function("untilize", |b| b.iter(|| untilize(black_box(&tile), &mut out, 32)));
    group.bench_function("transpose", |b| b.iter(|| transpose(black_box(&tile), &mut out)));
    for (width, name) in WIDTHS {
        group.bench_function(format!("copy {name}"), |b| {
            b.iter(|| fpu::copy(width, TF32, black_box(&tile), &mut out));
        });
        group.bench_function(format!("move_dst_to_source {name}"), |b| {
            b.iter(|| fpu::move_dst_to_source(width, TF32.a, black_box(&tile), &mut out));
        });
    }
    for (broadcast, name) in [(Broadcast::Row, "row"), (Broadcast::Column, "column")] {
        group.bench_function(format!("unary_broadcast {name} fp32"), |b| {
            b.iter(|| {
                let from = black_box(&tile);
                fpu::unary_broadcast(DstWidth::Bits32, TF32, broadcast, from, &mut out)
            });
        });
    }
}

fn formats() {
    use DataFormat::{Bfloat16, Bfp8, Float32, Tf32};
    let mut group = BenchGroup::new("format");
    let tile = ordinary(2, u32::MAX);
    let mut out = [0; TILE_VALUES];
    let packing = |width, source, output| Packing {
        width,
        source,
        output,
        relu: Relu::Off,
        mask: PackMask::None,
        accumulate: false,
    };
    let mut l1 = vec![0; 4096];
    for (width, source, output) in [
        (DstWidth::Bits32, Float32, Float32),
        (DstWidth::Bits32, Bfloat16, Bfloat16),
        (DstWidth::Bits32, Bfp8, Bfp8),
        (DstWidth::Bits16, Bfloat16, Bfloat16),
        (DstWidth::Bits16, Bfp8, Bfp8),
    ] {
        let plain = packing(width, source, output);
        let name = format!("pack {width:?} {source} {output}");
        let l1 = &mut l1[..output.tile_bytes()];
        group.bench_function(&name, |b| b.iter(|| pack(black_box(&tile), &plain, l1)));
        if output == Bfp8 {
            continue;
        }
        let accumulating = Packing { accumulate: true, ..plain };
        l1.fill(0);
        group.bench_function(format!("{name} accumulate"), |b| {
            b.iter(|| pack(black_box(&tile), &accumulating, l1));
        });
        let stride = 32 * output.value_bytes().unwrap();
        group.bench_function(format!("{name} row major"), |b| {
            b.iter(|| pack_row_major(black_box(&tile), &plain, l1, stride));
        });
    }
    for (from, to) in [
        (Bfloat16, Bfloat16),
        (Float32, Tf32),
        (Float32, Bfloat16),
        (Float32, Float32),
        (Bfp8, Bfp8),
    ] {
        let l1 = &l1[..from.tile_bytes()];
        group.bench_function(format!("unpack {from} {to}"), |b| {
            b.iter(|| unpack(black_box(l1), from, to, &mut out));
        });
        if let Some(bytes) = from.value_bytes() {
            group.bench_function(format!("unpack {from} {to} row major"), |b| {
                b.iter(|| unpack_row_major(black_box(l1), 32 * bytes, from, to, &mut out));
            });
        }
    }
}

fn elementwise_name(op: &ElementwiseOp, width: &str) -> String {
    match op.op {
        Elementwise::Mul => format!("mul {} {width}", op.fidelity.name()),
        Elementwise::Add | Elementwise::Sub => {
            let kind = if op.accumulate { "accumulate" } else { "overwrite" };
            format!("{:?} {kind} {width}", op.op).to_lowercase()
        }
    }
}

fn elementwise_ops() -> Vec<(ElementwiseOp, &'static str)> {
    let mut ops = Vec::new();
    for (width, name) in WIDTHS {
        let base = ElementwiseOp {
            chip: Chip::Wormhole,
            op: Elementwise::Add,
            broadcast: Broadcast::None,
            accumulate: false,
            fidelity: Fidelity::HiFi4,
            width,
            formats: TF32,
        };
        ops.push((base, name));
        ops.push((ElementwiseOp { accumulate: true, ..base }, name));
        for fidelity in Fidelity::ALL {
            ops.push((ElementwiseOp { op: Elementwise::Mul, fidelity, ..base }, name));
        }
    }
    ops
}

fn elementwise() {
    let (a, b) = (ordinary(3, 0xffff_e000), ordinary(4, 0xffff_e000));
    let mut group = BenchGroup::new("elementwise");
    for (op, width) in elementwise_ops() {
        let name = elementwise_name(&op, width);
        let old = ordinary(5, op.width.mask());
        let mut dst = old;
        group.bench_function(format!("{name} dst zero"), |bench| {
            bench.iter(|| fpu::elementwise(&op, black_box(&a), black_box(&b), &mut dst, true));
        });
        if op.op == Elementwise::Mul || op.accumulate {
            group.bench_function(format!("{name} dst in use"), |bench| {
                bench.iter(|| {
                    dst = old;
                    fpu::elementwise(&op, black_box(&a), black_box(&b), &mut dst, false);
                });
            });
        }
    }
    let mut bytes = [0; 2 * TILE_VALUES];
    for (bytes, value) in bytes.as_chunks_mut().0.iter_mut().zip(a) {
        *bytes = ((value >> 16) as u16).to_le_bytes();
    }
    for (op, width) in elementwise_ops().into_iter().filter(|(op, _)| op.op == Elementwise::Mul) {
        for (broadcast, name) in [(Broadcast::None, ""), (Broadcast::Row, " row broadcast")] {
            let op = ElementwiseOp { broadcast, formats: BFLOAT16, ..op };
            let name = format!("{} of bytes{name}", elementwise_name(&op, width));
            let mut dst = [0; TILE_VALUES];
            group.bench_function(name, |bench| {
                bench.iter(|| fpu::multiply_bfloat16(&op, black_box(&bytes), &bytes, &mut dst));
            });
        }
    }
    let column = ElementwiseOp { broadcast: Broadcast::Column, ..elementwise_ops()[6].0 };
    let mut dst = [0; TILE_VALUES];
    group.bench_function("add overwrite fp32 column broadcast", |bench| {
        bench.iter(|| fpu::elementwise(&column, black_box(&a), black_box(&b), &mut dst, true));
    });
}

fn products() {
    let (a, b) = (ordinary(6, 0xffff_e000), ordinary(7, 0xffff_e000));
    let mut group = BenchGroup::new("matmul");
    for (width, name) in WIDTHS {
        for fidelity in Fidelity::ALL {
            group.bench_function(format!("{} {name}", fidelity.name()), |bench| {
                bench.iter(|| {
                    let mut dst = [0; TILE_VALUES];
                    fpu::matmul(
                        Chip::Wormhole,
                        width,
                        fidelity,
                        TF32,
                        black_box(&a),
                        black_box(&b),
                        false,
                        &mut dst,
                    );
                    dst
                });
            });
        }
    }
}

fn reductions() {
    let (data, scaler) = (ordinary(8, 0xffff_e000), [0x3f80_0000; TILE_VALUES]);
    let mut group = BenchGroup::new("reduce");
    for (pool, dim) in [
        (Pool::Sum, ReduceDim::Row),
        (Pool::Sum, ReduceDim::Column),
        (Pool::Sum, ReduceDim::Scalar),
        (Pool::Max, ReduceDim::Row),
        (Pool::Max, ReduceDim::Column),
        (Pool::Max, ReduceDim::Scalar),
    ] {
        let (width, fidelity) = (DstWidth::Bits32, Fidelity::HiFi4);
        group.bench_function(format!("{pool:?} {dim:?} HiFi4 fp32").to_lowercase(), |bench| {
            let mut dst = [0; TILE_VALUES];
            bench.iter(|| {
                fpu::reduce(
                    Chip::Wormhole,
                    pool,
                    dim,
                    width,
                    fidelity,
                    TF32,
                    black_box(&data),
                    &scaler,
                    &mut dst,
                );
            });
        });
    }
}

fn vector_engine() {
    let mut group = BenchGroup::new("sfpu");
    for (width, name) in WIDTHS {
        let x = ordinary(9, width.mask() & 0x7fff_ffff);
        let y = ordinary(10, width.mask());
        for op in Unary::all(0x3fc0_0000) {
            group.bench_function(format!("{op:?} {name}"), |b| {
                b.iter(|| {
                    let mut tile = *black_box(&x);
                    sfpu::unary(Chip::Wormhole, op, width, &mut tile);
                    tile
                });
            });
        }
        let mut out = [0; TILE_VALUES];
        for op in Binary::ALL {
            group.bench_function(format!("{op:?} tiles {name}"), |b| {
                b.iter(|| {
                    sfpu::binary(Chip::Wormhole, *op, width, black_box(&x), black_box(&y), &mut out)
                });
            });
        }
        let mut data = x;
        group.bench_function(format!("mask {name}"), |b| {
            b.iter(|| sfpu::mask(Mask::Zero, width, black_box(&mut data), black_box(&y)));
        });
    }
}

fn edge_cases() {
    let (a, b) = (random_bits(11, 0xffff_e000), random_bits(12, 0xffff_e000));
    let mut group = BenchGroup::new("edge");
    let (wide, hifi4) = (DstWidth::Bits32, Fidelity::HiFi4);
    let mut out = [0; TILE_VALUES];
    for (op, width) in elementwise_ops().into_iter().filter(|(op, _)| op.fidelity == hifi4) {
        group.bench_function(elementwise_name(&op, width), |bench| {
            bench.iter(|| fpu::elementwise(&op, black_box(&a), black_box(&b), &mut out, true));
        });
    }
    group.bench_function("matmul HiFi4 fp32", |bench| {
        bench.iter(|| {
            fpu::matmul(
                Chip::Wormhole,
                wide,
                hifi4,
                TF32,
                black_box(&a),
                black_box(&b),
                false,
                &mut out,
            )
        });
    });
    for op in [Binary::Add, Binary::Mul] {
        group.bench_function(format!("{op:?} tiles fp32"), |bench| {
            bench.iter(|| {
                sfpu::binary(Chip::Wormhole, op, wide, black_box(&a), black_box(&b), &mut out)
            });
        });
    }
}

/// A tile of Dst by accesses of the vector unit.
#[derive(Clone)]
struct Tile([Register; 32]);

impl Rows for Tile {
    fn width(&self) -> DstWidth {
        DstWidth::Bits32
    }
    fn read_narrow(&self, _: u32) -> Register {
        unreachable!("no access of another width")
    }
    fn write_narrow(&mut self, _: u32, _: &Register, _: &Register) {
        unreachable!("no access of another width")
    }
    fn read(&self, row: u32) -> Register {
        self.0[row as usize / 2]
    }
    fn write(&mut self, row: u32, values: &Register, _: &Register) {
        self.0[row as usize / 2] = *values;
    }
}

/// A kernel's own vector code: 30 instructions on each of the 32 accesses of a tile. With exponents
/// of their own, values stay near one; with any, some are denormal or overflow.
fn own_code(has_own_exponents: bool) -> Code {
    let mut code = Code::default();
    let factors = [0.75_f32, 1.25].map(|factor| code.word(factor.to_bits(), false));
    for row in (0..64).step_by(2) {
        let x = code.load(Mode::Float, row);
        let read = if has_own_exponents { Instruction::Exponent } else { Instruction::Mantissa };
        let exponent = code.lanes(read, [x; 3]);
        let mut value = x;
        for at in 0..13 {
            let product = code.lanes(Instruction::Multiply, [value, factors[at % 2], value]);
            value = code.lanes(Instruction::SetExponent, [product, exponent, x]);
        }
        let value = code.lanes(Instruction::Multiply, [value, factors[1], value]);
        code.store(Mode::Float, row, value);
    }
    code.fuse(Chip::Wormhole);
    code
}

fn vector_code() {
    let mut group = BenchGroup::new("vector code");
    let kinds = [("once", false, true), ("repeated", true, true), ("any exponents", true, false)];
    for (name, is_repeated, has_own_exponents) in kinds {
        let mut code = own_code(has_own_exponents);
        if is_repeated {
            code.settle_to_repeat()
        } else {
            code.settle()
        }
        let (mut unit, mut random) = (Unit::default(), VectorState::default());
        let values = ordinary(1, u32::MAX);
        let first = Tile(std::array::from_fn(|access| values.as_chunks().0[access]));
        group.bench_function(format!("30 instructions, {name}"), |b| {
            b.iter(|| {
                let mut tile = black_box(&first).clone();
                unit.run(Chip::Wormhole, black_box(&code), &mut tile, &mut random);
                tile
            });
        });
    }
}

fn main() {
    moves();
    formats();
    elementwise();
    products();
    reductions();
    vector_engine();
    vector_code();
    edge_cases();
}
