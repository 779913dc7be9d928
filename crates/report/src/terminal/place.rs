//! A wrong place in a file that the user wrote: the line, a caret, and what would be right.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Snippet};

use super::Paint;
use crate::record::Place;
use crate::source;

/// The place as text.
pub(super) fn place(place: &Place, paint: Paint) -> String {
    let mut group = Group::with_title(Level::ERROR.primary_title(&place.message));
    let text = source::read(&place.file);
    let span = text.as_deref().and_then(|text| span(text, place));
    group = match text.zip(span) {
        Some((text, span)) => {
            let annotation = AnnotationKind::Primary.span(span);
            group.element(Snippet::source(text).path(&place.file).annotation(annotation))
        }
        None => {
            let (line, column) = (place.line as usize, place.column as usize);
            group.element(Origin::path(&place.file).line(line).char_column(column))
        }
    };
    if let Some(help) = &place.help {
        group = group.element(Level::HELP.message(help));
    }
    format!("{}\n", paint.renderer().render(&[group]))
}

/// The bytes of the text that are meant; none if the file has no such line.
fn span(text: &str, place: &Place) -> Option<Range<usize>> {
    let line_index = usize::try_from(place.line).ok()?.checked_sub(1)?;
    let line = text.split_inclusive('\n').nth(line_index)?;
    let start: usize = text.split_inclusive('\n').take(line_index).map(str::len).sum();
    let last = line.trim_end().len();
    let byte = |characters: u32| {
        let mut indices = line.char_indices().map(|(index, _)| index);
        indices.nth(characters as usize).unwrap_or(last).min(last)
    };
    let column = place.column.saturating_sub(1);
    let (from, to) = (byte(column), byte(column.saturating_add(place.width.max(1))));
    Some(start + from..start + to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: u32, column: u32, width: u32, expected: Option<&str>) {
        let text = "#include  \n  é = 1;\t\n\n";
        let (file, message) = ("a.cpp".to_owned(), "wrong".to_owned());
        let place = Place { file, line, column, width, message, help: None };
        assert_eq!(span(text, &place).map(|span| &text[span]), expected);
    }

    #[test]
    fn a_place_is_within_its_line() {
        check(2, 3, 0, Some("é"));
        check(2, 3, 3, Some("é ="));
        check(2, 3, 99, Some("é = 1;"));
        for column in [0, 1] {
            check(1, column, 1, Some("#"));
        }
        // White space at the end of a line is not drawn.
        for column in [9, 10, 11, 12, 99, u32::MAX] {
            check(1, column, 2, Some(""));
        }
        check(3, 1, 1, Some(""));
        check(4, 1, 1, None);
        check(0, 0, 0, None);
    }
}
