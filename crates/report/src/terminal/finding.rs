//! One finding: title, marked lines, facts, help, whose fault it is, and how to have it again.

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Snippet};

use super::{Paint, source};
use crate::record::{Finding, Mark};

/// Columns of a line of source with its label.
const COLUMNS: usize = 160;

/// The finding as text; `replay` is the command that makes the same run again, if there is one.
pub fn finding(finding: &Finding, replay: &str, paint: Paint) -> String {
    let title = Level::ERROR.primary_title(&finding.title).id(&finding.id);
    let mut group = Group::with_title(title);
    for (file, marks) in by_file(&finding.marks) {
        group = group.elements(place(file, marks));
    }
    if let Some(program) = &finding.program {
        group = group.element(Level::NOTE.with_name("program").message(program));
    }
    group = group.elements(finding.facts.iter().map(|fact| line(Level::NOTE, fact)));
    for title in &finding.consequences {
        group = group.element(Level::NOTE.with_name("consequence").message(title));
    }
    if let Some(help) = &finding.help {
        group = group.element(Level::HELP.message(help));
    }
    group = group.element(Level::NOTE.with_name("blame").message(blame(finding)));
    if !replay.is_empty() {
        group = group.element(Level::NOTE.with_name("replay").message(replay));
    }
    format!("{}\n", paint.renderer().term_width(COLUMNS).render(&[group]))
}

/// A mark with the label that is drawn.
type Labelled<'a> = (&'a Mark, String);

/// The marks by file, each file where it first occurs. Steps of processors are numbered in
/// causal order if there are several; lines of the host are not steps.
fn by_file(marks: &[Mark]) -> Vec<(&str, Vec<Labelled<'_>>)> {
    let steps = marks.iter().filter(|mark| mark.processor.is_some()).count();
    let mut step = 0;
    let mut files: Vec<(&str, Vec<Labelled<'_>>)> = Vec::new();
    for mark in marks {
        let is_step = mark.processor.is_some() && steps > 1;
        step += usize::from(is_step);
        let label = if is_step { format!("({step}) {}", mark.role) } else { mark.role.clone() };
        match files.iter_mut().find(|(file, _)| *file == mark.file) {
            Some((_, here)) => here.push((mark, label)),
            None => files.push((&mark.file, vec![(mark, label)])),
        }
    }
    files
}

/// Marks of one file over its lines; without the lines if they cannot be read.
fn place<'a>(file: &'a str, marks: Vec<Labelled<'a>>) -> Vec<Element<'a>> {
    let text = source::read(file);
    let spans = text.as_ref().map(|text| marks.iter().map(|(mark, _)| source::span(text, mark)));
    let spans: Option<Vec<_>> = spans.and_then(Iterator::collect);
    let Some((text, spans)) = text.zip(spans) else {
        return marks.into_iter().flat_map(origin).collect();
    };
    let annotation = |((mark, label), span): (Labelled<'a>, _)| {
        let is_step = mark.processor.is_some();
        let kind = if is_step { AnnotationKind::Primary } else { AnnotationKind::Context };
        kind.span(span).label(label)
    };
    let annotations = marks.into_iter().zip(spans).map(annotation);
    vec![Snippet::source(text).path(file).annotations(annotations).into()]
}

/// A mark whose line cannot be read, or that no line caused.
fn origin<'a>((mark, label): Labelled<'a>) -> Vec<Element<'a>> {
    let role = Level::NOTE.no_name().message(label).into();
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

fn blame(finding: &Finding) -> String {
    let more = finding.count.saturating_sub(1);
    let cores = if more == 1 { "core" } else { "cores" };
    let blame = finding.blame.name();
    match more {
        0 => blame.to_owned(),
        more => format!("{blame}; {more} more {cores} at the same place"),
    }
}
