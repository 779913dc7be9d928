//! `shim/tilewright/abi.h` and this side of the table: every code means the same on both.

use std::fmt::Debug;

use super::codes::{self, RawMath, RawUnpack, RawVector};
use super::vector::known;

const HEADER: &str = include_str!("../../shim/tilewright/abi.h");

/// The enumerators of a header's enum with their values, without their common beginning.
fn enumerators(name: &str, prefix: &str) -> Vec<(String, u32)> {
    let start = format!("enum {name} {{");
    let (_, rest) = HEADER.split_once(&start).unwrap_or_else(|| panic!("there is no {start}"));
    let (body, _) = rest.split_once('}').expect("the end of the enum");
    let lines = body.lines().map(|line| line.split("//").next().unwrap_or_default());
    let text: String = lines.collect();
    let mut next = 0;
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    items
        .map(|item| {
            let (word, value) = item.split_once('=').unwrap_or((item, ""));
            let value = value.trim();
            let value = match (value.strip_prefix("0x"), value) {
                (_, "") => next,
                (Some(digits), _) => u32::from_str_radix(digits, 16).expect("a number"),
                (None, digits) => digits.parse().expect("a number"),
            };
            next = value + 1;
            let word = word.trim().strip_prefix(prefix).unwrap_or_else(|| panic!("{word}"));
            (word.to_owned(), value)
        })
        .collect()
}

/// A Rust name in the header's writing: `MinThreshold(0)` is `MIN_THRESHOLD`.
fn shouted(value: &impl Debug) -> String {
    let text = format!("{value:?}");
    let name = text.split(['(', ' ', '{']).next().unwrap_or_default();
    let mut out = String::new();
    for (index, letter) in name.char_indices() {
        if index > 0 && letter.is_uppercase() {
            out.push('_');
        }
        out.extend(letter.to_uppercase());
    }
    out
}

/// Each enumerator stands for what has its name here, and the code behind the last for nothing.
#[track_caller]
fn same<Value: Debug>(name: &str, prefix: &str, decode: impl Fn(u32) -> Option<Value>) {
    let all = enumerators(name, prefix);
    for (word, code) in &all {
        let here = decode(*code).map(|value| shouted(&value));
        assert_eq!(here.as_deref(), Some(word.as_str()), "{name}: {code}");
    }
    let end = all.iter().map(|(_, code)| code + 1).max().unwrap_or_default();
    assert!(decode(end).is_none(), "{name}: {end} stands for something here alone");
}

fn unpack(kind: u32) -> Option<impl Debug> {
    RawUnpack::of_kind(kind as u8).operation()
}

fn math(kind: u8, op: u32, broadcast: u32) -> Option<tilewright_machine::MathOperation> {
    RawMath::of_kind(kind, op as u8, broadcast as u8).operation()
}

fn vector(kind: u8, code: u32) -> Option<tilewright_machine::VectorOperation> {
    RawVector::of_kind(kind, code as u8).operation()
}

#[test]
fn codes_mean_the_same_on_both_sides() {
    use tilewright_machine::MathOperation as Math;
    use tilewright_machine::VectorOperation as Vector;
    use tilewright_tile::Transpose;
    same("tw_source", "TW_SRC_", codes::source);
    same("tw_barrier", "TW_BARRIER_", codes::barrier);
    same("tw_mask", "TW_MASK_", codes::mask);
    same("tw_relu", "TW_RELU_", |code| codes::relu(code, 0));
    same("tw_unpack_kind", "TW_UNPACK_", unpack);
    same("tw_transpose", "TW_TRANSPOSE_", |code| Transpose::from_code(code as u8));
    same("tw_math_kind", "TW_MATH_", |kind| math(kind as u8, 0, 0));
    same("tw_broadcast", "TW_BCAST_", |code| match math(1, 0, code)? {
        Math::Broadcast { broadcast, .. } => Some(broadcast),
        other => panic!("{other:?}"),
    });
    same("tw_elementwise", "TW_", |code| match math(2, code, 0)? {
        Math::Elementwise { op, .. } => Some(op),
        other => panic!("{other:?}"),
    });
    same("tw_pool", "TW_POOL_", |code| match math(4, code, 0)? {
        Math::Reduce { pool, .. } => Some(pool),
        other => panic!("{other:?}"),
    });
    same("tw_reduce", "TW_REDUCE_", |code| match math(4, 0, code)? {
        Math::Reduce { dim, .. } => Some(dim),
        other => panic!("{other:?}"),
    });
    same("tw_masked", "TW_MASKED_", |code| match vector(2, code)? {
        Vector::Masked(mask) => Some(mask),
        other => panic!("{other:?}"),
    });
    same("tw_sum", "TW_SUM_", |code| match vector(5, code)? {
        Vector::Sum(sum) => Some(sum),
        other => panic!("{other:?}"),
    });
}

#[test]
fn lane_codes_mean_the_same_on_both_sides() {
    let (one, more): (Vec<_>, Vec<_>) = enumerators("tw_lane", "TW_LANE_")
        .into_iter()
        .partition(|(_, code)| known::instruction(*code).is_some());
    assert!(known::instruction(one.len() as u32).is_none());
    for (word, code) in one {
        assert_eq!(known::instruction(code).map(|it| shouted(&it)), Some(word), "{code}");
    }
    listed(&more, known::LANES);
    listed(&enumerators("tw_vector_control", "TW_VECTOR_"), known::CONTROLS);
    same("tw_lane_test", "TW_TEST_", known::test);
}

#[track_caller]
fn listed(theirs: &[(String, u32)], here: &[(&str, u32)]) {
    let theirs: Vec<(&str, u32)> = theirs.iter().map(|(word, code)| (&**word, *code)).collect();
    assert_eq!(theirs, here);
}
