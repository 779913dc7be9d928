//! Shapes and values of what LayerNorm takes besides x.

use tilewright_metal::{Family, Shape};

use crate::operation::{OpError, Request};

/// The shape of a row of features: γ, β and their gradients.
pub(crate) fn row_shape(shape: &Shape) -> Shape {
    Shape::new(&[1, shape.width()]).expect("a width is not zero")
}

/// The shape of a column of statistics: one for each row.
pub(crate) fn column_shape(shape: &Shape) -> Shape {
    let mut sizes: Vec<usize> = shape.sizes().iter().map(|size| *size as usize).collect();
    *sizes.last_mut().expect("a shape has a last size") = 1;
    Shape::new(&sizes).expect("sizes are not zero")
}

/// γ between 0.5 and 1.5, β between -0.1 and 0.1, as the published forward tests have them.
pub(super) fn scale_and_shift(request: &Request) -> Result<(Vec<f32>, Vec<f32>), OpError> {
    let row = row_shape(&request.shape);
    let uniform = |stream| Family::Uniform.values(&row, request.data_seed, stream).into_iter();
    let gamma = || uniform(1).map(|unit| 1.0 + 0.5 * unit).collect();
    let beta = || uniform(2).map(|unit| 0.1 * unit).collect();
    Ok((request.values("gamma", &row, gamma)?, request.values("beta", &row, beta)?))
}
