//! A small language for numbers: `+ - * / %`, parentheses, names with dots, and functions.
//!
//! Knows no names of its own but the functions': what a name means is its caller's.

use std::ops::Range;
use tilewright_metal::nearest;

use super::problem::Problem;

/// An expression, with the bytes of its text that each part was read from.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Number(i64),
    /// A number with a fraction; only inside `f32`, `bf16` and `bf16_pair`.
    Real(f64),
    Name(String),
    Negative(Box<Part>),
    Two(Operator, Box<Part>, Box<Part>),
    Call(Function, Vec<Part>),
}

/// A part of an expression and its place in the expression's text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) node: Node,
    pub(super) span: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Min,
    Max,
    CeilDiv,
    RoundUp,
    Divisor,
    Fp32,
    Bf16,
    Bf16Pair,
    Bf16Truncated,
}

impl Function {
    /// Every function with its name, how many operands it has, and what it gives.
    pub(super) const ALL: [(Function, &'static str, usize, &'static str); 9] = [
        (Function::Min, "min", 2, "the smaller"),
        (Function::Max, "max", 2, "the larger"),
        (Function::CeilDiv, "ceil_div", 2, "the quotient, rounded up"),
        (Function::RoundUp, "round_up", 2, "the first, rounded up to a multiple of the second"),
        (Function::Divisor, "divisor", 2, "the largest divisor of the first up to the second"),
        (Function::Fp32, "f32", 1, "the bits of a real number in fp32"),
        (Function::Bf16, "bf16", 1, "the bits of a real number in bf16, rounded to nearest"),
        (Function::Bf16Pair, "bf16_pair", 1, "those bits twice, in both halves of a word"),
        (Function::Bf16Truncated, "bf16_truncated", 1, "the upper half of the bits in fp32"),
    ];
}

/// Reads an expression. Places are relative to its text.
pub(super) fn parse(text: &str) -> Result<Part, Problem> {
    let mut reader = Reader { text, at: 0 };
    let part = reader.sum()?;
    match reader.peek() {
        None => Ok(part),
        Some(_) => Err(reader.surprise("an operator or the end")),
    }
}

/// The most parentheses inside one another; expressions are read by recursion.
const DEPTH_MAX: usize = 64;

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = self.text[self.at..].trim_start();
        self.at = self.text.len() - rest.len();
        rest.chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        if is_there {
            self.at += wanted.len_utf8();
        }
        is_there
    }

    fn surprise(&mut self, wanted: &str) -> Problem {
        match self.peek() {
            Some(found) => {
                let span = self.at..self.at + found.len_utf8();
                Problem::new(span, format!("`{found}` where {wanted} should be"))
            }
            None => {
                let end = self.text.len();
                Problem::new(end..end, format!("the expression ends where {wanted} should be"))
            }
        }
    }

    fn sum(&mut self) -> Result<Part, Problem> {
        let mut left = self.product()?;
        loop {
            let operator = match self.peek() {
                Some('+') => Operator::Add,
                Some('-') => Operator::Subtract,
                _ => return Ok(left),
            };
            self.at += 1;
            left = two(operator, left, self.product()?);
        }
    }

    fn product(&mut self) -> Result<Part, Problem> {
        let mut left = self.single()?;
        loop {
            let operator = match self.peek() {
                Some('*') => Operator::Multiply,
                Some('/') => Operator::Divide,
                Some('%') => Operator::Remainder,
                _ => return Ok(left),
            };
            self.at += 1;
            left = two(operator, left, self.single()?);
        }
    }

    fn single(&mut self) -> Result<Part, Problem> {
        match self.peek() {
            Some('(') => self.parenthesis(),
            Some('-') => {
                let start = self.at;
                self.at += 1;
                let part = self.single()?;
                let span = start..part.span.end;
                Ok(Part { node: Node::Negative(Box::new(part)), span })
            }
            Some(first) if first.is_ascii_digit() => self.number(),
            Some(first) if first.is_ascii_alphabetic() || first == '_' => self.name(),
            _ => Err(self.surprise("a number, a name or a parenthesis")),
        }
    }

    fn parenthesis(&mut self) -> Result<Part, Problem> {
        let start = self.at;
        let open = self.text[..start].matches('(').count();
        if open > DEPTH_MAX {
            let message = format!("more than {DEPTH_MAX} parentheses in one expression");
            return Err(Problem::new(start..start + 1, message));
        }
        self.at += 1;
        let mut part = self.sum()?;
        if !self.take(')') {
            return Err(self.surprise("`)`"));
        }
        part.span = start..self.at;
        Ok(part)
    }

    fn word(&mut self, belongs: impl Fn(char) -> bool) -> Range<usize> {
        let rest = &self.text[self.at..];
        let length = rest.find(|letter| !belongs(letter)).unwrap_or(rest.len());
        let span = self.at..self.at + length;
        self.at = span.end;
        span
    }

    fn number(&mut self) -> Result<Part, Problem> {
        let start = self.at;
        let mut span = self.word(|letter| letter.is_ascii_alphanumeric() || "._".contains(letter));
        // The sign of an exponent belongs to the number: 1e-5.
        let is_hex = self.text[span.clone()].starts_with("0x");
        if !is_hex && self.text[span.clone()].ends_with(['e', 'E']) && self.take('-') {
            span = start..self.word(|letter| letter.is_ascii_digit()).end;
        }
        let text = self.text[span.clone()].replace('_', "");
        let hex = text.strip_prefix("0x").map(|digits| i64::from_str_radix(digits, 16));
        let whole = hex.unwrap_or_else(|| text.parse()).map(Node::Number);
        let node = whole.or_else(|_| text.parse().map(Node::Real));
        let node = node.map_err(|_| {
            let text = &self.text[span.clone()];
            Problem::new(span.clone(), format!("`{text}` is not a number"))
        })?;
        Ok(Part { node, span })
    }

    fn name(&mut self) -> Result<Part, Problem> {
        let span = self.word(|letter| letter.is_ascii_alphanumeric() || "._".contains(letter));
        let name = self.text[span.clone()].to_owned();
        if self.take('(') {
            return self.call(&name, span);
        }
        Ok(Part { node: Node::Name(name), span })
    }

    fn call(&mut self, name: &str, span: Range<usize>) -> Result<Part, Problem> {
        let Some((function, _, wanted, _)) = Function::ALL.into_iter().find(|it| it.1 == name)
        else {
            let names = Function::ALL.map(|function| function.1);
            let problem = Problem::new(span, format!("unknown function `{name}`"));
            return Err(match nearest(name, names) {
                Some(near) => problem.help(format!("did you mean `{near}`?")),
                None => problem.help(format!("known: {}", names.join(", "))),
            });
        };
        let mut operands = vec![self.sum()?];
        while self.take(',') {
            operands.push(self.sum()?);
        }
        if !self.take(')') {
            return Err(self.surprise("`,` or `)`"));
        }
        if operands.len() != wanted {
            let message = format!("`{name}` takes {wanted}, not {}", operands.len());
            return Err(Problem::new(span.start..self.at, message));
        }
        Ok(Part { node: Node::Call(function, operands), span: span.start..self.at })
    }
}

fn two(operator: Operator, left: Part, right: Part) -> Part {
    let span = left.span.start..right.span.end;
    Part { node: Node::Two(operator, Box::new(left), Box::new(right)), span }
}
