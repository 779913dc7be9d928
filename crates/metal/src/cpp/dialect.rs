//! What kernels may write and older compilers do not take: g++ 12 and clang++ 16 refuse
//! `static_assert(false)` in a branch of a template that is never instantiated, also where a
//! constant stands for `false`, and g++ 12 refuses an unroll pragma that depends on a template's
//! parameter.
//!
//! A unit that fails this way is preprocessed, changed line by line, and compiled again. Lines keep
//! their numbers, so that errors and sites stay the kernel's.

use super::error::{Diagnostic, DiagnosticKind};

const UNROLL: &str = "#pragma GCC unroll";
const ASSERTION: &str = "static_assert";
/// How functions that stand for assertions are called.
const FAILURE: &str = "tw_failed_assertion_";
/// How g++ and clang++ begin what they say of a failed assertion.
const FAILED: [&str; 2] = ["static assertion failed", "static_assert failed"];

/// Whether complaints may be about the compiler's age.
pub(super) fn may_be_old(wrong: &[Diagnostic]) -> bool {
    wrong.iter().any(|it| {
        it.kind == DiagnosticKind::Other
            && (it.message.contains("GCC unroll") || begins(&it.message))
    })
}

fn begins(message: &str) -> bool {
    FAILED.iter().any(|words| message.starts_with(words))
}

/// Preprocessed text in words that older compilers take; nothing if it is so already.
pub(super) fn adapted(text: &str) -> Option<String> {
    let (mut out, mut declared) = (String::with_capacity(text.len()), String::new());
    let mut scopes = Scopes::default();
    let (mut rest, mut changes) = (text, 0);
    while !rest.is_empty() {
        if out.is_empty() || out.ends_with('\n') {
            let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
            if line.starts_with('#') {
                let is_kept = !is_dependent_unroll(line);
                out.push_str(if is_kept { line } else { "" });
                changes += usize::from(!is_kept);
                rest = &rest[line.len()..];
                // The end of the line, if there is one.
                let end = rest.len().min(1);
                out.push_str(&rest[..end]);
                rest = &rest[end..];
                continue;
            }
        }
        let assertion = false_assertion(rest, text).filter(|_| scopes.is_code());
        if let Some((statement, message)) = assertion {
            let name = failure_name(changes, message);
            declared += &failure(&name, message);
            out += &format!("::{name}();{}", "\n".repeat(statement.matches('\n').count()));
            changes += 1;
            rest = &rest[statement.len()..];
            continue;
        }
        let length = token_length(rest);
        scopes.take(&rest[..length]);
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    (changes > 0).then(|| declared + &out)
}

/// An unroll pragma whose count is no number. It is only a hint.
fn is_dependent_unroll(line: &str) -> bool {
    let Some(count) = line.strip_prefix(UNROLL) else { return false };
    let count = count.trim().trim_start_matches('(').trim_end_matches(')').trim();
    count.parse::<u32>().is_err()
}

/// A whole `static_assert(false, …);` at the beginning of a text, and its message. `unit` is all of
/// the text, which may define the condition.
fn false_assertion<'a>(text: &'a str, unit: &str) -> Option<(&'a str, &'a str)> {
    let condition = text.strip_prefix(ASSERTION)?.trim_start().strip_prefix('(')?.trim_start();
    let (name, after) = condition.split_at(token_length(condition));
    let after = after.trim_start();
    if !after.starts_with([',', ')']) || !is_false(name, unit) {
        return None;
    }
    let start = text.len() - after.len();
    let mut at = start;
    while !text[at..].starts_with(';') {
        if at >= text.len() {
            return None;
        }
        at += token_length(&text[at..]);
    }
    let message = text[start..at].trim_start_matches(',').trim_end().trim_end_matches(')').trim();
    Some((&text[..at + 1], message))
}

/// Whether a name means `false`: the word itself, or a constant that is defined so.
fn is_false(name: &str, unit: &str) -> bool {
    name == "false" || unit.contains(&format!("constexpr bool {name} = false;"))
}

/// The words of an assertion in the name of its function. Instrumented code of clang++ comes as
/// far as the linker, which knows no more than the name.
fn failure_name(number: usize, message: &str) -> String {
    let words = message.trim_matches('"').chars();
    let words: String = words.map(|it| if it.is_ascii_alphanumeric() { it } else { '_' }).collect();
    format!("{FAILURE}{number}__{words}")
}

/// What such a name says; nothing of other names.
pub(super) fn failed_assertion(name: &str) -> Option<String> {
    let (_, words) = name.strip_prefix(FAILURE)?.split_once("__")?;
    Some(format!("{}: {}", FAILED[0], words.replace('_', " ")))
}

/// A function whose calls fail to compile where code is made for them: a branch that nobody
/// instantiates makes none.
fn failure(name: &str, message: &str) -> String {
    let words = if message.is_empty() { "\"\"" } else { message }.replace('\n', " ");
    format!("void {name}() __attribute__((error(\"{}: \" {words})));\n", FAILED[0])
}

/// Bytes of the string, character, word or sign that a text begins with.
fn token_length(text: &str) -> usize {
    let first = text.chars().next().map_or(0, char::len_utf8);
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    match text.chars().next() {
        Some(quote @ ('"' | '\'')) => quoted_length(text, quote),
        Some(letter) if is_part(letter) => {
            text.find(|letter| !is_part(letter) && letter != '\'').unwrap_or(text.len())
        }
        Some(_) | None => first,
    }
}

fn quoted_length(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if letter == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Braces that are open, and whether statements stand in each.
#[derive(Default)]
struct Scopes {
    open: Vec<bool>,
    /// Whether a brace here would hold statements.
    is_next_code: bool,
}

impl Scopes {
    fn is_code(&self) -> bool {
        self.open.last().copied().unwrap_or(false)
    }

    fn take(&mut self, token: &str) {
        match token {
            "{" => self.open.push(self.is_next_code || self.is_code()),
            "}" => {
                self.open.pop();
            }
            // Types have members, which are no statements.
            "struct" | "class" | "union" | "enum" | "namespace" => self.is_next_code = false,
            ")" | "else" | "do" | "try" => self.is_next_code = true,
            ";" => self.is_next_code = false,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{adapted, failed_assertion, failure_name};

    #[test]
    fn an_assertion_in_a_branch_becomes_a_call_and_keeps_its_lines() {
        let text = "# 1 \"k.cpp\"\ntemplate <int W> void f() {\n  if constexpr (W) {} else {\n    \
                    static_assert(false,\n      \"no; such (width)\");\n  }\n}\n";
        let out = adapted(text).expect("it changes");
        // One line more before the first marker, which sets the number of the next.
        assert_eq!(out.lines().count(), text.lines().count() + 1, "{out}");
        assert!(!out.contains("static_assert"), "{out}");
        let said = "error(\"static assertion failed: \" \"no; such (width)\")";
        assert!(out.contains(said), "{out}");
    }

    #[test]
    fn a_constant_may_stand_for_false() {
        let assertion = "void f() { static_assert(WIDE, \"needs 32 bits\"); }\n";
        let of = |value: &str| adapted(&format!("constexpr bool WIDE = {value};\n{assertion}"));
        assert!(of("false").is_some_and(|out| !out.contains("static_assert")));
        assert_eq!(of("true"), None);
    }

    #[test]
    fn a_name_says_what_was_asserted() {
        let name = failure_name(2, "\"no such width\"");
        let said = "static assertion failed: no such width";
        assert_eq!(failed_assertion(&name).as_deref(), Some(said));
        assert_eq!(failed_assertion("frob"), None);
    }

    #[test]
    fn unroll_by_a_parameter_goes_and_by_a_number_stays() {
        let text = "#pragma GCC unroll(W)\nfor (;;) {}\n#pragma GCC unroll 4\n";
        assert_eq!(adapted(text).as_deref(), Some("\nfor (;;) {}\n#pragma GCC unroll 4\n"));
    }

    #[test]
    fn what_is_fine_stays_as_it_is() {
        for text in [
            "struct A { static_assert(false, \"x\"); };\n",
            "static_assert(false);\n",
            "void f() { static_assert(sizeof(int) == 4); }\n",
            "const char* t = \"static_assert(false)\";\n",
            "void f() { int my_static_assert(false); }\n",
        ] {
            assert_eq!(adapted(text), None, "{text}");
        }
    }
}
