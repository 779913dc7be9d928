//! What an expression comes to, given what its names mean.
//!
//! Whole numbers everywhere; real ones inside `f32`, `bf16` and `bf16_pair` alone.

use tilewright_tile::bfloat16;

use super::expression::{Function, Node, Operator, Part};
use super::problem::Problem;

/// What a name means, or why it means nothing; the place is the evaluator's to add.
pub(super) type Meaning = Result<i64, Unknown>;

/// Why a name has no value.
pub(super) enum Unknown {
    /// There is no such name; says what would be right.
    Name { message: String, help: Option<String> },
    /// Its value is wrong, which is reported where it is declared.
    Invalid(Problem),
}

/// The whole number that an expression comes to. Places are relative to its text, except those of
/// problems that come from elsewhere, which `Unknown::Invalid` passes on.
pub(super) fn whole(part: &Part, name: &dyn Fn(&str) -> Meaning) -> Result<i64, Wrong> {
    let here = |message: String| Wrong::Here(Problem::new(part.span.clone(), message));
    match &part.node {
        Node::Number(number) => Ok(*number),
        Node::Real(real) => Err(here(format!(
            "{real} is not a whole number; `f32({real})` is its bits, for kernels that take them"
        ))),
        Node::Name(text) => meaning(part, text, name),
        Node::Negative(inner) => {
            whole(inner, name)?.checked_neg().ok_or_else(|| here("too large a number".to_owned()))
        }
        Node::Two(operator, left, right) => {
            two(*operator, whole(left, name)?, whole(right, name)?).map_err(here)
        }
        Node::Call(function, operands) => {
            call(*function, operands, name).map_err(|wrong| match wrong {
                Failed::Operand(wrong) => wrong,
                Failed::Call(message) => here(message),
            })
        }
    }
}

/// A problem in the expression itself, or one that has its place already.
pub(super) enum Wrong {
    Here(Problem),
    Elsewhere(Problem),
}

fn meaning(part: &Part, text: &str, name: &dyn Fn(&str) -> Meaning) -> Result<i64, Wrong> {
    name(text).map_err(|unknown| match unknown {
        Unknown::Name { message, help } => {
            Wrong::Here(Problem { span: part.span.clone(), message, help })
        }
        Unknown::Invalid(problem) => Wrong::Elsewhere(problem),
    })
}

fn two(operator: Operator, left: i64, right: i64) -> Result<i64, String> {
    let large = || "too large a number".to_owned();
    match operator {
        Operator::Add => left.checked_add(right).ok_or_else(large),
        Operator::Subtract => left.checked_sub(right).ok_or_else(large),
        Operator::Multiply => left.checked_mul(right).ok_or_else(large),
        Operator::Divide => left.checked_div_euclid(right).ok_or_else(|| by_zero(left)),
        Operator::Remainder => left.checked_rem_euclid(right).ok_or_else(|| by_zero(left)),
    }
}

fn by_zero(left: i64) -> String {
    format!("{left} is divided by zero here")
}

enum Failed {
    Operand(Wrong),
    Call(String),
}

fn call(
    function: Function,
    operands: &[Part],
    name: &dyn Fn(&str) -> Meaning,
) -> Result<i64, Failed> {
    let operand = |index: usize| whole(&operands[index], name).map_err(Failed::Operand);
    let bits = || real(&operands[0], name).map_err(Failed::Operand);
    match function {
        Function::Min => Ok(operand(0)?.min(operand(1)?)),
        Function::Max => Ok(operand(0)?.max(operand(1)?)),
        Function::CeilDiv => ceil_div(operand(0)?, operand(1)?).map_err(Failed::Call),
        Function::RoundUp => {
            let (number, multiple) = (operand(0)?, operand(1)?);
            let times = ceil_div(number, multiple).map_err(Failed::Call)?;
            two(Operator::Multiply, times, multiple).map_err(Failed::Call)
        }
        Function::Divisor => divisor(operand(0)?, operand(1)?).map_err(Failed::Call),
        Function::Fp32 => Ok(i64::from((bits()? as f32).to_bits())),
        Function::Bf16 => Ok(i64::from(bfloat16::from_f32(bits()? as f32))),
        Function::Bf16Truncated => Ok(i64::from((bits()? as f32).to_bits() >> 16)),
        Function::Bf16Pair => {
            let half = i64::from(bfloat16::from_f32(bits()? as f32));
            Ok(half << 16 | half)
        }
    }
}

fn ceil_div(left: i64, right: i64) -> Result<i64, String> {
    let quotient = two(Operator::Divide, left, right)?;
    let rest = two(Operator::Remainder, left, right)?;
    two(Operator::Add, quotient, i64::from(rest > 0))
}

/// How far divisors are looked for.
const DIVISOR_MAX: i64 = 1 << 16;

fn divisor(of: i64, most: i64) -> Result<i64, String> {
    if of < 1 || !(1..=DIVISOR_MAX).contains(&most) {
        return Err(format!("a divisor of {of} up to {most} cannot be told"));
    }
    Ok((1..=most).rev().find(|size| of % size == 0).unwrap_or(1))
}

/// The real number that an operand of `f32` and its like comes to: `/` does not round there.
fn real(part: &Part, name: &dyn Fn(&str) -> Meaning) -> Result<f64, Wrong> {
    match &part.node {
        Node::Number(number) => Ok(*number as f64),
        Node::Real(real) => Ok(*real),
        Node::Name(text) => Ok(meaning(part, text, name)? as f64),
        Node::Negative(inner) => Ok(-real(inner, name)?),
        Node::Two(operator, left, right) => {
            let (left, right) = (real(left, name)?, real(right, name)?);
            Ok(match operator {
                Operator::Add => left + right,
                Operator::Subtract => left - right,
                Operator::Multiply => left * right,
                Operator::Divide => left / right,
                Operator::Remainder => left % right,
            })
        }
        Node::Call(..) => Ok(whole(part, name)? as f64),
    }
}
