//! Numbers from a seed: the only randomness of a run, the same on every host.

/// A stream of numbers for one core (splitmix64).
pub(crate) struct Rng {
    state: u64,
}

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Rng {
    /// The stream of a seed for a core.
    pub(crate) fn new(seed: u64, stream: u64) -> Rng {
        Rng { state: seed.wrapping_mul(STEP) ^ stream.wrapping_mul(0xd1b5_4a32_d192_ed03) }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        mix(self.state)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u32) -> u64 {
        ((self.next() >> 32) * u64::from(bound)) >> 32
    }

    /// A number of at most `bits` bits, every length as likely as every other.
    pub(crate) fn of_any_length(&mut self, bits: u32) -> u64 {
        let length = self.below(bits + 1) as u32;
        self.next() & ((1 << length) - 1) | 1 << length >> 1
    }
}

/// Mixes bits, so that neighbouring inputs give unrelated numbers.
pub(crate) fn mix(mut word: u64) -> u64 {
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn every_length_is_as_likely_as_every_other() {
        let mut rng = Rng::new(1, 2);
        let mut lengths = [0_u32; 5];
        for _ in 0..5_000 {
            let number = rng.of_any_length(4);
            lengths[(u64::BITS - number.leading_zeros()) as usize] += 1;
        }
        assert!(lengths.iter().all(|count| (900..1_100).contains(count)), "{lengths:?}");
    }

    #[test]
    fn numbers_stay_below_their_bound_and_reach_it() {
        let mut rng = Rng::new(7, 0);
        let seen: Vec<u64> = (0..100).map(|_| rng.below(3)).collect();
        assert!((0..3).all(|number| seen.contains(&number)) && seen.iter().all(|it| *it < 3));
    }
}
