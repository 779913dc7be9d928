//! The words of options, as requests and replay commands show them.

use tilewright_metal::{DstSync, NocMode};
use tilewright_tile::DstWidth;

pub(crate) fn dst_bits(width: DstWidth) -> u32 {
    match width {
        DstWidth::Bits16 => 16,
        DstWidth::Bits32 => 32,
    }
}

pub(crate) fn sync_word(sync: DstSync) -> &'static str {
    match sync {
        DstSync::Half => "half",
        DstSync::Full => "full",
    }
}

pub(crate) fn noc_word(noc: NocMode) -> &'static str {
    match noc {
        NocMode::Timed => "timed",
        NocMode::Late => "late",
    }
}
