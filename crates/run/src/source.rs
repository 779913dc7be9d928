//! Where a call ends in its line of source, if the line can be read.

use std::fs;

use tilewright_metal::call_text;

/// The column behind a call that starts at a place; the column itself if the line cannot be read.
pub(crate) fn end_column(file: &str, line: u32, column: u32) -> u32 {
    let text = if file.is_empty() { None } else { fs::read_to_string(file).ok() };
    let index = usize::try_from(line).ok().and_then(|line| line.checked_sub(1));
    let line = text.as_ref().zip(index).and_then(|(text, index)| text.lines().nth(index));
    line.map_or(column, |line| call_text::end(line, column))
}
