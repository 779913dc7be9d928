//! Functions of the vector unit that have a fast path or a bound: each is declared here, once.
//!
//! Calls of both languages, names in reports, checks of inits and costs follow from the tables. The
//! arithmetic is in `direct` or in `programs/unary.sfpu`, under the call's name without `_tile`;
//! the bound is in `bound`. Functions without either are programs alone.

use super::program::name_hash;

/// Gives the table of functions of one tile to a macro.
///
/// A row is the variant, with tt-metal's word for each option and the option's default; then
/// tt-metal's call, its init call, and the rest of [`Declared`](crate::sfpu::Declared). Functions
/// of a scalar, which is an fp32 pattern, share an init.
#[macro_export]
macro_rules! unary_functions {
    ($table:ident) => {
        $table! {
            tiles {
                /// Reciprocal square root.
                Rsqrt {
                    /// One Newton step instead of two.
                    approx: "APPROX" = false,
                    /// The older algorithm, by way of Dst.
                    legacy: "legacy_compat" = false,
                    /// Skip the NaN for negative inputs.
                    fast: "FAST_APPROX" = false,
                } => rsqrt_tile, rsqrt_tile_init { needs_init: true, instructions: 20 };
                /// Square root.
                Sqrt {
                    /// One Newton step instead of two.
                    approx: "APPROX" = false,
                    /// Skip the NaN for negative inputs.
                    fast: "FAST_APPROX" = false,
                } => sqrt_tile, sqrt_tile_init { needs_init: true, instructions: 20 };
                /// Reciprocal.
                Recip {
                    /// The older algorithm.
                    legacy: "legacy_compat" = true,
                } => recip_tile, recip_tile_init { needs_init: true, instructions: 20 };
                /// Exponential.
                Exp {
                    /// Schraudolph's approximation, inputs clamped from below.
                    approx: "approx ClampToNegative" = false,
                } => exp_tile, exp_tile_init { needs_init: true, instructions: 30 };
                /// x * x.
                Square => square_tile, square_tile_init { needs_init: false, instructions: 3 };
                /// Gaussian error linear unit.
                Gelu {
                    /// By table.
                    fast: "fast_and_approx" = true,
                } => gelu_tile, gelu_tile_init { needs_init: true, instructions: 50 };
                /// Logistic function.
                Sigmoid => sigmoid_tile, sigmoid_tile_init { needs_init: true, instructions: 50 };
                /// x times the logistic function of x.
                Silu => silu_tile, silu_tile_init { needs_init: true, instructions: 50 };
                /// Hyperbolic tangent.
                Tanh => tanh_tile, tanh_tile_init { needs_init: true, instructions: 30 };
                /// Natural logarithm.
                Log => log_tile, log_tile_init { needs_init: true, instructions: 30 };
                /// Absolute value.
                Abs => abs_tile, abs_tile_init { needs_init: false, instructions: 3 };
                /// Negation.
                Negative => negative_tile, negative_tile_init
                    { needs_init: false, instructions: 3 };
            }
            fill {
                /// The given value everywhere.
                Fill => fill_tile, fill_tile_init { needs_init: false, instructions: 1 };
            }
            scalars {
                /// x + scalar.
                AddScalar => add_unary_tile, binop_with_scalar_tile_init
                    { needs_init: false, instructions: 3 };
                /// x - scalar.
                SubScalar => sub_unary_tile, binop_with_scalar_tile_init
                    { needs_init: false, instructions: 3 };
                /// x * scalar.
                MulScalar => mul_unary_tile, binop_with_scalar_tile_init
                    { needs_init: false, instructions: 3 };
                /// x * scalar: the caller passes the reciprocal.
                DivScalar => div_unary_tile, binop_with_scalar_tile_init
                    { needs_init: false, instructions: 3 };
                /// scalar - x.
                RsubScalar => rsub_unary_tile, binop_with_scalar_tile_init
                    { needs_init: false, instructions: 4 };
            }
        }
    };
}

/// Gives the table of functions of two tiles to a macro. Rows are as those of functions of one
/// tile, and say whether exchanging the operands changes nothing, NaNs aside.
#[macro_export]
macro_rules! binary_functions {
    ($table:ident) => {
        $table! {
            /// x + y.
            Add, commutes: true => add_binary_tile, add_binary_tile_init
                { needs_init: false, instructions: 4 };
            /// x - y.
            Sub, commutes: false => sub_binary_tile, sub_binary_tile_init
                { needs_init: false, instructions: 4 };
            /// x * y.
            Mul, commutes: true => mul_binary_tile, mul_binary_tile_init
                { needs_init: false, instructions: 4 };
            /// x / y.
            Div, commutes: false => div_binary_tile, div_binary_tile_init
                { needs_init: true, instructions: 24 };
            /// y - x.
            Rsub, commutes: false => rsub_binary_tile, rsub_binary_tile_init
                { needs_init: false, instructions: 4 };
            /// The larger in the total order of bit patterns.
            Max, commutes: true => binary_max_tile, binary_max_tile_init
                { needs_init: true, instructions: 4 };
            /// The smaller in the total order of bit patterns.
            Min, commutes: true => binary_min_tile, binary_min_tile_init
                { needs_init: true, instructions: 4 };
        }
    };
}

/// What is declared of a function, beside its arithmetic and its bound.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// tt-metal's call.
    pub name: &'static str,
    /// The init call, for people.
    pub init_call: &'static str,
    /// Whether the init loads what the function needs.
    ///
    /// tt-metal's `ckernel_sfpu_*.h`: programmable constants or a swap configuration, which the
    /// init of another such function replaces. All other functions take their constants with them,
    /// and any init serves.
    pub needs_init: bool,
    /// Instructions of one pass, about: loads, arithmetic, stores. An estimate for timing only.
    pub instructions: u64,
}

/// What a call chooses of a function, as far as the function has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "a function's variants say what each of its options is")]
pub struct Options {
    pub approx: bool,
    pub legacy: bool,
    pub fast: bool,
    pub scalar: u32,
}

macro_rules! declared {
    ($name:ident, $init:ident { $($field:ident: $value:literal),* }) => {
        &Declared {
            name: stringify!($name),
            init_call: concat!(stringify!($init), "()"),
            $($field: $value),*
        }
    };
}

macro_rules! declare_unary {
    (
        tiles { $(
            $(#[$about:meta])* $Op:ident $({
                $($(#[$what:meta])* $option:ident: $word:literal = $default:literal,)*
            })? => $tile:ident, $init:ident $declared:tt;
        )* }
        $($_section:ident { $(
            $(#[$about_scalar:meta])* $Scalar:ident => $with:ident, $with_init:ident $rest:tt;
        )* })*
    ) => {
        /// A function of one tile. Scalars are fp32 patterns.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Unary {
            $($(#[$about])* $Op $({ $($(#[$what])* $option: bool),* })?,)*
            $($($(#[$about_scalar])* $Scalar(u32),)*)*
        }

        impl Unary {
            /// What is declared of it.
            #[inline]
            pub const fn declared(self) -> &'static Declared {
                match self {
                    $(Unary::$Op { .. } => declared!($tile, $init $declared),)*
                    $($(Unary::$Scalar(_) => declared!($with, $with_init $rest),)*)*
                }
            }

            /// The function that a call names, without a scalar; `is_chosen` is asked about its
            /// options, by tt-metal's word and with the default.
            pub fn from_name(
                name: &str,
                mut is_chosen: impl FnMut(&str, bool) -> bool,
            ) -> Option<Unary> {
                $(if name == stringify!($tile) {
                    return Some(Unary::$Op $({ $($option: is_chosen($word, $default)),* })?);
                })*
                None
            }

            /// The function that a call with a scalar names.
            pub fn with_scalar(name: &str) -> Option<fn(u32) -> Unary> {
                $($(if name == stringify!($with) {
                    return Some(Unary::$Scalar);
                })*)*
                None
            }

            /// The function whose call has a hash, as C++ kernels give it.
            pub fn from_hash(hash: u32, given: Options) -> Option<Unary> {
                $(if hash == const { name_hash(stringify!($tile)) } {
                    return Some(Unary::$Op $({ $($option: given.$option),* })?);
                })*
                $($(if hash == const { name_hash(stringify!($with)) } {
                    return Some(Unary::$Scalar(given.scalar));
                })*)*
                None
            }

            /// Every function with every choice of its options.
            pub fn all(scalar: u32) -> Vec<Unary> {
                let mut all = Vec::new();
                for choice in 0..8 {
                    let [approx, legacy, fast] = [1, 2, 4].map(|bit| choice & bit != 0);
                    let given = Options { approx, legacy, fast, scalar };
                    all.extend([
                        $(Unary::$Op $({ $($option: given.$option),* })?,)*
                        $($(Unary::$Scalar(scalar),)*)*
                    ].into_iter().filter(|op| Options { scalar, ..op.options() } == given));
                }
                all
            }

            /// What was chosen of it.
            pub(super) fn options(self) -> Options {
                let none = Options::default();
                match self {
                    $(Unary::$Op $({ $($option),* })? => Options { $($($option,)*)? ..none },)*
                    $($(Unary::$Scalar(scalar) => Options { scalar, ..none },)*)*
                }
            }
        }
    };
}

unary_functions!(declare_unary);

impl Unary {
    /// The function as its init call knows it: not whether it looks for negative operands.
    #[must_use]
    pub fn of_init(mut self) -> Unary {
        if let Unary::Rsqrt { fast, .. } | Unary::Sqrt { fast, .. } = &mut self {
            *fast = false;
        }
        self
    }
}

macro_rules! declare_binary {
    ($(
        $(#[$about:meta])* $Op:ident, commutes: $commutes:literal
            => $tile:ident, $init:ident $declared:tt;
    )*) => {
        /// A function of two tiles.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Binary {
            $($(#[$about])* $Op,)*
        }

        impl Binary {
            /// Every function.
            pub const ALL: &[Binary] = &[$(Binary::$Op),*];

            /// What is declared of it.
            #[inline]
            pub const fn declared(self) -> &'static Declared {
                match self {
                    $(Binary::$Op => declared!($tile, $init $declared),)*
                }
            }

            /// Whether exchanging the operands changes nothing, NaNs aside.
            pub const fn commutes(self) -> bool {
                match self {
                    $(Binary::$Op => $commutes,)*
                }
            }

            /// The function that a call names.
            pub fn from_name(name: &str) -> Option<Binary> {
                $(if name == stringify!($tile) {
                    return Some(Binary::$Op);
                })*
                None
            }

            /// The function whose call has a hash, as C++ kernels give it.
            pub fn from_hash(hash: u32) -> Option<Binary> {
                $(if hash == const { name_hash(stringify!($tile)) } {
                    return Some(Binary::$Op);
                })*
                None
            }
        }
    };
}

binary_functions!(declare_binary);
