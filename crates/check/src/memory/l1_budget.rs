//! Programs whose circular buffers do not fit in L1. Told before anything runs.

use tilewright_metal::ProgramError;

use crate::Blame;
use crate::FindingId;
use crate::declaration::declare;
use crate::finding::{Finding, Mark};
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// A program whose circular buffers take more bytes of a core's L1 than there are.
    /// # Why it matters
    /// It cannot run: buffers would lie over each other or over the host's tensors.
    /// # Instead
    /// Give the largest buffers fewer pages, split the work so that a core holds less at a time, or
    /// let buffers that are never used together share their memory. Buffers are the host program's,
    /// and so is the fault.
    pub struct L1Budget {}
    Declaration {
        name: "l1-budget",
        tool: Some(Tool::Memory),
        blame: Blame::HostBug,
        loses_values: true,
    }
}

/// The finding for a program that was refused because it does not fit; none for other errors.
pub fn l1_budget(error: &ProgramError) -> Option<Finding> {
    let ProgramError::TooMuchL1 { core, asked, room, buffers } = error else { return None };
    let mut sorted: Vec<_> = buffers.iter().collect();
    sorted.sort_by_key(|buffer| std::cmp::Reverse(buffer.bytes()));
    let id = FindingId::L1Budget;
    let largest = sorted.first()?;
    let row = |buffer: &&tilewright_metal::L1Share| {
        let (bytes, pages, page_bytes) = (buffer.bytes(), buffer.pages, buffer.page_bytes);
        format!("  {:<16} {bytes:>9} bytes: {pages:>5} x {page_bytes}", buffer.name)
    };
    let over = asked.saturating_sub(u64::from(*room));
    let table: Vec<String> = sorted.iter().map(row).collect();
    Some(Finding {
        title: format!("the buffers of core {core} take {asked} bytes of L1, which has {room}"),
        marks: vec![Mark {
            role: format!("`{}` takes {} bytes, the most of all", largest.name, largest.bytes()),
            site: largest.site,
            processor: None,
        }],
        facts: vec![
            format!("proof: {asked} bytes asked, {room} there, {over} too many"),
            format!("buffers: the largest first\n{}", table.join("\n")),
        ],
        help: Some(format!("give `{}` fewer pages, or split the work further", largest.name)),
        ..Finding::of(id)
    })
}
