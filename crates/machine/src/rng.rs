//! Choices from a seed: the only randomness of a run, the same on every host.

/// A stream of numbers for one core (splitmix64).
pub(crate) struct Rng {
    state: u64,
    is_still: bool,
}

impl Rng {
    /// The stream of a seed for a core. Seed 0 always answers 0: the nominal schedule.
    pub(crate) fn new(seed: u64, stream: u64) -> Rng {
        let state =
            seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ stream.wrapping_mul(0xd1b5_4a32_d192_ed03);
        Rng { state, is_still: seed == 0 }
    }

    /// A number below `bound`, which is a power of two.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        debug_assert!(bound.is_power_of_two());
        if self.is_still {
            return 0;
        }
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) & (bound - 1)
    }
}
