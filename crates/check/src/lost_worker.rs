//! A worker process that its C++ kernels took down: what is known is the calls before.

use tilewright_metal::cpp::worker::Lost;

use crate::finding::{Finding, FindingId, Mark};

/// Calls that are shown.
const SHOWN: usize = 3;

/// The finding of a worker that did not come to its end.
pub fn lost_worker(lost: &Lost) -> Finding {
    let id = FindingId::KernelCrash;
    let mut marks: Vec<Mark> = Vec::new();
    for trace in &lost.last {
        let (site, processor) = (trace.site, Some(trace.processor));
        if marks.len() == SHOWN || marks.iter().any(|mark| mark.site == site) {
            continue;
        }
        let who = format!("{} on core {}", trace.processor.processor, trace.processor.core);
        let role = if marks.is_empty() {
            format!("the last call before, by {who}")
        } else {
            format!("earlier, {who}")
        };
        marks.push(Mark { role, site, processor });
    }
    let mut facts =
        vec![format!("proof: the process that runs the kernels is gone: {}", lost.what)];
    if marks.is_empty() {
        facts.push("no kernel had made a call".to_owned());
    }
    Finding {
        title: format!("a C++ kernel takes its process down: {}", lost.what),
        marks,
        facts,
        help: Some("look between the last call and the next one of the same kernel".to_owned()),
        ..Finding::of(id)
    }
}

#[cfg(test)]
mod tests {
    use tilewright_machine::{CoreCoord, Processor, ProcessorId, Site};
    use tilewright_metal::cpp::worker::{Lost, Trace};

    use super::lost_worker;

    #[test]
    fn the_last_calls_are_its_marks() {
        let trace = |line| Trace {
            processor: ProcessorId { core: CoreCoord::new(1, 0), processor: Processor::Reader },
            site: Site::new("reader.cpp", line, 5),
        };
        let last = [9, 8, 9, 7, 6].map(trace).to_vec();
        let finding = lost_worker(&Lost { what: "it aborts (SIGABRT)".to_owned(), last });
        let marks: Vec<_> = finding.marks.iter().map(|it| (it.site.line, &*it.role)).collect();
        let expected = [
            (9, "the last call before, by reader on core (1,0)"),
            (8, "earlier, reader on core (1,0)"),
            (7, "earlier, reader on core (1,0)"),
        ];
        assert_eq!(marks, expected);
        assert_eq!(finding.title, "a C++ kernel takes its process down: it aborts (SIGABRT)");
        let quiet = lost_worker(&Lost { what: "signal 4 ends it".to_owned(), last: Vec::new() });
        assert_eq!(quiet.facts.last().map(String::as_str), Some("no kernel had made a call"));
    }
}
