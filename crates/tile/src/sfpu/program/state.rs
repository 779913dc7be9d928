//! What the vector unit keeps from one call to the next: its registers and its generator.

/// Lanes of the unit: four rows of Dst, every other column.
pub(super) const LANES: usize = 32;

/// One register: a value for each lane.
pub(super) type Register = [u32; LANES];

/// The unit's state between calls.
#[derive(Clone, Debug)]
pub struct VectorState {
    /// Whether the registers hold what the last call left for the next one of its family.
    pub(super) is_kept: bool,
    pub(super) registers: [Register; 8],
    /// The generator of each lane, once it has been seeded.
    pub(super) random: Option<Register>,
    /// The scalars that an init call has left, for functions that take theirs from it.
    pub(super) scalars: [u32; 3],
}

impl Default for VectorState {
    fn default() -> VectorState {
        VectorState { is_kept: false, registers: [[0; LANES]; 8], random: None, scalars: [0; 3] }
    }
}

impl VectorState {
    /// Another function has used the registers.
    pub fn forget_registers(&mut self) {
        self.is_kept = false;
    }

    /// The scalars that an init call has left.
    pub fn init_scalars(&self) -> [u32; 3] {
        self.scalars
    }

    /// Whether the generators have been started.
    pub fn is_seeded(&self) -> bool {
        self.random.is_some()
    }

    /// Starts the generators of all lanes from one seed (numerics specification 2, section 3).
    pub(super) fn seed(&mut self, seed: u32) {
        let mut state = (0..32).fold(seed, |state, _| step(state));
        let mut lanes = [0; LANES];
        for lane in lanes.iter_mut().rev() {
            state = step(step(state));
            *lane = state;
        }
        self.random = Some(lanes);
    }

    /// The next number of each lane; zeros before the generator has been seeded.
    pub(super) fn next_random(&mut self) -> Register {
        let Some(lanes) = &mut self.random else { return [0; LANES] };
        let numbers = *lanes;
        lanes.iter_mut().for_each(|state| *state = step(*state));
        numbers
    }
}

fn step(state: u32) -> u32 {
    let parity = (state & 0x8020_0003).count_ones() & 1;
    (parity ^ 1) << 31 | state >> 1
}
