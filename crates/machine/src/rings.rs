//! The rings of a kernel's context: reserve, push, wait, pop, and where pointers are.

use crate::Site;
use crate::circular_buffer::RingPointer;
use crate::context::Context;
use crate::edit::Edit;
use crate::event::EventKind;
use crate::processor::{Changes, Waiting};
use crate::units::{CbId, L1Address};

impl Context<'_> {
    /// Waits until `pages` pages are free.
    pub fn reserve_back(&self, site: Site, cb: CbId, pages: u32) {
        if self.skips(site) {
            return;
        }
        let pages = Edit::pages(self.edit.as_ref(), site, pages);
        let (waiting, kind) =
            (Waiting::ForSpace { cb, asked: pages }, EventKind::Reserved { cb, pages });
        self.call_and_wait(site, |core| core.buffer(cb).map(|_| ()), waiting, kind);
        if let Some(site) = Edit::pushes_early(self.edit.as_ref(), cb) {
            self.push_pages(site, cb, pages);
        }
    }

    /// Gives `pages` pages to the consumer.
    pub fn push_back(&self, site: Site, cb: CbId, pages: u32) {
        if self.skips(site) {
            return;
        }
        self.push_pages(site, cb, Edit::pages(self.edit.as_ref(), site, pages));
    }

    fn push_pages(&self, site: Site, cb: CbId, pages: u32) {
        self.call(site, |core| {
            core.buffer_mut(cb)?.push_back(self.processor(), pages);
            core.emit(self.processor(), EventKind::Pushed { cb, pages });
            core.stir(Changes::ring(cb));
            Ok(())
        });
    }

    /// Waits until `pages` pages are visible.
    pub fn wait_front(&self, site: Site, cb: CbId, pages: u32) {
        if self.skips(site) {
            return;
        }
        let pages = Edit::pages(self.edit.as_ref(), site, pages);
        let (waiting, kind) =
            (Waiting::ForPages { cb, asked: pages }, EventKind::Waited { cb, pages });
        self.call_and_wait(site, |core| core.buffer(cb).map(|_| ()), waiting, kind);
    }

    /// Gives `pages` pages back to the producer.
    pub fn pop_front(&self, site: Site, cb: CbId, pages: u32) {
        if self.skips(site) {
            return;
        }
        let pages = Edit::pages(self.edit.as_ref(), site, pages);
        self.call(site, |core| {
            core.buffer_mut(cb)?.pop_front(self.processor(), pages);
            core.emit(self.processor(), EventKind::Popped { cb, pages });
            core.stir(Changes::ring(cb));
            Ok(())
        });
    }

    /// Where this processor writes next in a ring.
    pub fn write_pointer(&self, site: Site, cb: CbId) -> L1Address {
        self.quick(site, |core| Ok(core.buffer(cb)?.write_pointer(self.processor())))
    }

    /// Where this processor reads next in a ring.
    pub fn read_pointer(&self, site: Site, cb: CbId) -> L1Address {
        self.quick(site, |core| Ok(core.buffer(cb)?.read_pointer(self.processor())))
    }

    /// Sets one of this processor's pointers into a ring by hand.
    pub fn move_pointer(&self, site: Site, cb: CbId, pointer: RingPointer, to: L1Address) {
        if self.skips(site) {
            return;
        }
        self.call(site, |core| {
            core.buffer_mut(cb)?.set_pointer(self.processor(), pointer, to);
            core.emit(self.processor(), EventKind::PointerMoved { cb, pointer, to });
            Ok(())
        });
    }

    /// Sets how many pages of a ring count as packed since the last push.
    pub fn set_packed_pages(&self, site: Site, cb: CbId, pages: u32) {
        if !self.skips(site) {
            self.call(site, |core| {
                core.buffer_mut(cb)?.set_packed_pages(pages);
                Ok(())
            });
        }
    }

    /// Bytes of one page of a ring.
    pub fn page_bytes(&self, site: Site, cb: CbId) -> u32 {
        self.quick(site, |core| Ok(core.buffer(cb)?.config().page_bytes))
    }
}
