//! Values that programs tend not to expect: limits of number types, odd text, odd paths.

use super::random::Random;

/// Whole numbers, most of them beside the limit of something.
const WHOLE: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "-1",
    "7",
    "15",
    "16",
    "17",
    "31",
    "32",
    "33",
    "63",
    "64",
    "65",
    "255",
    "256",
    "65535",
    "65536",
    "1048577",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "-2147483648",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "0x7fffffff",
    "1_000",
    "007",
];

/// Other numbers, and what is not one.
const REAL: &[&str] = &["0.5", "-0.0", "1e-400", "1e308", "1e400", "nan", "-nan", "inf", "-inf"];

/// Text in place of a name, a path or an expression.
const TEXT: &[&str] = &[
    "",
    " ",
    ".",
    "..",
    "/",
    "-",
    "--",
    "~",
    "*",
    "\\",
    "%s%n",
    "$(id)",
    "a b",
    "\t",
    "é漢字𝄞",
    "no-such-file",
    "no-such-file.npy",
    "/dev/zero",
    "/dev/full",
    "/dev/null",
    "/proc/self/mem",
    "x",
    "x.npy",
    "program.toml",
    "reader.cpp",
    "tensor.x.accessor",
    "tensor..address",
    "core",
    "core.index",
    "start + count * 4294967296",
    "1/0",
    "1 % 0",
    "0 - 9223372036854775807 - 2",
    "divisor(0, 0)",
    "round_up(1, 0)",
    "ceil_div(1, 0)",
    "f32(1e999)",
    "bf16_pair(x)",
    "min(1)",
    "min(1, 2, 3)",
    "((((",
    "))))",
    "1 +",
    "0x",
    "x'y\"z",
    "group_1",
    "(0,0)-(7,7)",
    "(7,7)-(0,0)",
    "(0,0)-(99,99)",
    "(0,0), (0,0)",
    "fp32",
    "uint32",
    "compute",
    "uniform",
    "special",
    "\u{feff}",
];

/// A whole number, as text.
pub fn whole(random: &mut Random) -> String {
    random.of_these(WHOLE).to_owned()
}

/// Any number, as text.
pub fn number(random: &mut Random) -> String {
    match random.below(4) {
        0 => random.of_these(REAL).to_owned(),
        _ => whole(random),
    }
}

/// Text, seldom very long or deeply nested.
pub fn text(random: &mut Random) -> String {
    match random.below(24) {
        0 => "x".repeat(100_000),
        1 => format!("{}1{}", "(".repeat(20_000), ")".repeat(20_000)),
        2 => "1+".repeat(20_000),
        _ => random.of_these(TEXT).to_owned(),
    }
}

/// A value of TOML of any kind.
pub fn toml_value(random: &mut Random) -> String {
    match random.below(8) {
        0 | 1 => number(random),
        2 | 3 => format!("{:?}", text(random)),
        4 => "[]".to_owned(),
        5 => "{}".to_owned(),
        6 => random.of_these(&["true", "1979-05-27", "[[]]", "[1, 2, 3]", "{ a = 1 }"]).to_owned(),
        _ => format!("{}{}", "[".repeat(random.below(300)), "]".repeat(random.below(300))),
    }
}
