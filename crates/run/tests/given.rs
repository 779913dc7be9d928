//! Operations on values that the caller gives.

use tilewright_run::Keep;
use tilewright_run::prelude::*;

fn identity(values: usize) -> Request {
    let given = (0..values).map(|index| index as f32 / 8.0).collect();
    let shape = Shape::new(&[32, 32]).expect("two sizes");
    let request = Request::new("identity").shape(shape).given("x", given);
    Request { format: Some(DataFormat::Float32), keep: vec![Keep::tensor("y")], ..request }
}

#[test]
fn an_operation_computes_with_them() {
    let outcome = identity(1024).run().expect("it can run");
    assert_eq!(outcome.verdict(), RunVerdict::Pass);
    let got = outcome.kept[0].tensor.to_f32();
    assert_eq!(got[9], 9.0 / 8.0);
    assert_eq!(outcome.run.request.input, "given");
}

#[test]
fn a_wrong_number_or_name_is_refused() {
    let said = |request: Request| request.run().expect_err("refused").to_string();
    let few = said(identity(5));
    assert!(few.contains("`x` has 5 values; its shape 32x32 needs 1024"), "{few}");
    let unknown = said(identity(1024).given("z", Vec::new()));
    assert!(unknown.contains("identity has no input `z`"), "{unknown}");
}
