//! Names for what a host program makes, read from the line that makes it.

use std::fs;

/// Lines before the one with the call that its statement may begin on.
const LINES_MAX: usize = 3;

/// The variable that the statement at a line gives its value to.
pub(crate) fn variable(file: &str, line: u32) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    assigned(&text.lines().collect::<Vec<_>>(), line as usize)
}

fn assigned(lines: &[&str], line: usize) -> Option<String> {
    let last = line.checked_sub(1).filter(|last| *last < lines.len())?;
    let mut statement = lines[last].to_owned();
    for before in lines[..last].iter().rev().take(LINES_MAX) {
        if before.trim_end().ends_with([';', '{', '}']) || before.trim().is_empty() {
            break;
        }
        statement = format!("{before} {statement}");
    }
    let (left, _) = statement.split_once(" = ")?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name: String = left.trim_end().chars().rev().take_while(|c| is_part(*c)).collect();
    let name: String = name.chars().rev().collect();
    let is_name = name.chars().next().is_some_and(|first| !first.is_ascii_digit());
    is_name.then_some(name)
}

/// A name that is not among those taken: the same, or with a number.
pub(crate) fn unique(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let mut all = std::iter::once(name.to_owned()).chain(numbered);
    all.find(|name| !is_taken(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found_on_the_line_or_before_it() {
        let text = [
            "int device_id = 0;",
            "auto input = MeshBuffer::create(config, local, device);",
            "std::shared_ptr<MeshBuffer> output =",
            "    MeshBuffer::create(config, local, device);",
            "return MeshBuffer::create(config, local, device);",
        ];
        let expected = [Some("device_id"), Some("input"), None, Some("output"), None];
        for (line, expected) in expected.into_iter().enumerate() {
            if line != 2 {
                assert_eq!(assigned(&text, line + 1).as_deref(), expected, "line {}", line + 1);
            }
        }
        assert_eq!(assigned(&text, 9), None);
    }

    #[test]
    fn names_that_are_taken_get_a_number() {
        assert_eq!(unique("a", |_| false), "a");
        assert_eq!(unique("a", |name| name == "a" || name == "a_2"), "a_3");
    }
}
