//! How calls are read: as kernels and hosts write them, or refused by name.

use tilewright_metal::{Given, Shape, Tensor};
use tilewright_ops::Request;
use tilewright_ops::formulas::formulas;
use tilewright_tile::DataFormat;

/// What a reference of so many tensors says to a call, or what it wants of the value 0.5.
fn said(tiles: usize, choices: &[(&str, &str)]) -> Result<f64, String> {
    let name = ["", "sfpu-unary", "sfpu-binary", "sfpu-ternary"][tiles];
    let shape = Shape::new(&[1, 1]).expect("a shape");
    let tensor = Tensor::from_f32(shape, &[0.5]).expect("one value");
    let mut request = Request::new(shape, DataFormat::Float32);
    for (choice, value) in choices {
        request = request.choose(choice, value);
    }
    let formula = formulas().find(|it| it.name == name).expect("a reference");
    let wanted = formula.exact(&request, vec![Given { tensor }; tiles]);
    Ok(wanted.map_err(|error| error.to_string())?[0].values.all()[0].value)
}

#[track_caller]
fn check(tiles: usize, call: &str, wanted: f64) {
    let said = said(tiles, &[("call", call)]).unwrap_or_else(|error| panic!("{call}: {error}"));
    assert!((said - wanted).abs() < 1e-12, "{call}: {said}");
}

#[test]
fn calls_are_read() {
    check(1, "clamp_tile(-1, 0.25)", 0.25);
    check(1, "clamp_tile( 0xbf800000, 0x3e800000 )", 0.25);
    check(1, "add_unary_tile(1); square_tile", 2.25);
    check(1, "fill_tile_bitcast(0x40400000)", 3.0);
    check(1, "erf_tile", 0.520_499_877_813_046_5);
    check(1, "recip_tile<false>", 2.0);
    check(1, "log_tile<0u>", 0.5_f64.ln());
    check(1, "power_iterative_tile(3)", 0.125);
    check(2, "rsub_binary_tile; add_unary_tile(2)", 2.0);
    check(3, "where_tile<DataFormat::Float32>", 0.5);
}

#[test]
fn operands_may_have_calls_of_their_own() {
    let sum = [
        ("call", "add_binary_tile"),
        ("on_first", "exp_tile"),
        ("on_second", "exp_tile; log_tile"),
    ];
    assert!((said(2, &sum).expect("a chain") - (0.5_f64.exp() + 0.5)).abs() < 1e-12);
    let packed = [sum[0], sum[1], ("intermediates", "bf16")];
    assert!(said(2, &packed).is_ok());
}

#[test]
fn what_is_no_call_is_refused() {
    let refused = |tiles, call: &str| said(tiles, &[("call", call)]).expect_err("it is wrong");
    assert!(said(1, &[]).expect_err("no call").contains("say which function the kernel calls"));
    assert!(refused(1, "relu_tile(").contains("is no call such as"));
    assert!(refused(1, "reul_tile").contains("has no `reul_tile`; did you mean `relu_tile`?"));
    assert!(refused(1, "clamp_tile(1)").contains("clamp_tile takes (low, high), not 1 numbers"));
    assert!(refused(1, "add_binary_tile").contains("takes two tiles, where the reference has one"));
    assert!(refused(1, "dropout_tile(1, 1)").contains("it is no function of numbers alone"));
    assert!(refused(2, "add_int_tile").contains("known: add_int_tile<Int32>"));
    assert!(refused(1, "tanh_tile<true>").contains("has no `tanh_tile<true>`"));
    let two = "add_binary_tile; mul_binary_tile";
    assert!(refused(2, two).contains("mul_binary_tile takes two tiles"));
}
