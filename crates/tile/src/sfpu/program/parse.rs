//! The notation of programs, read into a tree.
//!
//! ```text
//! fn twice(v) { return add(v, v) }          # expanded where it is called
//! op name_tile<A|B>(scalar) i32 {           # templates; scalars; mode of loads and stores
//!     only blackhole                        # if there is evidence for one chip alone
//!     init 0.5, 2.0                         # k12, k13, k14: what the init call leaves
//!     blackhole init 2.0                    # another chip's, if they differ
//!     a = fma(x, k12, scalar)               # x, y, z: the operand tiles
//!     if sub(a, 1.0) >= 0 and x < 0 { a = twice(a) } else { a = 0 }
//!     bf16 { a = round_bf16(a) }            # only with a 16-bit Dst
//!     blackhole { a = arecip(a) }           # only on that chip
//!     store a
//! }
//! ```
//!
//! A number with a point is a float, any other an integer; both are bit patterns of a lane.

use std::fmt;

use crate::Chip;

/// A file of programs.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) subroutines: Vec<Subroutine>,
    pub(super) definitions: Vec<Definition>,
}

/// Statements that a call expands to.
#[derive(Debug)]
pub(super) struct Subroutine {
    pub(super) name: String,
    pub(super) parameters: Vec<String>,
    pub(super) body: Vec<Statement>,
    pub(super) result: Expression,
}

/// A function of the vector unit.
#[derive(Debug)]
pub(super) struct Definition {
    pub(super) name: String,
    pub(super) scalars: Vec<String>,
    pub(super) mode: String,
    /// The chip that it is known on, if there is only one.
    pub(super) only_on: Option<Chip>,
    /// On Wormhole and on Blackhole.
    pub(super) constants: [Constants; 2],
    pub(super) body: Vec<Statement>,
}

/// What an init call leaves, with a 16-bit Dst and with a 32-bit Dst.
pub(super) type Constants = [Vec<Option<u32>>; 2];

#[derive(Debug)]
pub(super) enum Statement {
    Assign(String, Expression),
    /// A mode, or none for the definition's own.
    Store(Option<String>, Expression),
    If(Condition, Vec<Statement>, Vec<Statement>),
    /// Only for 16-bit Dst, or only for 32-bit Dst.
    Narrow(Vec<Statement>),
    Wide(Vec<Statement>),
    /// Only on one chip.
    On(Chip, Vec<Statement>),
}

#[derive(Debug)]
pub(super) enum Expression {
    Word(u32),
    Name(String),
    Call(String, Vec<Expression>),
    /// A tile, and a mode or none for the definition's own.
    Load(usize, Option<String>),
}

#[derive(Debug)]
pub(super) enum Condition {
    /// A lane as a signed integer against zero.
    Test(Expression, Relation),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
}

/// What is wrong with a text, and in which line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ParseError {
    pub(super) line: usize,
    pub(super) message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// Reads a text.
pub(super) fn parse(text: &str) -> Result<File, ParseError> {
    let mut parser = Parser { tokens: tokens(text), at: 0 };
    let mut file = File::default();
    while let Some(token) = parser.next() {
        match token {
            "fn" => file.subroutines.push(parser.subroutine()?),
            "op" => file.definitions.push(parser.definition()?),
            other => return Err(parser.error(format!("`{other}` instead of `op` or `fn`"))),
        }
    }
    Ok(file)
}

/// Words and signs with their lines; comments run from `#` to the end of a line.
fn tokens(text: &str) -> Vec<(usize, &str)> {
    let mut tokens = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut rest = line.split('#').next().unwrap_or("").trim_start();
        while !rest.is_empty() {
            let length = token_length(rest, tokens.last().map(|(_, token)| *token));
            tokens.push((number + 1, &rest[..length]));
            rest = rest[length..].trim_start();
        }
    }
    tokens
}

fn token_length(rest: &str, before: Option<&str>) -> usize {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    if before == Some("op") {
        // A template belongs to the name.
        return rest.find([' ', '(', '{']).unwrap_or(rest.len());
    }
    if rest.starts_with(word) || rest.starts_with('-') {
        let end = rest[1..].find(|c| !word(c)).map_or(rest.len(), |at| at + 1);
        return end;
    }
    let double = ["<=", ">=", "==", "!="].iter().any(|sign| rest.starts_with(sign));
    if double { 2 } else { 1 }
}

struct Parser<'a> {
    tokens: Vec<(usize, &'a str)>,
    at: usize,
}

impl<'a> Parser<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let (_, token) = self.tokens.get(self.at)?;
        self.at += 1;
        Some(token)
    }

    fn peek(&self) -> &'a str {
        self.tokens.get(self.at).map_or("", |(_, token)| token)
    }

    fn take(&mut self, wanted: &str) -> bool {
        let found = self.peek() == wanted;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, wanted: &str) -> Result<(), ParseError> {
        match self.take(wanted) {
            true => Ok(()),
            false => Err(self.error(format!("`{}` instead of `{wanted}`", self.peek()))),
        }
    }

    fn error(&self, message: String) -> ParseError {
        let at = self.at.min(self.tokens.len().saturating_sub(1));
        ParseError { line: self.tokens.get(at).map_or(0, |(line, _)| *line), message }
    }

    fn name(&mut self) -> Result<String, ParseError> {
        match self.next() {
            Some(name) if name.starts_with(|c: char| c.is_ascii_alphabetic()) => Ok(name.into()),
            other => Err(self.error(format!("`{}` is not a name", other.unwrap_or("")))),
        }
    }

    fn names(&mut self) -> Result<Vec<String>, ParseError> {
        let mut names = Vec::new();
        self.expect("(")?;
        while !self.take(")") {
            names.push(self.name()?);
            self.take(",");
        }
        Ok(names)
    }

    fn subroutine(&mut self) -> Result<Subroutine, ParseError> {
        let name = self.name()?;
        let parameters = self.names()?;
        self.expect("{")?;
        let mut body = Vec::new();
        while !self.take("return") {
            body.push(self.statement()?);
        }
        let result = self.expression()?;
        self.expect("}")?;
        Ok(Subroutine { name, parameters, body, result })
    }

    fn definition(&mut self) -> Result<Definition, ParseError> {
        let name = self.name()?;
        let scalars = if self.peek() == "(" { self.names()? } else { Vec::new() };
        let mode = if self.peek() == "{" { "float".to_owned() } else { self.name()? };
        self.expect("{")?;
        let only_on = if self.take("only") { Some(self.chip()?) } else { None };
        let wormhole = if self.take("init") { self.init()? } else { Default::default() };
        let blackhole = if self.takes_blackhole_init() { self.init()? } else { wormhole.clone() };
        let constants = [wormhole, blackhole];
        Ok(Definition { name, scalars, mode, only_on, constants, body: self.block()? })
    }

    fn chip(&mut self) -> Result<Chip, ParseError> {
        match self.next() {
            Some("wormhole") => Ok(Chip::Wormhole),
            Some("blackhole") => Ok(Chip::Blackhole),
            other => Err(self.error(format!("`{}` is not a chip", other.unwrap_or("")))),
        }
    }

    fn takes_blackhole_init(&mut self) -> bool {
        let next = self.tokens.get(self.at + 1).map(|(_, token)| *token);
        let found = self.peek() == "blackhole" && next == Some("init");
        self.at += 2 * usize::from(found);
        found
    }

    /// The constants of both widths, or of each of them.
    fn init(&mut self) -> Result<Constants, ParseError> {
        if !self.take("bf16") {
            let constants = self.constants()?;
            return Ok([constants.clone(), constants]);
        }
        let narrow = self.constants()?;
        self.expect("fp32")?;
        Ok([narrow, self.constants()?])
    }

    /// Words, or `_` for a register that init leaves alone.
    fn constants(&mut self) -> Result<Vec<Option<u32>>, ParseError> {
        let mut constants = Vec::new();
        loop {
            constants.push(if self.take("_") { None } else { Some(self.word()?) });
            if !self.take(",") {
                return Ok(constants);
            }
        }
    }

    /// Statements up to the closing brace; the opening one has been read.
    fn block(&mut self) -> Result<Vec<Statement>, ParseError> {
        let mut body = Vec::new();
        while !self.take("}") {
            body.push(self.statement()?);
        }
        Ok(body)
    }

    fn statement(&mut self) -> Result<Statement, ParseError> {
        let name = self.name()?;
        match name.as_str() {
            "bf16" | "fp32" => {
                self.expect("{")?;
                let body = self.block()?;
                Ok(if name == "bf16" { Statement::Narrow(body) } else { Statement::Wide(body) })
            }
            "wormhole" | "blackhole" => {
                self.expect("{")?;
                let chip = if name == "wormhole" { Chip::Wormhole } else { Chip::Blackhole };
                Ok(Statement::On(chip, self.block()?))
            }
            "if" => {
                let condition = self.condition()?;
                self.expect("{")?;
                let then = self.block()?;
                let otherwise = if self.take("else") {
                    self.expect("{")?;
                    self.block()?
                } else {
                    Vec::new()
                };
                Ok(Statement::If(condition, then, otherwise))
            }
            _ => match name.strip_prefix("store") {
                Some("") => Ok(Statement::Store(None, self.expression()?)),
                Some(mode) if mode.starts_with('.') => {
                    Ok(Statement::Store(Some(mode[1..].to_owned()), self.expression()?))
                }
                Some(_) | None => {
                    self.expect("=")?;
                    Ok(Statement::Assign(name, self.expression()?))
                }
            },
        }
    }

    fn condition(&mut self) -> Result<Condition, ParseError> {
        let mut condition = self.test()?;
        loop {
            if self.take("and") {
                condition = Condition::And(Box::new(condition), Box::new(self.test()?));
            } else if self.take("or") {
                condition = Condition::Or(Box::new(condition), Box::new(self.test()?));
            } else {
                return Ok(condition);
            }
        }
    }

    fn test(&mut self) -> Result<Condition, ParseError> {
        if self.take("(") {
            let condition = self.condition()?;
            self.expect(")")?;
            return Ok(condition);
        }
        let value = self.expression()?;
        let relation = match self.next() {
            Some("<") => Relation::Less,
            Some("<=") => Relation::LessOrEqual,
            Some(">") => Relation::Greater,
            Some(">=") => Relation::GreaterOrEqual,
            Some("==") => Relation::Equal,
            Some("!=") => Relation::NotEqual,
            other => {
                let message = format!("`{}` instead of a relation", other.unwrap_or(""));
                return Err(self.error(message));
            }
        };
        self.expect("0")?;
        Ok(Condition::Test(value, relation))
    }

    fn expression(&mut self) -> Result<Expression, ParseError> {
        let first = self.peek();
        if first.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            return Ok(Expression::Word(self.word()?));
        }
        let name = self.name()?;
        if !self.take("(") {
            return Ok(Expression::Name(name));
        }
        let mut arguments = Vec::new();
        while !self.take(")") {
            arguments.push(self.expression()?);
            self.take(",");
        }
        let Some(mode) = name.strip_prefix("load") else {
            return Ok(Expression::Call(name, arguments));
        };
        match (arguments.as_slice(), mode.strip_prefix('.')) {
            ([Expression::Word(tile)], mode) => {
                Ok(Expression::Load(*tile as usize, mode.map(str::to_owned)))
            }
            _ => Err(self.error("`load` takes the number of a tile".to_owned())),
        }
    }

    fn word(&mut self) -> Result<u32, ParseError> {
        let token = self.next().unwrap_or("");
        let word = if let Some(hex) = token.strip_prefix("0x") {
            u32::from_str_radix(hex, 16).ok()
        } else if token.contains('.') {
            token.parse::<f32>().ok().map(f32::to_bits)
        } else {
            token.parse::<i64>().ok().map(|number| number as u32)
        };
        word.ok_or_else(|| self.error(format!("`{token}` is not a number")))
    }
}
