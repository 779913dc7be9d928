//! Elementwise operations of the matrix unit: add, subtract, multiply, with and without
//! broadcast, and with an operand that is already in Dst.

use tilewright_machine::{MathOperation, Site, SourceId, UnpackOperation};
use tilewright_tile::fpu::Elementwise;
use tilewright_tile::{Broadcast, Transpose};

use crate::api::Compute;

fn plain(op: Elementwise, broadcast: Broadcast, accumulate: bool) -> MathOperation {
    MathOperation::Elementwise { op, broadcast, accumulate, reuse: None }
}

/// Multiply is initialised to accumulate, add and subtract to overwrite.
fn default_of(op: Elementwise, broadcast: Broadcast) -> MathOperation {
    plain(op, broadcast, op == Elementwise::Mul)
}

impl Compute<'_> {
    /// Configures an elementwise operation of two buffers; `acc_to_dest` makes add and subtract
    /// keep what Dst holds. Multiply always does.
    #[inline]
    #[track_caller]
    pub fn binary_tiles_init(&self, op: Elementwise, acc_to_dest: bool) {
        self.binary_init(Site::here(), plain(op, Broadcast::None, acc_to_dest));
    }

    /// Configures `any_tiles_bcast`.
    #[inline]
    #[track_caller]
    pub fn any_tiles_bcast_init(&self, op: Elementwise, broadcast: Broadcast) {
        self.binary_init(Site::here(), default_of(op, broadcast));
    }

    /// Combines tiles of two buffers into Dst with an operation and a broadcast that the kernel
    /// chose; operands are buffer and tile.
    #[inline]
    #[track_caller]
    pub fn any_tiles_bcast(
        &self,
        op: Elementwise,
        broadcast: Broadcast,
        first: (u8, u32),
        second: (u8, u32),
        dst: u32,
    ) {
        self.both(Site::here(), default_of(op, broadcast), first, second, dst);
    }

    fn binary_init(&self, site: Site, math: MathOperation) {
        self.on_math(|context| context.configure_math(site, math));
        self.on_unpack(|context| context.configure_unpack(site, UnpackOperation::Both));
    }

    /// Elementwise with one operand taken from Dst. `dest_to` is the register file that gets Dst's
    /// tile; the buffer's tile goes to the other.
    #[inline]
    #[track_caller]
    pub fn binary_reuse_dest_init(&self, op: Elementwise, dest_to: SourceId) {
        let site = Site::here();
        let (unpack, math) = reuse(op, dest_to);
        self.on_unpack(|context| context.configure_unpack(site, unpack));
        self.on_math(|context| context.configure_math(site, math));
    }

    /// Combines Dst's tile with the buffer's; the result replaces Dst's.
    #[inline]
    #[track_caller]
    pub fn binary_reuse_dest_tiles(
        &self,
        op: Elementwise,
        dest_to: SourceId,
        icb: u8,
        tile: u32,
        dst: u32,
    ) {
        let (unpack, math) = reuse(op, dest_to);
        self.one(Site::here(), unpack, math, (icb, tile), dst);
    }
}

fn reuse(op: Elementwise, dest_to: SourceId) -> (UnpackOperation, MathOperation) {
    let to = match dest_to {
        SourceId::A => SourceId::B,
        SourceId::B => SourceId::A,
    };
    let math = MathOperation::Elementwise {
        op,
        broadcast: Broadcast::None,
        accumulate: false,
        reuse: Some(dest_to),
    };
    (UnpackOperation::One { to, transpose: Transpose::None }, math)
}

macro_rules! elementwise {
    ($($init:ident, $tiles:ident: $op:ident, $broadcast:ident;)*) => {
        impl Compute<'_> {
            $(
                #[doc = concat!("Configures `", stringify!($tiles), "`.")]
                #[inline]
                #[track_caller]
                pub fn $init(&self, icb0: u8, icb1: u8) {
                    let _ = (icb0, icb1);
                    let math = default_of(Elementwise::$op, Broadcast::$broadcast);
                    self.binary_init(Site::here(), math);
                }

                #[doc = concat!("`", stringify!($op), "` of two tiles into Dst, the second ")]
                #[doc = concat!("operand broadcast: `", stringify!($broadcast), "`.")]
                #[inline]
                #[track_caller]
                pub fn $tiles(&self, icb0: u8, icb1: u8, tile0: u32, tile1: u32, dst: u32) {
                    let math = default_of(Elementwise::$op, Broadcast::$broadcast);
                    self.both(Site::here(), math, (icb0, tile0), (icb1, tile1), dst);
                }
            )*
        }
    };
}

elementwise! {
    add_init, add_tiles: Add, None;
    sub_init, sub_tiles: Sub, None;
    mul_init, mul_tiles: Mul, None;
    add_bcast_cols_init, add_tiles_bcast_cols: Add, Column;
    sub_bcast_cols_init, sub_tiles_bcast_cols: Sub, Column;
    mul_bcast_cols_init, mul_tiles_bcast_cols: Mul, Column;
    add_bcast_rows_init, add_tiles_bcast_rows: Add, Row;
    sub_bcast_rows_init, sub_tiles_bcast_rows: Sub, Row;
    mul_bcast_rows_init, mul_tiles_bcast_rows: Mul, Row;
    add_bcast_scalar_init, add_tiles_bcast_scalar: Add, Scalar;
    sub_bcast_scalar_init, sub_tiles_bcast_scalar: Sub, Scalar;
    mul_bcast_scalar_init, mul_tiles_bcast_scalar: Mul, Scalar;
}
