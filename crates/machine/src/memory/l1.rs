//! One core's L1: bytes with bounds.
//!
//! Knows nothing of buffers or of who may touch which byte.

#[cfg(target_os = "linux")]
use super::slot::Slot;
use crate::units::L1Address;

/// The L1 of one core.
pub struct L1 {
    memory: Memory,
}

enum Memory {
    /// That many bytes, never written: they take no memory of the host.
    Blank(usize),
    Anywhere(Vec<u8>),
    #[cfg(target_os = "linux")]
    Low(Slot),
}

/// What a blank L1 looks like, whatever its size.
static ZEROS: [u8; 2 << 20] = [0; 2 << 20];

impl L1 {
    /// An L1 of `bytes` bytes, all zero.
    pub fn new(bytes: usize) -> L1 {
        assert!(bytes <= ZEROS.len(), "no core has so much L1");
        L1 { memory: Memory::Blank(bytes) }
    }

    /// Another L1 with the same contents.
    pub(crate) fn copy(&self) -> L1 {
        let memory = match &self.memory {
            Memory::Blank(bytes) => Memory::Blank(*bytes),
            Memory::Anywhere(bytes) => Memory::Anywhere(bytes.clone()),
            #[cfg(target_os = "linux")]
            Memory::Low(slot) => Memory::Anywhere(slot.bytes().to_vec()),
        };
        L1 { memory }
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        self.all().len()
    }

    fn all(&self) -> &[u8] {
        match &self.memory {
            Memory::Blank(bytes) => &ZEROS[..*bytes],
            Memory::Anywhere(bytes) => bytes,
            #[cfg(target_os = "linux")]
            Memory::Low(slot) => slot.bytes(),
        }
    }

    fn all_mut(&mut self) -> &mut [u8] {
        if let Memory::Blank(bytes) = self.memory {
            self.memory = Memory::Anywhere(vec![0; bytes]);
        }
        match &mut self.memory {
            Memory::Blank(_) => unreachable!("it has just been filled"),
            Memory::Anywhere(bytes) => bytes,
            #[cfg(target_os = "linux")]
            Memory::Low(slot) => slot.bytes_mut(),
        }
    }

    /// Moves it to where kernels with raw pointers can reach it; it stays there.
    #[cfg(target_os = "linux")]
    pub(crate) fn move_low(&mut self) -> std::io::Result<()> {
        match &self.memory {
            Memory::Blank(bytes) => self.memory = Memory::Low(Slot::new(*bytes)?),
            Memory::Anywhere(bytes) => {
                let mut slot = Slot::new(bytes.len())?;
                slot.bytes_mut().copy_from_slice(bytes);
                self.memory = Memory::Low(slot);
            }
            Memory::Low(_) => {}
        }
        Ok(())
    }

    /// Only Linux maps memory at a chosen address without replacing another.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn move_low(&mut self) -> std::io::Result<()> {
        Err(std::io::Error::other("kernels with raw pointers to L1 run on Linux only"))
    }

    /// The address of its first byte for kernels with raw pointers, if it has been moved.
    pub fn low_base(&self) -> Option<u32> {
        match &self.memory {
            Memory::Blank(_) | Memory::Anywhere(_) => None,
            #[cfg(target_os = "linux")]
            Memory::Low(slot) => Some(slot.base()),
        }
    }

    /// `length` bytes from `at`, if they lie inside.
    pub fn get(&self, at: L1Address, length: usize) -> Option<&[u8]> {
        let start = at.0 as usize;
        self.all().get(start..start.checked_add(length)?)
    }

    /// `length` writable bytes from `at`, if they lie inside.
    pub fn get_mut(&mut self, at: L1Address, length: usize) -> Option<&mut [u8]> {
        let start = at.0 as usize;
        self.all_mut().get_mut(start..start.checked_add(length)?)
    }

    /// Allocates the host's memory for a span now instead of on first use; changes nothing else.
    pub(crate) fn populate(&mut self, at: L1Address, length: usize) {
        const HOST_PAGE_BYTES: usize = 4096;
        let span = self.get_mut(at, length).unwrap_or_default();
        for byte in span.iter_mut().step_by(HOST_PAGE_BYTES) {
            *byte = std::hint::black_box(*byte);
        }
    }

    /// The little-endian word at `at`, if it lies inside.
    pub fn word(&self, at: L1Address) -> Option<u32> {
        let bytes = self.get(at, 4)?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// Replaces the word at `at`; false if it does not lie inside.
    pub fn set_word(&mut self, at: L1Address, value: u32) -> bool {
        let Some(bytes) = self.get_mut(at, 4) else { return false };
        bytes.copy_from_slice(&value.to_le_bytes());
        true
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::L1;
    use crate::units::L1Address;

    #[test]
    fn what_was_written_moves_along() {
        let (mut blank, mut written) = (L1::new(8192), L1::new(8192));
        assert!(written.set_word(L1Address(4096), 7));
        for l1 in [&mut blank, &mut written] {
            l1.move_low().expect("room");
        }
        assert_eq!(blank.word(L1Address(4096)), Some(0));
        assert_eq!(written.word(L1Address(4096)), Some(7));
    }
}
