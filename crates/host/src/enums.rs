//! Enums that host programs and kernels both have: a host program gives them to its kernels as
//! numbers, among arguments and defines.

use std::collections::BTreeSet;

use tilewright_metal::cpp::HEADERS as KERNEL_HEADERS;
use tilewright_testing::enums;

use crate::HEADERS;

type Headers = &'static [(&'static str, &'static str)];

/// Every declaration of an enum, each with its enumerators.
fn declared(headers: Headers, name: &str) -> Vec<Vec<(String, u32)>> {
    let having =
        headers.iter().filter(|(_, text)| enums::enum_names(text).iter().any(|it| it == name));
    having.map(|(_, text)| enums::enumerators(text, name)).collect()
}

fn names(headers: Headers) -> BTreeSet<String> {
    headers.iter().flat_map(|(_, text)| enums::enum_names(text)).collect()
}

#[test]
fn host_programs_and_kernels_have_the_same_numbers() {
    let both: Vec<String> = names(HEADERS).intersection(&names(KERNEL_HEADERS)).cloned().collect();
    for expected in ["ArgConfig", "CBIndex", "DataFormat", "MathFidelity", "TensorMemoryLayout"] {
        assert!(both.iter().any(|name| name == expected), "{expected} is not in {both:?}");
    }
    for name in &both {
        let here = declared(HEADERS, name);
        for (word, value) in declared(KERNEL_HEADERS, name).iter().flatten() {
            // Each side may have words that the other one lacks.
            for (_, other) in here.iter().flatten().filter(|(it, _)| it == word) {
                assert_eq!(other, value, "{name}::{word}: the kernel's is the second");
            }
        }
    }
}
