//! Heat maps of outputs: the worst ratio of each tile, who wrote it, and the elements of the tiles
//! that are worst.

use serde::Serialize;
use tilewright_run::heat::{HeatMap, TileElements};

use crate::record::Number;
use crate::timeline::{Timeline, Writers};

/// Tiles whose elements a page has, over all outputs: some 16 KB each.
const TILES: usize = 48;

/// One output's map.
#[derive(Serialize)]
pub(super) struct Map<'a> {
    name: &'a str,
    rows: usize,
    columns: usize,
    cell_tiles: usize,
    /// Error over bound; null where nothing was judged.
    ratios: Vec<Option<Number>>,
    /// The program that wrote it, by its number.
    program: usize,
    /// The core that wrote each cell's first tile, by its number in that program; -1 for nobody.
    cores: Vec<i32>,
    tiles: Vec<Tile>,
}

/// Elements of a tile: 32-bit floats, least significant byte first, in base64.
#[derive(Serialize)]
struct Tile {
    row: usize,
    column: usize,
    width: usize,
    got: String,
    /// What the device has, less what is exact.
    error: String,
    /// How large the error of a right value may be; NaN where nothing can be judged.
    bound: String,
}

/// The maps of a run's outputs.
pub(super) fn maps<'a>(heat: &'a [(String, HeatMap)], timelines: &[Timeline]) -> Vec<Map<'a>> {
    let tiles = TILES / heat.len().max(1);
    heat.iter().map(|(name, map)| one(name, map, timelines, tiles)).collect()
}

fn one<'a>(name: &'a str, map: &HeatMap, timelines: &[Timeline], tiles: usize) -> Map<'a> {
    // Three digits are more than a colour shows.
    let short = |ratio: f64| Number((ratio * 1e3).round() / 1e3);
    let (program, cores) = writers(name, map, timelines);
    Map {
        name,
        rows: map.rows,
        columns: map.columns,
        cell_tiles: map.cell_tiles,
        ratios: map.ratios.iter().map(|ratio| ratio.map(short)).collect(),
        program,
        cores,
        tiles: map.worst.iter().take(tiles).map(tile).collect(),
    }
}

/// The last program that wrote an output, and the core of each cell's first tile.
fn writers(name: &str, map: &HeatMap, timelines: &[Timeline]) -> (usize, Vec<i32>) {
    // An output that is also compared with a file has a second judgement under a longer name.
    let tensor = name.strip_suffix(" (expected)").unwrap_or(name);
    let is_it = |it: &&Writers| it.output == tensor && it.cores.iter().any(Option::is_some);
    let found = timelines.iter().enumerate().rev().find_map(|(number, timeline)| {
        timeline.writers.iter().find(is_it).map(|writers| (number, timeline, writers))
    });
    let Some((number, timeline, writers)) = found else { return (0, Vec::new()) };
    let core = |cell: usize| {
        let (row, column) = (cell / map.columns, cell % map.columns);
        let tile = row * map.cell_tiles * writers.columns + column * map.cell_tiles;
        let core = writers.cores.get(tile).copied().flatten();
        let at = timeline.cores.iter().position(|line| Some(line.core) == core);
        at.map_or(-1, |at| at as i32)
    };
    (number, (0..map.rows * map.columns).map(core).collect())
}

fn tile(it: &TileElements) -> Tile {
    let pairs = || it.got.iter().zip(&it.wanted);
    let error = pairs().map(|(got, exact)| (f64::from(*got) - exact.value) as f32);
    let bound = it.wanted.iter().map(|exact| match exact.is_judged() {
        true => exact.error as f32,
        false => f32::NAN,
    });
    let (row, column, width) = (it.row, it.column, it.width);
    let got = floats(it.got.iter().copied());
    Tile { row, column, width, got, error: floats(error), bound: floats(bound) }
}

fn floats(values: impl Iterator<Item = f32>) -> String {
    base64(&values.flat_map(f32::to_le_bytes).collect::<Vec<u8>>())
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= three.len() { letter.into() } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_is_that_of_the_standard() {
        let pairs =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")];
        for (bytes, text) in pairs {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xff, 0xff, 0xbe]), "//++");
    }
}
