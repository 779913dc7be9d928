//! What the vector unit's functions are functions of numbers: one row for each of tt-metal's calls.
//!
//! A row is the mathematics and nothing else. How near the hardware comes to it is found out by
//! running its function (`elementwise`); the book lists what tests measured of that.

mod comparison;
mod integer;
mod real;
mod special;

use tilewright_tile::{DataFormat, Integer};

/// A function of numbers. Its operands and the scalars of its call are given in order.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mathematics {
    /// Of real numbers; scalars are fp32.
    Real(fn(&[f64], &[f64]) -> f64),
    /// The same with scalars that are whole numbers.
    Counted(fn(&[f64], &[f64]) -> f64),
    /// Of whole numbers, none where it is not defined; the result is cut to its format.
    Whole(fn(&[i64], &[i64]) -> Option<i64>),
    /// A number in another format: the call's template says from which to which.
    Cast,
}

/// A call without its template arguments, unless those choose another function.
pub(super) type Row = (&'static str, Mathematics);

/// The mathematics of a call, by its name with template arguments.
pub(super) fn of(name: &str) -> Option<Mathematics> {
    let base = name.split('<').next().unwrap_or(name);
    let found = |name: &str| rows().find(|row| row.0 == name).map(|row| row.1);
    found(name).or_else(|| found(base))
}

/// Every row.
pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    [real::ROWS, comparison::ROWS, integer::ROWS].into_iter().flatten()
}

impl Mathematics {
    /// The value for operands that are numbers, in an output's format.
    pub(super) fn value(
        self,
        name: &str,
        operands: &[f64],
        scalars: &[f64],
        to: DataFormat,
    ) -> f64 {
        match self {
            Mathematics::Real(of) | Mathematics::Counted(of) => of(operands, scalars),
            Mathematics::Whole(of) => {
                let whole = |values: &[f64]| values.iter().map(|it| *it as i64).collect::<Vec<_>>();
                let result = of(&whole(operands), &whole(scalars));
                result.map_or(f64::NAN, |result| cut(result, to))
            }
            Mathematics::Cast => cast(name, operands[0]),
        }
    }

    /// Whether the scalars of its call are whole numbers.
    pub(super) fn takes_whole_scalars(self) -> bool {
        matches!(self, Mathematics::Counted(_) | Mathematics::Whole(_))
    }
}

/// The low bits of a whole number, as many as a format has.
fn cut(result: i64, to: DataFormat) -> f64 {
    match to {
        DataFormat::Integer(Integer::Int32) => f64::from(result as i32),
        DataFormat::Integer(Integer::UInt32) => f64::from(result as u32),
        DataFormat::Integer(Integer::UInt16) => f64::from(result as u16),
        DataFormat::Integer(Integer::UInt8 | Integer::Int8)
        | DataFormat::Float32
        | DataFormat::Tf32
        | DataFormat::Bfloat16
        | DataFormat::Bfp8
        | DataFormat::Small(_) => result as f64,
    }
}

/// A number in the format that `typecast_tile<FROM,TO>` names. Floats lose what lies behind the
/// point and stop at the ends of the range, but 16 bits round, and 8 bits are the lowest ones.
fn cast(name: &str, x: f64) -> f64 {
    let formats = name.split_once('<').map_or("", |(_, rest)| rest.trim_end_matches('>'));
    let (from, to) = formats.split_once(',').unwrap_or_default();
    let is_whole = ["Int32", "UInt32", "UInt16", "UInt8"].contains(&from);
    match to {
        "Int32" if is_whole => cut(x as i64, DataFormat::Integer(Integer::Int32)),
        "UInt32" if is_whole => cut(x as i64, DataFormat::Integer(Integer::UInt32)),
        "Int32" => f64::from(x as i32),
        "UInt32" => f64::from(x as u32),
        "UInt16" => x.round_ties_even().clamp(0.0, f64::from(u16::MAX)),
        "UInt8" => f64::from(x as i64 as u8),
        _ => x,
    }
}
