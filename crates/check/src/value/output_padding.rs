//! Outputs whose tiles hold something else beyond their values than the program declares.
//!
//! Takes what others have compared, as plain numbers: no value is read here.

use tilewright_machine::{Cycle, Site};
use tilewright_metal::Shape;

use crate::FindingId;
use crate::allow::Report;
use crate::declaration::declare;
use crate::ending::count_of;
use crate::finding::{Finding, Mark};
use crate::session::Sighting;
use crate::tool::Tool;
use crate::written::Written;

declare! {
    /// # What it finds
    /// An output whose tiles hold something else beyond its values than it declares: no zeros where
    /// there must be zeros, or not what the input holds there.
    /// # Why it matters
    /// Whoever reads whole tiles afterwards takes the padding along: a sum, a maximum or a product
    /// over the last tile then depends on it. The values themselves are right, so that no test of
    /// them shows it.
    /// # Instead
    /// Mask the last row and column of tiles before they are packed, or declare the padding free if
    /// nobody reads it.
    pub struct OutputPadding {}
    Declaration { name: "output-padding", tool: Some(Tool::Value), is_judged: true }
}

/// What a judge of values has seen of an output whose padding is not as declared.
#[derive(Clone, Debug, PartialEq)]
pub struct Padded {
    /// The output's name, as the program declares it.
    pub output: String,
    /// Its shape.
    pub shape: Shape,
    /// The input whose padding it must have; none where it must have zeros.
    pub input: Option<String>,
    /// The line that declares it.
    pub declared: Site,
    /// The first tile that is wrong, and the place in it.
    pub tile: (usize, usize),
    /// The row and the column in that tile.
    pub place: (usize, usize),
    /// What must be there.
    pub wanted: f32,
    /// What is there.
    pub got: f32,
    /// How many places are wrong.
    pub places: usize,
    /// In how many tiles.
    pub tiles: usize,
}

impl Report {
    /// Adds an output whose padding is not as declared, if the tool value is on. `cycle` is when
    /// the run was over.
    pub fn output_padding(&mut self, padded: &Padded, cycle: Cycle) {
        if !self.tools.has(Tool::Value) {
            return;
        }
        let is_it = |written: &&Written| written.is_of(&padded.output, &padded.shape);
        let finding = finding(padded, self.written.iter().rev().find(is_it));
        if self.allows.contains(&FindingId::OutputPadding) {
            return self.allowed.push(finding);
        }
        let site = finding.marks.first().map_or(Site::KERNEL, |mark| mark.site);
        self.sightings.push(Sighting::of(finding, site, cycle));
    }
}

fn finding(padded: &Padded, written: Option<&Written>) -> Finding {
    let Padded { output, tile: (row, column), wanted, got, places, .. } = padded;
    let what = match &padded.input {
        None => "zeros".to_owned(),
        Some(input) => format!("what `{input}` holds there"),
    };
    let writer = written.and_then(|it| it.tile_writer(padded.tile));
    let mark = writer.map(|writer| Mark {
        role: format!("{} writes tile ({row},{column}) of `{output}`", writer.processor.processor),
        site: writer.site,
        processor: Some(writer.processor),
    });
    let role = format!("`{output}` must hold {what} in its padding");
    let declared = Mark { role, site: padded.declared, processor: None };
    let (inside_row, inside_column) = padded.place;
    let help = match &padded.input {
        None => format!("mask the last tiles of `{output}` before they are packed"),
        Some(input) => format!("carry the padding of `{input}` through to `{output}`"),
    };
    Finding {
        title: format!("the padding of `{output}` tile ({row},{column}) does not hold {what}"),
        marks: mark.into_iter().chain([declared]).collect(),
        facts: vec![
            format!(
                "proof: row {inside_row}, column {inside_column} of tile ({row},{column}) is \
                 {got:?} and should be {wanted:?}"
            ),
            format!(
                "{} in {} hold something else",
                count_of(*places as u64, "place"),
                count_of(padded.tiles as u64, "tile")
            ),
        ],
        help: Some(help),
        ..Finding::of(FindingId::OutputPadding)
    }
}
