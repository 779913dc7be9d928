//! Messages between a worker and its supervisor.
//!
//! Whatever a kernel does to the worker's end, the supervisor takes whole messages or none.

use std::io::{self, Read, Write};

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// From the worker: what it is at.
    Stage,
    /// From the worker: what was printed so far? To the worker: this.
    Printed,
    /// From the worker: its record, which is the last message.
    Record,
}

const KINDS: [(u8, Kind); 3] = [(b's', Kind::Stage), (b'p', Kind::Printed), (b'r', Kind::Record)];

/// Kind, length, fingerprint.
const HEADER_BYTES: usize = 1 + 8 + 8;
/// A longer message is none.
const MESSAGE_BYTES_MAX: u64 = 1 << 34;

/// Sends a message.
pub(crate) fn send(to: &mut impl Write, kind: Kind, content: &[u8]) -> io::Result<()> {
    let letter = KINDS.iter().find(|(_, it)| *it == kind).map_or(0, |(letter, _)| *letter);
    let mut header = vec![letter];
    header.extend((content.len() as u64).to_le_bytes());
    header.extend(fingerprint(content).to_le_bytes());
    to.write_all(&header)?;
    to.write_all(content)?;
    to.flush()
}

/// Waits for a message.
pub(crate) fn receive(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut inbox = Inbox::default();
    loop {
        let mut byte = [0; 1];
        from.read_exact(&mut byte)?;
        inbox.bytes.push(byte[0]);
        match inbox.next() {
            Some(Ok((_, content))) => return Ok(content),
            Some(Err(Garbled)) => return Err(io::ErrorKind::InvalidData.into()),
            None => {}
        }
    }
}

/// What came so far.
#[derive(Default)]
pub(crate) struct Inbox {
    bytes: Vec<u8>,
}

/// What came is no message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Garbled;

impl Inbox {
    /// Takes what can be read without waiting; false at the end.
    pub(crate) fn drain(&mut self, from: &mut impl Read) -> bool {
        let mut room = vec![0; 64 * 1024];
        loop {
            match from.read(&mut room) {
                Ok(0) => return false,
                Ok(read) => self.bytes.extend_from_slice(&room[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return error.kind() == io::ErrorKind::WouldBlock,
            }
        }
    }

    /// The next message, once it is complete.
    pub(crate) fn next(&mut self) -> Option<Result<(Kind, Vec<u8>), Garbled>> {
        let header = self.bytes.first_chunk::<HEADER_BYTES>()?;
        let kind = KINDS.iter().find(|(letter, _)| *letter == header[0]).map(|(_, kind)| *kind);
        let word =
            |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().unwrap_or_default());
        let (length, known) = (word(1), word(9));
        let Some(kind) = kind.filter(|_| length <= MESSAGE_BYTES_MAX) else {
            return Some(Err(Garbled));
        };
        let end = HEADER_BYTES + length as usize;
        let content = self.bytes.get(HEADER_BYTES..end)?.to_vec();
        self.bytes.drain(..end);
        Some(if fingerprint(&content) == known { Ok((kind, content)) } else { Err(Garbled) })
    }
}

/// FNV-1a over 64 bits: notices damage, not intent.
fn fingerprint(content: &[u8]) -> u64 {
    let step = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    content.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_arrive_whole_or_not_at_all() {
        let mut sent = Vec::new();
        send(&mut sent, Kind::Stage, b"one").expect("memory");
        send(&mut sent, Kind::Record, b"two").expect("memory");
        let mut inbox = Inbox { bytes: sent[..sent.len() - 1].to_vec() };
        assert_eq!(inbox.next(), Some(Ok((Kind::Stage, b"one".to_vec()))));
        assert_eq!(inbox.next(), None);
        let mut damaged = sent.clone();
        *damaged.last_mut().expect("not empty") ^= 1;
        let mut inbox = Inbox { bytes: damaged };
        assert!(inbox.next().is_some_and(|it| it.is_ok()));
        assert_eq!(inbox.next(), Some(Err(Garbled)));
        assert_eq!(Inbox { bytes: vec![0; 64] }.next(), Some(Err(Garbled)));
        assert_eq!(receive(&mut &sent[..]).expect("whole"), b"one");
    }
}
