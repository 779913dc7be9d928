//! Pages given away while a NoC read into them is in flight.

use tilewright_machine::{CbId, Event, EventKind};

use super::flights::Flight;
use super::ledger::{Case, Ledger, event_mark, flight_mark};
use crate::FindingId;
use crate::declaration::{Cause, declare};
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// A page pushed to its consumer, or popped, while a NoC read into it is in flight. It is until
    /// a barrier of the processor that asked for the bytes has covered the read; the finding is
    /// reported at the push, whether or not the bytes happen to be there by then.
    /// # Why it matters
    /// The consumer may see what the page held on the lap before. Often it does not, because the
    /// bytes come in time, so tests pass until something else is slow.
    /// # Instead
    /// Call `noc_async_read_barrier()` between the read and the push.
    pub struct UnawaitedRead {}
    Declaration {
        name: "unawaited-read",
        tool: Some(Tool::Race),
        loses_values: true,
        follows: &[Cause::OfPages],
    }
}

pub(super) fn case(ledger: &Ledger, event: &Event, cb: CbId, flight: &Flight) -> Case {
    let (core, who) = (event.processor.core, flight.processor);
    let (start, end) = flight.bytes.unwrap_or_default();
    let (page, bytes) = (ledger.l1_bytes(core, Some(cb), start, end), end - start);
    let (pushed, given) = if matches!(event.kind, EventKind::Pushed { .. }) {
        ("pushed", "page given to its consumer")
    } else {
        ("popped", "page given back to its producer")
    };
    let state = if flight.is_done {
        "the bytes happen to be there".to_owned()
    } else {
        format!("0 of {bytes} bytes have landed")
    };
    Case {
        id: FindingId::UnawaitedRead,
        site: event.site,
        cycle: event.cycle,
        core,
        title: format!("{page} was {pushed} while its NoC read was in flight"),
        marks: vec![
            flight_mark(core, flight, format!("{bytes} bytes requested")),
            event_mark(event, format!("{given}; {state}")),
        ],
        facts: vec![
            format!("proof: {who} called no `noc_async_read_barrier` that covers (1) before (2)"),
            "note: reported at (2), whether or not a use comes too early; real timing may hide it"
                .to_owned(),
        ],
        help: "call `noc_async_read_barrier()` before (2)".to_owned(),
        wants_use: true,
        word: None,
    }
}
