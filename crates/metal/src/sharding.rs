//! Shards: which bank holds a page of a tensor that is cut into blocks.
//!
//! The rules are tt-metal's (`buffer_distribution_spec.cpp`, `tensor_layout.cpp`): a shard is a
//! block of pages, shards go to banks in turn, and a bank holds its shards one after another.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use tilewright_machine::{Architecture, CoreCoord, CoreRange, DramAddress, L1Address, NocAddress};
use tilewright_tile::{DataFormat, TILE_SIDE};

use crate::interleaving::Storage;
use crate::memory_config::{MemoryConfig, ShardLayout, ShardOrientation, ShardSpec};
use crate::shape::Shape;
use crate::tensor::Layout;

/// How the pages of a sharded tensor are spread. A plain value: the few that a process has are
/// kept for as long as it lives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Sharding(&'static Distribution);

/// What decides where a page is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Distribution {
    pub(crate) storage: Storage,
    /// Pages of the tensor along each dimension.
    pub(crate) tensor: Vec<u32>,
    /// Pages of a shard along each dimension.
    pub(crate) shard: Vec<u32>,
    /// The cores, or banks of DRAM as columns of row 0, in the order in which they are filled.
    pub(crate) banks: Vec<CoreCoord>,
    /// Whether neighbouring shards share a bank instead of going to banks in turn.
    pub(crate) is_contiguous: bool,
    /// What the host asked for; a kernel knows only the rest.
    pub(crate) spec: Option<ShardSpec>,
}

/// Pages of a tensor: their size and number, and where they go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShardedPages {
    pub(crate) page_bytes: u32,
    pub(crate) pages: u32,
    pub(crate) sharding: Sharding,
}

/// Every distribution that there has been.
static ALL: Mutex<Vec<&'static Distribution>> = Mutex::new(Vec::new());

/// See `cpp::take_locks_once`.
pub(crate) fn take_lock_once() {
    drop(ALL.lock());
}

impl Sharding {
    pub(crate) fn of(distribution: Distribution) -> Sharding {
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all.iter().find(|known| ***known == distribution) {
            return Sharding(known);
        }
        let kept: &'static Distribution = Box::leak(Box::new(distribution));
        all.push(kept);
        Sharding(kept)
    }

    pub(crate) fn distribution(self) -> &'static Distribution {
        self.0
    }

    /// The cores, or banks of DRAM as columns of row 0, in the order in which they are filled.
    pub fn banks(self) -> &'static [CoreCoord] {
        &self.0.banks
    }

    /// How many shards there are.
    pub fn shards(self) -> u32 {
        self.grid().product()
    }

    /// Pages of a shard.
    pub fn shard_pages(self) -> u32 {
        self.0.shard.iter().product()
    }

    /// Pages that the fullest bank has room for.
    pub fn pages_per_bank(self) -> u32 {
        self.shards().div_ceil(self.0.banks.len() as u32).saturating_mul(self.shard_pages())
    }

    /// Pages that a bank has room for: those of its own shards.
    pub fn pages_on(self, bank: usize) -> u32 {
        let (shards, banks) = (self.shards(), self.0.banks.len() as u32);
        let own = match self.0.is_contiguous {
            true => shards / banks,
            false => shards / banks + u32::from((bank as u32) < shards % banks),
        };
        own * self.shard_pages()
    }

    /// The number of a core, or of a bank of DRAM, among its banks.
    pub fn bank_number(self, at: NocAddress) -> Option<usize> {
        let place = match (self.0.storage, at) {
            (Storage::L1, NocAddress::L1 { core, .. }) => core,
            (Storage::Dram, NocAddress::Dram(at)) => CoreCoord::new(at.bank, 0),
            (Storage::L1, NocAddress::Dram(_)) | (Storage::Dram, NocAddress::L1 { .. }) => {
                return None;
            }
        };
        self.0.banks.iter().position(|bank| *bank == place)
    }

    /// Where page `index` begins. Wraps as a kernel's own arithmetic does.
    pub fn place(self, base: u32, stride: u32, index: u32) -> NocAddress {
        let (bank, slot) = self.slot(index);
        let offset = base.wrapping_add(slot.wrapping_mul(stride));
        let place = self.0.banks[bank];
        match self.0.storage {
            Storage::L1 => NocAddress::L1 { core: place, address: L1Address(offset) },
            Storage::Dram => {
                NocAddress::Dram(DramAddress { bank: place.x, offset: u64::from(offset) })
            }
        }
    }

    /// The bank of a page, and its place there.
    fn slot(self, index: u32) -> (usize, u32) {
        let Distribution { tensor, shard, .. } = self.0;
        let (mut rest, mut number, mut page) = (index, 0_u32, 0_u32);
        let (mut shard_stride, mut page_stride) = (1_u32, 1_u32);
        for (extent, block) in tensor.iter().zip(shard).rev() {
            let at = rest % extent;
            rest /= extent;
            number += at / block * shard_stride;
            page += at % block * page_stride;
            shard_stride *= extent.div_ceil(*block);
            page_stride *= block;
        }
        let banks = self.0.banks.len() as u32;
        let (bank, turn) = match self.0.is_contiguous {
            true => {
                let run = (self.shards() / banks).max(1);
                (number / run, number % run)
            }
            false => (number % banks, number / banks),
        };
        (bank.min(banks - 1) as usize, turn * self.shard_pages() + page)
    }

    /// The page at a place of a bank; none where a shard extends beyond the tensor.
    pub fn page_in(self, bank: usize, slot: u32) -> Option<u32> {
        if slot >= self.pages_on(bank) {
            return None;
        }
        let (turn, mut page) = (slot / self.shard_pages(), slot % self.shard_pages());
        let (bank, banks) = (bank as u32, self.0.banks.len() as u32);
        let mut number = match self.0.is_contiguous {
            true => bank * (self.shards() / banks) + turn,
            false => turn * banks + bank,
        };
        let (mut found, mut stride) = (0, 1);
        for (extent, block) in self.0.tensor.iter().zip(&self.0.shard).rev() {
            let across = extent.div_ceil(*block);
            let at = number % across * block + page % block;
            if at >= *extent {
                return None;
            }
            (number, page) = (number / across, page / block);
            found += at * stride;
            stride *= extent;
        }
        Some(found)
    }

    fn grid(self) -> impl Iterator<Item = u32> {
        self.0.tensor.iter().zip(&self.0.shard).map(|(extent, block)| extent.div_ceil(*block))
    }
}

impl fmt::Debug for Sharding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl ShardedPages {
    /// The pages of a sharded tensor of parts (shape, layout, format).
    pub(crate) fn new(
        arch: &Architecture,
        (shape, layout, format): (&Shape, Layout, DataFormat),
        memory: &MemoryConfig,
        spec: &ShardSpec,
    ) -> Result<ShardedPages, String> {
        let mut shard = check_shape(shape, spec)?;
        let mut tensor: Vec<u32> = shape.sizes().to_vec();
        if tensor.len() < 2 {
            tensor.insert(0, 1);
        }
        let last = tensor.len() - 1;
        let width = tensor[last];
        let page = match (layout, format.value_bytes()) {
            (Layout::Tile, _) => [TILE_SIDE as u32; 2],
            (Layout::RowMajor, Some(_)) if spec.layout == ShardLayout::Height => [1, width],
            (Layout::RowMajor, Some(_)) => [1, shard[shard.len() - 1]],
            (Layout::RowMajor, None) => return Err(format!("{format} is stored in tiles only")),
        };
        let page_bytes = match (layout, format.value_bytes()) {
            (Layout::RowMajor, Some(bytes)) => page[1] as usize * bytes,
            (Layout::Tile | Layout::RowMajor, _) => format.tile_bytes(),
        };
        for sizes in [&mut tensor, &mut shard] {
            let rank = sizes.len();
            sizes[rank - 1] = sizes[rank - 1].div_ceil(page[1]);
            if let Some(rows) = rank.checked_sub(2) {
                sizes[rows] = sizes[rows].div_ceil(page[0]);
            }
        }
        check_layout(spec, &tensor, &shard, layout)?;
        let banks = banks(arch, memory.storage, spec, (&tensor, &shard))?;
        let pages = tensor.iter().product();
        let (tensor, shard) = squeeze(&tensor, &shard);
        let spec = Some(spec.clone());
        let (storage, is_contiguous) = (memory.storage, false);
        let all = Distribution { storage, tensor, shard, banks, is_contiguous, spec };
        let page_bytes = u32::try_from(page_bytes).map_err(|_| "a page of 4 GiB".to_owned())?;
        Ok(ShardedPages { page_bytes, pages, sharding: Sharding::of(all) })
    }
}

/// The sizes of a shard, if a tensor of this shape can have it.
fn check_shape(shape: &Shape, spec: &ShardSpec) -> Result<Vec<u32>, String> {
    let rank = spec.shape.len();
    let is_right = match spec.layout {
        ShardLayout::Height | ShardLayout::Width | ShardLayout::Block => rank == 2,
        ShardLayout::Nd => (1..=shape.rank().max(2)).contains(&rank),
    };
    if !is_right || spec.shape.contains(&0) {
        return Err(format!(
            "a shard of {:?} values; it needs two sizes, or for `nd_sharded` at most as many as \
             the tensor, none of them 0",
            spec.shape
        ));
    }
    Ok(spec.shape.clone())
}

/// Shapes are in pages: `tensor` and `shard` along the last dimensions.
fn check_layout(
    spec: &ShardSpec,
    tensor: &[u32],
    shard: &[u32],
    layout: Layout,
) -> Result<(), String> {
    let side = TILE_SIDE as u32;
    let edges = &spec.shape[spec.shape.len().saturating_sub(2)..];
    if layout == Layout::Tile && edges.iter().any(|size| !size.is_multiple_of(side)) {
        return Err(format!("a shard of {:?} values is not made of whole tiles", spec.shape));
    }
    let sizes = |all: &[u32]| {
        let (last, leading) = all.split_last().expect("a shape has a size");
        (*last, leading.iter().product::<u32>())
    };
    let ((columns, rows), (wide, high)) = (sizes(tensor), sizes(shard));
    match spec.layout {
        ShardLayout::Height if wide != columns => Err(format!(
            "a height-sharded tensor's shards are as wide as the tensor: {columns} pages, not \
             {wide}"
        )),
        ShardLayout::Width if high != rows => Err(format!(
            "a width-sharded tensor's shards are as high as the tensor: {rows} pages, not {high}"
        )),
        ShardLayout::Height | ShardLayout::Width | ShardLayout::Block | ShardLayout::Nd => Ok(()),
    }
}

/// The cores or banks in the order in which they are filled.
fn banks(
    arch: &Architecture,
    storage: Storage,
    spec: &ShardSpec,
    (tensor, shard): (&[u32], &[u32]),
) -> Result<Vec<CoreCoord>, String> {
    let columns = tensor[tensor.len() - 1].div_ceil(shard[shard.len() - 1]);
    let rows: u32 = tensor[..tensor.len() - 1].iter().product();
    let rows = rows.div_ceil(shard[..shard.len() - 1].iter().product());
    let is_row_major = spec.orientation == ShardOrientation::RowMajor;
    let ranges = match (spec.layout, spec.grid.as_slice()) {
        (ShardLayout::Block, [range]) => {
            let (across, down) = if is_row_major { (columns, rows) } else { (rows, columns) };
            vec![trimmed(*range, across, down)?]
        }
        (ShardLayout::Block, _) => return Err("block shards need one rectangle of cores".into()),
        (ShardLayout::Height | ShardLayout::Width | ShardLayout::Nd, ranges) => ranges.to_vec(),
    };
    let mut banks: Vec<CoreCoord> = Vec::new();
    for range in ranges {
        let mut cores: Vec<CoreCoord> = range.cores().collect();
        if !is_row_major {
            cores.sort_by_key(|core| (core.x, core.y));
        }
        banks.extend(cores);
    }
    let is_there = |bank: &&CoreCoord| match storage {
        Storage::L1 => arch.has_core(**bank),
        Storage::Dram => bank.y == 0 && bank.x < arch.dram_banks,
    };
    if let Some(bank) = banks.iter().find(|bank| !is_there(bank)) {
        return Err(format!("there is no {storage} at {bank} for a shard"));
    }
    let shards = rows * columns;
    let must_fit = spec.layout != ShardLayout::Nd;
    if banks.is_empty() || must_fit && shards as usize > banks.len() {
        return Err(format!("{shards} shards on {} cores or banks; give more", banks.len()));
    }
    Ok(banks)
}

/// The upper left corner of a rectangle that has so many columns and rows.
fn trimmed(range: CoreRange, columns: u32, rows: u32) -> Result<CoreRange, String> {
    let CoreRange { start, end } = range;
    let wide = u32::from(end.x.saturating_sub(start.x)) + 1;
    let high = u32::from(end.y.saturating_sub(start.y)) + 1;
    if columns > wide || rows > high {
        return Err(format!(
            "{columns} by {rows} shards on {wide} by {high} cores; columns and rows must fit"
        ));
    }
    let end = CoreCoord::new(start.x + (columns - 1) as u8, start.y + (rows - 1) as u8);
    Ok(CoreRange::new(start, end))
}

/// The same blocks with as few dimensions as kernels are told of.
fn squeeze(tensor: &[u32], shard: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let (mut extents, mut blocks) = (Vec::<u32>::new(), Vec::<u32>::new());
    let (mut is_whole, mut is_divided) = (false, false);
    let volume = |sizes: &[u32]| sizes.iter().map(|size| u64::from(*size)).product::<u64>();
    let mut seen = (1_u64, 1_u64);
    for (extent, block) in tensor.iter().rev().zip(shard.iter().rev()) {
        let merges = is_whole || *block == 1 && is_divided;
        match (extents.last_mut(), blocks.last_mut()) {
            (Some(extents), Some(blocks)) if merges => {
                *extents *= extent;
                *blocks *= block;
            }
            _ => {
                extents.push(*extent);
                blocks.push(*block);
                is_whole = true;
            }
        }
        is_whole &= extent == block;
        is_divided = extent.is_multiple_of(*block);
        seen = (seen.0 * u64::from(*extent), seen.1 * u64::from(*block));
        if seen == (volume(tensor), volume(shard)) {
            break;
        }
    }
    let leading = &tensor[..tensor.len() - shard.len()];
    if let Some(outermost) = extents.last_mut() {
        *outermost *= leading.iter().product::<u32>();
    }
    extents.reverse();
    blocks.reverse();
    (extents, blocks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(layout: ShardLayout, shape: [u32; 2], end: (u8, u8)) -> ShardSpec {
        let end = CoreCoord::new(end.0, end.1);
        let grid = vec![CoreRange::new(CoreCoord::new(0, 0), end)];
        ShardSpec { layout, grid, shape: shape.to_vec(), orientation: ShardOrientation::RowMajor }
    }

    fn pages(shape: &str, layout: Layout, spec: ShardSpec) -> Result<ShardedPages, String> {
        let shape: Shape = shape.parse().expect("a shape");
        let memory = MemoryConfig { storage: Storage::L1, shards: Some(spec.clone()) };
        let arch = Architecture::wormhole_n150();
        ShardedPages::new(&arch, (&shape, layout, DataFormat::Bfloat16), &memory, &spec)
    }

    /// Core and address of each page, with a stride of 1 from 0.
    fn places(pages: &ShardedPages) -> Vec<(u8, u8, u32)> {
        let place = |page| match pages.sharding.place(0, 1, page) {
            NocAddress::L1 { core, address } => (core.x, core.y, address.0),
            NocAddress::Dram(_) => unreachable!("the shards are in L1"),
        };
        (0..pages.pages).map(place).collect()
    }

    #[test]
    fn blocks_of_tiles_go_to_the_cores_of_their_row_and_column() {
        let of = spec(ShardLayout::Block, [32, 64], (3, 3));
        let all = pages("64x128", Layout::Tile, of.clone()).expect("it fits");
        let first_row = [(0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 0, 1)];
        assert_eq!(places(&all)[..4], first_row);
        assert_eq!(places(&all)[4..6], [(0, 1, 0), (0, 1, 1)]);
        let column_major = ShardSpec { orientation: ShardOrientation::ColMajor, ..of };
        let all = pages("64x128", Layout::Tile, column_major).expect("it fits");
        assert_eq!(places(&all)[2..6], [(0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1)]);
    }

    #[test]
    fn row_major_pages_are_as_wide_as_a_shard() {
        let all = pages("4x64", Layout::RowMajor, spec(ShardLayout::Width, [4, 16], (3, 0)));
        let all = all.expect("it fits");
        assert_eq!((all.page_bytes, all.pages), (32, 16));
        assert_eq!(places(&all)[..5], [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0), (0, 0, 1)]);
        let all = pages("2x3x64", Layout::RowMajor, spec(ShardLayout::Height, [4, 64], (1, 0)));
        let all = all.expect("it fits");
        assert_eq!((all.page_bytes, all.pages, all.sharding.pages_per_bank()), (128, 6, 4));
        assert_eq!(all.sharding.distribution().tensor, [6]);
        assert_eq!(all.sharding.page_in(1, 1), Some(5));
        assert_eq!(all.sharding.page_in(1, 2), None, "the last shard is half empty");
    }

    #[test]
    fn every_page_is_found_where_it_was_put() {
        for (shape, layout, of) in [
            ("96x160", Layout::Tile, spec(ShardLayout::Height, [32, 160], (7, 0))),
            ("96x160", Layout::Tile, spec(ShardLayout::Block, [64, 64], (7, 7))),
            ("3x64x96", Layout::Tile, spec(ShardLayout::Nd, [32, 64], (1, 1))),
            ("7x40", Layout::RowMajor, spec(ShardLayout::Nd, [2, 8], (1, 0))),
        ] {
            let all = pages(shape, layout, of).expect("it fits");
            for page in 0..all.pages {
                let (bank, slot) = all.sharding.slot(page);
                assert_eq!(all.sharding.page_in(bank, slot), Some(page), "{shape}");
            }
        }
    }

    #[test]
    fn shards_that_do_not_fit_are_refused() {
        for (layout, of, expected) in [
            (Layout::Tile, spec(ShardLayout::Height, [32, 32], (7, 0)), "as wide as the tensor"),
            (Layout::Tile, spec(ShardLayout::Width, [32, 32], (7, 0)), "as high as the tensor"),
            (Layout::Tile, spec(ShardLayout::Height, [16, 64], (7, 0)), "whole tiles"),
            (Layout::Tile, spec(ShardLayout::Height, [32, 64], (0, 0)), "2 shards on 1 cores"),
            (Layout::Tile, spec(ShardLayout::Block, [32, 32], (0, 7)), "columns and rows must fit"),
            (Layout::Tile, spec(ShardLayout::Height, [32, 64], (9, 0)), "there is no L1 at (8,0)"),
            (Layout::Tile, spec(ShardLayout::Height, [0, 64], (7, 0)), "none of them 0"),
        ] {
            let error = pages("64x64", layout, of).expect_err("it does not fit");
            assert!(error.contains(expected), "{error}");
        }
    }
}
