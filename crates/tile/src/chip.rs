//! The chips whose arithmetic is known, and all that differs between them.
//!
//! Wormhole's rules are those of the numerics specification, sections 4.1 and 7.1; Blackhole's are
//! those of its second part, section 6. The programs of the vector unit's functions differ as well:
//! they say so themselves, in their blocks for one chip.

/// A chip whose arithmetic is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Chip {
    /// Wormhole B0.
    #[default]
    Wormhole,
    /// Blackhole A0.
    Blackhole,
}

impl Chip {
    /// Every chip.
    pub const ALL: [Chip; 2] = [Chip::Wormhole, Chip::Blackhole];

    /// A name for people.
    pub fn name(self) -> &'static str {
        match self {
            Chip::Wormhole => "Wormhole",
            Chip::Blackhole => "Blackhole",
        }
    }

    /// The sum, in units of a 32-bit Dst's last place, that the matrix unit renormalises the wrong
    /// way. Zero is no such sum: it is never renormalised.
    pub(crate) fn faulty_sum(self) -> i32 {
        match self {
            Chip::Wormhole => -1,
            Chip::Blackhole => 0,
        }
    }

    /// Whether integers of 32 bits are two's complement in the vector unit as well as in Dst:
    /// mode 12 of SFPLOAD and SFPSTORE converts nothing.
    pub(crate) fn has_raw_integers(self) -> bool {
        match self {
            Chip::Wormhole => false,
            Chip::Blackhole => true,
        }
    }
}

/// How the library's functions of the vector unit use what one chip has: those that exchange values
/// between lanes. The others say it themselves, in their programs.
impl Chip {
    /// Whether a column's last four sums are added in two pairs rather than one after another.
    pub(crate) fn sums_floats_in_pairs(self) -> bool {
        match self {
            Chip::Wormhole => true,
            Chip::Blackhole => false,
        }
    }

    /// Whether the parts of a reduction to an extreme are kept in Dst.
    pub(crate) fn reduces_by_way_of_dst(self) -> bool {
        match self {
            Chip::Wormhole => false,
            Chip::Blackhole => true,
        }
    }

    /// Whether integers are multiplied by an instruction (SFPMUL24) rather than as floats.
    pub(crate) fn multiplies_integers(self) -> bool {
        match self {
            Chip::Wormhole => false,
            Chip::Blackhole => true,
        }
    }

    /// Whether `polygamma_tile` has its powers by squares rather than factor by factor.
    pub(crate) fn powers_by_squares(self) -> bool {
        match self {
            Chip::Wormhole => false,
            Chip::Blackhole => true,
        }
    }

    /// Whether reciprocals begin with an instruction (SFPARECIP) rather than a polynomial.
    pub(crate) fn estimates_reciprocals(self) -> bool {
        match self {
            Chip::Wormhole => false,
            Chip::Blackhole => true,
        }
    }
}

/// How the vector unit multiplies and adds.
pub(crate) trait Arithmetic: Copy + Default {
    /// Whether zeros have the signs that IEEE 754 gives them, every NaN is the same, infinities
    /// subtract to NaN only if they were operands, and results below the normal range are rounded
    /// at their own last place before they become zeros.
    const IS_STANDARD: bool;
}

/// The arithmetic of [`Chip::Wormhole`].
#[derive(Clone, Copy, Default)]
pub(crate) struct Wormhole;

/// The arithmetic of [`Chip::Blackhole`].
#[derive(Clone, Copy, Default)]
pub(crate) struct Blackhole;

impl Arithmetic for Wormhole {
    const IS_STANDARD: bool = false;
}

impl Arithmetic for Blackhole {
    const IS_STANDARD: bool = true;
}

/// Evaluates an expression with the arithmetic of a chip's vector unit as a type: it is compiled
/// for each of them, so that no lane asks which it is.
macro_rules! with_arithmetic {
    ($chip:expr, $arithmetic:ident => $value:expr) => {
        match $chip {
            $crate::Chip::Wormhole => {
                type $arithmetic = $crate::chip::Wormhole;
                $value
            }
            $crate::Chip::Blackhole => {
                type $arithmetic = $crate::chip::Blackhole;
                $value
            }
        }
    };
}

pub(crate) use with_arithmetic;
