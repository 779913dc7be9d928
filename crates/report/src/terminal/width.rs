//! Text for a terminal of few columns: tables that are too wide are drawn otherwise, and long lines
//! are broken between words. Lines of source stay whole, so that marks stay below what they mark.

use comfy_table::{CellAlignment, ContentArrangement, Table};

use super::Paint;

/// Tables of at most so many columns have text in them, which can be broken.
const TEXT_COLUMNS: usize = 4;

/// A table without borders: a head, rows, and the columns whose numbers align to the right.
pub(super) fn table(paint: Paint, head: &[&str], rows: &[Vec<String>], right: &[usize]) -> String {
    let whole = drawn(head, rows, right, None);
    let widest = whole.lines().map(width).max().unwrap_or(0);
    match paint.columns() {
        Some(columns) if widest > usize::from(columns) => {
            if head.len() <= TEXT_COLUMNS {
                drawn(head, rows, right, Some(columns))
            } else {
                listed(head, rows)
            }
        }
        Some(_) | None => whole,
    }
}

fn drawn(head: &[&str], rows: &[Vec<String>], right: &[usize], columns: Option<u16>) -> String {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING).set_header(head.to_vec());
    if let Some(columns) = columns {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(columns);
    }
    for row in rows {
        table.add_row(row.clone());
    }
    for column in right {
        if let Some(column) = table.column_mut(*column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The rows one after the other, a line for each cell.
fn listed(head: &[&str], rows: &[Vec<String>]) -> String {
    let names = head.iter().map(|name| width(name)).max().unwrap_or(0);
    let cell = |(name, cell): (&&str, &String)| format!(" {name:<names$}  {cell}\n");
    let row = |row: &Vec<String>| head.iter().zip(row).map(cell).collect::<String>();
    rows.iter().map(row).collect::<Vec<_>>().join("\n")
}

/// The text with its long lines broken, and what follows moved in as far as they begin.
pub fn wrapped(text: &str, columns: u16) -> String {
    let columns = usize::from(columns);
    let line = |line: &str| match width(line) > columns && !is_source(line) {
        true => broken(line, columns),
        false => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

fn broken(line: &str, columns: usize) -> String {
    let seen = without_codes(line);
    let words = seen.trim_start();
    let indent = seen.len() - words.len() + if words.starts_with("= ") { 2 } else { 0 };
    let (mut text, mut used) = (String::new(), 0);
    for word in line.split_inclusive(' ') {
        if used > indent && used + width(word.trim_end()) > columns {
            text.truncate(text.trim_end().len());
            text += &format!("\n{:indent$}", "");
            used = indent;
        }
        text += word;
        used += width(word);
    }
    text + "\n"
}

/// Whether a line shows source, or marks it: a number and a bar, or a bar alone.
fn is_source(line: &str) -> bool {
    let seen = without_codes(line);
    let rest = seen.trim_start().trim_start_matches(|it: char| it.is_ascii_digit());
    rest.trim_start().starts_with('|')
}

fn width(text: &str) -> usize {
    without_codes(text).chars().count()
}

/// What is seen of a text: colour codes are not.
fn without_codes(text: &str) -> String {
    let mut is_code = false;
    let is_seen = |it: &char| {
        let was_code = is_code;
        is_code = if is_code { *it != 'm' } else { *it == '\u{1b}' };
        !was_code && !is_code
    };
    text.chars().filter(is_seen).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NARROW: Paint = Paint::Terminal { columns: 30, is_coloured: false };

    fn rows(columns: usize) -> Vec<Vec<String>> {
        vec![(0..columns).map(|it| format!("value {it} of some length")).collect()]
    }

    #[test]
    fn tables_fit() {
        for columns in 1..=9 {
            let head = vec!["name"; columns];
            let text = table(NARROW, &head, &rows(columns), &[]);
            assert!(text.lines().all(|line| width(line) <= 30), "{columns}\n{text}");
            assert_eq!(text.matches("of").count(), columns, "{text}");
        }
    }

    #[test]
    fn what_fits_and_what_has_no_width_is_left_alone() {
        let (head, rows) = (["name"; 2], rows(2));
        let plain = table(Paint::Plain, &head, &rows, &[]);
        assert_eq!(
            plain,
            " name                    name\n value 0 of some length  value 1 of some length\n"
        );
        let wide = Paint::Terminal { columns: 200, is_coloured: true };
        assert_eq!(table(wide, &head, &rows, &[]), plain);
    }

    #[test]
    fn lines_are_broken_between_words_and_source_is_not() {
        let said = "   = proof: one two three four\n";
        assert_eq!(wrapped(said, 20), "   = proof: one two\n     three four\n");
        let source = "12 |     let x = some_long_call();\n   |             ^^^^ here\n";
        assert_eq!(wrapped(source, 12), source);
        let source = "\u{1b}[1m12\u{1b}[0m \u{1b}[94m|\u{1b}[0m     let x = some_long_call();\n";
        assert_eq!(wrapped(source, 12), source);
        let coloured = "\u{1b}[1mone\u{1b}[0m two";
        assert_eq!(wrapped(coloured, 7), format!("{coloured}\n"));
        assert_eq!(wrapped("a_word_that_is_longer_than_it", 10), "a_word_that_is_longer_than_it\n");
    }
}
