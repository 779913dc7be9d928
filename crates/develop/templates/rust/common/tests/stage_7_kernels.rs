//! Stage 7: the kernels compute the right values.

mod cases;
mod host;

/// The values of one family of inputs, each against the exact one and how far off it may be.
fn check(family: &str) {
    let counts = cases::SHAPES.map(|sizes| sizes.iter().product());
    let mut families = host::families(&counts).into_iter();
    let (_, inputs) = families
        .find(|(name, _)| *name == family)
        .expect("a family");
    let mut queue = host::simulator();
    let tensors = cases::tensors(&mut queue, &inputs);
    let output = host::must(cases::call(&mut queue, &tensors));
    let got = host::values(&mut queue, &output);
    let wide: Vec<Vec<f64>> = inputs
        .iter()
        .map(|one| one.iter().copied().map(f64::from).collect())
        .collect();
    let wanted = cases::expected(&wide);
    assert_eq!(got.len(), wanted.len());
    for (index, (got, (wanted, allowed))) in got.iter().zip(wanted).enumerate() {
        let error = (got - wanted).abs();
        assert!(
            error <= allowed,
            "value {index}: {got} in place of {wanted}, {allowed:.3e} off is allowed"
        );
    }
}

#[test]
fn uniform() {
    check("uniform");
}

#[test]
fn shifted_mean() {
    check("shifted mean");
}

#[test]
fn ramp() {
    check("ramp");
}
