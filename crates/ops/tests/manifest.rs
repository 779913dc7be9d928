//! Program manifests: what is wrong with them, told to the letter, and what right ones make.
//!
//! Each `manifests/wrong/*.toml` has beside it what is said of it; `TILEWRIGHT_BLESS=1` writes
//! that anew.

use std::fs;
use std::path::Path;

use tilewright_metal::Device;
use tilewright_ops::manifest::{self, Manifest, ManifestError, Overrides, Ready};

/// A manifest with kernels that do nothing.
fn prepare(path: &Path, overrides: &Overrides) -> Result<Ready, ManifestError> {
    let text = fs::read_to_string(path).expect("a manifest");
    let manifest = Manifest::parse(path, &text)?;
    manifest.prepare_with(&mut Device::n150(), overrides, &mut |builder, plan| {
        let (cores, args) = (plan.cores.clone(), plan.compile_time.clone());
        match plan.place {
            Some(place) => builder.data_movement(&plan.name, cores, place, args, |_| {}),
            None => builder.compute(&plan.name, cores, plan.config.clone(), args, |_| {}),
        }
    })
}

fn is_bless() -> bool {
    std::env::var_os("TILEWRIGHT_BLESS").is_some_and(|it| it == "1")
}

#[test]
fn every_wrong_manifest_is_refused_with_its_places() {
    let mut cases: Vec<_> = fs::read_dir("tests/manifests/wrong")
        .expect("a folder of manifests")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|it| it == "toml"))
        .collect();
    cases.sort();
    let mut different = Vec::new();
    for path in &cases {
        let told = match prepare(path, &Overrides::default()) {
            Ok(_) => "nothing is wrong\n".to_owned(),
            Err(error) => format!("{error}\n"),
        };
        let expected = path.with_extension("txt");
        if is_bless() {
            fs::write(&expected, &told).expect("what is said");
        }
        if fs::read_to_string(&expected).unwrap_or_default() != told {
            different.push(format!("{}:\n{told}", path.display()));
        }
    }
    assert!(cases.len() > 8, "manifests with errors");
    assert!(different.is_empty(), "`cargo xtask bless` accepts these:\n{}", different.join("\n"));
}

#[track_caller]
fn published(path: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    if is_bless() {
        fs::write(&path, text).expect("a published file");
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(there, text, "{}; `cargo xtask bless` writes it", path.display());
}

#[test]
fn the_published_schema_and_page_are_those_of_the_types() {
    published("docs/schema/manifest.schema.json", &manifest::schema());
    published("docs/src/manifest.md", &manifest::page());
}
