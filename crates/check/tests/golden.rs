//! The golden data of the repository, on the machine, on every SIMD level.

use std::path::PathBuf;

use tilewright_check::golden::{Folder, Summary};
use tilewright_tile::SimdLevel;
use tilewright_tile::dispatch;

fn golden() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden")
}

#[test]
fn every_case_gives_its_bits_on_every_simd_level() {
    let folder = Folder::open(golden()).unwrap();
    for level in SimdLevel::ALL {
        if dispatch::force(Some(level)).is_err() {
            continue;
        }
        let summary: Summary = folder.check(|_| ());
        for m in summary.failed.iter().take(60) {
            println!("{m}");
        }
        println!("{:?} {:?} {}", level, summary.groups, summary.passed);
        assert!(summary.failed.is_empty());
    }
}
