//! A tree of C++ kernels: how many compile, what is wanted most, and what is not served.

use std::collections::BTreeMap;

use annotate_snippets::renderer::AnsiColor;

use super::{Paint, table};
use crate::record::{Corpus, CorpusOpStrings, CorpusRole};

/// Names that are shown of each role; JSON has all.
const NAMES_SHOWN: usize = 20;

/// What `tilewright corpus` shows.
pub fn corpus(corpus: &Corpus, paint: Paint) -> String {
    let roles = [("compute", &corpus.compute), ("dataflow", &corpus.dataflow)];
    let head = ["kernels", "total", "refused", "servable", "compile", "of servable", "of all"];
    let rows: Vec<Vec<String>> = roles.iter().map(|(name, role)| row(name, role)).collect();
    let mut text = table(paint, &head, &rows, &[1, 2, 3, 4, 5, 6]);
    text += &op_strings(corpus, paint);
    for (name, role) in roles {
        text += &counts(paint, &format!("not served, {name}"), &role.refused, usize::MAX);
        text += &counts(paint, &format!("missing, {name}"), &role.missing, NAMES_SHOWN);
    }
    let note = paint.bold(AnsiColor::Yellow, "note");
    text + &format!("\n {note}: {}\n", corpus.note)
}

fn row(name: &str, role: &CorpusRole) -> Vec<String> {
    let servable = role.servable();
    let shares = [servable, role.total].map(|all| share(role.compiles, all));
    let numbers = [role.total, role.total - servable, servable, role.compiles];
    let numbers = numbers.iter().map(usize::to_string);
    std::iter::once(name.to_owned()).chain(numbers).chain(shares).collect()
}

fn share(part: usize, all: usize) -> String {
    match all {
        0 => "none".to_owned(),
        _ => format!("{:.1} %", 100.0 * part as f64 / all as f64),
    }
}

/// Operations that hosts inject, a line for each file.
fn op_strings(corpus: &Corpus, paint: Paint) -> String {
    if corpus.op_strings.is_empty() {
        return String::new();
    }
    let head = ["operations injected by", "calls", "served", "of calls"];
    let row = |it: &CorpusOpStrings| {
        let numbers = [it.total.to_string(), it.served.to_string(), share(it.served, it.total)];
        std::iter::once(it.file.clone()).chain(numbers).collect()
    };
    let rows: Vec<Vec<String>> = corpus.op_strings.iter().map(row).collect();
    format!("\n{}", table(paint, &head, &rows, &[1, 2, 3]))
}

/// A list of names with their counts, the highest first.
fn counts(paint: Paint, title: &str, all: &BTreeMap<String, usize>, shown: usize) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut sorted: Vec<(&String, &usize)> = all.iter().collect();
    sorted.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let mut text = format!("\n{}\n", paint.strong(title));
    for (name, count) in sorted.iter().take(shown) {
        text += &format!("{count:>6}  {name}\n");
    }
    if sorted.len() > shown {
        text += &format!("        and {} more; --json has all\n", sorted.len() - shown);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::corpus;
    use crate::record::{Corpus, CorpusOpStrings, CorpusRole};
    use crate::terminal::Paint;

    #[test]
    fn the_most_wanted_name_comes_first() {
        let missing = [("a_tile", 1), ("b_tile", 3)].map(|(name, count)| (name.to_owned(), count));
        let role = CorpusRole {
            total: 10,
            compiles: 4,
            missing: missing.into(),
            refused: [("fabric".to_owned(), 2)].into(),
        };
        let strings = CorpusOpStrings {
            file: "unary_op_utils.cpp".to_owned(),
            total: 8,
            served: 6,
            missing: vec!["erf_tile(0);".to_owned(), "i0_tile(0);".to_owned()],
        };
        let (op_strings, note) = (vec![strings], "assumed".to_owned());
        let record = Corpus { compute: role, op_strings, note, ..Corpus::default() };
        let text = corpus(&record, Paint::Plain);
        for share in ["50.0 %", "40.0 %", "75.0 %"] {
            assert!(text.contains(share), "{text}");
        }
        assert!(text.contains("     3  b_tile\n     1  a_tile\n"), "{text}");
        assert!(text.contains("     2  fabric\n"), "{text}");
    }
}
