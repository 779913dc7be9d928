//! The published failure: what was reported, what the simulation gives, and what ours gives.

use annotate_snippets::renderer::AnsiColor;

use super::figures::{counted, value};
use super::{Paint, table};
use crate::record::{Number, Repro, ReproGrade, ReproRow};

/// Digits of the faulty kernel's errors: one more than the published means have.
const FAULTY_DIGITS: usize = 7;
/// Digits of our errors, and of their ratios to the bounds: 0.9999 is inside, and 1.0001 is not.
const OUR_DIGITS: usize = 3;
const RATIO_DIGITS: usize = 5;
/// Half of the last place of the published figures: whole numbers, and means of two decimals.
const MAX_PLACE: f64 = 0.5;
const MEAN_PLACE: f64 = 0.005;

/// What `tilewright repro` shows.
pub fn repro(repro: &Repro, paint: Paint) -> String {
    let rows = if repro.rows.is_empty() { String::new() } else { rows(repro, paint) };
    let between = if rows.is_empty() || repro.graded.is_empty() { "" } else { "\n" };
    rows + between + &graded(&repro.graded, paint)
}

/// How many faults each test notices.
fn graded(graded: &[ReproGrade], paint: Paint) -> String {
    if graded.is_empty() {
        return String::new();
    }
    let head =
        ["graded test", "atol", "faults", "test", "tools", "bound", "score", "reported, missed"];
    let row = |grade: &ReproGrade| {
        let counts =
            [grade.changed, grade.caught_by_test, grade.caught_by_tool, grade.caught_by_bound];
        let score = grade.score.map_or_else(|| "-".to_owned(), |score| format!("{:.2}", score.0));
        let missed =
            if grade.missed.is_empty() { "none".to_owned() } else { grade.missed.join(", ") };
        let names = [format!("{}, {}", grade.test, grade.shape), grade.atol.0.to_string()];
        let counts = counts.map(|count| count.to_string());
        names.into_iter().chain(counts).chain([score, missed]).collect()
    };
    let rows: Vec<Vec<String>> = graded.iter().map(row).collect();
    let text = "Single faults in the repaired kernel that change a gradient, and who notices them: \
                the test by its tolerance, the tools, the derived bounds.\n";
    table(paint, &head, &rows, &[1, 2, 3, 4, 5, 6]) + text
}

fn rows(repro: &Repro, paint: Paint) -> String {
    let head = [
        "test",
        "tolerance",
        "published max",
        "faulty max",
        "published mean",
        "faulty mean",
        "ours max",
        "ours error/bound",
    ];
    let rows: Vec<Vec<String>> = repro.rows.iter().map(row).collect();
    let mut text = table(paint, &head, &rows, &[1, 2, 3, 4, 5, 6, 7]);
    text += &format!("\n{}\n", published(repro));
    let colour = if repro.is_in_bound() { AnsiColor::Green } else { AnsiColor::Red };
    text + &paint.bold(colour, &ours(repro)) + "\n"
}

fn row(row: &ReproRow) -> Vec<String> {
    let number = |number: Number, digits| value(number.0, digits);
    let reported = |figure: Option<Number>| {
        figure.map_or_else(|| "-".to_owned(), |figure| value(figure.0, FAULTY_DIGITS))
    };
    vec![
        row.test.clone(),
        reported(row.tolerance),
        reported(row.published_max),
        number(row.faulty_max, FAULTY_DIGITS),
        reported(row.published_mean),
        number(row.faulty_mean, FAULTY_DIGITS),
        number(row.ours_max, OUR_DIGITS),
        number(row.ours_worst_ratio, RATIO_DIGITS),
    ]
}

/// How many of the published figures the simulated faulty kernel gives.
fn published(repro: &Repro) -> String {
    let agrees = |published: Option<Number>, simulated: Number, place: f64| {
        published.map(|published| (published.0 - simulated.0).abs() < place)
    };
    let max = |row: &ReproRow| agrees(row.published_max, row.faulty_max, MAX_PLACE);
    let mean = |row: &ReproRow| agrees(row.published_mean, row.faulty_mean, MEAN_PLACE);
    let figures: Vec<bool> =
        repro.rows.iter().flat_map(|row| [max(row), mean(row)]).flatten().collect();
    let (all, come_out) = (figures.len(), figures.iter().filter(|agrees| **agrees).count());
    match all {
        0 => "Nothing was published that these errors could be compared with.".to_owned(),
        _ if all == come_out => format!(
            "The published kernel, simulated, gives {} to the last digit.",
            all_of("the", all, "published figure")
        ),
        _ => format!(
            "The published kernel, simulated, gives {come_out} of {}.",
            counted(all as u64, "published figure")
        ),
    }
}

/// Whether our kernel is inside its bounds.
fn ours(repro: &Repro) -> String {
    let outside = repro.rows.iter().filter(|row| !row.is_in_bound()).count();
    match outside {
        0 => format!(
            "Ours is inside its derived bounds, element by element, on {}.",
            all_of("this", repro.rows.len(), "test")
        ),
        _ => format!(
            "Ours is outside its derived bounds on {outside} of {}.",
            counted(repro.rows.len() as u64, "test")
        ),
    }
}

/// `this test`, `all 12 tests`.
fn all_of(article: &str, count: usize, word: &str) -> String {
    match count {
        1 => format!("{article} {word}"),
        _ => format!("all {}", counted(count as u64, word)),
    }
}
