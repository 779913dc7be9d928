//! A match over events has no arm for the rest: a new event is a decision wherever events are told
//! apart.
//!
//! Sees matches whose patterns are kinds of events (`EventKind::…`, `of_class!`) or tuples with
//! one, in what ships.
//! `if let` and `matches!` ask for one kind and are left alone.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};

use super::Complaint;

const RIGHT: &str = "name the other events of the classes that are told apart, and the other \
                     classes by `of_class!`";

pub fn check(file: &str, text: &str) -> Vec<Complaint> {
    let ships = file.starts_with("crates/") && file.contains("/src/");
    let Some(parsed) = ships.then(|| syn::parse_file(text).ok()).flatten() else {
        return Vec::new();
    };
    let mut matches = Matches::default();
    matches.visit_file(&parsed);
    let what = "an arm for the rest in a match over events";
    matches.rests.iter().map(|&line| Complaint::new(file, line, what, RIGHT)).collect()
}

/// The lines of arms for the rest.
#[derive(Default)]
struct Matches {
    rests: Vec<usize>,
}

impl<'ast> Visit<'ast> for Matches {
    fn visit_expr_match(&mut self, found: &'ast syn::ExprMatch) {
        if found.arms.iter().any(|arm| is_event(&arm.pat)) {
            let places = event_places(found);
            let rests = found.arms.iter().filter(|arm| is_rest(&arm.pat, &places));
            self.rests.extend(rests.map(|arm| arm.fat_arrow_token.spans[0].start().line));
        }
        visit::visit_expr_match(self, found);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !item.attrs.iter().any(super::source::is_cfg_test) {
            visit::visit_item_mod(self, item);
        }
    }
}

fn is_event(pattern: &syn::Pat) -> bool {
    let is_kind = |path: &syn::Path| {
        path.segments.iter().rev().nth(1).is_some_and(|segment| segment.ident == "EventKind")
    };
    match pattern {
        syn::Pat::Or(or) => or.cases.iter().any(is_event),
        syn::Pat::Paren(paren) => is_event(&paren.pat),
        syn::Pat::Tuple(tuple) => tuple.elems.iter().any(is_event),
        syn::Pat::Guard(guard) => is_event(&guard.pat),
        syn::Pat::Reference(reference) => is_event(&reference.pat),
        syn::Pat::Ident(ident) => ident.subpat.as_ref().is_some_and(|(_, inner)| is_event(inner)),
        syn::Pat::Path(path) => is_kind(&path.path),
        syn::Pat::Struct(fields) => is_kind(&fields.path),
        syn::Pat::TupleStruct(fields) => is_kind(&fields.path),
        syn::Pat::Macro(call) => {
            call.mac.path.segments.last().is_some_and(|segment| segment.ident == "of_class")
        }
        _ => false,
    }
}

/// Where in the tuples of a match events stand.
fn event_places(found: &syn::ExprMatch) -> BTreeSet<usize> {
    let tuples = found.arms.iter().flat_map(|arm| tuples(&arm.pat));
    let events = |tuple: &syn::PatTuple| {
        let elements = tuple.elems.iter().enumerate();
        elements.filter(|(_, it)| is_event(it)).map(|(place, _)| place).collect::<Vec<_>>()
    };
    tuples.flat_map(events).collect()
}

/// The tuples that a pattern offers.
fn tuples(pattern: &syn::Pat) -> Vec<&syn::PatTuple> {
    match pattern {
        syn::Pat::Tuple(tuple) => vec![tuple],
        syn::Pat::Or(or) => or.cases.iter().flat_map(tuples).collect(),
        syn::Pat::Paren(paren) => tuples(&paren.pat),
        syn::Pat::Guard(guard) => tuples(&guard.pat),
        syn::Pat::Reference(reference) => tuples(&reference.pat),
        _ => Vec::new(),
    }
}

/// `_`, a name for everything, a tuple with one of these where events stand, or one of several
/// patterns that is.
fn is_rest(pattern: &syn::Pat, events: &BTreeSet<usize>) -> bool {
    match pattern {
        syn::Pat::Wild(_) | syn::Pat::Rest(_) => true,
        syn::Pat::Ident(ident) => {
            ident.subpat.as_ref().is_none_or(|(_, inner)| is_rest(inner, events))
        }
        syn::Pat::Or(or) => or.cases.iter().any(|it| is_rest(it, events)),
        syn::Pat::Paren(paren) => is_rest(&paren.pat, events),
        syn::Pat::Guard(guard) => is_rest(&guard.pat, events),
        syn::Pat::Reference(reference) => is_rest(&reference.pat, events),
        syn::Pat::Tuple(tuple) => {
            let elements = tuple.elems.iter().enumerate();
            let mut events_here = elements.filter(|(place, _)| events.contains(place));
            events_here.any(|(_, it)| is_rest(it, &BTreeSet::new()))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[track_caller]
    fn lines(file: &str, arms: &str, expected: &[usize]) {
        let text = format!("//! A.\nfn f() {{\n    match kind {{\n{arms}    }}\n}}\n");
        let found: Vec<usize> = check(file, &text).iter().map(|it| it.line).collect();
        assert_eq!(found, expected, "{text}");
    }

    const FILE: &str = "crates/check/src/a.rs";

    #[test]
    fn a_match_over_events_has_no_arm_for_the_rest() {
        for event in [
            "EventKind::StartedUp",
            "machine::EventKind::Pushed { .. }",
            "EventKind::Blocked(_) | EventKind::StartedUp",
            "&(EventKind::Blocked(_))",
            "of_class!(Ring, Word)",
            "kind @ EventKind::StartedUp",
            "EventKind::StartedUp if is_early",
        ] {
            let first = format!("        {event} => work(),\n");
            lines(FILE, &first, &[]);
            for rest in ["_", "other", "_ if is_late", "EventKind::DstWaited | _"] {
                lines(FILE, &format!("{first}        {rest} => {{}}\n"), &[5]);
            }
        }
    }

    #[test]
    fn other_matches_may_have_one() {
        for other in ["Some(EventKind::StartedUp)", "Waiting::ForDst", "(a, Waiting::ForDst)"] {
            lines(FILE, &format!("        {other} => work(),\n        _ => {{}}\n"), &[]);
        }
    }

    #[test]
    fn events_in_tuples_are_events() {
        let first = "        (Waiting::ForDst, EventKind::StartedUp) => work(),\n";
        for rest in ["_", "other", "(Waiting::ForSpace, _)", "(_, kind)", "(_, _) if is_late"] {
            lines(FILE, &format!("{first}        {rest} => {{}}\n"), &[5]);
        }
        for other in ["(_, EventKind::DstWaited)", "(waiting, of_class!(Ring))"] {
            lines(FILE, &format!("{first}        {other} => {{}}\n"), &[]);
        }
    }

    #[test]
    fn matches_within_matches_are_seen_and_tests_are_not() {
        let inner =
            "match kind {\n        EventKind::StartedUp => a(),\n        _ => b(),\n        }";
        lines(FILE, &format!("        1 => {inner},\n        _ => {{}}\n"), &[6]);
        let arms = "        EventKind::StartedUp => a(),\n        _ => b(),\n";
        lines("crates/check/tests/a.rs", arms, &[]);
        let text = format!(
            "//! A.\n#[cfg(test)]\nmod tests {{\nfn f() {{ match kind {{\n{arms}}} }}\n}}\n"
        );
        assert!(check(FILE, &text).is_empty());
    }
}
