//! Fingerprints of contents, for names in the cache. Not for secrets.

/// FNV-1a over 128 bits: no two sources that anybody writes are taken for each other.
pub(super) struct Digest128(u128);

impl Digest128 {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

    pub(super) fn new() -> Digest128 {
        Digest128(Digest128::BASIS)
    }

    /// Adds one piece; pieces do not run into each other.
    pub(super) fn add(&mut self, piece: &[u8]) {
        for byte in piece.iter().chain(&(piece.len() as u64).to_le_bytes()) {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(Digest128::PRIME);
        }
    }

    pub(super) fn hex(&self) -> String {
        format!("{:032x}", self.0)
    }
}

/// The fingerprint of one text.
pub(super) fn of(text: &[u8]) -> String {
    let mut digest = Digest128::new();
    digest.add(text);
    digest.hex()
}
