//! The inputs that an operation's exact results are computed from, checked.

use tilewright_metal::Shape;
pub use tilewright_metal::{Given, Roles, Wanted};

use crate::operation::OpError;

/// The given inputs, or what is wrong with their number or shapes.
pub(crate) fn taken<const COUNT: usize>(
    roles: &Roles,
    given: Vec<Given>,
    shapes: [Shape; COUNT],
) -> Result<[Vec<f32>; COUNT], OpError> {
    assert_eq!((given.len(), roles.inputs.len()), (COUNT, COUNT), "one for each role");
    for ((given, wanted), name) in given.iter().zip(&shapes).zip(roles.inputs) {
        if given.shape().volume() != wanted.volume() || given.shape().width() != wanted.width() {
            return Err(OpError::Invalid(format!(
                "`{name}` has shape {}, where the operation needs {wanted}",
                given.shape()
            )));
        }
    }
    let values: Vec<Vec<f32>> = given.iter().map(|given| given.tensor.to_f32()).collect();
    Ok(values.try_into().unwrap_or_else(|_| unreachable!("counted above")))
}
