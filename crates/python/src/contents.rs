//! Memory that Python lends for a call: the contents of tensors.

#![allow(unsafe_code, reason = "Python's maps of shared memory, by address")]

/// Bytes of a map that Python keeps alive during the call and nobody else touches.
pub struct Contents {
    address: usize,
    length: usize,
}

impl Contents {
    /// The map at an address of this process.
    pub fn new(address: usize, length: usize) -> Contents {
        Contents { address, length }
    }

    pub fn bytes(&self) -> &[u8] {
        if self.length == 0 {
            return &[];
        }
        // SAFETY: Python's side passes the start and size of a map that it holds open and does
        // not look at before the call returns (`_runner.py`, `_worker.py`).
        unsafe { std::slice::from_raw_parts(self.address as *const u8, self.length) }
    }

    /// What they hold as 32-bit floats.
    pub fn floats(&self) -> Vec<f32> {
        let words = self.bytes().chunks_exact(4);
        words.map(|word| f32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
    }

    pub fn replace(&mut self, bytes: &[u8]) {
        let length = self.length.min(bytes.len());
        if length == 0 {
            return;
        }
        // SAFETY: as in `bytes`; the map is writable.
        let own = unsafe { std::slice::from_raw_parts_mut(self.address as *mut u8, length) };
        own.copy_from_slice(&bytes[..length]);
    }
}
