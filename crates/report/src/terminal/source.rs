//! Lines of source that a finding points at, if they can be read.

use std::fs;
use std::ops::Range;

use crate::record::Mark;

/// The text of a marked file. Files that cannot be read are drawn without their lines.
pub(super) fn read(file: &str) -> Option<String> {
    fs::read_to_string(file).ok()
}

/// The bytes of `text` that a mark means: from its column to the end of the call there. None if
/// the file has no such line, because it is no longer the file that was compiled.
pub(super) fn span(text: &str, mark: &Mark) -> Option<Range<usize>> {
    let line_index = usize::try_from(mark.line).ok()?.checked_sub(1)?;
    let line = text.split_inclusive('\n').nth(line_index)?;
    let start: usize = text.split_inclusive('\n').take(line_index).map(str::len).sum();
    let line = line.trim_end();
    let indent = line.len() - line.trim_start().len();
    let column = usize::try_from(mark.column).unwrap_or(0).saturating_sub(1);
    let at = line.char_indices().nth(column).map_or(indent, |(at, _)| at);
    let at = call_start(line, at);
    if line.is_empty() {
        return None;
    }
    Some(start + at..start + at + call_bytes(&line[at..]))
}

fn is_path(letter: char) -> bool {
    letter.is_alphanumeric() || "_:!<>".contains(letter)
}

/// Where the call begins whose place is `at`: g++ means its parenthesis.
fn call_start(line: &str, at: usize) -> usize {
    if !line[at..].starts_with('(') {
        return at;
    }
    let before = line[..at].trim_end_matches(is_path);
    before.len()
}

/// Bytes of the call that a line begins with: a path and its arguments, or the word alone.
fn call_bytes(line: &str) -> usize {
    let path = line.find(|letter| !is_path(letter)).unwrap_or(line.len());
    if !line[path..].starts_with('(') {
        return path.max(line.chars().next().map_or(0, char::len_utf8));
    }
    let mut depth = 0;
    for (at, letter) in line.char_indices().skip_while(|(at, _)| *at < path) {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::span;
    use crate::record::Mark;

    #[track_caller]
    fn check(line: u32, column: u32, expected: Option<&str>) {
        let text = "fn k() {\n    cb.push_back(f(1), 2); // x\n    let é = args.at(\n\n}\n";
        let (file, role) = (String::new(), String::new());
        let mark = Mark { file, line, column, role, processor: None, core: None };
        assert_eq!(span(text, &mark).map(|span| &text[span]), expected);
    }

    #[test]
    fn a_mark_means_the_call_at_its_column() {
        check(2, 8, Some("push_back(f(1), 2)"));
        check(2, 5, Some("cb"));
        check(3, 18, Some("at("));
        check(2, 17, Some("push_back(f(1), 2)"));
    }

    #[test]
    fn a_file_that_has_changed_is_no_trouble() {
        check(2, 99, Some("cb"));
        check(4, 1, None);
        check(9, 1, None);
        check(0, 0, None);
    }
}
