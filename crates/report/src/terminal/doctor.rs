//! What this computer has.

use super::{Paint, table};
use crate::record::{Doctor, Fact};

/// What `tilewright doctor` shows.
pub fn doctor(doctor: &Doctor, paint: Paint) -> String {
    let row = |fact: &Fact| {
        let mark = if fact.is_there { "yes" } else { "no" };
        let cells = [mark, &fact.what, &fact.detail, &fact.needed_for];
        cells.map(str::to_owned).to_vec()
    };
    let rows: Vec<Vec<String>> = doctor.facts.iter().map(row).collect();
    let mut text = table(paint, &["", "what", "found", "needed for"], &rows, &[]);
    for fact in &doctor.facts {
        if let Some(help) = &fact.help {
            text += &format!("\n {} {help}\n", paint.strong(&format!("{}:", fact.what)));
        }
    }
    text
}
