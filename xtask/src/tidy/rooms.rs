//! Rules for manifests: arrows between rooms point down, other crates are in the table.
//!
//! Which crates those are is in `allowed`.

use toml::de::{DeTable, DeValue};

use super::Complaint;
use super::allowed::{Use, permitted};

/// The rooms from the ground up; those on one floor do not know each other.
const FLOORS: [&[&str]; 8] = [
    &["tile"],
    &["machine"],
    &["metal"],
    &["ops", "manifest", "check"],
    &["golden"],
    &["run"],
    &["report", "host"],
    &["cli", "python"],
];

/// Arrows that point down and are still wrong, except in tests, which look at what a kernel did.
const BANNED: [(&str, &str, &str); 1] =
    [("ops", "machine", "an operation reaches the device through `metal`")];

const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Code,
    Test,
}

const SECTIONS: [(&str, Section); 3] = [
    ("dependencies", Section::Code),
    ("build-dependencies", Section::Code),
    ("dev-dependencies", Section::Test),
];

pub fn check_manifest(file: &str, text: &str) -> Vec<Complaint> {
    let manifest = match DeTable::parse(text) {
        Ok(manifest) => manifest,
        Err(error) => {
            let line = error.span().map_or(1, |span| line_at(text, span.start));
            return vec![Complaint::new(file, line, error.message(), "a manifest that parses")];
        }
    };
    let room = match room(file) {
        Ok(Some(room)) => room,
        Ok(None) => return Vec::new(),
        Err(complaint) => return vec![complaint],
    };
    let mut all = Vec::new();
    for (section, dependencies) in dependency_tables(manifest.get_ref()) {
        for (name, value) in dependencies.iter() {
            let line = line_at(text, name.span().start);
            let found = check_dependency(room, name.get_ref(), value.get_ref(), section);
            all.extend(found.map(|(what, right)| Complaint::new(file, line, what, right)));
        }
    }
    all
}

/// Every package comes from the one public registry, or is ours and has no source line.
pub fn check_lock(file: &str, text: &str) -> Vec<Complaint> {
    let mut all = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let source = line.strip_prefix("source = ").map(|source| source.trim_matches('"'));
        if let Some(source) = source.filter(|source| *source != REGISTRY) {
            all.push(Complaint::new(file, index + 1, format!("comes from {source}"), REGISTRY));
        }
    }
    all
}

/// The room a manifest belongs to; the workspace's own manifest belongs to none.
fn room(file: &str) -> Result<Option<&str>, Complaint> {
    let known = |room: &str| room == "xtask" || floor(room).is_some();
    match file.split('/').collect::<Vec<_>>().as_slice() {
        ["Cargo.toml"] => Ok(None),
        ["xtask", _] => Ok(Some("xtask")),
        ["crates", room, _] if known(room) => Ok(Some(room)),
        _ => {
            let rooms = FLOORS.concat().join(", ");
            let right = format!("crates/<room>/Cargo.toml with a room of {rooms}");
            Err(Complaint::new(file, 1, "a crate that is no room of the house", right))
        }
    }
}

fn floor(room: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

/// The dependency tables of a manifest, those under `[target.…]` too.
fn dependency_tables<'t, 'i>(manifest: &'t DeTable<'i>) -> Vec<(Section, &'t DeTable<'i>)> {
    let targets = manifest.get("target").and_then(|targets| targets.get_ref().as_table());
    let targets = targets.into_iter().flat_map(|targets| targets.values());
    let holders = targets.filter_map(|target| target.get_ref().as_table());
    let mut tables = Vec::new();
    for holder in holders.chain([manifest]) {
        for (name, section) in SECTIONS {
            let table = holder.get(name).and_then(|table| table.get_ref().as_table());
            tables.extend(table.map(|table| (section, table)));
        }
    }
    tables
}

/// What is wrong with one dependency, and what would be right.
fn check_dependency(
    room: &str,
    name: &str,
    value: &DeValue<'_>,
    section: Section,
) -> Option<(String, String)> {
    if value.get("package").is_some() {
        let what = format!("`{name}` is another crate's name for itself");
        return Some((what, "a crate keeps its own name".to_owned()));
    }
    match own_room(name) {
        Some(used) => check_arrow(room, used, section),
        None => check_permission(room, name, section),
    }
}

/// The room behind a package name of ours.
fn own_room(name: &str) -> Option<&str> {
    if name == "tilewright" { Some("cli") } else { name.strip_prefix("tilewright-") }
}

/// Arrows point down in tests too: a test that needs an upper room belongs there.
fn check_arrow(room: &str, used: &str, section: Section) -> Option<(String, String)> {
    let what = format!("`{room}` uses `{used}`");
    let banned = BANNED.iter().find(|(from, to, _)| (*from, *to) == (room, used));
    if let (Some((_, _, reason)), Section::Code) = (banned, section) {
        return Some((what, (*reason).to_owned()));
    }
    let is_down = matches!((floor(room), floor(used)), (Some(from), Some(to)) if to < from);
    let house = FLOORS.map(|rooms| rooms.join("|")).join(" <- ");
    (!is_down).then(|| (what, format!("arrows point down: {house}")))
}

fn check_permission(room: &str, name: &str, section: Section) -> Option<(String, String)> {
    let uses = permitted(room, name);
    let fits = |how: &Use| match (how, section) {
        (Use::Code, _) | (Use::Test, Section::Test) => true,
        (Use::Test, Section::Code) => false,
    };
    if uses.iter().any(fits) {
        return None;
    }
    let what = format!("`{room}` uses `{name}`");
    let right = match uses.first() {
        None => "a crate in the table of xtask/src/tidy/allowed.rs, with its reason",
        Some(Use::Code | Use::Test) => "only under [dev-dependencies]",
    };
    Some((what, right.to_owned()))
}

fn line_at(text: &str, byte: usize) -> usize {
    text[..byte].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::{check_lock, check_manifest};

    #[track_caller]
    fn check(room: &str, text: &str, expected: &[(usize, &str)]) {
        let found = check_manifest(&format!("crates/{room}/Cargo.toml"), text);
        let found: Vec<(usize, &str)> = found.iter().map(|it| (it.line, &*it.what)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn arrows_point_down() {
        let uses = |room: &str| format!("[dependencies]\ntilewright-{room}.workspace = true\n");
        check("machine", &uses("tile"), &[]);
        check("report", &uses("check"), &[]);
        check("report", &uses("tile"), &[]);
        check("tile", &uses("machine"), &[(2, "`tile` uses `machine`")]);
        check("check", &uses("ops"), &[(2, "`check` uses `ops`")]);
        check("ops", &uses("check"), &[(2, "`ops` uses `check`")]);
        check("ops", &uses("machine"), &[(2, "`ops` uses `machine`")]);
        check("cli", &uses("attic"), &[(2, "`cli` uses `attic`")]);
        check("report", "[dependencies]\ntilewright = \"0\"\n", &[(2, "`report` uses `cli`")]);
    }

    #[test]
    fn tests_obey_the_arrows_too() {
        let text = "[dev-dependencies]\ntilewright-ops = { workspace = true }\n";
        check("metal", text, &[(2, "`metal` uses `ops`")]);
        check("cli", text, &[]);
        check("ops", "[dev-dependencies]\ntilewright-machine.workspace = true\n", &[]);
    }

    #[test]
    fn a_crate_must_be_in_the_table() {
        check("machine", "[dependencies]\ncorosensei = \"0.3\"\n", &[]);
        let elsewhere = "[dependencies]\n\nclap = { version = \"4\" }\n";
        check("machine", elsewhere, &[(3, "`machine` uses `clap`")]);
        check("ops", "[build-dependencies]\ncc = \"1\"\n", &[(2, "`ops` uses `cc`")]);
        check("ops", "[dependencies.cc]\nversion = \"1\"\n", &[(1, "`ops` uses `cc`")]);
        let target = "[target.'cfg(unix)'.dependencies]\nnix = \"0.2\"\n";
        check("machine", target, &[(2, "`machine` uses `nix`")]);
    }

    #[test]
    fn a_test_crate_stays_in_tests() {
        check("ops", "[dev-dependencies]\nproptest = \"1\"\n", &[]);
        check("ops", "[dependencies]\nproptest = \"1\"\n", &[(2, "`ops` uses `proptest`")]);
    }

    #[test]
    fn a_crate_cannot_hide_behind_another_name() {
        let text = "[dependencies]\nhalf = { package = \"leftpad\", version = \"1\" }\n";
        check("tile", text, &[(2, "`half` is another crate's name for itself")]);
    }

    #[test]
    fn a_crate_is_a_room() {
        check("attic", "[package]\n", &[(1, "a crate that is no room of the house")]);
        assert_eq!(check_manifest("Cargo.toml", "[workspace.dependencies]\ncc = \"1\"\n"), []);
        assert_eq!(
            check_manifest("xtask/Cargo.toml", "[dependencies]\nproptest = \"1\"\n").len(),
            1
        );
    }

    #[test]
    fn a_broken_manifest_is_named() {
        let found = check_manifest("crates/tile/Cargo.toml", "[package]\nname = \n");
        assert_eq!(found[0].line, 2);
    }

    #[test]
    fn packages_come_from_one_registry() {
        let lock = |source: &str| format!("[[package]]\nname = \"a\"\nsource = \"{source}\"\n");
        assert_eq!(check_lock("Cargo.lock", &lock(super::REGISTRY)), []);
        for source in ["registry+https://mirror.example/index", "git+https://a.example/b#1"] {
            assert_eq!(check_lock("Cargo.lock", &lock(source))[0].line, 3);
        }
    }
}
