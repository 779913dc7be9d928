//! Who would notice a mistake? The LayerNorm kernels are right; here each of their calls is left
//! out or made wrong, one at a time, and each buffer and argument, and the run is watched and its
//! outputs are judged. At least nine in ten changes must be noticed, and every one that is not
//! must be explained below.
//!
//! `TILEWRIGHT_MUTATIONS=1` prints every change and who noticed it.

#![allow(clippy::print_stdout, reason = "prints its table when asked")]

mod explained;
mod trial;

use std::collections::BTreeMap;

use trial::{Case, Noticed, Trial};

/// Several rows of tiles on each core, rows of several blocks, and cores that share the sums over
/// rows.
const CASES: [Case; 6] = [
    Case { operation: "layernorm-fw", path: "row", shape: "1x1x200x198", cores: 2 },
    Case { operation: "layernorm-fw", path: "block", shape: "1x1x200x198", cores: 2 },
    Case { operation: "layernorm-bw", path: "row", shape: "1x1x200x102", cores: 4 },
    Case { operation: "layernorm-bw", path: "block", shape: "1x1x104x230", cores: 2 },
    Case { operation: "layernorm-rm", path: "row", shape: "1x1x192x224", cores: 2 },
    Case { operation: "layernorm-rm", path: "block", shape: "1x1x192x224", cores: 2 },
];

#[test]
fn nine_in_ten_mistakes_are_noticed_and_the_others_are_explained() {
    let mut totals: BTreeMap<&str, usize> = BTreeMap::new();
    let mut silent: Vec<Trial> = Vec::new();
    for case in CASES {
        for trial in case.trials() {
            if std::env::var_os("TILEWRIGHT_MUTATIONS").is_some() {
                println!("{trial}");
            }
            *totals.entry(trial.noticed.name()).or_default() += 1;
            if trial.noticed == Noticed::Neither {
                silent.push(trial);
            }
        }
    }
    println!("{totals:?}");
    let all: usize = totals.values().sum();
    assert!(all >= 30, "{totals:?}");
    assert!(silent.len() * 10 <= all, "{totals:?}");
    let unexplained: Vec<String> = silent
        .iter()
        .filter(|trial| explained::reason(trial).is_none())
        .map(Trial::to_string)
        .collect();
    assert!(unexplained.is_empty(), "nobody noticed:\n{}", unexplained.join("\n"));
    for it @ (line, change, _) in explained::EXPLAINED {
        let still = silent.iter().any(|trial| explained::is_it(trial, it));
        assert!(still, "`{line}`, {change}: is noticed now, or gone");
    }
}
