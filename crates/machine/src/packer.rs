//! What packers do: tiles from Dst to L1.

use tilewright_tile::{DstWidth, Lanes, Packing, TILE_SIDE, pack, pack_row_major};

use crate::config::PackMode;
use crate::core::Core;
use crate::dst::{Dst, DstTile};
use crate::processor::Processor;
use crate::refusals::beside_narrow;
use crate::stop::{StopReason, Unset};
use crate::tensix::CbTile;
use crate::units::{CbId, L1Address};

impl Core {
    /// Where pack puts a tile, and how many bytes.
    pub(crate) fn pack_tile(
        &mut self,
        index: u32,
        to: CbTile,
    ) -> Result<(DstTile, L1Address, u32), StopReason> {
        let tile = self.dst.pack_tile(index);
        let packing = self.packing_of(tile)?;
        let buffer = self.buffer(to.cb)?;
        let offset = to.index.wrapping_mul(buffer.config().page_bytes);
        let at = buffer.write_pointer(Processor::Pack) + offset;
        let bytes = packing.output.tile_bytes() as u32;
        self.check_l1(at, bytes)?;
        self.detach(at, bytes);
        let lanes = defined_or_zero(&self.dst, tile, &mut self.scratch);
        pack(lanes, &packing, self.l1.get_mut(at, bytes as usize).expect("checked"))?;
        Ok((tile, at, bytes))
    }

    /// Packs one tile of a block as rows of a row-major block.
    pub(crate) fn pack_rows(
        &mut self,
        index: u32,
        cb: CbId,
        column: u32,
        row_tiles: u32,
    ) -> Result<(DstTile, L1Address, u32), StopReason> {
        let tile = self.dst.pack_tile(index);
        let packing = self.packing_of(tile)?;
        let Some(value_bytes) = packing.output.value_bytes() else {
            let refused = format!("pack_untilize to {}", packing.output.name());
            return Err(StopReason::NotModelled(refused));
        };
        let tile_row = (TILE_SIDE * value_bytes) as u32;
        let offset = tile_row.wrapping_mul(column);
        let at = self.buffer(cb)?.write_pointer(Processor::Pack) + offset;
        let (stride, span) = self.check_rows(at, tile_row, row_tiles)?;
        self.detach(at, span);
        let lanes = defined_or_zero(&self.dst, tile, &mut self.scratch);
        let rows = self.l1.get_mut(at, span as usize).expect("checked");
        pack_row_major(lanes, &packing, rows, stride as usize)?;
        Ok((tile, at, span))
    }

    /// Bytes that packing one tile writes.
    pub(crate) fn pack_bytes(&self) -> Result<u32, StopReason> {
        Ok(self.packing()?.output.tile_bytes() as u32)
    }

    /// How pack calls walk, once something has said so.
    pub(crate) fn pack_mode(&self) -> Result<PackMode, StopReason> {
        self.configuration.pack_mode.ok_or(StopReason::Unconfigured(Unset::PackMode))
    }

    /// How a tile is packed. Integers of 32 bits are read as such from a Dst of either width (llk
    /// `set_packer_config`: `Read_32b_data` is set by the format).
    fn packing_of(&self, tile: DstTile) -> Result<Packing, StopReason> {
        let mut packing = self.packing()?;
        let is_narrow = packing.width == DstWidth::Bits16;
        if is_narrow && packing.source.is_integer32() && self.dst.is_wide(tile) {
            if self.dst.is_beside_narrow(tile) {
                return Err(beside_narrow(packing.source));
            }
            packing.width = DstWidth::Bits32;
        }
        Ok(packing)
    }

    fn packing(&self) -> Result<Packing, StopReason> {
        self.check_started(Processor::Pack, Unset::PackFormats)?;
        let unset = || StopReason::Unconfigured(Unset::PackFormats);
        let formats = self.configuration.pack_formats.ok_or_else(unset)?;
        Ok(Packing {
            width: self.settings.width,
            source: formats.source,
            output: formats.output,
            relu: self.configuration.relu,
            mask: self.configuration.mask,
            accumulate: self.configuration.accumulate,
        })
    }
}

fn defined_or_zero<'a>(dst: &'a Dst, tile: DstTile, scratch: &'a mut Lanes) -> &'a Lanes {
    match dst.defined_tile(tile) {
        Some(lanes) => lanes,
        None => {
            dst.read(tile, scratch);
            scratch
        }
    }
}
