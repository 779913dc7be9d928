//! Programs with their inputs on a device, and what their outputs must hold.

use crate::{
    Device, DeviceTensor, Ending, Expected, Observer, Outcome, Program, RunOptions,
    TensorDeclaration,
};

/// Bytes of host memory for each value of a tensor: its copies, the device's, and the reference
/// with its bounds.
pub const HOST_BYTES_PER_VALUE: u64 = 48;

/// Programs with their inputs on the device, ready to run. Clones share everything.
#[derive(Clone)]
pub struct Prepared {
    /// The programs, to be run one after the other.
    pub programs: Vec<Program>,
    /// Tiles of all inputs.
    pub input_tiles: u64,
    /// The outputs.
    pub outputs: Vec<Expected>,
}

impl From<Program> for Prepared {
    fn from(program: Program) -> Prepared {
        Prepared { programs: vec![program], input_tiles: 0, outputs: Vec::new() }
    }
}

impl Prepared {
    /// The same, with an output that must hold these values, bit for bit.
    pub fn expecting(mut self, name: &str, tensor: DeviceTensor, values: Vec<f32>) -> Prepared {
        // Names of outputs live as long as the process, as those of operations do.
        self.outputs.push(Expected::of_bits(name.to_owned().leak(), tensor, values));
        self
    }

    /// Takes the host's memory for the programs before a clock is started.
    pub fn load(&self, device: &mut Device) -> std::io::Result<()> {
        self.programs.iter().try_for_each(|program| program.load(device))
    }

    /// Runs the programs; one that does not complete is the last. Outcomes are in their order.
    pub fn run(
        &self,
        device: &mut Device,
        options: RunOptions,
        observers: &mut [&mut dyn Observer],
    ) -> std::io::Result<Vec<Outcome>> {
        let mut outcomes = Vec::new();
        for program in &self.programs {
            outcomes.push(program.run(device, options, observers)?);
            if outcomes.last().is_some_and(|outcome| outcome.ending != Ending::Completed) {
                break;
            }
        }
        Ok(outcomes)
    }

    /// The declared outputs that have nothing to be compared with. What a later program
    /// reads is no output of them all.
    pub fn uncompared(&self) -> Vec<&TensorDeclaration> {
        let is_compared = |tensor: &DeviceTensor| {
            self.outputs.iter().any(|output| output.tensor.buffer == tensor.buffer)
        };
        let is_read = |from: usize, tensor: &DeviceTensor| {
            let inputs = self.programs[from..].iter().flat_map(|it| &it.declarations().inputs);
            inputs.into_iter().any(|input| input.tensor.buffer == tensor.buffer)
        };
        let all = self.programs.iter().enumerate();
        let made = all.flat_map(|(number, program)| {
            program.declarations().outputs.iter().map(move |output| (number, output))
        });
        let left = made.filter(|(number, output)| {
            !is_compared(&output.tensor) && !is_read(number + 1, &output.tensor)
        });
        left.map(|(_, output)| output).collect()
    }
}

/// A number that is equal for equal bytes: FNV-1a over words of eight bytes, with a fold of the
/// upper half, which it stirs least.
pub fn fingerprint(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0100_0000_01b3);
        hash ^= hash >> 29;
    }
    hash
}
