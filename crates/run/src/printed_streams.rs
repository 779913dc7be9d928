//! What a worker prints, as far as it is kept.

use std::io::{self, Read};

/// Bytes of a stream that are kept; the rest is counted.
const KEPT_BYTES_MAX: usize = 64 * 1024;

/// What kernels wrote to their standard output and error, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// Standard output.
    pub stdout: Stream,
    /// Standard error.
    pub stderr: Stream,
}

/// One of the two.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    /// Its beginning.
    pub bytes: Vec<u8>,
    /// Bytes after that, which were not kept.
    pub omitted_bytes: u64,
}

impl Stream {
    /// Takes what can be read without waiting; false at its end.
    pub(crate) fn drain(&mut self, from: &mut impl Read) -> bool {
        let mut room = [0; 16 * 1024];
        loop {
            match from.read(&mut room) {
                Ok(0) => return false,
                Ok(read) => self.add(&room[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return error.kind() == io::ErrorKind::WouldBlock,
            }
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        let kept = bytes.len().min(KEPT_BYTES_MAX - self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..kept]);
        self.omitted_bytes += (bytes.len() - kept) as u64;
    }

    /// As text; bytes that are none are replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

impl Captured {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut all = Vec::new();
        for stream in [&self.stdout, &self.stderr] {
            all.extend(stream.omitted_bytes.to_le_bytes());
            all.extend((stream.bytes.len() as u64).to_le_bytes());
            all.extend(&stream.bytes);
        }
        all
    }

    pub(crate) fn decode(mut bytes: &[u8]) -> Option<Captured> {
        let mut stream = || {
            let (omitted, rest) = bytes.split_first_chunk::<8>()?;
            let (length, rest) = rest.split_first_chunk::<8>()?;
            let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
            let (content, rest) = rest.split_at_checked(length)?;
            bytes = rest;
            let omitted_bytes = u64::from_le_bytes(*omitted);
            Some(Stream { bytes: content.to_vec(), omitted_bytes })
        };
        Some(Captured { stdout: stream()?, stderr: stream()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_is_kept_and_the_rest_counted() {
        let mut captured = Captured::default();
        captured.stderr.add(b"one\n");
        for _ in 0..KEPT_BYTES_MAX {
            captured.stdout.add(b"12");
        }
        let kept = (captured.stdout.bytes.len(), captured.stdout.omitted_bytes);
        assert_eq!(kept, (KEPT_BYTES_MAX, KEPT_BYTES_MAX as u64));
        assert_eq!(Captured::decode(&captured.encode()), Some(captured));
        assert_eq!(Captured::decode(&[1; 20]), None);
    }
}
