//! What compiler and linker say, as data: file, line, and the name that is missing.

use super::dialect;
use super::error::{Diagnostic, DiagnosticKind};

/// How `tilewright/lacks.h` begins what it says of a name that is not served.
const NOT_SERVED: &str = "tilewright does not serve this name";

/// How a complaint of the assembler begins.
pub const FOREIGN_ASSEMBLER: &str = "inline assembler that the host does not have";

/// What our headers and generated text are called in reports.
pub(super) const SHIM: &str = "tilewright/shim/";
pub(super) const GENERATED: &str = "generated/";

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

/// Every error in a compiler's output. One inside our headers or in generated text is told at the
/// line of the user's that led there.
pub(super) fn parse(kernel: &str, output: &str, folders: &Folders) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut led_here = None;
    // Where the last note was for, and what it said: clang++ does not repeat itself.
    let mut noted: Option<(String, Place<'_>)> = None;
    for line in output.lines() {
        if let Some(last) = found.last_mut() {
            if let Some(comparison) = comparison(line) {
                last.message.push_str(&format!(" ({comparison})"));
                continue;
            }
            if let Some(place) = note_place(line).filter(|_| is_not_users(&last.file)) {
                let within = last.file.clone();
                move_to(last, place, folders);
                noted = Some((within, place));
                continue;
            }
        }
        if line.contains(": In ") || line.starts_with("In ") {
            led_here = None;
        }
        if let Some(place) = context_place(line) {
            let is_users = !is_not_users(&folders.shown(place.0));
            led_here = is_users.then_some(place).or(led_here);
            continue;
        }
        let parsed = compiler_line(line).or_else(|| linker_line(line)).or_else(|| as_line(line));
        if let Some((file, line, column, kind, message)) = parsed {
            let (kernel, file) = (kernel.to_owned(), folders.shown(file));
            let mut diagnostic = Diagnostic { kernel, file, line, column, kind, message };
            if let Some(place) = led_here.filter(|_| is_not_users(&diagnostic.file)) {
                move_to(&mut diagnostic, place, folders);
            }
            found.push(diagnostic);
        }
    }
    for diagnostic in found.iter_mut().filter(|it| is_not_users(&it.file)) {
        if let Some((_, place)) = noted.as_ref().filter(|(file, _)| *file == diagnostic.file) {
            move_to(diagnostic, *place, folders);
        }
    }
    found
}

type Place<'a> = (&'a str, u32, u32);

fn is_not_users(file: &str) -> bool {
    file.starts_with(SHIM) || file.starts_with(GENERATED)
}

fn move_to(diagnostic: &mut Diagnostic, (file, line, column): Place<'_>, folders: &Folders) {
    let file = folders.shown(file);
    if !is_not_users(&file) {
        (diagnostic.file, diagnostic.line, diagnostic.column) = (file, line, column);
    }
}

/// Who instantiates or inlines what the next error is in: g++ says so before it.
fn context_place(line: &str) -> Option<Place<'_>> {
    let place = match line.split_once(":   required from") {
        Some((place, _)) => place,
        None => line.trim_start().strip_prefix("inlined from ")?.rsplit_once(" at ")?.1,
    };
    place_of(place.trim_end_matches([':', ',']))
}

/// Whose macro or call the last error is in: clang++ says so behind it, and g++ for macros.
fn note_place(line: &str) -> Option<Place<'_>> {
    const WORDS: [&str; 4] =
        ["in expansion of macro", "expanded from macro", "requested here", "called from here"];
    let (place, note) = line.split_once(": note: ")?;
    WORDS.iter().any(|words| note.contains(words)).then(|| place_of(place))?
}

/// `file:line:column`.
fn place_of(text: &str) -> Option<Place<'_>> {
    let mut parts = text.rsplitn(3, ':');
    let (column, row, file) = (parts.next()?, parts.next()?, parts.next()?);
    Some((file, row.parse().ok()?, column.parse().ok()?))
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
    let (file, row, column) = place_of(place)?;
    Some((file, row, column, kind_of(message), message.to_owned()))
}

/// `file:line: Error: message`, of the assembler: code for another machine.
fn as_line(line: &str) -> Option<Parsed<'_>> {
    let (place, message) = line.split_once(": Error: ")?;
    let (file, row) = place.rsplit_once(':')?;
    let message = format!("{FOREIGN_ASSEMBLER}: {message}");
    Some((file, row.parse().ok()?, 0, DiagnosticKind::Other, message))
}

/// `file:line: undefined reference to `name'`.
fn linker_line(line: &str) -> Option<Parsed<'_>> {
    let (place, rest) = line.split_once(": undefined reference to `")?;
    let name = rest.strip_suffix('\'').unwrap_or(rest);
    let (file, row) = place.rsplit_once(':')?;
    let file = file.strip_prefix("/usr/bin/ld: ").unwrap_or(file);
    let row = row.parse().unwrap_or(0);
    let name = name.split('(').next().unwrap_or(name).to_owned();
    if let Some(message) = dialect::failed_assertion(&name) {
        return Some((file, row, 0, DiagnosticKind::Other, message));
    }
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
    fn an_error_in_our_headers_is_told_at_the_users_line() {
        let gcc = "/cache/headers/a.h: In instantiation of 'void f() [with int N = 1]':\n\
                   k.cpp:7:9:   required from here\n\
                   /cache/headers/a.h:3:5: error: static assertion failed: no";
        check(gcc, ("k.cpp", 7, 9), DiagnosticKind::Other);
        let inlined = "In function 'void f()',\n\
                       inlined from 'void kernel_main()' at k.cpp:7:9:\n\
                       /cache/headers/a.h:3:5: error: call to 'g' with attribute error: no";
        check(inlined, ("k.cpp", 7, 9), DiagnosticKind::Other);
        let marked = "/cache/headers/a.h:3:5: error: expected ')' before ';' token\n\
                      k.cpp:7:9: note: in expansion of macro 'F'";
        check(marked, ("k.cpp", 7, 9), DiagnosticKind::Other);
        let assembler = "k.cpp:7: Error: no such instruction: `fence'";
        check(assembler, ("k.cpp", 7, 0), DiagnosticKind::Other);
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
