//! Functions of the vector unit on tiles of Dst.

use tilewright_machine::{Site, VectorOperation};
use tilewright_tile::sfpu::program::FunctionId;
use tilewright_tile::sfpu::{Binary, Mask, Sum, Unary};

use crate::api::Compute;

impl Compute<'_> {
    fn vector_init(&self, site: Site, operation: VectorOperation) {
        self.on_math(|context| context.configure_vector(site, operation));
    }

    fn unary(&self, site: Site, op: Unary, dst: u32) {
        self.on_math(|context| context.unary(site, op, dst));
    }

    /// Configures a unary function, with the variant that a kernel chose.
    #[inline]
    #[track_caller]
    pub fn unary_tile_init(&self, op: Unary) {
        self.vector_init(Site::here(), VectorOperation::Unary(op));
    }

    /// A unary function in place, with the variant that a kernel chose.
    #[inline]
    #[track_caller]
    pub fn unary_tile(&self, op: Unary, dst: u32) {
        self.unary(Site::here(), op, dst);
    }

    /// Configures a function of two tiles that a kernel chose.
    #[inline]
    #[track_caller]
    pub fn binary_tile_init(&self, op: Binary) {
        self.vector_init(Site::here(), VectorOperation::Binary(op));
    }

    /// A function of two tiles of Dst to a third.
    #[inline]
    #[track_caller]
    pub fn binary_tile(&self, op: Binary, x: u32, y: u32, out: u32) {
        let site = Site::here();
        self.on_math(|context| context.binary(site, op, x, y, out));
    }

    /// Configures a function that is a program; any function's constants stay until another
    /// function's init replaces them.
    #[inline]
    #[track_caller]
    pub fn function_tile_init(&self, function: FunctionId) {
        self.vector_init(Site::here(), VectorOperation::Function(function));
    }

    /// A function that is a program: of tiles of Dst, to one of them or to another.
    #[inline]
    #[track_caller]
    pub fn function_tile(&self, function: FunctionId, tiles: &[u32], out: u32, scalars: &[u32]) {
        let site = Site::here();
        self.on_math(|context| context.function(site, function, tiles, out, scalars));
    }

    /// Configures `fill_tile` and `fill_tile_bitcast`.
    #[inline]
    #[track_caller]
    pub fn fill_tile_init(&self) {
        self.vector_init(Site::here(), VectorOperation::Unary(Unary::Fill(0)));
    }

    /// Fills a tile with a value.
    #[inline]
    #[track_caller]
    pub fn fill_tile(&self, dst: u32, value: f32) {
        self.unary(Site::here(), Unary::Fill(value.to_bits()), dst);
    }

    /// Fills a tile with a bit pattern.
    #[inline]
    #[track_caller]
    pub fn fill_tile_bitcast(&self, dst: u32, bits: u32) {
        self.unary(Site::here(), Unary::Fill(bits), dst);
    }

    /// Configures the functions of a tile and a scalar.
    #[inline]
    #[track_caller]
    pub fn binop_with_scalar_tile_init(&self) {
        self.vector_init(Site::here(), VectorOperation::Unary(Unary::AddScalar(0)));
    }

    /// Configures `mask_tile` and `mask_posinf_tile`.
    #[inline]
    #[track_caller]
    pub fn mask_tile_init(&self) {
        self.vector_init(Site::here(), VectorOperation::Masked(Mask::Zero));
    }

    /// Zeroes a tile where the mask, the next tile, is zero.
    #[inline]
    #[track_caller]
    pub fn mask_tile(&self, data: u32, mask: u32) {
        let site = Site::here();
        self.on_math(|context| context.mask(site, Mask::Zero, data, mask));
    }

    /// Sets a tile to infinity where the mask, the next tile, is zero.
    #[inline]
    #[track_caller]
    pub fn mask_posinf_tile(&self, data: u32, mask: u32) {
        let site = Site::here();
        self.on_math(|context| context.mask(site, Mask::PositiveInfinity, data, mask));
    }

    /// Configures `copy_dest_values`.
    #[inline]
    #[track_caller]
    pub fn copy_dest_values_init(&self) {
        self.vector_init(Site::here(), VectorOperation::CopyValues);
    }

    /// Copies a tile of Dst to another.
    #[inline]
    #[track_caller]
    pub fn copy_dest_values(&self, from: u32, to: u32) {
        let site = Site::here();
        self.on_math(|context| context.copy_values(site, from, to));
    }

    /// Configures `sfpu_reduce` for sums of Float32.
    #[inline]
    #[track_caller]
    pub fn sfpu_reduce_init(&self) {
        self.vector_init(Site::here(), VectorOperation::Sum(Sum::Columns));
    }

    /// Adds up a tile's columns or rows in a Dst of 32 bits.
    #[inline]
    #[track_caller]
    pub fn sfpu_reduce(&self, sum: Sum, dst: u32) {
        let site = Site::here();
        self.on_math(|context| context.sum(site, sum, dst));
    }

    /// Configures `transpose_dest`.
    #[inline]
    #[track_caller]
    pub fn transpose_dest_init(&self) {
        self.vector_init(Site::here(), VectorOperation::Transpose);
    }

    /// Transposes a tile of Dst in place.
    #[inline]
    #[track_caller]
    pub fn transpose_dest(&self, dst: u32) {
        let site = Site::here();
        self.on_math(|context| context.transpose_dst(site, dst));
    }
}

/// Configures a function.
pub type Init = fn(&Compute<'_>);
/// Applies a function to a tile of Dst.
pub type OnTile = fn(&Compute<'_>, u32);

macro_rules! unary_calls {
    (
        tiles { $(
            $(#[$about:meta])* $Op:ident $({
                $($(#[$what:meta])* $option:ident: $word:literal = $default:literal,)*
            })? => $tile:ident, $init:ident $declared:tt;
        )* }
        fill $fill:tt
        scalars { $(
            $(#[$about_scalar:meta])* $Scalar:ident => $with:ident, $with_init:ident $rest:tt;
        )* }
    ) => {
        impl Compute<'_> {
            $(
                #[doc = concat!("Configures `", stringify!($tile), "`.")]
                #[inline]
                #[track_caller]
                pub fn $init(&self) {
                    self.unary_tile_init(Unary::$Op $({ $($option: $default),* })?);
                }

                #[doc = concat!("`", stringify!($tile), "` of tt-metal with its default variant.")]
                #[inline]
                #[track_caller]
                pub fn $tile(&self, dst: u32) {
                    self.unary_tile(Unary::$Op $({ $($option: $default),* })?, dst);
                }
            )*
            $(
                #[doc = concat!("`", stringify!($with), "`: a tile and a scalar, in place.")]
                #[inline]
                #[track_caller]
                pub fn $with(&self, dst: u32, scalar_bits: u32) {
                    self.unary_tile(Unary::$Scalar(scalar_bits), dst);
                }
            )*
        }

        /// Every function of one tile with its default variant: its name, its init, itself.
        pub const UNARY_TILES: &[(&str, Init, OnTile)] = &[
            $((stringify!($tile), |k| k.$init(), |k, dst| k.$tile(dst)),)*
        ];
    };
}

tilewright_tile::unary_functions!(unary_calls);

macro_rules! binary_calls {
    ($(
        $(#[$about:meta])* $Op:ident, commutes: $commutes:literal
            => $tile:ident, $init:ident $declared:tt;
    )*) => {
        impl Compute<'_> {
            $(
                #[doc = concat!("Configures `", stringify!($tile), "`.")]
                #[inline]
                #[track_caller]
                pub fn $init(&self) {
                    self.binary_tile_init(Binary::$Op);
                }

                #[doc = concat!("`", stringify!($tile), "`: two tiles of Dst to a third.")]
                #[inline]
                #[track_caller]
                pub fn $tile(&self, x: u32, y: u32, out: u32) {
                    self.binary_tile(Binary::$Op, x, y, out);
                }
            )*
        }
    };
}

tilewright_tile::binary_functions!(binary_calls);
