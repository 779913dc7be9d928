//! Names that a manifest gives: they must be usable in expressions and in C++.

use super::at::At;
use super::document::Document;
use super::problem::{Problem, Problems};
use super::scope::OWN_NAMES;

/// Letters, digits and underscores, no digit first.
pub(super) fn check(name: &At<String>) -> Result<(), Problem> {
    let belongs = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let is_right = name.value.chars().all(belongs)
        && name.value.starts_with(|first: char| !first.is_ascii_digit());
    if is_right {
        return Ok(());
    }
    let message = format!("`{}` cannot be a name", name.value);
    Err(Problem::new(name.span.clone(), message)
        .help("use letters, digits and underscores, no digit first"))
}

/// Values may not hide the names that every manifest has.
pub(super) fn check_values(document: &Document, problems: &mut Problems) {
    for name in document.values.keys() {
        problems.keep(check(name));
        if let Some((own, about)) = OWN_NAMES.iter().find(|(own, _)| *own == name.value) {
            let message = format!("a value cannot be called `{own}`: that is {about}");
            problems.add(Problem::new(name.span.clone(), message));
        }
    }
}
