//! Every file of tests is built: crates that list their test binaries name it in one of them.

use super::{Complaint, Repository};

/// Complaints about `crates/NAME/tests/*.rs` where the crate's manifest lists its test binaries.
pub fn check(file: &str, repository: &Repository) -> Option<Complaint> {
    let ["crates", name, "tests", source] = *file.split('/').collect::<Vec<_>>() else {
        return None;
    };
    let module = source.strip_suffix(".rs")?;
    let manifest = repository.texts.get(&format!("crates/{name}/Cargo.toml"))?;
    if !manifest.contains("autotests = false") {
        return None;
    }
    let suite = repository.texts.get(&format!("crates/{name}/tests/suite.rs"));
    let is_module = suite.is_some_and(|text| {
        text.lines().any(|line| line.strip_suffix(';') == Some(&format!("mod {module}")))
    });
    let is_binary = manifest.contains(&format!("path = \"tests/{source}\""));
    let right = format!("`mod {module};` in crates/{name}/tests/suite.rs");
    let what = "tests that nothing builds";
    (!is_module && !is_binary).then(|| Complaint::new(file, 1, what, right))
}

#[cfg(test)]
mod tests {
    use super::super::Repository;
    use super::check;

    #[test]
    fn a_file_of_tests_is_a_module_or_a_binary() {
        let mut repository = Repository::default();
        let manifest = "autotests = false\n[[test]]\npath = \"tests/suite.rs\"\n";
        let mut add = |name: &str, text: &str| repository.add(name, text.as_bytes().to_vec());
        add("crates/a/Cargo.toml", manifest);
        add("crates/a/tests/suite.rs", "mod known;\n");
        add("crates/b/Cargo.toml", "");
        let right = |file: &str| check(file, &repository).map(|complaint| complaint.right);
        assert_eq!(right("crates/a/tests/known.rs"), None);
        assert_eq!(right("crates/a/tests/suite.rs"), None);
        assert_eq!(right("crates/b/tests/other.rs"), None);
        assert_eq!(right("crates/a/tests/known/mod.rs"), None);
        let expected = "`mod other;` in crates/a/tests/suite.rs".to_owned();
        assert_eq!(right("crates/a/tests/other.rs"), Some(expected));
    }
}
