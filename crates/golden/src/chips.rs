//! Which operations give other bits on the other chip, for the same inputs.

use std::collections::BTreeSet;

use tilewright_tile::Chip;

use super::case::{Case, Kind, Refusal, TileCase};
use super::folder::{Folder, Group};
use super::{on_all_threads, run, tile_case};

impl Folder {
    /// The operations of Wormhole's single cases whose packed results differ on Blackhole.
    ///
    /// A case that Blackhole refuses does not count: it has no bits there.
    pub fn differing_operations(&self) -> BTreeSet<String> {
        let cases: Vec<(&Group, &TileCase)> = self
            .groups
            .iter()
            .flat_map(|group| group.cases.iter().map(move |case| (group, case)))
            .filter_map(|(group, case)| Some((group, of_wormhole(case)?)))
            .collect();
        let mut found = BTreeSet::new();
        on_all_threads(
            &cases,
            |(group, case)| differs(group, case).unwrap_or(false),
            |place, differs| {
                if differs {
                    found.insert(cases[place].1.op.clone());
                }
            },
        );
        found
    }
}

fn of_wormhole(case: &Case) -> Option<&TileCase> {
    match (&case.kind, case.chip) {
        (Kind::Tile(tile), Chip::Wormhole) => Some(tile),
        (Kind::Tile(_), Chip::Blackhole) | (Kind::Chain(_) | Kind::Table(_), _) => None,
    }
}

fn differs(group: &Group, case: &TileCase) -> Result<bool, Refusal> {
    let outputs = |chip| Ok(run::run(chip, tile_case::script(case, &group.arrays)?)?.outputs());
    Ok(outputs(Chip::Wormhole)? != outputs(Chip::Blackhole)?)
}
