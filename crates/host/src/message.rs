//! What a host program and the simulator say to each other.
//!
//! A request is two lengths of 8 bytes, JSON and data; an answer is a status byte, a length and
//! bytes. The other end is `include/tilewright/host/link.cpp`.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use serde::Deserialize;
use tilewright_metal::{ShardLayout, ShardOrientation};

/// More bytes are none of a host program's requests.
const JSON_BYTES_MAX: u64 = 1 << 28;
const DATA_BYTES_MAX: u64 = 1 << 34;

/// A request of a host program.
#[derive(Debug, Deserialize)]
#[serde(tag = "call", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Call {
    /// The chip's table.
    Chip,
    /// A mesh of devices.
    Open { devices: usize },
    /// The end of a mesh and of all its buffers.
    Close { mesh: u64 },
    /// Memory on every device of a mesh.
    Allocate(Allocate),
    /// What the pages of a buffer are: a tensor's values.
    Means { buffer: u64, shape: Vec<usize>, format: String, is_tiled: bool },
    /// The end of a buffer.
    Free { buffer: u64 },
    /// Bytes for a buffer on one device, from its first page on.
    Write { buffer: u64, device: usize },
    /// The bytes of a buffer on one device.
    Read { buffer: u64, device: usize },
    /// Bytes for one core's L1, on every device of a mesh.
    WriteL1 {
        mesh: u64,
        core: [u8; 2],
        address: u32,
        #[serde(rename = "bytes")]
        _bytes: u64,
    },
    /// Bytes of one core's L1, on the first device of a mesh.
    ReadL1 { mesh: u64, core: [u8; 2], address: u32, bytes: u64 },
    /// What a kernel must know of a buffer.
    Accessor { buffer: u64, runtime: u32 },
    /// Whether a kernel's file is there.
    Kernel { folder: PathBuf, file: String, site: Line },
    /// A program, which follows as data, on one device.
    Launch { mesh: u64, device: usize, site: Line },
    /// A signal that ends the program, and where it is.
    Crash { signal: i32, addresses: Vec<usize> },
    /// Where the program is.
    Stack {
        #[serde(rename = "signal")]
        _signal: i32,
        addresses: Vec<usize>,
    },
    /// An exception that nobody catches.
    Uncaught {
        what: String,
        #[serde(default)]
        file: Option<String>,
        #[serde(default)]
        line: u32,
    },
}

/// Memory that is asked for.
#[derive(Debug, Deserialize)]
pub(crate) struct Allocate {
    pub(crate) mesh: u64,
    pub(crate) bytes: u64,
    pub(crate) page_bytes: u64,
    pub(crate) is_l1: bool,
    #[serde(default)]
    pub(crate) shards: Option<Shards>,
    pub(crate) site: Line,
}

/// How pages are cut into shards.
#[derive(Debug, Deserialize)]
pub(crate) struct Shards {
    pub(crate) layout: ShardLayout,
    /// Pages of the buffer, and of a shard: rows and columns.
    pub(crate) tensor: [u32; 2],
    pub(crate) shard: [u32; 2],
    pub(crate) orientation: ShardOrientation,
    pub(crate) core_ranges: serde_json::Value,
}

/// A line of the host program.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Line {
    pub(crate) file: String,
    pub(crate) line: u32,
}

/// Reads a request and its data; nothing at the end, which may come in the middle of a request.
pub(crate) fn receive(from: &mut impl Read) -> io::Result<Option<(Call, Vec<u8>)>> {
    let Some(head) = read(from, 16)? else { return Ok(None) };
    let [json, data] =
        [0, 8].map(|at| u64::from_le_bytes(head[at..at + 8].try_into().expect("eight bytes")));
    if json > JSON_BYTES_MAX || data > DATA_BYTES_MAX {
        return Err(io::Error::other("a message of the host program is garbled"));
    }
    let Some(json) = read(from, json)? else { return Ok(None) };
    let Some(data) = read(from, data)? else { return Ok(None) };
    let call = serde_json::from_slice(&json).map_err(|error| {
        io::Error::other(format!("a message of the host program is garbled: {error}"))
    })?;
    Ok(Some((call, data)))
}

/// Reads so many bytes; nothing if the host program has ended before it wrote them.
fn read(from: &mut impl Read, length: u64) -> io::Result<Option<Vec<u8>>> {
    use io::ErrorKind::{ConnectionReset, UnexpectedEof};
    let mut bytes = vec![0; length as usize];
    match from.read_exact(&mut bytes) {
        Ok(()) => Ok(Some(bytes)),
        Err(error) if matches!(error.kind(), UnexpectedEof | ConnectionReset) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Answers a request: bytes, or why it is refused.
pub(crate) fn answer(to: &mut impl Write, answer: Result<&[u8], &str>) -> io::Result<()> {
    let (status, bytes) = match answer {
        Ok(bytes) => (0, bytes),
        Err(why) => (1, why.as_bytes()),
    };
    let mut head = vec![status];
    head.extend((bytes.len() as u64).to_le_bytes());
    to.write_all(&head)?;
    to.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(json: &str, data: &[u8]) -> Vec<u8> {
        let mut all = (json.len() as u64).to_le_bytes().to_vec();
        all.extend((data.len() as u64).to_le_bytes());
        all.extend(json.as_bytes());
        all.extend(data);
        all
    }

    #[test]
    fn requests_are_read_with_their_data() {
        let bytes = request(r#"{"call":"write","buffer":3,"device":0}"#, b"abc");
        let (call, data) = receive(&mut bytes.as_slice()).expect("whole").expect("one");
        assert!(matches!(call, Call::Write { buffer: 3, device: 0 }));
        assert_eq!(data, b"abc");
        for length in 0..bytes.len() {
            assert!(receive(&mut &bytes[..length]).expect("the end").is_none(), "{length}");
        }
    }

    #[test]
    fn garbled_requests_are_errors() {
        for bytes in [request("{}", b""), request("no", b""), vec![0xff; 16]] {
            assert!(receive(&mut bytes.as_slice()).is_err());
        }
    }
}
