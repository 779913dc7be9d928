//! Copies, broadcasts and changes of layout: copy, transpose, unary broadcast, tilize, untilize.

use tilewright_machine::{CbId, CbTile, MathOperation, PackMode, Site, SourceId, UnpackOperation};
use tilewright_tile::{Broadcast, Transpose};

use crate::api::Compute;

const COPY: UnpackOperation = UnpackOperation::One { to: SourceId::A, transpose: Transpose::None };
const TRANSPOSE: UnpackOperation =
    UnpackOperation::One { to: SourceId::A, transpose: Transpose::Whole };

impl Compute<'_> {
    /// Configures `copy_tile`.
    #[inline]
    #[track_caller]
    pub fn copy_tile_init(&self, icb: u8) {
        let _ = icb;
        self.copy_init(Site::here(), COPY);
    }

    /// Copies a tile to Dst.
    #[inline]
    #[track_caller]
    pub fn copy_tile(&self, icb: u8, tile: u32, dst: u32) {
        self.one(Site::here(), COPY, MathOperation::Copy, (icb, tile), dst);
    }

    /// Configures `transpose_tile`.
    #[inline]
    #[track_caller]
    pub fn transpose_init(&self, icb: u8) {
        let _ = icb;
        self.copy_init(Site::here(), TRANSPOSE);
    }

    /// Copies a tile to Dst, transposed.
    #[inline]
    #[track_caller]
    pub fn transpose_tile(&self, icb: u8, tile: u32, dst: u32) {
        self.one(Site::here(), TRANSPOSE, MathOperation::Copy, (icb, tile), dst);
    }

    fn copy_init(&self, site: Site, unpack: UnpackOperation) {
        self.on_unpack(|context| context.configure_unpack(site, unpack));
        self.on_math(|context| context.configure_math(site, MathOperation::Copy));
    }

    /// Configures `unary_bcast`.
    #[inline]
    #[track_caller]
    pub fn unary_bcast_init(&self, broadcast: Broadcast, icb: u8) {
        let site = Site::here();
        let (unpack, math) = self.unary_bcast_parts(site, broadcast, icb);
        self.on_unpack(|context| context.configure_unpack(site, unpack));
        self.on_math(|context| context.configure_math(site, math));
    }

    /// Copies a tile to Dst, one row, column or value of it everywhere.
    #[inline]
    #[track_caller]
    pub fn unary_bcast(&self, broadcast: Broadcast, icb: u8, tile: u32, dst: u32) {
        let site = Site::here();
        let (unpack, math) = self.unary_bcast_parts(site, broadcast, icb);
        self.one(site, unpack, math, (icb, tile), dst);
    }

    /// A buffer that goes straight to Dst does so through SrcA's unpacker, any other by SrcB.
    fn unary_bcast_parts(
        &self,
        site: Site,
        broadcast: Broadcast,
        icb: u8,
    ) -> (UnpackOperation, MathOperation) {
        let register = self.formats_of(site, icb).unpack.register;
        let is_direct = register.is_unpacked_to_dst();
        let from = if is_direct { SourceId::A } else { SourceId::B };
        let unpack = UnpackOperation::One { to: from, transpose: Transpose::None };
        (unpack, MathOperation::Broadcast { broadcast, from })
    }

    /// Configures `tilize_block` for blocks of `block` tiles side by side.
    #[inline]
    #[track_caller]
    pub fn tilize_init(&self, icb: u8, block: u32, ocb: u8) {
        let _ = (icb, ocb);
        self.copy_init(Site::here(), UnpackOperation::Tilize { row_tiles: block });
    }

    /// Turns 32 sticks of `block` tiles' width into tiles, one Dst section each.
    #[inline]
    #[track_caller]
    pub fn tilize_block(&self, icb: u8, block: u32, ocb: u8) {
        let site = Site::here();
        let called = UnpackOperation::Tilize { row_tiles: block };
        for index in 0..block {
            let tile = CbTile { cb: CbId(icb), index };
            self.on_unpack(|context| context.unpack(site, called, Some(tile), None));
            self.on_math(|context| {
                context.acquire(site);
                context.compute(site, MathOperation::Copy, 0);
                context.commit(site);
            });
            self.on_pack(|context| {
                context.wait_commit(site);
                context.pack_tile(site, 0, CbId(ocb), Some(index));
                context.release(site);
            });
        }
    }

    /// Lets unpack read whole tiles again.
    #[inline]
    #[track_caller]
    pub fn tilize_uninit(&self, icb: u8, ocb: u8) {
        let _ = (icb, ocb);
        let site = Site::here();
        self.on_unpack(|context| context.configure_unpack(site, COPY));
    }

    /// Configures `pack_untilize_block`: blocks of `block` tiles in rows of `row` tiles.
    #[inline]
    #[track_caller]
    pub fn pack_untilize_init(&self, block: u32, row: u32, icb: u8, ocb: u8) {
        let _ = icb;
        let site = Site::here();
        self.copy_init(site, COPY);
        self.untilize_init(site, block, row, ocb);
    }

    /// Copies a block of tiles through Dst and writes it as sticks; `index` counts blocks along
    /// the row.
    #[inline]
    #[track_caller]
    pub fn pack_untilize_block(&self, block: u32, icb: u8, ocb: u8, index: u32) {
        let site = Site::here();
        self.on_math(|context| context.acquire(site));
        for tile in 0..block {
            self.one(site, COPY, MathOperation::Copy, (icb, tile), tile);
        }
        self.on_math(|context| context.commit(site));
        self.on_pack(|context| {
            context.wait_commit(site);
            context.pack_untilize(site, CbId(ocb), index, 0);
            context.release(site);
        });
    }

    /// Configures `pack_untilize_dest`.
    #[inline]
    #[track_caller]
    pub fn pack_untilize_dest_init(&self, block: u32, row: u32, ocb: u8) {
        self.untilize_init(Site::here(), block, row, ocb);
    }

    fn untilize_init(&self, site: Site, block: u32, row: u32, ocb: u8) {
        self.set_pack_formats(site, ocb);
        let mode = PackMode::Untilize { block_tiles: block, row_tiles: row };
        self.on_pack(|context| context.configure_pack(site, mode));
    }

    /// Writes a block of Dst tiles as sticks; `index` counts blocks along the row.
    #[inline]
    #[track_caller]
    pub fn pack_untilize_dest(&self, ocb: u8, index: u32) {
        let site = Site::here();
        self.on_pack(|context| context.pack_untilize(site, CbId(ocb), index, 0));
    }

    /// Lets pack write whole tiles again.
    #[inline]
    #[track_caller]
    pub fn pack_untilize_uninit(&self, ocb: u8) {
        let site = Site::here();
        self.set_pack_formats(site, ocb);
        self.on_pack(|context| context.configure_pack(site, PackMode::Tile));
    }
}
