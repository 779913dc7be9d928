//! Running sums, sums and extremes of rows and columns, and orders: the machine is inside their
//! bounds, and kernels that do something else are not.

use std::slice::from_ref;

use tilewright_metal::api::Compute;
use tilewright_metal::{Given, Layout, Shape, Tensor};
use tilewright_ops::Request;
use tilewright_ops::formulas::formulas;
use tilewright_ops::judge::judge;
use tilewright_tile::bound::Approx;
use tilewright_tile::sfpu::program::FunctionId;
use tilewright_tile::{Chip, DataFormat, DstWidth, Integer};

use super::machine::{OUT, Unit, launch};
use super::proof::{Family, operand_of};

const INT32: DataFormat = DataFormat::Integer(Integer::Int32);
const BF16: DataFormat = DataFormat::Bfloat16;
const FP32: DataFormat = DataFormat::Float32;

fn unit(width: DstWidth) -> Unit {
    Unit { chip: Chip::Wormhole, width, is_straight: false }
}

fn reference(
    name: &str,
    unit: Unit,
    choices: &[(&str, &str)],
    inputs: &[Tensor],
) -> Vec<Vec<Approx>> {
    let formula = formulas().find(|it| it.name == name).expect("a reference");
    let mut request = Request::new(*inputs[0].shape(), inputs[0].format());
    request.settings.width = unit.width;
    request.kernel = unit.kernel(inputs[0].format());
    for (choice, value) in choices {
        request = request.choose(choice, value);
    }
    let given = inputs.iter().cloned().map(|tensor| Given { tensor }).collect();
    let wanted = formula.exact(&request, given).unwrap_or_else(|error| panic!("{name}: {error}"));
    wanted.iter().map(|it| it.values.all()).collect()
}

fn function(name: &str) -> FunctionId {
    FunctionId::from_name(name).unwrap_or_else(|| panic!("no {name}"))
}

fn copied(k: &Compute<'_>, cb: u8, tile: u32, dst: u32) {
    k.copy_tile_init(cb);
    k.copy_tile(cb, tile, dst);
}

fn called(k: &Compute<'_>, name: &str, tiles: &[u32], scalars: &[u32]) {
    k.function_tile_init(function(name));
    k.function_tile(function(name), tiles, tiles[0], scalars);
}

/// Packs tiles of Dst, each to the next page of a buffer.
fn packed(k: &Compute<'_>, tiles: &[(u32, u8)]) {
    k.tile_regs_commit();
    k.tile_regs_wait();
    for (tile, cb) in tiles {
        if *cb != OUT {
            k.pack_reconfig_data_format(*cb);
        }
        k.cb_reserve_back(*cb, 1);
        k.pack_tile(*tile, *cb);
        k.cb_push_back(*cb, 1);
    }
    k.tile_regs_release();
}

fn tensor(shape: &[usize], format: DataFormat, bytes: Vec<u8>) -> Tensor {
    let shape = Shape::new(shape).expect("a shape");
    Tensor::from_bytes(shape, Layout::Tile, format, bytes).expect("whole tiles")
}

#[track_caller]
fn check(what: &str, device: &[f64], reference: &[Approx]) {
    let judged = judge(device, reference);
    assert!(judged.in_bound && judged.unjudged == 0, "{what}: {:?}", judged.worst);
}

#[track_caller]
fn check_outside(what: &str, device: &[f64], reference: &[Approx]) {
    assert!(!judge(device, reference).in_bound, "{what} is not noticed");
}

/// Three tiles, one above the other. A kernel that begins anew with each tile is wrong.
#[test]
fn running_sums() {
    for (width, format) in [(DstWidth::Bits16, BF16), (DstWidth::Bits32, FP32)] {
        let x = operand_of(&[96, 32], format, Family::Usual, 3);
        let run = |starts_anew: bool| {
            let left = launch(unit(width), from_ref(&x), &[(format, 3)], move |k| {
                for tile in 0..3 {
                    k.tile_regs_acquire();
                    copied(k, 0, tile, 0);
                    let is_first = tile == 0 || starts_anew;
                    let name = if is_first { "cumsum_tile" } else { "cumsum_tile<false>" };
                    called(k, name, &[0], &[]);
                    packed(k, &[(0, OUT)]);
                }
            });
            tensor(&[96, 32], format, left.expect("it is modelled").concat()).to_f64()
        };
        let wanted = reference("sfpu-cumsum", unit(width), &[], from_ref(&x));
        check("cumsum_tile", &run(false), &wanted[0]);
        check_outside("cumsum_tile that begins anew", &run(true), &wanted[0]);
    }
}

/// One tile reduced: its first row or column of the result.
fn reduced(width: DstWidth, x: &Tensor, name: String) -> Vec<f64> {
    let format = x.format();
    let is_row = name.contains("ROW");
    let left = launch(unit(width), from_ref(x), &[(format, 1)], move |k| {
        k.tile_regs_acquire();
        copied(k, 0, 0, 0);
        called(k, &name, &[0], &[]);
        packed(k, &[(0, OUT)]);
    });
    let all = tensor(&[32, 32], format, left.expect("it is modelled").concat()).to_f64();
    match is_row {
        true => all.into_iter().step_by(32).collect(),
        false => all[..32].to_vec(),
    }
}

#[test]
fn sums_and_extremes() {
    let floats = [(DstWidth::Bits16, BF16), (DstWidth::Bits32, FP32), (DstWidth::Bits32, INT32)];
    for (width, format) in floats {
        let x = operand_of(&[32, 32], format, Family::Usual, 4);
        for (pool, other) in [("sum", "max"), ("max", "min"), ("min", "sum")] {
            for (dim, word) in [("column", "COL"), ("row", "ROW")] {
                let call = |pool: &str| {
                    let (pool, format) = (pool.to_uppercase(), format.name());
                    format!("sfpu_reduce<{pool},{format},{word}>")
                };
                let choices = [("pool", pool), ("dim", dim)];
                let wanted = reference("sfpu-reduce", unit(width), &choices, from_ref(&x));
                check(&call(pool), &reduced(width, &x, call(pool)), &wanted[0]);
                let what = format!("{} for {}", call(other), call(pool));
                check_outside(&what, &reduced(width, &x, call(other)), &wanted[0]);
            }
        }
    }
}

/// Nine rows of a tile, with indices of which no two are equal. Kernels put small values below
/// them, which the function takes along.
#[test]
fn maxima_with_their_indices() {
    let uint16 = DataFormat::Integer(Integer::UInt16);
    let mut x = operand_of(&[32, 32], BF16, Family::Usual, 5).to_f32();
    x[9 * 32..].fill(-1024.0);
    let x = Tensor::from_f32(Shape::new(&[32, 32]).expect("a shape"), &x).expect("as many");
    let x = x.convert(Layout::RowMajor, BF16).expect("bf16 holds them");
    let numbers = (0..1024_u16).flat_map(u16::to_le_bytes).collect();
    let shape = *x.shape();
    let indices = Tensor::from_bytes(shape, Layout::RowMajor, uint16, numbers).expect("numbers");
    let outputs = [(BF16, 1), (uint16, 1)];
    let inputs = [x, indices];
    let left = launch(unit(DstWidth::Bits16), &inputs, &outputs, |k| {
        k.tile_regs_acquire();
        copied(k, 0, 0, 0);
        k.reconfig_data_format_srca(1);
        copied(k, 1, 0, 2);
        let max = function("max_reduce_with_indices");
        k.function_tile_init(max);
        k.function_tile(max, &[0, 2, 1, 3], 0, &[]);
        packed(k, &[(0, OUT), (2, OUT + 1)]);
    });
    let left = left.expect("it is modelled");
    let row =
        |at: usize, format| tensor(&[32, 32], format, left[at].clone()).to_f64()[..32].to_vec();
    let (values, places) = (row(0, BF16), row(1, uint16));
    let wanted = reference("sfpu-max-with-indices", unit(DstWidth::Bits16), &[], &inputs);
    check("values", &values, &wanted[0]);
    assert!(judge(&places, &wanted[1]).in_bound, "{places:?}");
    let fewer =
        reference("sfpu-max-with-indices", unit(DstWidth::Bits16), &[("rows", "4")], &inputs);
    check_outside("a window of nine rows for one of four", &values, &fewer[0]);
}

/// Rows of 64 values, which lie in two tiles as columns.
#[test]
fn the_largest_values_of_rows() {
    let x = operand_of(&[32, 64], BF16, Family::Usual, 6);
    let transposed = |values: &[f32], height: usize, width: usize| -> Vec<f32> {
        (0..height * width).map(|at| values[at % height * width + at / height]).collect()
    };
    let standing = |values: Vec<f32>| {
        let shape = Shape::new(&[64, 32]).expect("a shape");
        let tensor = Tensor::from_f32(shape, &values).expect("as many");
        tensor.convert(Layout::RowMajor, BF16).expect("bf16 holds them")
    };
    let columns: Vec<f32> = (0..64 * 32).map(|at| (at / 32) as f32).collect();
    let inputs = [standing(transposed(&x.to_f32(), 32, 64)), standing(columns)];
    let left = launch(unit(DstWidth::Bits16), &inputs, &[(BF16, 1)], |k| {
        k.tile_regs_acquire();
        for (cb, first) in [(0, 0), (1, 2)] {
            (0..2).for_each(|tile| copied(k, cb, tile, first + tile));
        }
        called(k, "topk_local_sort<false>", &[0, 1, 2, 3], &[0, 5, 0, 0, 0]);
        packed(k, &[(0, OUT)]);
    });
    let sorted = tensor(&[32, 32], BF16, left.expect("it is modelled").concat()).to_f32();
    let values: Vec<f64> = transposed(&sorted, 32, 32).into_iter().map(f64::from).collect();
    let of = |choices: &[(&str, &str)]| {
        reference("sfpu-topk", unit(DstWidth::Bits16), choices, from_ref(&x)).swap_remove(0)
    };
    check("the largest", &values, &of(&[("k", "32")]));
    check_outside("the largest for the smallest", &values, &of(&[("k", "32"), ("largest", "no")]));
}
