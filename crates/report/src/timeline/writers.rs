//! Which core wrote which tile of an output, learnt from its writes.

use tilewright_machine::{CoreCoord, NocAddress};
use tilewright_metal::{DeviceTensor, Layout, TensorDeclaration};

const TILE: usize = 32;

/// The cores that wrote an output, the last one of each tile.
#[derive(Clone, Debug)]
pub struct Writers {
    /// The output.
    pub output: String,
    /// Its tiles from left to right.
    pub columns: usize,
    /// Who wrote each tile last, row by row of tiles; nobody, where no write was seen.
    pub cores: Vec<Option<CoreCoord>>,
    tensor: DeviceTensor,
}

impl Writers {
    /// Nobody yet; but tiles in a core's own L1 are that core's.
    pub(super) fn new(declared: &TensorDeclaration) -> Writers {
        let (tensor, shape) = (declared.tensor, declared.tensor.shape);
        let columns = shape.tile_columns();
        let tiles = shape.matrices() * shape.tile_rows() * columns;
        let cores = vec![None; tiles];
        let mut writers = Writers { output: declared.name.clone(), columns, cores, tensor };
        for page in 0..tensor.buffer.pages {
            if let Ok(NocAddress::L1 { core, .. }) = tensor.buffer.page(page) {
                writers.page(page as usize, core);
            }
        }
        writers
    }

    /// Takes a write to an address, which may be of another tensor.
    pub(super) fn write(&mut self, at: NocAddress, core: CoreCoord) {
        if let Some((page, _)) = self.tensor.buffer.page_at(at)
            && page < u64::from(self.tensor.buffer.pages)
        {
            self.page(page as usize, core);
        }
    }

    fn page(&mut self, page: usize, core: CoreCoord) {
        let shape = &self.tensor.shape;
        match self.tensor.layout {
            Layout::Tile => {
                self.cores.iter_mut().skip(page).take(1).for_each(|it| *it = Some(core))
            }
            // A page is a stick, which lies in a whole row of tiles.
            Layout::RowMajor => {
                let (matrix, stick) = (page / shape.height(), page % shape.height());
                let row = matrix * shape.tile_rows() + stick / TILE;
                let tiles = self.cores.chunks_mut(self.columns.max(1)).skip(row).take(1);
                tiles.flatten().for_each(|it| *it = Some(core));
            }
        }
    }
}
