//! References for kernels that are not ours: their exact values are the mathematics, computed here
//! anew and plainly, and their bounds are a few steps of bf16.
//!
//! Whether the kernels of tt-metal keep to the bounds is found out on a checkout of it: nothing of
//! it is kept here.

use tilewright_metal::{Family, Given, Shape, Tensor};
use tilewright_ops::formulas::{Formula, formulas};
use tilewright_ops::{OpError, Request};
use tilewright_tile::bound::Approx;
use tilewright_tile::{DataFormat, DstWidth, bfloat16};

const ROWS: usize = 3;
const WIDTH: usize = 70;

fn formula(name: &str) -> &'static Formula {
    formulas().find(|formula| formula.name == name).expect("a formula")
}

/// Uniform values in bf16, between `middle - spread` and `middle + spread`.
fn input(rows: usize, width: usize, stream: u64, (middle, spread): (f32, f32)) -> Given {
    let shape = Shape::new(&[rows, width]).expect("a shape");
    let units = Family::Uniform.values(&shape, 5, stream);
    let held = |unit: &f32| bfloat16::to_f32(bfloat16::from_f32(middle + spread * unit));
    holding(shape, units.iter().map(held).collect())
}

fn request(width: DstWidth) -> Request {
    let shape = Shape::new(&[ROWS, WIDTH]).expect("a shape");
    let mut request = Request::new(shape, DataFormat::Bfloat16);
    request.settings.width = width;
    request
}

fn targets() -> Given {
    let shape = Shape::new(&[1, ROWS]).expect("a shape");
    holding(shape, vec![0.0, 69.0, 33.0])
}

fn holding(shape: Shape, values: Vec<f32>) -> Given {
    Given { tensor: Tensor::from_f32(shape, &values).expect("as many as the shape has") }
}

fn rows(given: &Given) -> Vec<Vec<f64>> {
    let width = given.shape().width();
    given
        .tensor
        .to_f32()
        .chunks(width)
        .map(|row| row.iter().map(|x| f64::from(*x)).collect())
        .collect()
}

/// Holds an output against plain mathematics; bounds are at most so many steps of bf16 at the
/// largest value, and no less than half of one somewhere.
#[track_caller]
fn check(what: &str, got: &[Approx], wanted: &[f64], steps: f64) {
    assert_eq!(got.len(), wanted.len(), "{what}");
    let largest = wanted.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    for (index, (got, wanted)) in got.iter().zip(wanted).enumerate() {
        let far = (got.value - wanted).abs();
        assert!(far <= 1e-9 * largest, "{what} {index}: {} for {wanted}", got.value);
    }
    let most = got.iter().fold(0.0_f64, |most, value| most.max(value.error));
    let step = largest / 128.0;
    assert!(most <= steps * step, "{what}: a bound of {} steps", most / step);
    assert!(most >= 0.25 * step, "{what}: a bound of {} steps", most / step);
}

fn outputs(name: &str, request: &Request, given: Vec<Given>) -> Vec<(&'static str, Vec<Approx>)> {
    let wanted = formula(name).exact(request, given).unwrap_or_else(|error| panic!("{error}"));
    wanted.into_iter().map(|wanted| (wanted.name, wanted.values.all())).collect()
}

/// (x - mean)·rstd·γ + β, mean and rstd of every row.
fn layernorm(x: &Given, gamma: &Given, beta: &Given, epsilon: f64) -> [Vec<f64>; 3] {
    let (gamma, beta) = (&rows(gamma)[0], &rows(beta)[0]);
    let mut all = [Vec::new(), Vec::new(), Vec::new()];
    for row in rows(x) {
        let count = row.len() as f64;
        let mean = row.iter().sum::<f64>() / count;
        let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
        let rstd = 1.0 / (variance + epsilon).sqrt();
        let y = |(column, x): (usize, &f64)| (x - mean) * rstd * gamma[column] + beta[column];
        all[0].extend(row.iter().enumerate().map(y));
        all[1].push(mean);
        all[2].push(rstd);
    }
    all
}

#[test]
fn layer_normalisation_is_the_mathematics() {
    let (x, gamma) = (input(ROWS, WIDTH, 0, (0.5, 1.0)), input(1, WIDTH, 1, (1.0, 0.5)));
    let beta = input(1, WIDTH, 2, (0.0, 0.1));
    let given = || vec![x.clone(), gamma.clone(), beta.clone()];
    let request_of = |width| request(width).choose("epsilon", "1e-3");
    let [y, mean, rstd] = layernorm(&x, &gamma, &beta, 1e-3);
    let ttml = outputs("ttml-layernorm-fw", &request_of(DstWidth::Bits32), given());
    for ((name, got), wanted) in ttml.iter().zip([&y, &mean, &rstd]) {
        check(name, got, wanted, 8.0);
    }
    for (width, steps) in [(DstWidth::Bits32, 4.0), (DstWidth::Bits16, 32.0)] {
        let ttnn = outputs("ttnn-layernorm", &request_of(width), given());
        check("ttnn", &ttnn[0].1, &y, steps);
        let blocks = request_of(width).choose("path", "blocks");
        check("blocks", &outputs("ttnn-layernorm", &blocks, given())[0].1, &y, steps);
        let half = holding(x.shape(), x.tensor.to_f32().iter().map(|x| x / 2.0).collect());
        let added = vec![half.clone(), half, gamma.clone(), beta.clone()];
        let added = outputs("ttnn-add-layernorm", &request_of(width), added);
        check("added", &added[0].1, &y, steps);
    }
}

#[test]
fn the_gradient_of_layer_normalisation_is_the_mathematics() {
    let (x, dy) = (input(ROWS, WIDTH, 0, (0.5, 1.0)), input(ROWS, WIDTH, 3, (0.2, 1.0)));
    let gamma = input(1, WIDTH, 1, (1.0, 0.5));
    let (mean, rstd) = (input(ROWS, 1, 2, (0.5, 0.1)), input(ROWS, 1, 4, (1.7, 0.1)));
    let gammas = rows(&gamma).remove(0);
    let (mut dx, mut dgamma) = (Vec::new(), Vec::new());
    for (row, (x, dy)) in rows(&x).iter().zip(rows(&dy)).enumerate() {
        let (mean, rstd) =
            (f64::from(mean.tensor.to_f32()[row]), f64::from(rstd.tensor.to_f32()[row]));
        let x_hat: Vec<f64> = x.iter().map(|x| (x - mean) * rstd).collect();
        let product = |column: usize| dy[column] * gammas[column];
        let first = (0..WIDTH).map(product).sum::<f64>() / WIDTH as f64;
        let second = (0..WIDTH).map(|column| product(column) * x_hat[column]).sum::<f64>();
        let second = second / WIDTH as f64;
        for column in 0..WIDTH {
            dx.push(rstd * (product(column) - first - x_hat[column] * second));
            dgamma.push(dy[column] * x_hat[column]);
        }
    }
    let given = vec![x, gamma, mean, rstd, dy];
    let got = outputs("ttml-layernorm-bw", &request(DstWidth::Bits32), given.clone());
    check("dx", &got[0].1, &dx, 4.0);
    check("dgamma", &got[1].1, &dgamma, 3.0);
    let is_kept = |(got, dy): (&Approx, &f32)| *got == Approx::exact(f64::from(*dy));
    assert!(got[2].1.iter().zip(&given[4].tensor.to_f32()).all(is_kept), "dbeta is dy");
}

#[test]
fn rms_normalisation_is_the_mathematics() {
    let (x, gamma) = (input(ROWS, WIDTH, 0, (0.5, 1.0)), input(1, WIDTH, 1, (1.0, 0.5)));
    let (gammas, mut ys, mut roots) = (rows(&gamma).remove(0), Vec::new(), Vec::new());
    for row in rows(&x) {
        let mean = row.iter().map(|x| x * x).sum::<f64>() / row.len() as f64;
        let root = (mean + 1e-5).sqrt();
        ys.extend(row.iter().zip(&gammas).map(|(x, gamma)| x / root * gamma));
        roots.push(root);
    }
    let request = request(DstWidth::Bits32).choose("epsilon", "1e-5");
    let ttml = outputs("ttml-rmsnorm-fw", &request, vec![x.clone(), gamma.clone()]);
    check("y", &ttml[0].1, &ys, 4.0);
    check("rms", &ttml[1].1, &roots, 2.0);
    let beta = input(1, WIDTH, 2, (0.0, 0.0));
    let ttnn = outputs("ttnn-rmsnorm", &request, vec![x.clone(), gamma.clone(), beta.clone()]);
    check("ttnn", &ttnn[0].1, &ys, 4.0);
    // Half of x and half of x are x.
    let half = holding(x.shape(), x.tensor.to_f32().iter().map(|x| x / 2.0).collect());
    let added = outputs("ttnn-add-rmsnorm", &request, vec![half.clone(), half, gamma, beta]);
    check("added", &added[0].1, &ys, 4.0);
}

#[test]
fn the_gradient_of_rms_normalisation_is_the_mathematics() {
    let (x, dy) = (input(ROWS, WIDTH, 0, (0.5, 1.0)), input(ROWS, WIDTH, 3, (0.0, 1.0)));
    let (gamma, rms) = (input(1, WIDTH, 1, (1.0, 0.5)), input(ROWS, 1, 2, (1.0, 0.2)));
    let gammas = rows(&gamma).remove(0);
    let (mut dx, mut dgamma) = (Vec::new(), Vec::new());
    for ((x, dy), rms) in rows(&x).iter().zip(rows(&dy)).zip(rows(&rms)) {
        let root = rms[0];
        let term = |column: usize| x[column] * gammas[column] * dy[column];
        let sum: f64 = (0..WIDTH).map(term).sum();
        for column in 0..WIDTH {
            let mean = x[column] * sum / (WIDTH as f64 * root.powi(3));
            dx.push(gammas[column] * dy[column] / root - mean);
            dgamma.push(x[column] * dy[column] / root);
        }
    }
    let got = outputs("ttml-rmsnorm-bw", &request(DstWidth::Bits32), vec![x, gamma, rms, dy]);
    check("dx", &got[0].1, &dx, 4.0);
    check("dgamma", &got[1].1, &dgamma, 3.0);
}

fn softmax(row: &[f64]) -> Vec<f64> {
    let sum: f64 = row.iter().map(|x| x.exp()).sum();
    row.iter().map(|x| x.exp() / sum).collect()
}

#[test]
fn softmax_is_the_mathematics() {
    let x = input(ROWS, WIDTH, 0, (0.0, 3.0));
    let wanted: Vec<f64> = rows(&x).iter().flat_map(|row| softmax(row)).collect();
    let cases = [
        ("ttml-softmax", "path", "row", DstWidth::Bits32, 4.0),
        ("ttml-softmax", "path", "blocks", DstWidth::Bits32, 4.0),
        ("ttnn-softmax", "stable", "no", DstWidth::Bits32, 4.0),
        ("ttnn-softmax", "stable", "yes", DstWidth::Bits16, 64.0),
        ("ttnn-softmax", "pass", "2", DstWidth::Bits32, 4.0),
    ];
    for (name, choice, value, width, steps) in cases {
        let request = request(width).choose(choice, value);
        check(name, &outputs(name, &request, vec![x.clone()])[0].1, &wanted, steps);
    }
    let mask = input(1, WIDTH, 2, (-1.0, 1.0));
    let masks = rows(&mask).remove(0);
    let masked = |row: &Vec<f64>| -> Vec<f64> {
        softmax(&row.iter().zip(&masks).map(|(x, mask)| x / 2.0 + mask).collect::<Vec<_>>())
    };
    let wanted: Vec<f64> = rows(&x).iter().flat_map(masked).collect();
    for stable in ["no", "yes"] {
        let request = request(DstWidth::Bits32).choose("scale", "0.5").choose("stable", stable);
        let given = vec![x.clone(), mask.clone()];
        let got = outputs("ttnn-scale-mask-softmax", &request, given);
        check("masked", &got[0].1, &wanted, 8.0);
    }
    let dy = input(ROWS, WIDTH, 3, (0.0, 1.0));
    let mut dx = Vec::new();
    for (y, dy) in rows(&x).iter().zip(rows(&dy)) {
        let sum: f64 = y.iter().zip(&dy).map(|(y, dy)| y * dy).sum();
        dx.extend(y.iter().zip(&dy).map(|(y, dy)| y * (dy - sum)));
    }
    let got = outputs("ttml-softmax-bw", &request(DstWidth::Bits32), vec![x, dy]);
    check("softmax-bw", &got[0].1, &dx, 8.0);
}

#[test]
fn cross_entropy_is_the_mathematics() {
    let (x, target) = (input(ROWS, WIDTH, 0, (0.0, 3.0)), targets());
    let (mut loss, mut dx) = (Vec::new(), Vec::new());
    for (row, target) in rows(&x).iter().zip(&target.tensor.to_f32()) {
        let target = *target as usize;
        let sum: f64 = row.iter().map(|x| x.exp()).sum();
        loss.push(sum.ln() - row[target]);
        let share = |(column, y): (usize, f64)| y - f64::from(u8::from(column == target));
        dx.extend(softmax(row).into_iter().enumerate().map(share).map(|d| d / ROWS as f64));
    }
    let (request, given) = (request(DstWidth::Bits32), vec![x, target]);
    let got = outputs("ttml-cross-entropy-fw", &request, given.clone());
    check("loss", &got[0].1, &loss, 4.0);
    let got = outputs("ttml-cross-entropy-bw", &request, given);
    check("dx", &got[0].1, &dx, 4.0);
}

#[test]
fn what_a_formula_does_not_know_is_refused() {
    let refusal = |name: &str, request: &Request, given: Vec<Given>| -> String {
        match formula(name).exact(request, given) {
            Ok(_) => "nothing is wrong".to_owned(),
            Err(error @ (OpError::Invalid(_) | OpError::BadChoice { .. })) => error.to_string(),
            Err(error) => panic!("{error}"),
        }
    };
    let x = || input(ROWS, WIDTH, 0, (0.0, 3.0));
    let bf16 = request(DstWidth::Bits32);
    let fp32 = Request { format: DataFormat::Float32, ..bf16.clone() };
    let told = refusal("ttml-softmax", &fp32, vec![x()]);
    assert_eq!(told, "ttml-softmax is known for bf16 tensors, not Float32");
    let target = holding(targets().shape(), vec![0.0, 70.0, 1.0]);
    let told = refusal("ttml-cross-entropy-fw", &bf16, vec![x(), target]);
    assert_eq!(told, "`target` has 70, which is no class from 0 to 69");
    let told = refusal("ttml-cross-entropy-fw", &bf16, vec![x(), input(1, 2, 0, (0.0, 0.0))]);
    assert_eq!(told, "`target` needs one class for each of 3 rows");
    let gamma = input(1, WIDTH, 1, (1.0, 0.5));
    let told = refusal("ttml-rmsnorm-fw", &bf16.choose("epsilon", "-1"), vec![x(), gamma]);
    assert_eq!(told, "epsilon cannot be `-1`; expected `kernel` or a number above zero");
}
