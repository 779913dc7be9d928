//! One change to what kernels do: a call left out, or a number that is off.
//!
//! For asking who would notice a mistake. A run without an edit pays one comparison a call.

use crate::Site;

/// A change to every call of one place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The place.
    pub site: Site,
    /// What is different there.
    pub change: Change,
}

/// What is different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The call is left out.
    Skip,
    /// Reserve, push, wait or pop by so many pages more.
    Pages(i32),
    /// Dst indices are higher by so many.
    Dst(i32),
    /// Operands are so many tiles further on in their ring.
    Tile(i32),
}

impl Edit {
    /// Whether a call is left out.
    pub(crate) fn skips(edit: Option<Edit>, site: Site) -> bool {
        edit.is_some_and(|edit| edit.change == Change::Skip && edit.site == site)
    }

    /// A count of pages as the edit wants it.
    pub(crate) fn pages(edit: Option<Edit>, site: Site, pages: u32) -> u32 {
        match edit {
            Some(Edit { site: at, change: Change::Pages(by) }) if at == site => {
                pages.saturating_add_signed(by)
            }
            Some(_) | None => pages,
        }
    }

    /// A Dst index as the edit wants it.
    pub(crate) fn dst(edit: Option<Edit>, site: Site, index: u32) -> u32 {
        match edit {
            Some(Edit { site: at, change: Change::Dst(by) }) if at == site => {
                index.saturating_add_signed(by)
            }
            Some(_) | None => index,
        }
    }

    /// An operand's index as the edit wants it.
    pub(crate) fn tile(edit: Option<Edit>, site: Site, index: u32) -> u32 {
        match edit {
            Some(Edit { site: at, change: Change::Tile(by) }) if at == site => {
                index.saturating_add_signed(by)
            }
            Some(_) | None => index,
        }
    }
}
