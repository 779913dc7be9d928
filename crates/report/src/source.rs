//! Lines of source that findings point at, if they can be read.

use std::fs;
use std::ops::Range;

use tilewright_metal::call_text;

/// The text of a marked file. Files that cannot be read are drawn without their lines.
pub(crate) fn read(file: &str) -> Option<String> {
    fs::read_to_string(file).ok()
}

/// The bytes of `text` from one column of a line to another; to the end of the call if only its
/// start is known, and the line's first word if nothing is. None if the file has no such line,
/// because it is no longer the file that was compiled.
pub(crate) fn span(text: &str, line: u32, columns: Range<u32>) -> Option<Range<usize>> {
    let index = usize::try_from(line).ok()?.checked_sub(1)?;
    let before: usize = text.split_inclusive('\n').take(index).map(str::len).sum();
    let line = text.split_inclusive('\n').nth(index)?.trim_end();
    if line.is_empty() {
        return None;
    }
    let byte = |column: u32| {
        let place = usize::try_from(column).ok()?.checked_sub(1)?;
        let mut ends = line.char_indices().map(|(at, _)| at).chain([line.len()]);
        ends.nth(place)
    };
    let is_open = columns.is_empty();
    let end = if is_open { call_text::end(line, columns.start) } else { columns.end };
    let known = byte(columns.start).zip(byte(end)).filter(|(start, end)| start < end);
    let (start, end) = known.unwrap_or_else(|| {
        let word = line.trim_start();
        let start = line.len() - word.len();
        let end = word.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(word.len());
        (start, start + end.max(word.chars().next().map_or(0, char::len_utf8)))
    });
    Some(before + start..before + end)
}

#[cfg(test)]
mod tests {
    use super::span;

    #[track_caller]
    fn check(line: u32, columns: std::ops::Range<u32>, expected: Option<&str>) {
        let text = "fn k() {\n    cb.push_back(1, 2); // x\n    let \u{e9} = args.at(\n\n}\n";
        assert_eq!(span(text, line, columns).map(|span| &text[span]), expected);
    }

    #[test]
    fn columns_count_characters() {
        check(2, 8..23, Some("push_back(1, 2)"));
        check(3, 18..21, Some("at("));
    }

    #[test]
    fn a_file_that_has_changed_is_no_trouble() {
        check(2, 98..99, Some("cb"));
        check(2, 8..8, Some("push_back(1, 2)"));
        check(4, 1..2, None);
        check(9, 1..2, None);
        check(0, 0..0, None);
    }
}
