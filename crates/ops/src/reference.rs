//! References for programs that are not ours: an operation's exact results for inputs given by
//! role, as program manifests name them.

use tilewright_metal::Shape;
use tilewright_tile::bound::Approx;

use crate::operation::OpError;

/// The names of an operation's tensors, inputs in the order that `Operation::exact` takes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Roles {
    /// The inputs.
    pub inputs: &'static [&'static str],
    /// The outputs.
    pub outputs: &'static [&'static str],
}

/// An input: its shape, and its values as the tensor holds them, in row-major order.
#[derive(Clone, Debug)]
pub struct Given {
    /// The shape.
    pub shape: Shape,
    /// The values.
    pub values: Vec<f32>,
}

/// Exact values with their bounds, computed when asked for.
pub type Exact = Box<dyn Fn() -> Vec<Approx> + Send + Sync>;

/// An output's exact values.
pub struct Wanted {
    /// The output.
    pub name: &'static str,
    /// Its shape.
    pub shape: Shape,
    /// What it must hold.
    pub values: Exact,
}

/// The given inputs, or what is wrong with their number or shapes.
pub(crate) fn taken<const COUNT: usize>(
    roles: &Roles,
    given: Vec<Given>,
    shapes: [Shape; COUNT],
) -> Result<[Vec<f32>; COUNT], OpError> {
    assert_eq!((given.len(), roles.inputs.len()), (COUNT, COUNT), "one for each role");
    for ((given, wanted), name) in given.iter().zip(&shapes).zip(roles.inputs) {
        if given.shape.volume() != wanted.volume() || given.shape.width() != wanted.width() {
            return Err(OpError::Invalid(format!(
                "`{name}` has shape {}, where the operation needs {wanted}",
                given.shape
            )));
        }
    }
    let values: Vec<Vec<f32>> = given.into_iter().map(|given| given.values).collect();
    Ok(values.try_into().unwrap_or_else(|_| unreachable!("counted above")))
}
