//! What ends a host program early: a crash, or an uncaught exception.

use tilewright_machine::Site;

use crate::FindingId;
use crate::declaration::declare;
use crate::finding::{Blame, Finding, Mark};

declare! {
    /// # What it finds
    /// A host program that did what ends a process: a wild pointer, a division by zero, an abort.
    /// # Why it matters
    /// It ends there. What it had launched by then was simulated and checked, the rest was not.
    /// # Instead
    /// Look at the line and at what led there. Host programs run in a process of their own: neither
    /// the simulator nor the kernels can be the reason.
    pub struct HostCrash {}
    Declaration { name: "host-crash", blame: Blame::HostBug }
}

declare! {
    /// # What it finds
    /// An exception of a host program that nobody catches, such as a failed TT_FATAL of its own, or
    /// a call of the host API that tt-metal would refuse: cores outside the grid, arguments for a
    /// core without the kernel, buffers of a closed device, more L1 than there is.
    /// # Why it matters
    /// The program ends there. What it had launched by then was simulated and checked.
    /// # Instead
    /// Read the message: it says what was asked for and what would be right.
    pub struct HostError {}
    Declaration { name: "host-error", blame: Blame::HostBug }
}

/// The finding of a host program that a signal ended. `site` is where, if that is known.
pub fn host_crash(what: &str, site: Option<Site>) -> Finding {
    let title = format!("the host program {what}");
    ended(FindingId::HostCrash, title, ("it does so here", site), Vec::new())
}

/// The finding of an exception that a host program does not catch. The first line of `what` is its
/// title.
pub fn host_error(what: &str, site: Option<Site>) -> Finding {
    let mut lines = what.lines().filter(|line| !line.trim().is_empty());
    let title = lines.next().unwrap_or("an exception without a message").to_owned();
    ended(FindingId::HostError, title, ("thrown here", site), lines.map(str::to_owned).collect())
}

fn ended(
    id: FindingId,
    title: String,
    (role, site): (&str, Option<Site>),
    facts: Vec<String>,
) -> Finding {
    let mark = |site| Mark { role: role.to_owned(), site, processor: None };
    let marks = site.into_iter().map(mark).collect();
    Finding { title, marks, facts, ..Finding::of(id) }
}
