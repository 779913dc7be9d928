//! Findings that are known: they do not count until they are gone.

use serde::{Deserialize, Serialize};

use crate::record::{CheckedProgram, Finding};

/// A finding of a baseline. Lines and cycles are not part of it, so that it stays known when lines
/// above it change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// The program it is of.
    pub program: String,
    /// The kind of finding.
    pub id: String,
    /// What happened, for readers.
    pub title: String,
    /// What it is recognised by.
    pub fingerprint: String,
}

impl Known {
    fn new(program: &str, finding: &Finding) -> Known {
        let file = finding.own_line().map_or(String::new(), |line| line.file);
        Known {
            program: program.to_owned(),
            id: finding.id.clone(),
            title: finding.title.clone(),
            fingerprint: fingerprint([program, &finding.id, &file, &finding.title]),
        }
    }
}

/// What a fault is recognised by in other runs: its program, kind and file, and what happened.
pub fn fingerprint(parts: [&str; 4]) -> String {
    // FNV-1a, 64 bits.
    let hash = parts.join("\0").bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// All findings of programs, each once.
pub fn of(programs: &[CheckedProgram]) -> Vec<Known> {
    let of = |program: &CheckedProgram| -> Vec<Known> {
        program.findings().map(|finding| Known::new(&program.name, finding)).collect()
    };
    let mut all: Vec<Known> = programs.iter().flat_map(of).collect();
    all.sort();
    all.dedup();
    all
}

/// What a file knows.
pub fn read(text: &str) -> Result<Vec<Known>, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Takes known findings out of runs that completed, and says how many. Values outside their bounds
/// and runs that hang stay what they are.
pub fn leave_out(programs: &mut [CheckedProgram], known: &[Known]) -> usize {
    let mut left_out = 0;
    for program in programs {
        let Some(run) = &mut program.run else { continue };
        left_out += run.leave_out(|finding| {
            let fingerprint = Known::new(&program.name, finding).fingerprint;
            known.iter().any(|it| it.fingerprint == fingerprint)
        });
    }
    left_out
}
