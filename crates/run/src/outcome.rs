//! What came of a request: a verdict with its record, and what was to be kept.

use serde::{Deserialize, Serialize};
use tilewright_check::FindingLine;
use tilewright_metal::{Device, Observer, Outcome as Ended, Program};

use crate::heat::HeatMap;
use crate::keep::{Kept, KeptHead};
use crate::record::{Failure, Finding, Output, Pause, Run, RunVerdict};

/// What came of a request.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What the program calls itself.
    pub name: String,
    /// The record: verdict, findings, outputs with their judgement, statistics.
    pub run: Run,
    /// Where the run was, if it was stopped as asked.
    pub pause: Option<Pause>,
    /// What was to be kept of the first schedule, in the order of the request.
    pub kept: Vec<Kept>,
    /// What a witness made of it; empty if there was none, or the run was lost.
    pub testimony: Vec<Vec<u8>>,
}

impl Outcome {
    /// What the run comes to.
    pub fn verdict(&self) -> RunVerdict {
        self.run.verdict
    }

    /// What is wrong with the program, in order of simulated time.
    pub fn findings(&self) -> &[Finding] {
        &self.run.findings
    }

    /// An output with its judgement.
    pub fn output(&self, name: &str) -> Option<&Output> {
        self.run.outputs.get(name)
    }
}

/// Watches a run besides the tools, and makes something of it in the process that ran it.
pub trait Witness {
    /// A program begins.
    fn begin(&mut self, program: &Program);
    /// Who sees its events.
    fn observer(&mut self) -> &mut dyn Observer;
    /// It has ended.
    fn end(&mut self, ended: &Ended);
    /// What is to be brought out of that process.
    fn testify(&mut self, seen: &Seen<'_>) -> Vec<Vec<u8>>;
}

/// What a witness is given when all has ended.
pub struct Seen<'a> {
    /// The record.
    pub run: &'a Run,
    /// Where the errors of each output lie.
    pub heat: &'a [(String, HeatMap)],
    /// The device that the programs ran on.
    pub device: &'a Device,
}

/// What crosses from a worker to its supervisor before the bytes of `kept` and `testimony`.
#[derive(Serialize, Deserialize)]
enum Head {
    Outcome {
        name: String,
        run: Box<Run>,
        /// The lines that distinguish the findings, which their records leave out.
        lines: Vec<(String, u32, u32)>,
        pause: Option<Pause>,
        kept: Vec<KeptHead>,
    },
    Failure(Failure),
}

/// As bytes: each piece after its length.
pub(crate) fn encode(answer: &Result<Outcome, Failure>) -> Vec<u8> {
    let (head, pieces) = match answer {
        Ok(Outcome { name, run, pause, kept, testimony }) => {
            let heads = kept.iter().map(Kept::head).collect();
            let (name, run, pause) = (name.clone(), Box::new(run.clone()), pause.clone());
            let lines = run.findings.iter().map(|it| it.distinguished_by.clone());
            let lines = lines.map(|it| (it.file, it.line, it.column)).collect();
            let bytes = kept.iter().map(|it| it.tensor.bytes());
            let pieces = bytes.chain(testimony.iter().map(Vec::as_slice)).collect();
            (Head::Outcome { name, run, lines, pause, kept: heads }, pieces)
        }
        Err(failure) => (Head::Failure(failure.clone()), Vec::new()),
    };
    let head = serde_json::to_vec(&head).expect("a record is plain JSON");
    let mut all = Vec::new();
    for piece in std::iter::once(head.as_slice()).chain(pieces) {
        all.extend((piece.len() as u64).to_le_bytes());
        all.extend(piece);
    }
    all
}

/// From bytes; nothing if they are none of ours.
pub(crate) fn decode(mut bytes: &[u8]) -> Option<Result<Outcome, Failure>> {
    let mut pieces = Vec::new();
    while !bytes.is_empty() {
        let (length, rest) = bytes.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (piece, rest) = rest.split_at_checked(length)?;
        pieces.push(piece);
        bytes = rest;
    }
    let mut pieces = pieces.into_iter();
    match serde_json::from_slice(pieces.next()?).ok()? {
        Head::Failure(failure) => Some(Err(failure)),
        Head::Outcome { name, mut run, lines, pause, kept } => {
            for (finding, (file, line, column)) in run.findings.iter_mut().zip(lines) {
                finding.distinguished_by = FindingLine { file, line, column };
            }
            let kept = kept.into_iter().map(|head| head.with(pieces.next()?));
            let kept = kept.collect::<Option<Vec<Kept>>>()?;
            let testimony = pieces.map(<[u8]>::to_vec).collect();
            Some(Ok(Outcome { name, run: *run, pause, kept, testimony }))
        }
    }
}

#[cfg(test)]
mod tests {
    use tilewright_check::host_error;
    use tilewright_metal::Site;

    use super::*;
    use crate::launches::nothing;
    use crate::record::identities;
    use crate::request::Request;

    #[test]
    fn findings_stay_known_by_their_lines_across_processes() {
        let finding = |line| {
            let finding = host_error("of one line for all", Some(Site::new("host.cpp", 1, 1)));
            let distinguished_by = Site::new("reader.cpp", line, 5).into();
            Finding { distinguished_by, ..Finding::from(&finding) }
        };
        let run = Run { findings: vec![finding(8), finding(9)], ..nothing(&Request::new("x")) };
        let known = identities(&run.findings);
        assert_ne!(known[0], known[1]);
        let outcome =
            Outcome { name: "x".into(), run, pause: None, kept: vec![], testimony: vec![] };
        let brought = decode(&encode(&Ok(outcome))).expect("ours").expect("no failure");
        assert_eq!(identities(&brought.run.findings), known);
    }
}
