//! The tensors of a LayerNorm request: data from its family, made once on the host.

use tilewright_metal::{Device, DeviceTensor, Layout, Shape, Storage, Tensor};

use crate::operation::{OpError, Request};

/// A host tensor in the request's format, its values as stored, and its place on the device.
pub(super) struct Input {
    pub(super) device: DeviceTensor,
    /// Row-major, as the format holds them.
    pub(super) values: Vec<f32>,
}

impl Input {
    /// Puts values on the device in tile layout.
    pub(super) fn new(
        device: &mut Device,
        request: &Request,
        shape: &Shape,
        values: &[f32],
    ) -> Result<Input, OpError> {
        Input::with_layout(Layout::Tile, device, request, shape, values)
    }

    /// Puts values on the device.
    pub(super) fn with_layout(
        layout: Layout,
        device: &mut Device,
        request: &Request,
        shape: &Shape,
        values: &[f32],
    ) -> Result<Input, OpError> {
        let tensor = Tensor::from_f32(*shape, values)?.convert(layout, request.format)?;
        let values = tensor.to_f32();
        Ok(Input { device: tensor.to_device(device, Storage::Dram)?, values })
    }
}

/// An output in tile layout.
pub(super) fn output(
    device: &mut Device,
    request: &Request,
    shape: &Shape,
) -> Result<DeviceTensor, OpError> {
    let (layout, format) = (Layout::Tile, request.format);
    Ok(DeviceTensor::zeros(device, *shape, layout, format, Storage::Dram)?)
}

/// The shape of a row of features: γ, β and their gradients.
pub(super) fn row_shape(shape: &Shape) -> Shape {
    Shape::new(&[1, shape.width()]).expect("a width is not zero")
}

/// The shape of a column of statistics: one for each row.
pub(super) fn column_shape(shape: &Shape) -> Shape {
    let mut sizes: Vec<usize> = shape.sizes().iter().map(|size| *size as usize).collect();
    *sizes.last_mut().expect("a shape has a last size") = 1;
    Shape::new(&sizes).expect("sizes are not zero")
}

/// γ between 0.5 and 1.5, β between -0.1 and 0.1, as the published forward tests have them.
pub(super) fn scale_and_shift(request: &Request) -> (Vec<f32>, Vec<f32>) {
    let row = row_shape(&request.shape);
    let uniform = |stream| crate::family::Family::Uniform.values(&row, request.data_seed, stream);
    let gamma = uniform(1).iter().map(|unit| 1.0 + 0.5 * unit).collect();
    let beta = uniform(2).iter().map(|unit| 0.1 * unit).collect();
    (gamma, beta)
}
