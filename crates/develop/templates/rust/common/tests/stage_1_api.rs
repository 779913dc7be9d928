//! Stage 1: the API exists and is documented.

mod cases;
mod host;

/// The source of the operation.
const SOURCE: &str = include_str!("../src/operation.rs");

#[test]
fn the_package_exports_the_function() {
    cases::exported();
}

#[test]
fn the_function_is_documented() {
    let (before, _) = SOURCE
        .split_once("pub fn operation_name")
        .expect("the function");
    let lines = before
        .lines()
        .rev()
        .take_while(|line| line.starts_with("///"));
    let text: String = lines.collect();
    let is_missing = |name: &&&str| !text.contains(&format!("`{name}`"));
    let missing: Vec<_> = cases::PARAMETERS.iter().filter(is_missing).collect();
    assert!(
        missing.is_empty(),
        "the documentation does not name {missing:?}"
    );
}
