//! Every kind of finding is shown by a test.

use std::fs;
use std::path::Path;

use tilewright_check::FindingId;

#[test]
fn every_kind_of_finding_is_drawn_in_a_stored_text_or_has_a_pair() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected");
    let texts: Vec<String> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| fs::read_to_string(entry.expect("an entry").path()).expect("a text"))
        .collect();
    let pairs = include_str!("faults/pairs.rs");
    let is_drawn = |id: &FindingId| {
        let (title, pair) = (format!("error[{id}]: "), format!("id: \"{id}\""));
        texts.iter().any(|text| text.starts_with(&title)) || pairs.contains(&pair)
    };
    let missing: Vec<_> = FindingId::ALL.iter().copied().filter(|id| !is_drawn(id)).collect();
    assert!(missing.is_empty(), "no text in tests/expected shows {missing:?}");
}
