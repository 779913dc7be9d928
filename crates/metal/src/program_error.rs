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
            ProgramError::TwoKernels { core, place, kernels } => {
                write!(f, "{} are both placed on the {place} processor of ", pair(kernels))?;
                write!(f, "core {core}; a processor runs one kernel")
            }
            ProgramError::ArgsElsewhere { kernel, core } => {
                let place = format!("kernel `{kernel}` on core {core}");
                write!(f, "runtime arguments for {place}, where it does not run")
            }
            ProgramError::WrongConfig { kernel } => {
                write!(f, "kernel `{kernel}` is configured for other processors than its function")
            }
            ProgramError::SameNoc { core, kernels } => {
                write!(f, "{} use the same network on core {core}; {SAME_NOC}", pair(kernels))
            }
            ProgramError::MixedNocModes { core, kernels } => {
                write!(f, "{} use the networks of core {core} {MIXED_MODES}", pair(kernels))
            }
            ProgramError::NoSuchSemaphore { id, most } => {
                write!(f, "semaphore {id}; a core has semaphores 0 to {}", most - 1)
            }
            ProgramError::SameSemaphore { id, core } => {
                write!(f, "semaphore {id} is declared twice on core {core}; once is enough")
            }
            ProgramError::NoSuchIndex { name, id, most, site } => {
                let most = most - 1;
                buffer(f, *site, name, format_args!("has index {id}; indices go from 0 to {most}"))
            }
            ProgramError::BadPages { name, pages, page_bytes, site } => {
                let given = format!("{pages} pages of {page_bytes} bytes");
                buffer(f, *site, name, format_args!("has {given}; {RIGHT_PAGES}"))
            }
            ProgramError::SameBuffer { id, core, first, second } => {
                write!(f, "{second}: circular buffer c_{id} is declared a second time on ")?;
                write!(f, "core {core}; the first is at {first}")
            }
            ProgramError::TileShape { name, rows, columns, site } => {
                let given = format!("{rows}x{columns}");
                buffer(f, *site, name, format_args!("has tiles of {given}; only 32x32 is modelled"))
            }
            ProgramError::NotInTensor { buffer: name, tensor, why, site } => {
                buffer(f, *site, name, format_args!("cannot lie in `{tensor}`: {why}"))
            }
            ProgramError::BadAddress { name, at, end, room, site } => {
                let right = format!("a multiple of 16 from {} to {}", room.start, room.end);
                buffer(f, *site, name, format_args!("would lie at {at}..{end}; use {right}"))
            }
            ProgramError::NoSuchTensor { name, site } => write!(f, "{site}: {}", unknown(name)),
            ProgramError::SameTensor { name, site } => {
                write!(f, "{site}: tensor `{name}` is declared twice; give each a name of its own")
            }
            ProgramError::BadTensor { name, why, site } => {
                write!(f, "{site}: tensor `{name}`: {why}")
            }
            ProgramError::TooMuchL1 { core, asked, room, buffers } => {
                write!(f, "the circular buffers of core {core} need {asked} bytes of L1, which ")?;
                write!(f, "has {room} for them ({})", largest(buffers))
            }
        }
    }
}

/// What is right where two kernels of a core use one network.
const SAME_NOC: &str = "give them different networks, or both the dynamic mode";
/// What is wrong, and right, where two kernels of a core disagree on how to share networks.
const MIXED_MODES: &str = "in different modes; give both the same mode";
/// What pages of a circular buffer may be.
const RIGHT_PAGES: &str =
    "it needs 1 to 65535 pages of a positive multiple of 16 bytes, or of 4 without compute kernels";

/// A tensor that is used and not declared.
fn unknown(name: &str) -> String {
    format!("no tensor `{name}` was declared before; declare it as an input or output")
}

/// Two kernels at odds.
fn pair([first, second]: &[String; 2]) -> String {
    format!("kernels `{first}` and `{second}`")
}

/// What is wrong with a circular buffer, and the line that declares it.
fn buffer(
    f: &mut fmt::Formatter<'_>,
    site: Site,
    name: &str,
    wrong: fmt::Arguments<'_>,
) -> fmt::Result {
    write!(f, "{site}: circular buffer `{name}` {wrong}")
}

/// The three largest buffers with their sizes.
fn largest(buffers: &[L1Share]) -> String {
    let mut largest: Vec<&L1Share> = buffers.iter().collect();
    largest.sort_by_key(|buffer| std::cmp::Reverse(buffer.bytes()));
    let text = |share: &&L1Share| format!("`{}` takes {}", share.name, share.bytes());
    largest.iter().take(3).map(text).collect::<Vec<_>>().join(", ")
}

impl std::error::Error for ProgramError {}
