//! Products of tiles and reductions.

use tilewright_machine::{
    CbId, CbTile, MathOperation, Site, SourceId, UnpackOperation, reduce_data_source,
};
use tilewright_tile::PackMask;
use tilewright_tile::fpu::{Pool, ReduceDim};

use crate::api::Compute;

impl Compute<'_> {
    /// Configures `matmul_tiles`. `transpose` transposes each tile of the second operand.
    #[inline]
    #[track_caller]
    pub fn matmul_init(&self, in0: u8, in1: u8, transpose: bool) {
        let _ = (in0, in1);
        let site = Site::here();
        self.on_math(|context| {
            context.configure_math(site, MathOperation::Matmul { transpose, fidelity: None });
        });
        self.on_unpack(|context| context.configure_unpack(site, UnpackOperation::Both));
    }

    /// Adds the product of two tiles to Dst. The first operand goes to SrcB, the second to SrcA.
    #[inline]
    #[track_caller]
    pub fn matmul_tiles(&self, in0: u8, in1: u8, tile0: u32, tile1: u32, dst: u32) {
        let site = Site::here();
        let tile = |cb, index| Some(CbTile { cb: CbId(cb), index });
        let unpack = UnpackOperation::Both;
        self.on_unpack(|context| {
            context.unpack(site, unpack, tile(in1, tile1), tile(in0, tile0));
        });
        self.on_math(|context| {
            let operation = MathOperation::Matmul { transpose: false, fidelity: None };
            context.compute(site, operation, dst);
        });
    }

    /// Configures `reduce_tile` and the packers' mask for its result.
    #[inline]
    #[track_caller]
    pub fn reduce_init(&self, pool: Pool, dim: ReduceDim, icb: u8, scaler: u8, ocb: u8) {
        let _ = (icb, scaler, ocb);
        let site = Site::here();
        self.on_unpack(|context| context.configure_unpack(site, UnpackOperation::Both));
        self.on_math(|context| context.configure_math(site, MathOperation::Reduce { pool, dim }));
        let mask = match dim {
            ReduceDim::Row => PackMask::Row,
            ReduceDim::Column => PackMask::Column,
            ReduceDim::Scalar => PackMask::Scalar,
        };
        self.on_pack(|context| context.configure_mask(site, mask));
    }

    /// Reduces a tile, scaled, onto Dst.
    #[inline]
    #[track_caller]
    pub fn reduce_tile(
        &self,
        pool: Pool,
        dim: ReduceDim,
        (icb, tile): (u8, u32),
        (scaler, scaler_tile): (u8, u32),
        dst: u32,
    ) {
        let (data, scaler) = ((icb, tile), (scaler, scaler_tile));
        let (a, b) = match reduce_data_source(pool, dim) {
            SourceId::A => (data, scaler),
            SourceId::B => (scaler, data),
        };
        self.both(Site::here(), MathOperation::Reduce { pool, dim }, a, b, dst);
    }

    /// Lets the packers write whole tiles again.
    #[inline]
    #[track_caller]
    pub fn reduce_uninit(&self) {
        let site = Site::here();
        self.on_pack(|context| context.configure_mask(site, PackMask::None));
    }

    /// Formats for a reduction: the sources as `reduce_tile` uses them.
    #[inline]
    #[track_caller]
    pub fn reconfig_data_format_reduce(&self, pool: Pool, dim: ReduceDim, icb: u8, scaler: u8) {
        match reduce_data_source(pool, dim) {
            SourceId::A => self.reconfig_data_format(icb, scaler),
            SourceId::B => self.reconfig_data_format(scaler, icb),
        }
    }
}
