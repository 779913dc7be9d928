//! The values of a manifest that may be a number or text: expressions, arguments, cores.
//!
//! Not read through serde's untagged enums, which forget where a value stands.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};

use super::at::At;

/// A whole number, or an expression in quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expression {
    Number(i64),
    Text(String),
}

/// A runtime argument: one expression for all cores, or one for each.
#[derive(Clone, Debug)]
pub(super) enum Argument {
    One(Expression),
    PerCore(Vec<At<Expression>>),
}

/// Cores: how many, a range, a group of the split, or several of these.
#[derive(Clone, Debug)]
pub(super) enum Cores {
    One(Expression),
    Several(Vec<At<String>>),
}

/// What tiles hold beyond their values: a number, or a word.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Padding {
    Number(f32),
    Word(String),
}

struct Paddings;

impl Visitor<'_> for Paddings {
    type Value = Padding;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, or text in quotes")
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Padding, E> {
        Ok(Padding::Number(number as f32))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Padding, E> {
        Ok(Padding::Number(number as f32))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Padding, E> {
        Ok(Padding::Word(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for Padding {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Padding, D::Error> {
        deserializer.deserialize_any(Paddings)
    }
}

impl JsonSchema for Padding {
    fn schema_name() -> Cow<'static, str> {
        "Padding".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number for an input; \"zero\", \"unchanged\" or \"free\" for an \
                            output.",
            "type": ["number", "string"]
        })
    }
}

/// Reads a number, text, or a list of something.
struct Words<Item>(std::marker::PhantomData<Item>);

enum Word<Item> {
    Number(i64),
    Text(String),
    List(Vec<Item>),
}

impl<'de, Item: Deserialize<'de>> Visitor<'de> for Words<Item> {
    type Value = Word<Item>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number, or text in quotes")
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Word<Item>, E> {
        Ok(Word::Number(number))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Word<Item>, E> {
        Ok(Word::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Word<Item>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Word::List(items))
    }
}

impl<'de, Item: Deserialize<'de>> Deserialize<'de> for Word<Item> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Word<Item>, D::Error> {
        deserializer.deserialize_any(Words(std::marker::PhantomData))
    }
}

impl<'de> Deserialize<'de> for Expression {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Expression, D::Error> {
        match Word::<i64>::deserialize(deserializer)? {
            Word::Number(number) => Ok(Expression::Number(number)),
            Word::Text(text) => Ok(Expression::Text(text)),
            Word::List(_) => Err(de::Error::custom("a list where one number is needed")),
        }
    }
}

impl<'de> Deserialize<'de> for Argument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Argument, D::Error> {
        Ok(match Word::deserialize(deserializer)? {
            Word::Number(number) => Argument::One(Expression::Number(number)),
            Word::Text(text) => Argument::One(Expression::Text(text)),
            Word::List(list) => Argument::PerCore(list),
        })
    }
}

impl<'de> Deserialize<'de> for Cores {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Cores, D::Error> {
        Ok(match Word::deserialize(deserializer)? {
            Word::Number(number) => Cores::One(Expression::Number(number)),
            Word::Text(text) => Cores::One(Expression::Text(text)),
            Word::List(list) => Cores::Several(list),
        })
    }
}

impl JsonSchema for Expression {
    fn schema_name() -> Cow<'static, str> {
        "Expression".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A whole number, or an expression in quotes.",
            "type": ["integer", "string"]
        })
    }
}

impl JsonSchema for Argument {
    fn schema_name() -> Cow<'static, str> {
        "Argument".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "An expression for all cores, or a list with one for each core.",
            "type": ["integer", "string", "array"],
            "items": generator.subschema_for::<Expression>()
        })
    }
}

impl JsonSchema for Cores {
    fn schema_name() -> Cow<'static, str> {
        "Cores".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "How many cores of the grid, row by row, as a number or expression; or \
                            a range such as \"(0,0)-(3,1)\", one core such as \"(2,0)\", or a list \
                            of these.",
            "type": ["integer", "string", "array"],
            "items": { "type": "string" }
        })
    }
}
