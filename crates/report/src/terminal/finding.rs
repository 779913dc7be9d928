//! One finding: title, marked lines, facts, help, whose fault it is, and how to have it again.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Snippet};

use super::Paint;
use crate::record::{Caller, Finding};
use crate::source;

/// Columns of a line of source with its label.
const COLUMNS: usize = 160;

/// The finding as text; `replay` is the command that makes the same run again, if there is one.
pub fn finding(finding: &Finding, replay: &str, paint: Paint) -> String {
    let title = Level::ERROR.primary_title(&finding.title).id(&finding.id);
    let mut group = Group::with_title(title);
    for (file, places) in by_file(finding) {
        group = group.elements(place(file, places));
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

/// A place with the label that is drawn.
struct Shown<'a> {
    file: &'a str,
    line: u32,
    columns: Range<u32>,
    label: String,
    /// A processor was there; other places are background.
    is_step: bool,
}

/// All places of marks. A step in a helper is followed by the kernel's line that led there.
fn shown(finding: &Finding) -> Vec<Shown<'_>> {
    let mut places = Vec::new();
    for (number, mark) in finding.numbered_marks() {
        places.push(Shown {
            file: &mark.file,
            line: mark.line,
            columns: mark.column..mark.end_column,
            label: format!("{number}{}", mark.role),
            is_step: mark.processor.is_some(),
        });
        if let Some(caller) = mark.called_from.last() {
            add_caller(&mut places, caller, &number);
        }
    }
    places
}

/// Adds a line that led to a step; one that led to several is shown once.
fn add_caller<'a>(places: &mut Vec<Shown<'a>>, caller: &'a Caller, number: &str) {
    let columns = caller.column..caller.end_column;
    let known = places.iter_mut().find(|it| {
        let is_there = it.file == caller.file && it.line == caller.line && it.columns == columns;
        is_there && !it.is_step && it.label.ends_with(CALLED)
    });
    match known {
        Some(known) => {
            let earlier = known.label.trim_end_matches(CALLED).trim_end();
            known.label = format!("{earlier}, {number}{CALLED}");
        }
        None => places.push(Shown {
            file: &caller.file,
            line: caller.line,
            columns,
            label: format!("{number}{CALLED}"),
            is_step: false,
        }),
    }
}

/// What is said of a line that led to a marked one.
const CALLED: &str = "called from here";

/// The places by file, each file where it first occurs.
fn by_file(finding: &Finding) -> Vec<(&str, Vec<Shown<'_>>)> {
    let mut files: Vec<(&str, Vec<Shown<'_>>)> = Vec::new();
    for place in shown(finding) {
        match files.iter_mut().find(|(file, _)| *file == place.file) {
            Some((_, here)) => here.push(place),
            None => files.push((place.file, vec![place])),
        }
    }
    files
}

/// Places of one file over its lines; without the lines if they cannot be read.
fn place<'a>(file: &'a str, places: Vec<Shown<'a>>) -> Vec<Element<'a>> {
    let text = source::read(file);
    let span = |text: &String, it: &Shown<'_>| source::span(text, it.line, it.columns.clone());
    let spans = text.as_ref().map(|text| places.iter().map(|it| span(text, it)));
    let spans: Option<Vec<_>> = spans.and_then(Iterator::collect);
    let Some((text, spans)) = text.zip(spans) else {
        return places.into_iter().flat_map(origin).collect();
    };
    let annotation = |(place, span): (Shown<'a>, _)| {
        let is_step = place.is_step;
        let kind = if is_step { AnnotationKind::Primary } else { AnnotationKind::Context };
        kind.span(span).label(place.label)
    };
    let annotations = places.into_iter().zip(spans).map(annotation);
    vec![Snippet::source(text).path(file).annotations(annotations).into()]
}

/// A place whose line cannot be read, or that no line caused.
fn origin(place: Shown<'_>) -> Vec<Element<'_>> {
    let role = Level::NOTE.no_name().message(place.label).into();
    if place.file.is_empty() {
        return vec![role];
    }
    let (line, column) = (place.line as usize, place.columns.start as usize);
    vec![Origin::path(place.file).line(line).char_column(column).into(), role]
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
