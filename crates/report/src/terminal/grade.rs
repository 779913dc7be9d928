//! A graded test: who notices which kinds of faults, what gets past it, and what would help.

use annotate_snippets::renderer::AnsiColor;

use super::figures::{counted, value};
use super::{Paint, table};
use crate::record::{
    EquivalentFault, Grade, GradedClass, GradedFault, GradedTest, Number, TestPlan,
};

/// Faults that are listed; `--json` has all of them.
const LISTED: usize = 20;
/// Digits of errors and tolerances.
const DIGITS: usize = 3;

/// What `tilewright grade` shows.
pub fn grade(grade: &Grade, paint: Paint) -> String {
    let request = &grade.request;
    let mut text = match &grade.comparison.own {
        Some(own) => format!("{}, compared by {own}\n\n", request.operation),
        None => {
            let (name, shape, input) = (&request.operation, &request.shape, &request.input);
            format!("{name} {shape}, inputs {input}, {}\n\n", comparison(grade))
        }
    };
    text += &classes(&grade.classes, paint);
    text += &format!("\n{}\n{}\n{}\n", score(grade, paint), noticed(grade), others(grade));
    for note in &grade.notes {
        text += &format!("note: {note}\n");
    }
    text += &tests(&grade.tests, paint);
    text += &uncaught(&grade.uncaught, paint);
    text += &equivalents(&grade.equivalents, paint);
    grade.plan.iter().for_each(|it| text += &plan(it, paint));
    text
}

fn comparison(grade: &Grade) -> String {
    let comparison = &grade.comparison;
    if comparison.is_bound {
        return "compared element by element with its own bound".to_owned();
    }
    let tolerances =
        [("atol", comparison.atol), ("rtol", comparison.rtol), ("pcc", comparison.pcc)];
    let word = |(name, number): (&str, Option<Number>)| Some(format!("{name} {}", number?.0));
    let words: Vec<String> = tolerances.into_iter().filter_map(word).collect();
    format!("compared with {}", words.join(", "))
}

fn classes(classes: &[GradedClass], paint: Paint) -> String {
    let head = ["fault", "injected", "ends", "changes values", "test", "tools", "bound"];
    let row = |class: &GradedClass| {
        let counts = [
            class.injected,
            class.ended,
            class.changed,
            class.caught_by_test,
            class.caught_by_tool,
            class.caught_by_bound,
        ];
        std::iter::once(class.class.clone()).chain(counts.map(|it| it.to_string())).collect()
    };
    let rows: Vec<Vec<String>> = classes.iter().map(row).collect();
    table(paint, &head, &rows, &[1, 2, 3, 4, 5, 6])
}

fn score(grade: &Grade, paint: Paint) -> String {
    let Some(Number(score)) = grade.score else {
        return "No score: no injected fault changes a value of an output.".to_owned();
    };
    let (caught, changed) = (grade.caught_by_test, grade.changed as u64);
    let is_enough = grade.threshold.is_none_or(|least| score >= least.0);
    let colour = if is_enough { AnsiColor::Green } else { AnsiColor::Red };
    let wanted = match grade.threshold {
        Some(Number(least)) if !is_enough => format!(", below the threshold of {least}"),
        Some(Number(least)) => format!(", at least the threshold of {least}"),
        None => String::new(),
    };
    let score = paint.bold(colour, &format!("Score {score:.2}"));
    format!(
        "{score}{wanted}: the test's own comparison catches {caught} of {}.",
        counted(changed, "value-changing fault")
    )
}

fn noticed(grade: &Grade) -> String {
    let tools = grade.caught_by_tool;
    let unnoticed = match grade.caught_by_nobody {
        1 => "1 goes unnoticed".to_owned(),
        others => format!("{others} go unnoticed"),
    };
    if grade.comparison.own.is_some() {
        // Its outputs have no reference that is known here, and so no bounds.
        return format!("Tools report {tools} of them, and {unnoticed}.");
    }
    format!(
        "Tools report {tools} of them, the derived bounds catch {}, and {unnoticed}.",
        grade.caught_by_bound
    )
}

fn others(grade: &Grade) -> String {
    let proven = grade.equivalents.iter().filter(|it| it.is_proven).count();
    format!(
        "Not counted: {} that do not complete, {} that only a tool sees, and {} without any \
         effect ({proven} proven).",
        grade.ended, grade.latent, grade.equivalent
    )
}

fn place(file: Option<&String>, line: Option<u32>) -> String {
    match (file, line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(_) | None, _) => "-".to_owned(),
    }
}

/// A heading, the first rows, and how many there are besides.
fn listed(title: &str, head: &[&str], rows: &[Vec<String>], paint: Paint) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let shown = &rows[..rows.len().min(LISTED)];
    let mut text = format!("\n{}\n", paint.strong(title));
    text += &table(paint, head, shown, &[]);
    if rows.len() > LISTED {
        text += &format!("and {} more; --json lists all\n", rows.len() - LISTED);
    }
    text
}

fn uncaught(faults: &[GradedFault], paint: Paint) -> String {
    let row = |fault: &GradedFault| {
        let who = match (fault.findings.as_slice(), fault.is_beyond_bound) {
            ([], false) => "nobody".to_owned(),
            ([], true) => "bound".to_owned(),
            ([first, ..], _) => first.clone(),
        };
        vec![
            fault.class.clone(),
            place(fault.file.as_ref(), fault.line),
            fault.edit.clone(),
            fault.atol_needed.map_or_else(|| "-".to_owned(), |it| value(it.0, DIGITS)),
            who,
            fault.suggestion.clone().unwrap_or_else(|| "-".to_owned()),
        ]
    };
    let rows: Vec<Vec<String>> = faults.iter().map(row).collect();
    let head = ["fault", "where", "what is changed", "error", "noticed by", "would catch it"];
    listed("Gets past the test", &head, &rows, paint)
}

/// The tests of a grade, the worst first.
fn tests(tests: &[GradedTest], paint: Paint) -> String {
    let row = |test: &GradedTest| {
        let score = test.score.map_or_else(|| "none".to_owned(), |it| format!("{:.2}", it.0));
        let (caught, changed) = (test.caught_by_test, test.changed);
        vec![score, test.test.clone(), format!("{caught} of {changed}")]
    };
    let rows: Vec<Vec<String>> = tests.iter().map(row).collect();
    listed("Tests", &["score", "test", "caught"], &rows, paint)
}

fn equivalents(faults: &[EquivalentFault], paint: Paint) -> String {
    let row = |fault: &EquivalentFault| {
        vec![
            fault.class.clone(),
            place(fault.file.as_ref(), fault.line),
            fault.edit.clone(),
            if fault.is_proven { "proven" } else { "seen" }.to_owned(),
            fault.reason.clone(),
        ]
    };
    let rows: Vec<Vec<String>> = faults.iter().map(row).collect();
    let head = ["fault", "where", "what is changed", "", "why nothing changes"];
    listed("Without effect", &head, &rows, paint)
}

fn plan(plan: &TestPlan, paint: Paint) -> String {
    let mut text = format!("\n{}\n", paint.strong("Suggested tests"));
    let row = |test: &crate::record::PlannedTest| {
        let atol = test.atol.map_or_else(|| "bound".to_owned(), |atol| atol.0.to_string());
        vec![test.input.clone(), test.shape.clone(), atol, format!("{}", test.catches)]
    };
    let rows: Vec<Vec<String>> = plan.tests.iter().map(row).collect();
    text += &table(paint, &["inputs", "shape", "atol", "catches, not yet caught"], &rows, &[2, 3]);
    text += &format!(
        "They catch {} of {} that change a value in any of the {} that were tried.\n",
        plan.caught,
        counted(plan.catchable as u64, "fault"),
        counted(plan.tried as u64, "test")
    );
    for test in &plan.tests {
        text += &format!("  {}\n", test.command);
    }
    text
}
