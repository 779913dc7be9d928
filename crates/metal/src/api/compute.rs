//! A compute kernel's view of its core: one source that runs on three processors, where each call
//! does only its processor's part.

use tilewright_machine::{
    CbId, CbTile, Context, MathOperation, Processor, Site, StopReason, UnpackOperation,
};

use crate::formats::{BufferFormats, FormatTable};
use crate::kernel::Arguments;

/// A compute kernel's view of its core.
pub struct Compute<'a> {
    pub(crate) context: &'a Context<'a>,
    pub(crate) arguments: &'a Arguments,
    pub(crate) formats: &'a FormatTable,
    processor: Processor,
}

impl<'a> Compute<'a> {
    pub(crate) fn new(
        context: &'a Context<'a>,
        arguments: &'a Arguments,
        formats: &'a FormatTable,
    ) -> Compute<'a> {
        Compute { context, arguments, formats, processor: context.processor() }
    }

    /// Does something on unpack alone.
    #[inline]
    pub(crate) fn on_unpack(&self, act: impl FnOnce(&Context<'_>)) {
        if self.processor == Processor::Unpack {
            act(self.context);
        }
    }

    /// Does something on math alone.
    #[inline]
    pub(crate) fn on_math(&self, act: impl FnOnce(&Context<'_>)) {
        if self.processor == Processor::Math {
            act(self.context);
        }
    }

    /// Does something on pack alone.
    #[inline]
    pub(crate) fn on_pack(&self, act: impl FnOnce(&Context<'_>)) {
        if self.processor == Processor::Pack {
            act(self.context);
        }
    }

    /// The formats of a buffer, or the end of the run.
    pub(crate) fn formats_of(&self, site: Site, cb: u8) -> BufferFormats {
        let found = self.formats.get(CbId(cb));
        found.unwrap_or_else(|| self.context.stop(site, StopReason::NoSuchBuffer(CbId(cb))))
    }

    /// Both halves of an operation with one operand.
    #[inline]
    pub(crate) fn one(
        &self,
        site: Site,
        unpack: UnpackOperation,
        math: MathOperation,
        operand: (u8, u32),
        dst: u32,
    ) {
        let tile = CbTile { cb: CbId(operand.0), index: operand.1 };
        self.on_unpack(|context| context.unpack(site, unpack, Some(tile), None));
        self.on_math(|context| context.compute(site, math, dst));
    }

    /// Both halves of an operation with two operands, given as SrcA's and SrcB's.
    #[inline]
    pub(crate) fn both(
        &self,
        site: Site,
        math: MathOperation,
        a: (u8, u32),
        b: (u8, u32),
        dst: u32,
    ) {
        let tile = |(cb, index)| Some(CbTile { cb: CbId(cb), index });
        let unpack = UnpackOperation::Both;
        self.on_unpack(|context| context.unpack(site, unpack, tile(a), tile(b)));
        self.on_math(|context| context.compute(site, math, dst));
    }

    /// Unpack waits until `pages` pages are there.
    #[inline]
    #[track_caller]
    pub fn cb_wait_front(&self, cb: u8, pages: u32) {
        let site = Site::here();
        self.on_unpack(|context| context.wait_front(site, CbId(cb), pages));
    }

    /// Unpack gives `pages` pages back.
    #[inline]
    #[track_caller]
    pub fn cb_pop_front(&self, cb: u8, pages: u32) {
        let site = Site::here();
        self.on_unpack(|context| context.pop_front(site, CbId(cb), pages));
    }

    /// Pack waits until `pages` pages are free.
    #[inline]
    #[track_caller]
    pub fn cb_reserve_back(&self, cb: u8, pages: u32) {
        let site = Site::here();
        self.on_pack(|context| context.reserve_back(site, CbId(cb), pages));
    }

    /// Pack gives `pages` pages away.
    #[inline]
    #[track_caller]
    pub fn cb_push_back(&self, cb: u8, pages: u32) {
        let site = Site::here();
        self.on_pack(|context| context.push_back(site, CbId(cb), pages));
    }

    /// Math takes a section of Dst. Clears nothing.
    #[inline]
    #[track_caller]
    pub fn tile_regs_acquire(&self) {
        let site = Site::here();
        self.on_math(|context| context.acquire(site));
    }

    /// Math gives its section to pack.
    #[inline]
    #[track_caller]
    pub fn tile_regs_commit(&self) {
        let site = Site::here();
        self.on_math(|context| context.commit(site));
    }

    /// Pack takes a section.
    #[inline]
    #[track_caller]
    pub fn tile_regs_wait(&self) {
        let site = Site::here();
        self.on_pack(|context| context.wait_commit(site));
    }

    /// Pack clears the section and gives it back.
    #[inline]
    #[track_caller]
    pub fn tile_regs_release(&self) {
        let site = Site::here();
        self.on_pack(|context| context.release(site));
    }
}
