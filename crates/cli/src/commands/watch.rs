//! `tilewright watch`: checks programs again whenever one of their files is saved.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use tilewright_report::record::Failure;
use tilewright_run::{Watched, compiled_sources, subjects};

use super::check::{self, named};
use crate::args::Watch;
use crate::output::{Output, Status};

/// How often files are looked at.
const PERIOD: Duration = Duration::from_millis(200);

/// Checks, and checks again when a file has changed, until somebody ends it.
pub fn watch(asked: &Watch, output: &Output) -> Result<Status, Failure> {
    let mut sources: BTreeSet<PathBuf> = BTreeSet::new();
    loop {
        // A file that is saved while its program runs is a change, too.
        let mut before = Watched::new(named(&asked.check), &sources);
        if before.count() == 0 {
            return Err(Failure::new("there is no file to watch")
                .help("give manifests, captures or folders of them; operations do not change"));
        }
        output.attempt(|| check::check(&asked.check, output));
        for name in subjects::of(named(&asked.check))? {
            sources.extend(compiled_sources(&asked.check.explore.run.request_for(&name)?));
        }
        before.learn(Watched::new(named(&asked.check), &sources));
        output.remark(&format!("watching {} files; Ctrl-C ends it", before.count()));
        let changed = loop {
            sleep(PERIOD);
            if let Some(file) = before.change(&Watched::new(named(&asked.check), &sources)) {
                break file;
            }
        };
        // Editors write in several steps.
        sleep(PERIOD);
        output.remark(&format!("{} has changed", shown(&changed).display()));
    }
}

/// A file as the user would name it.
fn shown(file: &Path) -> &Path {
    let here = std::env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
    file.strip_prefix(here).unwrap_or(file)
}
