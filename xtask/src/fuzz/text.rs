//! Changes to a text: lines, numbers, quoted words and bytes that are not what they were.

use super::hostile;
use super::random::Random;

/// The text after one to three changes.
pub fn changed(text: &str, random: &mut Random) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(3) {
        bytes = change(bytes, random);
    }
    bytes
}

fn change(bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    match random.below(10) {
        0 | 1 => value(bytes, random),
        2 | 3 => piece(bytes, random, u8::is_ascii_digit, hostile::number),
        4 => quoted(bytes, random),
        5 => lines(bytes, random),
        6 => piece(bytes, random, u8::is_ascii_lowercase, |random| {
            random.of_these(&["shape", "format", "pages", "cores", "x", "units"]).to_owned()
        }),
        7 => cut(bytes, random),
        8 => flipped(bytes, random),
        _ => inserted(bytes, random),
    }
}

/// Another value behind one of the equals signs.
fn value(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    let signs: Vec<usize> = positions(&bytes, |byte| byte == b'=');
    if signs.is_empty() {
        return bytes;
    }
    let start = random.of_these(&signs) + 1;
    let line = bytes[start..].iter().position(|byte| *byte == b'\n');
    let end = line.map_or(bytes.len(), |line| start + line);
    bytes.splice(start..end, format!(" {}", hostile::toml_value(random)).into_bytes());
    bytes
}

/// Another word in place of a run of such bytes.
fn piece(
    mut bytes: Vec<u8>,
    random: &mut Random,
    is_part: fn(&u8) -> bool,
    other: impl Fn(&mut Random) -> String,
) -> Vec<u8> {
    let parts = positions(&bytes, |byte| is_part(&byte));
    if parts.is_empty() {
        return bytes;
    }
    let place = random.of_these(&parts);
    let start = bytes[..place].iter().rposition(|byte| !is_part(byte)).map_or(0, |at| at + 1);
    let length = bytes[start..].iter().position(|byte| !is_part(byte));
    let end = length.map_or(bytes.len(), |length| start + length);
    bytes.splice(start..end, other(random).into_bytes());
    bytes
}

/// Another text between two quotes.
fn quoted(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    let quotes = positions(&bytes, |byte| byte == b'"');
    if quotes.len() < 2 {
        return bytes;
    }
    let first = random.below(quotes.len() - 1);
    let (start, end) = (quotes[first], quotes[first + 1] + 1);
    bytes.splice(start..end, format!("{:?}", hostile::text(random)).into_bytes());
    bytes
}

/// A line left out, doubled or moved.
fn lines(bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    if lines.is_empty() {
        return bytes;
    }
    let (here, there) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(3) {
        0 => drop(lines.remove(here)),
        1 => lines.insert(there, lines[here]),
        _ => lines.swap(here, there),
    }
    lines.concat()
}

fn cut(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    bytes.truncate(random.below(bytes.len() + 1));
    bytes
}

fn flipped(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    if !bytes.is_empty() {
        let place = random.below(bytes.len());
        bytes[place] ^= 1 << random.below(8);
    }
    bytes
}

fn inserted(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    let (place, count) = (random.below(bytes.len() + 1), 1 + random.below(8));
    bytes.splice(place..place, random.bytes(count));
    bytes
}

fn positions(bytes: &[u8], is_one: impl Fn(u8) -> bool) -> Vec<usize> {
    (0..bytes.len()).filter(|place| is_one(bytes[*place])).collect()
}
