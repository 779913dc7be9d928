//! Enums of C++ headers as data, for tests that compare the two sides of a boundary.
//!
//! Reads what our own headers write, and is no parser of C++: it panics at a value that it cannot
//! read.

/// The names of a text's enums, in order. An enum without a name is left out.
pub fn enum_names(text: &str) -> Vec<String> {
    let all = declarations(&without_comments(text));
    all.into_iter().map(|(name, _)| name).filter(|name| !name.is_empty()).collect()
}

/// The enumerators of an enum with their values, in order.
#[track_caller]
pub fn enumerators(text: &str, name: &str) -> Vec<(String, u32)> {
    let all = declarations(&without_comments(text));
    let found = all.into_iter().find(|(it, _)| it == name);
    let (_, body) = found.unwrap_or_else(|| panic!("there is no enum {name}"));
    let mut known: Vec<(String, u32)> = Vec::new();
    for item in body.split(',').map(str::trim).filter(|item| !item.is_empty()) {
        let (word, given) = match item.split_once('=') {
            Some((word, given)) => (word.trim(), Some(given.trim())),
            None => (item, None),
        };
        let value = match given {
            Some(given) => value_of(given, &known)
                .unwrap_or_else(|| panic!("{name}: the value of {word} is {given}")),
            None => known.last().map_or(0, |(_, last)| last + 1),
        };
        known.push((word.to_owned(), value));
    }
    known
}

/// A number, a number shifted, or an enumerator before it.
fn value_of(text: &str, known: &[(String, u32)]) -> Option<u32> {
    if let Some((value, places)) = text.split_once("<<") {
        return Some(value_of(value.trim(), known)? << value_of(places.trim(), known)?);
    }
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text
            .parse()
            .ok()
            .or_else(|| known.iter().find(|(word, _)| word == text).map(|&(_, value)| value)),
    }
}

fn without_comments(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<&str>>().join("\n")
}

/// Name and body of each enum.
fn declarations(text: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (at, word) in text.match_indices("enum") {
        let is_word = !text[..at].ends_with(|it: char| it.is_alphanumeric() || it == '_');
        let rest = &text[at + word.len()..];
        let end = rest.find(['{', ';', '(', ')']).unwrap_or(rest.len());
        if !is_word || !rest.starts_with(char::is_whitespace) || !rest[end..].starts_with('{') {
            continue;
        }
        let head = rest[..end].split(':').next().unwrap_or_default();
        let name = head.split_whitespace().find(|word| !matches!(*word, "class" | "struct"));
        let body = rest[end + 1..].split('}').next().unwrap_or_default();
        all.push((name.unwrap_or_default().to_owned(), body.to_owned()));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
        // enum of_a_comment { A };
        struct enumerated { int it; };
        enum { NAMELESS = 9 };
        enum one { A = 3, B, C = 0x10 };  // and more
        enum class two : std::uint8_t {
            A,      // the first
            B = 1 << 4,
            C = B,
            D,
        };
        enum three it(enum one);
    ";

    #[test]
    fn enums_are_read_with_their_values() {
        assert_eq!(enum_names(TEXT), ["one", "two"]);
        let named = |all: &[(&str, u32)]| -> Vec<(String, u32)> {
            all.iter().map(|&(word, value)| (word.to_owned(), value)).collect()
        };
        assert_eq!(enumerators(TEXT, "one"), named(&[("A", 3), ("B", 4), ("C", 16)]));
        assert_eq!(enumerators(TEXT, "two"), named(&[("A", 0), ("B", 16), ("C", 16), ("D", 17)]));
    }
}
