//! Rules for one Rust file: its sizes, its first line, and where `unsafe` may stand.

use std::ops::RangeInclusive;

use proc_macro2::Span;
use syn::visit::{self, Visit};

use super::Complaint;

const FILE_LINES_MAX: usize = 500;
const FUNCTION_LINES_MAX: usize = 70;
const COLUMNS_MAX: usize = 100;

/// Where a file may lift the workspace's ban on `unsafe`.
const UNSAFE_PLACES: [&str; 17] = [
    "crates/tile/src/dispatch.rs",
    "crates/tile/src/vector16.rs",
    "crates/machine/src/fiber.rs",
    "crates/machine/src/fiber/overflow.rs",
    "crates/machine/src/fiber/signals.rs",
    "crates/machine/src/memory/prefetch.rs",
    "crates/machine/src/memory/slot.rs",
    "crates/metal/src/cpp/cache.rs",
    "crates/metal/src/cpp/frame.rs",
    "crates/metal/src/cpp/object.rs",
    "crates/metal/src/cpp/signals.rs",
    "crates/metal/src/cpp/stack.rs",
    "crates/metal/src/cpp/text.rs",
    "crates/metal/src/cpp/traces.rs",
    "crates/run/src/allocator.rs",
    "crates/run/src/process.rs",
    "crates/python/src/contents.rs",
];

pub fn check(file: &str, text: &str) -> Vec<Complaint> {
    let mut all = Vec::new();
    all.extend(check_first_line(file, text));
    all.extend(check_columns(file, text));
    all.extend(check_unsafe(file, text));
    match syn::parse_file(text) {
        Ok(parsed) => {
            let mut spans = Spans::default();
            spans.visit_file(&parsed);
            all.extend(check_file_length(file, text, &spans));
            all.extend(spans.functions.iter().filter_map(|found| check_function(file, found)));
        }
        Err(error) => {
            let line = error.span().start().line;
            all.push(Complaint::new(
                file,
                line,
                format!("not Rust: {error}"),
                "a file that parses",
            ));
        }
    }
    all
}

fn check_first_line(file: &str, text: &str) -> Option<Complaint> {
    let right = "first `//!`: what this file is, and what it refuses to be";
    let missing = || Complaint::new(file, 1, "the file does not say what it is", right);
    (!text.starts_with("//!")).then(missing)
}

fn check_columns(file: &str, text: &str) -> Vec<Complaint> {
    let mut all = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let columns = line.chars().count();
        // An address cannot be broken.
        if columns > COLUMNS_MAX && !line.contains("://") {
            let right = format!("at most {COLUMNS_MAX}");
            all.push(Complaint::new(file, index + 1, format!("{columns} columns"), right));
        }
    }
    all
}

fn check_unsafe(file: &str, text: &str) -> Vec<Complaint> {
    if UNSAFE_PLACES.contains(&file) {
        return Vec::new();
    }
    let lifts = [concat!("allow(", "unsafe_code"), concat!("expect(", "unsafe_code")];
    let lifted = text.lines().enumerate();
    let lifted = lifted.filter(|(_, line)| lifts.iter().any(|lift| line.contains(lift)));
    let right = format!("unsafe code only in {}", UNSAFE_PLACES.join(", "));
    let complain = |index| Complaint::new(file, index + 1, "lifts the ban on `unsafe`", &*right);
    lifted.map(|(index, _)| complain(index)).collect()
}

fn check_file_length(file: &str, text: &str, spans: &Spans) -> Option<Complaint> {
    let is_test = |line: usize| spans.tests.iter().any(|range| range.contains(&line));
    let lines = (1..=text.lines().count()).filter(|&line| !is_test(line)).count();
    let what = format!("{lines} lines without tests");
    let right = format!("at most {FILE_LINES_MAX}: which two things does it hold?");
    let is_too_long = lines > FILE_LINES_MAX && !is_test_file(file);
    is_too_long.then(|| Complaint::new(file, FILE_LINES_MAX + 1, what, right))
}

fn is_test_file(file: &str) -> bool {
    let mut folders = file.split('/');
    let name = folders.next_back();
    name == Some("tests.rs") || folders.any(|folder| folder == "tests" || folder == "benches")
}

fn check_function(file: &str, function: &Function) -> Option<Complaint> {
    let lines = function.lines.clone().count();
    let what = format!("`{}` has {lines} lines", function.name);
    let right = format!("at most {FUNCTION_LINES_MAX}: a function fits a screen");
    let first = *function.lines.start();
    (lines > FUNCTION_LINES_MAX).then(|| Complaint::new(file, first, what, right))
}

/// A function's lines: from `fn` to its closing brace, without attributes and documentation.
struct Function {
    name: String,
    lines: RangeInclusive<usize>,
}

/// Where a file's functions and its `#[cfg(test)]` modules stand.
#[derive(Default)]
struct Spans {
    functions: Vec<Function>,
    tests: Vec<RangeInclusive<usize>>,
}

impl Spans {
    fn add(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let lines = lines(signature.fn_token.span, block.brace_token.span.close());
        self.functions.push(Function { name: signature.ident.to_string(), lines });
    }
}

impl<'ast> Visit<'ast> for Spans {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.add(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.add(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.add(&item.sig, block);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if let (Some(attribute), Some((brace, _))) =
            (item.attrs.iter().find(|attribute| is_cfg_test(attribute)), &item.content)
        {
            self.tests.push(lines(attribute.pound_token.span, brace.span.close()));
        }
        visit::visit_item_mod(self, item);
    }
}

pub(super) fn is_cfg_test(attribute: &syn::Attribute) -> bool {
    let is_test = |path: syn::Path| path.is_ident("test");
    attribute.path().is_ident("cfg") && attribute.parse_args().is_ok_and(is_test)
}

fn lines(first: Span, last: Span) -> RangeInclusive<usize> {
    first.start().line..=last.end().line
}

#[cfg(test)]
mod tests {
    use super::check;

    #[track_caller]
    fn complains(file: &str, text: &str, expected: &[(usize, &str)]) {
        let found = check(file, text);
        let found: Vec<(usize, &str)> = found.iter().map(|it| (it.line, &*it.what)).collect();
        assert_eq!(found, expected);
    }

    /// A function of `lines` lines after a one-line header.
    fn function(lines: usize) -> String {
        format!("//! F.\nfn long() {{\n{}}}\n", "    work();\n".repeat(lines - 2))
    }

    #[test]
    fn a_tidy_file_passes() {
        complains("crates/tile/src/lib.rs", "//! Numbers.\n\nfn f() {}\n", &[]);
    }

    #[test]
    fn the_first_line_says_what_the_file_is() {
        let expected = [(1, "the file does not say what it is")];
        complains("a.rs", "fn f() {}\n", &expected);
        complains("a.rs", "\n//! Late.\n", &expected);
        complains("tests/ui/a.rs", "// A comment.\n", &expected);
    }

    #[test]
    fn columns_are_characters() {
        let line = |columns: usize| format!("//! {}\n", "é".repeat(columns - 4));
        complains("a.rs", &line(100), &[]);
        complains("a.rs", &line(101), &[(1, "101 columns")]);
        complains("a.rs", &format!("//! https://a.example/{}\n", "x".repeat(100)), &[]);
    }

    #[test]
    fn a_function_fits_a_screen() {
        complains("a.rs", &function(70), &[]);
        complains("a.rs", &function(71), &[(2, "`long` has 71 lines")]);
        complains("tests/a.rs", &function(71), &[(2, "`long` has 71 lines")]);
    }

    #[test]
    fn methods_and_default_methods_are_functions() {
        let body = "        work();\n".repeat(69);
        let method = format!("//! A.\nimpl A {{\n    fn f() {{\n{body}    }}\n}}\n");
        complains("a.rs", &method, &[(3, "`f` has 71 lines")]);
        complains("a.rs", &method.replace("impl A", "trait A"), &[(3, "`f` has 71 lines")]);
    }

    #[test]
    fn documentation_does_not_lengthen_a_function() {
        let text = format!("//! A.\n{}fn f() {{}}\n", "/// Why.\n".repeat(80));
        complains("a.rs", &text, &[]);
    }

    #[test]
    fn a_file_is_short_apart_from_its_tests() {
        let file = |lines: usize| format!("//! A.\n{}", "const _: u8 = 0;\n".repeat(lines - 1));
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "    use a;\n".repeat(50));
        complains("src/a.rs", &file(500), &[]);
        complains("src/a.rs", &(file(500) + &tests), &[]);
        complains("src/a.rs", &file(501), &[(501, "501 lines without tests")]);
        let other = tests.replace("cfg(test)", "cfg(unix)");
        complains("src/a.rs", &(file(500) + &other), &[(501, "553 lines without tests")]);
        for apart in ["crates/ops/tests/a.rs", "benches/a.rs", "src/a/tests.rs"] {
            complains(apart, &file(501), &[]);
        }
    }

    #[test]
    fn unsafe_stays_where_it_is_allowed() {
        let text = concat!("//! A.\n#![allow(", "unsafe_code, reason = \"fast\")]\n");
        complains("crates/machine/src/fiber.rs", text, &[]);
        complains("crates/ops/src/lib.rs", text, &[(2, "lifts the ban on `unsafe`")]);
    }

    #[test]
    fn what_does_not_parse_is_named() {
        complains("a.rs", "//! A.\nfn 3() {}\n", &[(2, "not Rust: expected identifier")]);
    }
}
