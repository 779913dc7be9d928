//! What can be wrong with a program before it runs.

use std::fmt;
use std::ops::Range;

use tilewright_machine::{CoreCoord, Site};

/// What one circular buffer takes of a core's L1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct L1Share {
    /// What reports call it.
    pub name: String,
    /// Its pages.
    pub pages: u32,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// The line that declared it.
    pub site: Site,
}

impl L1Share {
    /// All its bytes.
    pub fn bytes(&self) -> u64 {
        u64::from(self.pages) * u64::from(self.page_bytes)
    }
}

/// Why a program cannot run. Each says what, where and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are what their names and the messages say")]
pub enum ProgramError {
    NoKernels,
    NoCores { kernel: String },
    OutsideGrid { what: String, core: CoreCoord, columns: u8, rows: u8 },
    TwoKernels { core: CoreCoord, place: &'static str, kernels: [String; 2] },
    ArgsElsewhere { kernel: String, core: CoreCoord },
    WrongConfig { kernel: String },
    SameNoc { core: CoreCoord, kernels: [String; 2] },
    MixedNocModes { core: CoreCoord, kernels: [String; 2] },
    NoSuchSemaphore { id: u32, most: u32 },
    SameSemaphore { id: u32, core: CoreCoord },
    NoSuchIndex { name: String, id: u8, most: u8, site: Site },
    BadPages { name: String, pages: u32, page_bytes: u32, site: Site },
    SameBuffer { id: u8, core: CoreCoord, first: Site, second: Site },
    TileShape { name: String, rows: u32, columns: u32, site: Site },
    NotInTensor { buffer: String, tensor: String, why: String, site: Site },
    BadAddress { name: String, at: u64, end: u64, room: Range<u32>, site: Site },
    NoSuchTensor { name: String, site: Site },
    SameTensor { name: String, site: Site },
    BadTensor { name: String, why: String, site: Site },
    TooMuchL1 { core: CoreCoord, asked: u64, room: u32, buffers: Vec<L1Share> },
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProgramError::NoKernels => write!(f, "the program has no kernel; add one"),
            ProgramError::NoCores { kernel } => {
                write!(f, "kernel `{kernel}` is placed on no core; give it at least one")
            }
            ProgramError::OutsideGrid { what, core, columns, rows } => {
                write!(f, "`{what}` is placed on core {core}, outside the grid; ")?;
                write!(f, "columns go from 0 to {} and rows from 0 to {}", columns - 1, rows - 1)
            }
            ProgramError::TwoKernels { core, place, kernels: [first, second] } => write!(
                f,
                "kernels `{first}` and `{second}` are both placed on the {place} processor of \
                 core {core}; a processor runs one kernel"
            ),
            ProgramError::ArgsElsewhere { kernel, core } => write!(
                f,
                "runtime arguments for kernel `{kernel}` on core {core}, where it does not run"
            ),
            ProgramError::WrongConfig { kernel } => write!(
                f,
                "kernel `{kernel}` is configured for other processors than its Rust function is \
                 written for"
            ),
            ProgramError::SameNoc { core, kernels: [first, second] } => write!(
                f,
                "kernels `{first}` and `{second}` use the same network on core {core}, where each \
                 has one to itself; give them different networks, or both the dynamic mode"
            ),
            ProgramError::MixedNocModes { core, kernels: [first, second] } => write!(
                f,
                "kernels `{first}` and `{second}` share the networks of core {core} in different \
                 modes; give both the same mode"
            ),
            ProgramError::NoSuchSemaphore { id, most } => {
                write!(f, "semaphore {id}; a core has semaphores 0 to {}", most - 1)
            }
            ProgramError::SameSemaphore { id, core } => write!(
                f,
                "semaphore {id} is declared twice on core {core}; the cores of one id must differ"
            ),
            ProgramError::NoSuchIndex { name, id, most, site } => write!(
                f,
                "{site}: circular buffer `{name}` has index {id}; indices go from 0 to {}",
                most - 1
            ),
            ProgramError::BadPages { name, pages, page_bytes, site } => write!(
                f,
                "{site}: circular buffer `{name}` has {pages} pages of {page_bytes} bytes; it \
                 needs 1 to 65535 pages of a positive multiple of 16 bytes"
            ),
            ProgramError::SameBuffer { id, core, first, second } => write!(
                f,
                "{second}: circular buffer c_{id} is declared a second time on core {core}; the \
                 first is at {first}"
            ),
            ProgramError::TileShape { name, rows, columns, site } => write!(
                f,
                "{site}: circular buffer `{name}` has tiles of {rows}x{columns}; only 32x32 is \
                 modelled"
            ),
            ProgramError::NotInTensor { buffer, tensor, why, site } => {
                write!(f, "{site}: circular buffer `{buffer}` cannot lie in `{tensor}`: {why}")
            }
            ProgramError::BadAddress { name, at, end, room, site } => write!(
                f,
                "{site}: circular buffer `{name}` would lie at {at}..{end}; a multiple of 16 from \
                 {} to {} would be right",
                room.start, room.end
            ),
            ProgramError::NoSuchTensor { name, site } => write!(
                f,
                "{site}: no tensor `{name}` was declared before; declare it as an input or output"
            ),
            ProgramError::SameTensor { name, site } => {
                write!(f, "{site}: tensor `{name}` is declared twice; give each a name of its own")
            }
            ProgramError::BadTensor { name, why, site } => {
                write!(f, "{site}: tensor `{name}`: {why}")
            }
            ProgramError::TooMuchL1 { core, asked, room, buffers } => {
                let mut largest: Vec<&L1Share> = buffers.iter().collect();
                largest.sort_by_key(|buffer| std::cmp::Reverse(buffer.bytes()));
                let tell = |share: &&L1Share| format!("`{}` takes {}", share.name, share.bytes());
                let largest: Vec<String> = largest.iter().take(3).map(tell).collect();
                write!(
                    f,
                    "the circular buffers of core {core} need {asked} bytes of L1, which has \
                     {room} for them ({})",
                    largest.join(", ")
                )
            }
        }
    }
}

impl std::error::Error for ProgramError {}
