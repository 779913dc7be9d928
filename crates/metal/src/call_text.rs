//! The text of a call in a line of source: where it starts and ends.
//!
//! Compilers mean the same call by different columns: its name, or the parenthesis behind it. All
//! that tilewright shows goes from the name to the closing parenthesis, within the line.

/// The column where the call starts that a compiler means by `column`; both count characters from
/// 1, and 0 is none.
///
/// ```
/// use tilewright_metal::call_text::start;
///
/// assert_eq!(start("    cb_pop_front(cb, 1);", 17), 5);
/// assert_eq!(start("    cb_pop_front(cb, 1);", 5), 5);
/// ```
pub fn start(line: &str, column: u32) -> u32 {
    let Some(at) = byte(line, column).filter(|at| line[*at..].starts_with('(')) else {
        return column;
    };
    let name = path_before(&line[..at]);
    line[..name].chars().count() as u32 + 1
}

/// The column behind the last character of the call that starts at `column`; of the word there if
/// it is no call, and `column` itself if the line has nothing there.
pub fn end(line: &str, column: u32) -> u32 {
    let Some(at) = byte(line, column) else { return column };
    column + line[at..at + call_bytes(&line[at..])].chars().count() as u32
}

/// The byte of a column.
fn byte(line: &str, column: u32) -> Option<usize> {
    let index = usize::try_from(column).ok()?.checked_sub(1)?;
    line.char_indices().nth(index).map(|(at, _)| at)
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Where the name begins that a text ends with: `a::b`, `a<b, c>::d<e>`. The end if there is none.
fn path_before(text: &str) -> usize {
    let mut start = text.len();
    loop {
        let part = text[..start].trim_end();
        let part = if part.ends_with('>') { &part[..opening(part)] } else { part };
        let name = part.trim_end_matches(is_word);
        if name.len() == part.len() {
            return start;
        }
        start = name.len();
        match name.strip_suffix("::") {
            // A leading `::` belongs to the name.
            Some(outer) => start = outer.len(),
            None => return start,
        }
        if !text[..start].ends_with(|letter| is_word(letter) || letter == '>') {
            return start;
        }
    }
}

/// Where the angle bracket opens that a text ends with; its end if none does.
fn opening(text: &str) -> usize {
    let mut depth = 0;
    for (at, letter) in text.char_indices().rev() {
        match letter {
            '>' => depth += 1,
            '<' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// Bytes of the call that a text begins with: a name and its arguments, or the word alone.
fn call_bytes(text: &str) -> usize {
    let rest = text[path_after(text)..].trim_start_matches('!').trim_start();
    if rest.starts_with('(') {
        return text.len() - rest.len() + enclosed(rest);
    }
    let word = text.find(|letter| !is_word(letter) && letter != ':').unwrap_or(text.len());
    word.max(text.chars().next().map_or(0, char::len_utf8))
}

/// Bytes of the name that a text begins with, with the arguments of templates.
fn path_after(text: &str) -> usize {
    let mut end = 0;
    loop {
        let rest = &text[end..];
        let word = rest.find(|letter| !is_word(letter) && letter != ':').unwrap_or(rest.len());
        end += word;
        if word == 0 || !text[end..].starts_with('<') {
            return end;
        }
        match closing(&text[end..], '<', '>') {
            Some(bytes) => end += bytes,
            None => return end,
        }
    }
}

/// Bytes to the parenthesis that closes the first one, or to the end of the line's text.
fn enclosed(text: &str) -> usize {
    closing(text, '(', ')').unwrap_or(text.trim_end().len())
}

/// Bytes to where what opens first is closed, past text in quotes.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let (mut depth, mut quote, mut is_escaped) = (0, None, false);
    for (at, letter) in text.char_indices() {
        match quote {
            Some(_) if is_escaped => is_escaped = false,
            Some(_) if letter == '\\' => is_escaped = true,
            Some(mark) if letter == mark => quote = None,
            Some(_) => {}
            None if letter == '"' => quote = Some(letter),
            None if letter == open => depth += 1,
            None if letter == close => depth -= 1,
            None => {}
        }
        if depth == 0 && quote.is_none() {
            return Some(at + letter.len_utf8());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{end, start};

    /// The column of `at` in the line is what a compiler tells; the call is what is shown.
    #[track_caller]
    fn check(line: &str, at: &str, expected: &str) {
        let told = line[..line.find(at).expect("in the line")].chars().count() as u32 + 1;
        let from = start(line, told);
        let to = end(line, from);
        let shown: String =
            line.chars().skip(from as usize - 1).take((to - from) as usize).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_call_goes_from_its_name_to_its_parenthesis() {
        for at in ["(cb", "cb_pop"] {
            check("    cb_pop_front(cb, f(1)); // (x", at, "cb_pop_front(cb, f(1))");
        }
        check("    cb.push_back(f(1), 2); // x", "(f", "push_back(f(1), 2)");
        check("    p->pop(1);", "(1", "pop(1)");
        check("    ckernel::pop(1);", "(1", "ckernel::pop(1)");
        check("    ::pop(1);", "(1", "::pop(1)");
        check("    reduce<SUM, Row<1>>(a, b);", "(a", "reduce<SUM, Row<1>>(a, b)");
        check("    a<b>::c<d>(1);", "(1", "a<b>::c<d>(1)");
        check("    print (\")\", 1);", "(\"", "print (\")\", 1)");
        check("    let é = args.at(1)", "(1", "at(1)");
        check("    assert!(k.is_done(1))", "assert", "assert!(k.is_done(1))");
        check("    while (!is_done(1)) {", "(1", "is_done(1)");
    }

    #[test]
    fn a_call_ends_with_its_line_and_no_call_is_a_word() {
        check("    noc_async_write(  ", "(", "noc_async_write(");
        check("    total = *place;", "=", "=");
        check("    total = *place;", "place", "place");
        check("    a < b; f(1)", "a", "a");
        check("    (*function)(1);", "(1", "(1)");
    }

    #[test]
    fn a_line_that_has_changed_is_no_trouble() {
        assert_eq!((start("f(1);", 99), end("f(1);", 99)), (99, 99));
        assert_eq!((start("", 1), end("", 1), start("x", 0), end("x", 0)), (1, 1, 0, 0));
    }
}
