//! Rules for manifests: dependencies between crates point down, other crates are in the table.
//!
//! Which crates those are is in `allowed`, and so are the upper crates that a suite of tests may
//! use.

use toml::de::{DeTable, DeValue};

use super::Complaint;
use super::allowed::{UPWARD, Use, permitted};

/// The crates by layer, the lowest first; those of one layer do not know each other.
const LAYERS: [&[&str]; 9] = [
    &["tile", "testing"],
    &["machine"],
    &["metal"],
    &["ops", "manifest", "check"],
    &["golden"],
    &["run"],
    &["report", "host", "develop"],
    &["cli"],
    &["python"],
];

/// Dependencies that point down and are still wrong, except in tests, which look at what kernels
/// did.
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
    let from = match crate_of(file) {
        Ok(Some(from)) => from,
        Ok(None) => return Vec::new(),
        Err(complaint) => return vec![complaint],
    };
    let mut all = Vec::new();
    for (section, dependencies) in dependency_tables(manifest.get_ref()) {
        for (name, value) in dependencies.iter() {
            let line = line_at(text, name.span().start);
            let found = check_dependency(from, name.get_ref(), value.get_ref(), section);
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

/// The crate a manifest belongs to; the workspace's own manifest belongs to none.
fn crate_of(file: &str) -> Result<Option<&str>, Complaint> {
    let known = |name: &str| name == "xtask" || layer(name).is_some();
    match file.split('/').collect::<Vec<_>>().as_slice() {
        ["Cargo.toml"] => Ok(None),
        ["xtask", _] => Ok(Some("xtask")),
        ["crates", name, _] if known(name) => Ok(Some(name)),
        _ => {
            let known = LAYERS.concat().join(", ");
            let right = format!("crates/<name>/Cargo.toml with a name of {known}");
            Err(Complaint::new(file, 1, "a crate that is in no layer", right))
        }
    }
}

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|crates| crates.contains(&name))
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
    from: &str,
    name: &str,
    value: &DeValue<'_>,
    section: Section,
) -> Option<(String, String)> {
    if value.get("package").is_some() {
        let what = format!("`{name}` is another crate's name for itself");
        return Some((what, "a crate keeps its own name".to_owned()));
    }
    match own_crate(name) {
        Some(used) => check_direction(from, used, value, section),
        None => check_permission(from, name, section),
    }
}

/// The folder behind a package name of ours.
fn own_crate(name: &str) -> Option<&str> {
    if name == "tilewright" { Some("cli") } else { name.strip_prefix("tilewright-") }
}

/// Dependencies point down, in tests too, but for those of the table `UPWARD`.
fn check_direction(
    from: &str,
    used: &str,
    value: &DeValue<'_>,
    section: Section,
) -> Option<(String, String)> {
    let what = format!("`{from}` uses `{used}`");
    let banned = BANNED.iter().find(|(user, to, _)| (*user, *to) == (from, used));
    if let (Some((_, _, reason)), Section::Code) = (banned, section) {
        return Some((what, (*reason).to_owned()));
    }
    if used == "testing" {
        let right = "only under [dev-dependencies]".to_owned();
        return (section == Section::Code).then_some((what, right));
    }
    if section == Section::Test && is_upward(from, used) {
        return check_unpublished(what, used, value);
    }
    let is_down = matches!((layer(from), layer(used)), (Some(from), Some(to)) if to < from);
    let layers = LAYERS.map(|crates| crates.join("|")).join(" <- ");
    (!is_down).then(|| (what, format!("dependencies point down: {layers}")))
}

fn is_upward(from: &str, used: &str) -> bool {
    UPWARD.iter().any(|(user, to, _)| (*user, *to) == (from, used))
}

/// Cargo leaves a dependency without a version out of the package. With one, each of two crates
/// could only be published after the other.
fn check_unpublished(what: String, used: &str, value: &DeValue<'_>) -> Option<(String, String)> {
    let has = |key| value.get(key).is_some();
    let is_path_alone = has("path") && !has("version") && !has("workspace");
    let right = format!("`{{ path = \"../{used}\" }}`, without a version, as packages need it");
    (!is_path_alone).then_some((what, right))
}

/// The permission to use an upper crate is for the suite in `tests` alone: code beside the library
/// would meet two builds of it, its own and the one that the upper crate uses.
pub fn check_source(file: &str, text: &str) -> Vec<Complaint> {
    let ["crates", from, folder, ..] = *file.split('/').collect::<Vec<_>>() else {
        return Vec::new();
    };
    let upper = UPWARD.iter().filter(|(user, ..)| *user == from && folder != "tests");
    let mut all = Vec::new();
    for (_, used, _) in upper {
        let name = format!("tilewright_{used}::");
        for (index, _) in text.lines().enumerate().filter(|(_, line)| line.contains(&name)) {
            let what = format!("`{from}` uses `{used}`");
            let right = format!("only under crates/{from}/tests");
            all.push(Complaint::new(file, index + 1, what, right));
        }
    }
    all
}

fn check_permission(from: &str, name: &str, section: Section) -> Option<(String, String)> {
    let uses = permitted(from, name);
    let fits = |how: &Use| match (how, section) {
        (Use::Code, _) | (Use::Test, Section::Test) => true,
        (Use::Test, Section::Code) => false,
    };
    if uses.iter().any(fits) {
        return None;
    }
    let what = format!("`{from}` uses `{name}`");
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
    use super::super::allowed::UPWARD;
    use super::{check_lock, check_manifest, check_source, layer};

    #[track_caller]
    fn check(name: &str, text: &str, expected: &[(usize, &str)]) {
        let found = check_manifest(&format!("crates/{name}/Cargo.toml"), text);
        let found: Vec<(usize, &str)> = found.iter().map(|it| (it.line, &*it.what)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn dependencies_point_down() {
        let uses = |name: &str| format!("[dependencies]\ntilewright-{name}.workspace = true\n");
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
    fn those_of_tests_do_too() {
        let text = "[dev-dependencies]\ntilewright-ops = { workspace = true }\n";
        check("metal", text, &[(2, "`metal` uses `ops`")]);
        check("cli", text, &[]);
        check("ops", "[dev-dependencies]\ntilewright-machine.workspace = true\n", &[]);
    }

    #[test]
    fn a_suite_may_use_the_upper_crates_of_the_table() {
        let uses = |how: &str| format!("[dev-dependencies]\ntilewright-metal = {how}\n");
        check("machine", &uses("{ path = \"../metal\" }"), &[]);
        for how in [
            "{ workspace = true }",
            "\"0.1.0\"",
            "{ path = \"../metal\", version = \"0.1.0\" }",
            "{ path = \"../metal\", workspace = true }",
        ] {
            check("machine", &uses(how), &[(2, "`machine` uses `metal`")]);
        }
        let code = "[dependencies]\ntilewright-metal = { path = \"../metal\" }\n";
        check("machine", code, &[(2, "`machine` uses `metal`")]);
        let other = "[dev-dependencies]\ntilewright-ops = { path = \"../ops\" }\n";
        check("machine", other, &[(2, "`machine` uses `ops`")]);
    }

    #[test]
    fn the_table_of_upper_crates_points_up() {
        for (from, used, reason) in UPWARD {
            let (from_layer, to) = (layer(from).expect(from), layer(used).expect(used));
            let is_beside = from_layer == to && from != used;
            assert!(from_layer < to || is_beside, "`{used}` is below `{from}`");
            assert!(!reason.is_empty());
        }
    }

    #[test]
    fn upper_crates_stay_in_suites() {
        let text = "//! A file.\nuse tilewright_metal::Device;\n";
        assert_eq!(check_source("crates/machine/tests/noc.rs", text), []);
        assert_eq!(check_source("crates/check/src/session.rs", text), []);
        for file in ["src/noc.rs", "benches/noc.rs", "examples/noc.rs"] {
            assert_eq!(check_source(&format!("crates/machine/{file}"), text)[0].line, 2);
        }
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
    fn a_crate_is_in_a_layer() {
        check("attic", "[package]\n", &[(1, "a crate that is in no layer")]);
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
