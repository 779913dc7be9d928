//! The shim's headers and this side of the table: every code means the same on both.

use std::fmt::Debug;

use tilewright_testing::enums;
use tilewright_tile::sfpu::program::functions;
use tilewright_tile::{DataFormat, Fidelity, Transpose};

use super::codes::{self, RawMath, RawUnpack, RawVector, RingPart};
use super::unit::format_code;
use super::vector::known;

const HEADER: &str = include_str!("../../shim/tilewright/abi.h");
const FORMATS: &str = include_str!("../../shim/internal/data_format.h");
const FIDELITIES: &str = include_str!("../../shim/tilewright/enums.h");

/// The enumerators of the header's enum with their values, without their common beginning.
fn enumerators(name: &str, prefix: &str) -> Vec<(String, u32)> {
    let all = enums::enumerators(HEADER, name).into_iter();
    all.map(|(word, value)| {
        let word = word.strip_prefix(prefix).unwrap_or_else(|| panic!("{word}"));
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
    RawVector::of_kind(kind, code as u8, 0).operation()
}

/// The operation of a kind that knows one of these functions.
fn vector_of_kind(kind: u32) -> Option<tilewright_machine::VectorOperation> {
    let names = ["exp_tile", "add_binary_tile", &functions()[0].name];
    let hash = |name: &str| {
        name.bytes()
            .fold(0x811c_9dc5, |hash: u32, it| (hash ^ u32::from(it)).wrapping_mul(0x0100_0193))
    };
    names.iter().find_map(|name| RawVector::of_kind(kind as u8, 0, hash(name)).operation())
}

fn ring_part(code: u32) -> Option<Box<dyn Debug>> {
    Some(match codes::ring_part(code)? {
        RingPart::Pointer(pointer) => Box::new(pointer),
        RingPart::Packed => Box::new(RingPart::Packed),
    })
}

#[test]
fn codes_mean_the_same_on_both_sides() {
    let all = enums::enum_names(HEADER);
    assert!(all.len() > 20, "{all:?}");
    all.iter().for_each(|name| compare(name));
}

/// An enum that has no arm here is a failure, so that no code goes without a comparison.
fn compare(name: &str) {
    use tilewright_machine::MathOperation as Math;
    use tilewright_machine::VectorOperation as Vector;
    match name {
        "tw_source" => same(name, "TW_SRC_", codes::source),
        "tw_argument" => same(name, "TW_ARG_", codes::argument),
        "tw_barrier" => same(name, "TW_BARRIER_", codes::barrier),
        "tw_mask" => same(name, "TW_MASK_", codes::mask),
        "tw_relu" => same(name, "TW_RELU_", |code| codes::relu(code, 0)),
        "tw_ring_part" => same(name, "TW_RING_", ring_part),
        "tw_zone" => same(name, "TW_ZONE_", codes::zone),
        "tw_noc_flag" => listed(&enumerators(name, "TW_"), codes::noc_flag::ALL),
        "tw_unpack_kind" => same(name, "TW_UNPACK_", unpack),
        "tw_transpose" => same(name, "TW_TRANSPOSE_", |code| Transpose::from_code(code as u8)),
        "tw_math_kind" => same(name, "TW_MATH_", |kind| math(kind as u8, 0, 0)),
        "tw_broadcast" => same(name, "TW_BCAST_", |code| match math(1, 0, code)? {
            Math::Broadcast { broadcast, .. } => Some(broadcast),
            other => panic!("{other:?}"),
        }),
        "tw_elementwise" => same(name, "TW_", |code| match math(2, code, 0)? {
            Math::Elementwise { op, .. } => Some(op),
            other => panic!("{other:?}"),
        }),
        "tw_pool" => same(name, "TW_POOL_", |code| match math(4, code, 0)? {
            Math::Reduce { pool, .. } => Some(pool),
            other => panic!("{other:?}"),
        }),
        "tw_reduce" => same(name, "TW_REDUCE_", |code| match math(4, 0, code)? {
            Math::Reduce { dim, .. } => Some(dim),
            other => panic!("{other:?}"),
        }),
        "tw_vector_kind" => same(name, "TW_VECTOR_", vector_of_kind),
        "tw_unary_flag" => listed(&enumerators(name, "TW_"), codes::unary_flag::ALL),
        "tw_masked" => same(name, "TW_MASKED_", |code| match vector(2, code)? {
            Vector::Masked(mask) => Some(mask),
            other => panic!("{other:?}"),
        }),
        "tw_sum" => same(name, "TW_SUM_", |code| match vector(5, code)? {
            Vector::Sum(sum) => Some(sum),
            other => panic!("{other:?}"),
        }),
        "tw_lane" => compare_lanes(),
        "tw_lane_test" => same(name, "TW_TEST_", known::test),
        "tw_vector_control" => listed(&enumerators(name, "TW_VECTOR_"), known::CONTROLS),
        other => panic!("{other} is compared with nothing"),
    }
}

fn compare_lanes() {
    let (one, more): (Vec<_>, Vec<_>) = enumerators("tw_lane", "TW_LANE_")
        .into_iter()
        .partition(|(_, code)| known::instruction(*code).is_some());
    assert!(known::instruction(one.len() as u32).is_none());
    for (word, code) in one {
        assert_eq!(known::instruction(code).map(|it| shouted(&it)), Some(word), "{code}");
    }
    listed(&more, known::LANES);
}

#[track_caller]
fn listed(theirs: &[(String, u32)], here: &[(&str, u32)]) {
    let theirs: Vec<(&str, u32)> = theirs.iter().map(|(word, code)| (&**word, *code)).collect();
    assert_eq!(theirs, here);
}

/// Generated descriptors give a buffer's formats as numbers.
#[test]
fn formats_have_the_numbers_of_the_headers() {
    let mut without = Vec::new();
    for (word, code) in enums::enumerators(FORMATS, "DataFormat") {
        match DataFormat::from_name(&word) {
            Ok(format) => assert_eq!(u32::from(format_code(format)), code, "{word}"),
            Err(_) => without.push(word),
        }
    }
    assert_eq!(without, ["Bfp8", "Bfp4", "Lf8", "Bfp2", "Invalid"], "these have no evidence");
}

/// A product's fidelity is the number of its phases, except that one phase is 0.
#[test]
fn fidelities_have_the_numbers_of_the_headers() {
    let theirs = enums::enumerators(FIDELITIES, "MathFidelity");
    assert_eq!(theirs.len(), Fidelity::ALL.len());
    for (word, code) in theirs {
        let here = Fidelity::from_name(&word).unwrap_or_else(|| panic!("{word}"));
        assert_eq!(here.phases(), code.max(1), "{word}");
    }
}
