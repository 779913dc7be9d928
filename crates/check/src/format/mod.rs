//! The tool format: what buffers hold against what unpackers, matrix unit and packers are
//! configured for, and what is called against what was initialised.

mod alu_format;
pub(crate) mod inits;
mod pack_format;
mod page_size;
mod repeated_startup;
mod unpack_format;
mod words;
mod wrong_init;

pub use alu_format::AluFormat;
pub use pack_format::PackFormat;
pub use page_size::PageSize;
pub use repeated_startup::RepeatedStartup;
pub use unpack_format::UnpackFormat;
pub(crate) use words::unpack as unpack_words;
pub use wrong_init::WrongInit;

use std::sync::Arc;

use tilewright_machine::SourceId;
use tilewright_metal::Program;
use tilewright_tile::DataFormat;

use crate::rings::Rings;
use crate::session::Checker;

/// The checkers of this tool.
pub(crate) fn checkers(_: &Program, rings: &Arc<Rings>) -> Vec<Box<dyn Checker>> {
    vec![
        Box::new(UnpackFormat::new(rings)),
        Box::new(AluFormat::new(rings)),
        Box::new(PackFormat::new(rings)),
        Box::new(WrongInit::new(rings)),
        Box::new(RepeatedStartup::default()),
        Box::new(PageSize::new(rings)),
    ]
}

/// The two register files, in the order of events.
const SOURCES: [SourceId; 2] = [SourceId::A, SourceId::B];

fn source_name(source: SourceId) -> &'static str {
    match source {
        SourceId::A => "SrcA",
        SourceId::B => "SrcB",
    }
}

/// Whether unpackers and packers tell two formats in L1 apart. Tf32 lies in L1 in 32-bit words, as
/// Float32 does (ISA documentation, WormholeB0 Packers/FormatConversion.md).
fn differ_in_l1(a: DataFormat, b: DataFormat) -> bool {
    let stored = |format| match format {
        DataFormat::Float32 | DataFormat::Tf32 => DataFormat::Float32,
        DataFormat::Bfloat16 | DataFormat::Bfp8 | DataFormat::Integer(_) | DataFormat::Small(_) => {
            format
        }
    };
    stored(a) != stored(b)
}
