//! What compiler and linker say, as data: file, line, and the name that is missing.

use super::error::{Diagnostic, DiagnosticKind};

/// How `tilewright/lacks.h` begins what it says of a name that is not served.
const NOT_SERVED: &str = "tilewright does not serve this name";

/// Folders in messages and what they are called in reports.
pub(super) struct Folders {
    /// Pairs of a prefix and its replacement; the first that fits is taken.
    pub(super) known: Vec<(String, String)>,
}

impl Folders {
    fn shown(&self, path: &str) -> String {
        let fits = |(prefix, shown): &(String, String)| {
            path.strip_prefix(prefix.as_str()).map(|rest| format!("{shown}{rest}"))
        };
        self.known.iter().find_map(fits).unwrap_or_else(|| path.to_owned())
    }
}

/// Every error in a compiler's output.
pub(super) fn parse(kernel: &str, output: &str, folders: &Folders) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for line in output.lines() {
        if let (Some(comparison), Some(last)) = (comparison(line), found.last_mut()) {
            let last: &mut Diagnostic = last;
            last.message.push_str(&format!(" ({comparison})"));
            continue;
        }
        let parsed = compiler_line(line).or_else(|| linker_line(line));
        if let Some((file, line, column, kind, message)) = parsed {
            let (kernel, file) = (kernel.to_owned(), folders.shown(file));
            found.push(Diagnostic { kernel, file, line, column, kind, message });
        }
    }
    found
}

/// What both sides of a failed assertion come to: `4 == 128`.
fn comparison(line: &str) -> Option<&str> {
    const WORDS: [&str; 2] =
        [": note: the comparison reduces to '(", ": note: expression evaluates to '"];
    let (_, rest) = WORDS.iter().find_map(|words| line.split_once(words))?;
    Some(rest.trim_end_matches('\'').trim_end_matches(')'))
}

type Parsed<'a> = (&'a str, u32, u32, DiagnosticKind, String);

/// `file:line:column: error: message`.
fn compiler_line(line: &str) -> Option<Parsed<'_>> {
    let (place, message) =
        line.split_once(": error: ").or_else(|| line.split_once(": fatal error: "))?;
    let mut parts = place.rsplitn(3, ':');
    let (column, row, file) = (parts.next()?, parts.next()?, parts.next()?);
    let (row, column) = (row.parse().ok()?, column.parse().ok()?);
    Some((file, row, column, kind_of(message), message.to_owned()))
}

/// `file:line: undefined reference to `name'`.
fn linker_line(line: &str) -> Option<Parsed<'_>> {
    let (place, rest) = line.split_once(": undefined reference to `")?;
    let name = rest.strip_suffix('\'').unwrap_or(rest);
    let (file, row) = place.rsplit_once(':')?;
    let file = file.strip_prefix("/usr/bin/ld: ").unwrap_or(file);
    let row = row.parse().unwrap_or(0);
    let name = name.split('(').next().unwrap_or(name).to_owned();
    let message = format!("undefined reference to `{name}`");
    Some((file, row, 0, DiagnosticKind::MissingName(name), message))
}

fn kind_of(message: &str) -> DiagnosticKind {
    if let Some(header) = missing_header(message) {
        return DiagnosticKind::MissingHeader(header.to_owned());
    }
    match missing_name(message) {
        Some(name) => DiagnosticKind::MissingName(name),
        None => DiagnosticKind::Other,
    }
}

/// The header of a complaint that there is none.
pub(super) fn missing_header(message: &str) -> Option<&str> {
    let header = message.strip_suffix(": No such file or directory");
    header.or_else(|| message.strip_prefix('\'')?.strip_suffix("' file not found"))
}

/// The name in one of the ways that g++ and clang++ say that there is no such name.
fn missing_name(message: &str) -> Option<String> {
    const BEHIND: [&str; 6] = [
        "' was not declared in this scope",
        "' has not been declared",
        "' does not name a type",
        "' does not name a template type",
        "' is not a member of '",
        "' was not declared",
    ];
    const BEFORE: [&str; 4] = [
        "use of undeclared identifier '",
        "unknown type name '",
        "there are no arguments to '",
        "no type named '",
    ];
    if let Some((_, rest)) = message.split_once("call to '") {
        // A name that our headers declare as not served; both compilers name the instance.
        if message.contains("attribute") && message.contains(NOT_SERVED) {
            let called = rest.split('\'').next()?;
            return called.split(['<', '(']).next().map(str::to_owned);
        }
    }
    if let Some((owner, name)) = message.split_once("has no member named '") {
        let owner = owner.split('\'').nth(1)?.trim_start_matches("struct ");
        let owner = owner.trim_start_matches("class ").trim_start_matches("const ");
        return Some(format!("{owner}::{}", name.trim_end_matches('\'')));
    }
    if let Some((_, rest)) = message.split_once("no member named '") {
        let mut parts = rest.split('\'');
        let (name, owner) = (parts.next()?, parts.nth(1)?);
        return Some(format!("{owner}::{name}"));
    }
    if let Some(rest) = BEFORE.iter().find_map(|text| message.split_once(text)) {
        return rest.1.split('\'').next().map(str::to_owned);
    }
    let (before, _) = BEHIND.iter().find_map(|text| message.split_once(text))?;
    before.rsplit('\'').next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{Folders, parse};
    use crate::cpp::DiagnosticKind;

    #[track_caller]
    fn check(line: &str, place: (&str, u32, u32), kind: DiagnosticKind) {
        let known = vec![("/cache/headers/".to_owned(), "tilewright/shim/".to_owned())];
        let found = parse("reader", line, &Folders { known });
        let [one] = &found[..] else { panic!("not one: {found:?}") };
        assert_eq!((one.file.as_str(), one.line, one.column), place);
        assert_eq!(one.kind, kind);
    }

    #[test]
    fn names_are_found_in_the_words_of_both_compilers() {
        let name = |name: &str| DiagnosticKind::MissingName(name.to_owned());
        let at = ("k.cpp", 3, 5);
        check("k.cpp:3:5: error: 'frob' was not declared in this scope", at, name("frob"));
        check("k.cpp:3:5: error: use of undeclared identifier 'frob'", at, name("frob"));
        check("k.cpp:3:5: error: 'frob' is not a member of 'ckernel'", at, name("frob"));
        let member = "k.cpp:3:5: error: 'class Noc' has no member named 'frob'";
        check(member, at, name("Noc::frob"));
        check("k.cpp:3:5: error: no member named 'frob' in 'Noc'", at, name("Noc::frob"));
        let lacks = "tilewright does not serve this name: the machine has no where";
        let gcc =
            format!("call to 'ckernel::where_tile<0, int>' declared with attribute error: {lacks}");
        check(&format!("k.cpp:3:5: error: {gcc}"), at, name("ckernel::where_tile"));
        let clang =
            format!("call to 'where_tile<0, int>' declared with 'error' attribute: {lacks}");
        check(&format!("k.cpp:3:5: error: {clang}"), at, name("where_tile"));
        let link = "/usr/bin/ld: k.cpp:3: undefined reference to `frob(int)'";
        check(link, ("k.cpp", 3, 0), name("frob"));
    }

    #[test]
    fn headers_and_other_errors() {
        let header = DiagnosticKind::MissingHeader("api/x.h".to_owned());
        let gcc = "/cache/headers/a.h:1:10: fatal error: api/x.h: No such file or directory";
        check(gcc, ("tilewright/shim/a.h", 1, 10), header.clone());
        check("k.cpp:1:10: fatal error: 'api/x.h' file not found", ("k.cpp", 1, 10), header);
        let other = DiagnosticKind::Other;
        check("k.cpp:9:1: error: expected ';' before '}' token", ("k.cpp", 9, 1), other);
        let failed = "k.cpp:9:1: error: static assertion failed: no";
        for note in ["the comparison reduces to '(4 == 8)'", "expression evaluates to '4 == 8'"] {
            let said = format!("{failed}\nk.cpp:9:1: note: {note}");
            let found = parse("k", &said, &Folders { known: Vec::new() });
            assert_eq!(found[0].message, "static assertion failed: no (4 == 8)");
        }
        assert!(parse("k", "k.cpp:1:1: note: here", &Folders { known: Vec::new() }).is_empty());
    }
}
