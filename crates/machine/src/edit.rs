//! A deliberate fault in a run: one call site that does something else than its source says.
//!
//! An edit needs no recompilation, so that a test can be graded by the faults that it notices
//! (`tilewright_run::grade`). A run without an edit pays one comparison a call.

use tilewright_tile::Broadcast;

use crate::Site;
use crate::config::MathOperation;
use crate::tensix::CbTile;
use crate::units::CbId;

/// A change to the calls of one place in the source.
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
    /// Every call is left out.
    Skip,
    /// One call is left out, numbered from 0 on each processor of each core.
    SkipOne(u64),
    /// Every call of the unpackers, the matrix unit or the vector unit is made twice.
    Repeat,
    /// Reserve, push, wait or pop by so many pages more.
    Pages(i32),
    /// Dst indices are higher by so many.
    Dst(i32),
    /// Operands are so many tiles further on in their ring.
    Tile(i32),
    /// The two operands are exchanged.
    Swap,
    /// The second operand is spread over its tile in another way.
    Spread(Broadcast),
    /// Releasing Dst leaves its contents.
    Keep,
    /// The push happens as soon as the producer has reserved the page, before it is filled.
    Early(CbId),
}

impl Edit {
    /// How often a call is made; `before` is how many calls of the place there have been.
    pub(crate) fn times(&self, before: u64) -> u32 {
        match self.change {
            Change::Skip | Change::Early(_) => 0,
            Change::SkipOne(number) => u32::from(number != before),
            Change::Repeat => 2,
            Change::Pages(_)
            | Change::Dst(_)
            | Change::Tile(_)
            | Change::Swap
            | Change::Spread(_)
            | Change::Keep => 1,
        }
    }

    /// The change at a place.
    #[inline]
    fn at(edit: Option<&Edit>, site: Site) -> Option<Change> {
        edit.and_then(|edit| edit.at_place(site))
    }

    #[cold]
    #[inline(never)]
    fn at_place(&self, site: Site) -> Option<Change> {
        (self.site == site).then_some(self.change)
    }

    /// A count of pages as the edit wants it.
    #[inline]
    pub(crate) fn pages(edit: Option<&Edit>, site: Site, pages: u32) -> u32 {
        match Edit::at(edit, site) {
            Some(Change::Pages(by)) => pages.saturating_add_signed(by),
            Some(_) | None => pages,
        }
    }

    /// A Dst index as the edit wants it.
    #[inline]
    pub(crate) fn dst(edit: Option<&Edit>, site: Site, index: u32) -> u32 {
        match Edit::at(edit, site) {
            Some(Change::Dst(by)) => index.saturating_add_signed(by),
            Some(_) | None => index,
        }
    }

    /// Operands of the unpackers as the edit wants them.
    #[inline]
    pub(crate) fn tiles(
        edit: Option<&Edit>,
        site: Site,
        (a, b): (Option<CbTile>, Option<CbTile>),
    ) -> (Option<CbTile>, Option<CbTile>) {
        match Edit::at(edit, site) {
            Some(Change::Tile(by)) => {
                let moved =
                    |tile: CbTile| CbTile { index: tile.index.saturating_add_signed(by), ..tile };
                (a.map(moved), b.map(moved))
            }
            Some(Change::Swap) if a.is_some() && b.is_some() => (b, a),
            Some(_) | None => (a, b),
        }
    }

    /// Operands of the vector unit as the edit wants them.
    #[inline]
    pub(crate) fn pair(edit: Option<&Edit>, site: Site, (x, y): (u32, u32)) -> (u32, u32) {
        match Edit::at(edit, site) {
            Some(Change::Swap) => (y, x),
            Some(_) | None => (x, y),
        }
    }

    /// An operation of the matrix unit as the edit wants it.
    #[inline]
    pub(crate) fn spread(
        edit: Option<&Edit>,
        site: Site,
        operation: MathOperation,
    ) -> MathOperation {
        match (Edit::at(edit, site), operation) {
            (
                Some(Change::Spread(broadcast)),
                MathOperation::Elementwise { op, accumulate, reuse, .. },
            ) => MathOperation::Elementwise { op, broadcast, accumulate, reuse },
            (Some(Change::Spread(broadcast)), MathOperation::Broadcast { from, .. }) => {
                MathOperation::Broadcast { broadcast, from }
            }
            (Some(_) | None, operation) => operation,
        }
    }

    /// Whether a release leaves what Dst holds.
    #[inline]
    pub(crate) fn keeps(edit: Option<&Edit>, site: Site) -> bool {
        Edit::at(edit, site) == Some(Change::Keep)
    }

    /// Whether pages of a ring are pushed as soon as they are reserved.
    #[inline]
    pub(crate) fn pushes_early(edit: Option<&Edit>, cb: CbId) -> Option<Site> {
        edit.filter(|edit| edit.change == Change::Early(cb)).map(|edit| edit.site)
    }
}
