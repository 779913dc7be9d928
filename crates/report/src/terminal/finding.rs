//! One finding: title, marked lines, facts, help, whose fault it is, and how to have it again.

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use super::{Paint, source};
use crate::record::{Blame, Finding, Mark};

/// Columns of a line of source with its label.
const COLUMNS: usize = 160;

/// The finding as text; `replay` is the command that makes the same run again.
pub fn finding(finding: &Finding, replay: &str, paint: Paint) -> String {
    let title = Level::ERROR.primary_title(&finding.title).id(&finding.id);
    let mut group = Group::with_title(title);
    for marks in by_file(&finding.marks) {
        group = group.elements(place(marks, finding.marks.first()));
    }
    group = group.elements(finding.facts.iter().map(|fact| line(Level::NOTE, fact)));
    if let Some(help) = &finding.help {
        group = group.element(Level::HELP.message(help));
    }
    group = group.element(Level::NOTE.with_name("verdict").message(verdict(finding)));
    group = group.element(Level::NOTE.with_name("replay").message(replay));
    let renderer = match paint {
        Paint::Plain => Renderer::plain(),
        Paint::Colour => Renderer::styled(),
    };
    format!("{}\n", renderer.term_width(COLUMNS).render(&[group]))
}

/// Runs of marks in one file, in their order.
fn by_file(marks: &[Mark]) -> impl Iterator<Item = &[Mark]> {
    marks.chunk_by(|one, next| one.file == next.file)
}

/// Marks of one file over its lines; without the lines if they cannot be read.
fn place<'a>(marks: &'a [Mark], first: Option<&Mark>) -> Vec<Element<'a>> {
    let file = &marks[0].file;
    let text = source::read(file);
    let spans = text.as_ref().map(|text| marks.iter().map(|mark| source::span(text, mark)));
    let spans: Option<Vec<_>> = spans.and_then(Iterator::collect);
    match text.zip(spans) {
        Some((text, spans)) => {
            let annotation = |(mark, span): (&'a Mark, _)| {
                let is_first = first.is_some_and(|first| std::ptr::eq(first, mark));
                let kind = if is_first { AnnotationKind::Primary } else { AnnotationKind::Context };
                kind.span(span).label(&mark.role)
            };
            let annotations = marks.iter().zip(spans).map(annotation);
            vec![Snippet::source(text).path(file).annotations(annotations).into()]
        }
        None => marks.iter().flat_map(origin).collect(),
    }
}

/// A mark whose line cannot be read, or that no line caused.
fn origin(mark: &Mark) -> Vec<Element<'_>> {
    let role = Level::NOTE.no_name().message(&mark.role).into();
    if mark.file.is_empty() {
        return vec![role];
    }
    let (line, column) = (mark.line as usize, mark.column as usize);
    vec![Origin::path(&mark.file).line(line).char_column(column).into(), role]
}

/// A fact. What stands before its first colon is its name, if that is a word.
fn line<'a>(level: Level<'a>, fact: &'a str) -> Element<'a> {
    let is_word = |name: &str| name.chars().all(|letter| letter.is_alphabetic() || letter == ' ');
    match fact.split_once(": ") {
        Some((name, rest)) if is_word(name) => level.with_name(name).message(rest).into(),
        _ => level.no_name().message(fact).into(),
    }
}

fn verdict(finding: &Finding) -> String {
    let more = finding.count.saturating_sub(1);
    let cores = if more == 1 { "core" } else { "cores" };
    match (finding.verdict, more) {
        (Blame::KernelBug | Blame::NotModelled | Blame::SimulatorBug, 0) => {
            finding.verdict.name().to_owned()
        }
        (Blame::KernelBug | Blame::NotModelled | Blame::SimulatorBug, more) => {
            format!("{}; {more} more {cores} at the same place", finding.verdict.name())
        }
    }
}
