//! Packing whole tiles.

use tilewright_machine::{CbId, Site};
use tilewright_tile::Relu;

use crate::api::Compute;

impl Compute<'_> {
    /// Packs a tile of Dst behind those packed since the last push.
    #[inline]
    #[track_caller]
    pub fn pack_tile(&self, dst: u32, ocb: u8) {
        let site = Site::here();
        self.on_pack(|context| context.pack_tile(site, dst, CbId(ocb), None));
    }

    /// Packs a tile of Dst to a page counted from the write pointer.
    #[inline]
    #[track_caller]
    pub fn pack_tile_at(&self, dst: u32, ocb: u8, page: u32) {
        let site = Site::here();
        self.on_pack(|context| context.pack_tile(site, dst, CbId(ocb), Some(page)));
    }

    /// Packs `tiles` tiles from Dst index `dst`.
    #[inline]
    #[track_caller]
    pub fn pack_block(&self, dst: u32, ocb: u8, tiles: u32) {
        let site = Site::here();
        self.on_pack(|context| {
            for tile in 0..tiles {
                context.pack_tile(site, dst.wrapping_add(tile), CbId(ocb), None);
            }
        });
    }

    /// Makes packing add to what L1 holds, or replace it.
    #[inline]
    #[track_caller]
    pub fn pack_reconfig_l1_acc(&self, accumulate: bool) {
        let site = Site::here();
        self.on_pack(|context| context.configure_accumulate(site, accumulate));
    }

    /// Sets the packers' ReLU.
    #[inline]
    #[track_caller]
    pub fn pack_relu_config(&self, relu: Relu) {
        let site = Site::here();
        self.on_pack(|context| context.configure_relu(site, relu));
    }
}
