//! What outputs must hold, as data: exact values with their bounds, or bits.
//!
//! Compares nothing: whoever runs a program does.

use std::sync::Arc;

use tilewright_tile::bound::Approx;

use crate::{DeviceTensor, Shape, Tensor};

/// The names of an operation's tensors, inputs in the order in which exact results take them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Roles {
    /// The inputs.
    pub inputs: &'static [&'static str],
    /// The outputs.
    pub outputs: &'static [&'static str],
}

/// An input as the device holds it: its values have been rounded to its format.
#[derive(Clone, Debug)]
pub struct Given {
    /// Its contents.
    pub tensor: Tensor,
}

impl Given {
    /// The shape.
    pub fn shape(&self) -> Shape {
        *self.tensor.shape()
    }
}

/// Exact values with their bounds, in row-major order, computed when asked for. A function that
/// gives all of them is one.
pub trait ExactValues: Send + Sync {
    /// All of them.
    fn all(&self) -> Vec<Approx>;

    /// Parts of them, if they can be computed apart.
    fn parts(&self) -> Option<Parts> {
        None
    }
}

impl<Values: Fn() -> Vec<Approx> + Send + Sync> ExactValues for Values {
    fn all(&self) -> Vec<Approx> {
        self()
    }
}

/// Exact values of any kind.
pub type Exact = Box<dyn ExactValues>;

/// Writes the values of a part, given its number.
type WritePart = dyn Fn(usize, &mut [Approx]) + Send + Sync;

/// Exact values in parts that follow one another, so that not all need to be held at once.
#[derive(Clone)]
pub struct Parts {
    /// Values of a part; the last one may have fewer.
    pub values: usize,
    /// Writes the values of the part with a number.
    pub part: Arc<WritePart>,
}

/// An output's exact values.
pub struct Wanted {
    /// The output.
    pub name: &'static str,
    /// Its shape.
    pub shape: Shape,
    /// What it must hold.
    pub values: Exact,
}

/// An output and what it must be.
#[derive(Clone)]
pub struct Expected {
    /// Its name.
    pub name: &'static str,
    /// Where the device puts it.
    pub tensor: DeviceTensor,
    /// The exact values in row-major order with their bounds; computed when asked for.
    pub reference: Arc<dyn Fn() -> Vec<Approx> + Send + Sync>,
    /// The same in parts, if they can be computed apart.
    pub parts: Option<Parts>,
    /// Values that must come out bit for bit; none where the bounds judge.
    pub bits: Option<Vec<f32>>,
}

impl Expected {
    /// What follows the tensor's name where a file judges an output that a reference judges, too.
    pub const BY_FILE: &str = " (expected)";

    /// An output that must hold these values, bit for bit.
    pub fn of_bits(name: &'static str, tensor: DeviceTensor, values: Vec<f32>) -> Expected {
        let bits = Some(values.clone());
        let exact = move || values.iter().map(|value| Approx::exact(f64::from(*value))).collect();
        Expected { name, tensor, reference: Arc::new(exact), parts: None, bits }
    }

    /// An output that must hold exact values, within their bounds.
    pub fn of(name: &'static str, tensor: DeviceTensor, exact: Exact) -> Expected {
        let parts = exact.parts();
        Expected { name, tensor, reference: Arc::new(move || exact.all()), parts, bits: None }
    }

    /// The name of the tensor.
    pub fn tensor_name(&self) -> &'static str {
        self.name.strip_suffix(Expected::BY_FILE).unwrap_or(self.name)
    }

    /// Outputs where the device puts them, in the order of their exact values.
    pub fn all(wanted: Vec<Wanted>, tensors: &[DeviceTensor]) -> Vec<Expected> {
        assert_eq!(wanted.len(), tensors.len(), "every output has a tensor");
        let expected = |(wanted, tensor): (Wanted, &DeviceTensor)| {
            Expected::of(wanted.name, *tensor, wanted.values)
        };
        wanted.into_iter().zip(tensors).map(expected).collect()
    }
}
