//! Values on the host's side: to the device, back, and the inputs that tests use.

#![allow(dead_code, reason = "each stage uses a part of it")]

use operation_name::queue::{Error, Factory, Queue, Simulator};
use tilewright_run::prelude::*;

/// What a test is about, or its failure with the reason.
#[track_caller]
pub fn must<Value>(result: Result<Value, Error>) -> Value {
    result.unwrap_or_else(|error| panic!("{error}"))
}

/// A queue that runs programs on an n150.
pub fn simulator() -> Simulator {
    Simulator::new(Device::n150())
}

/// A queue that runs nothing and remembers the tensors of every launch.
pub struct Recorder {
    device: Device,
    pub launches: Vec<Vec<DeviceTensor>>,
}

impl Recorder {
    pub fn new() -> Recorder {
        Recorder {
            device: Device::n150(),
            launches: Vec::new(),
        }
    }
}

impl Queue for Recorder {
    fn device(&mut self) -> &mut Device {
        &mut self.device
    }

    fn enqueue(&mut self, tensors: &[DeviceTensor], _: &Factory<'_>) -> Result<(), Error> {
        self.launches.push(tensors.to_vec());
        Ok(())
    }
}

/// A tensor on the device: its sizes, values, layout and format.
pub fn tensor(
    queue: &mut impl Queue,
    sizes: &[usize],
    values: &[f32],
    (layout, format): (Layout, DataFormat),
) -> DeviceTensor {
    let shape = Shape::new(sizes).expect("sizes of a tensor");
    let tensor = Tensor::from_f32(shape, values).and_then(|it| it.convert(layout, format));
    let on = tensor.and_then(|tensor| tensor.to_device(queue.device(), Storage::Dram));
    on.expect("room on the device")
}

/// A tensor of zeros.
pub fn zeros(queue: &mut impl Queue, sizes: &[usize], form: (Layout, DataFormat)) -> DeviceTensor {
    tensor(queue, sizes, &vec![0.0; sizes.iter().product()], form)
}

/// The values of a tensor.
pub fn values(queue: &mut impl Queue, tensor: &DeviceTensor) -> Vec<f64> {
    let host = tensor.to_host(queue.device()).expect("the tensor");
    host.to_f32().into_iter().map(f64::from).collect()
}

/// The nearest value that bf16 has.
fn bfloat16(value: f64) -> f32 {
    let bits = (value as f32).to_bits();
    f32::from_bits((bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff_0000)
}

/// Inputs by name, for tensors of so many values. Those of mean zero alone would hide sums that are
/// lost.
pub fn families(counts: &[usize]) -> Vec<(&'static str, Vec<Vec<f32>>)> {
    let random = |shift: f64, mut state: u64| {
        let mut next = move || {
            // A generator of Lehmer's, modulo 2^31 - 1.
            state = state * 48_271 % 0x7fff_ffff;
            bfloat16(state as f64 / f64::from(0x4000_0000) - 1.0 + shift)
        };
        counts
            .iter()
            .map(|count| (0..*count).map(|_| next()).collect())
            .collect()
    };
    let ramp = |(place, count): (usize, &usize)| {
        let at = |index: usize| (3.0 * index as f64 / *count as f64 - 2.0) * (1 + place) as f64;
        (0..*count).map(|index| bfloat16(at(index))).collect()
    };
    vec![
        ("uniform", random(0.0, 17)),
        ("shifted mean", random(2.0, 18)),
        ("ramp", counts.iter().enumerate().map(ramp).collect()),
    ]
}
