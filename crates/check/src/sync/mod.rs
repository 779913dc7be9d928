//! The tool sync: waits that cannot end, and what is left behind when kernels return.

mod circular_wait;
mod leftover_pages;
mod miscounted_cores;
mod missing_pop;
mod missing_push;
mod omission;
mod starved_wait;
mod turns;
mod unflushed_at_exit;
mod uninitialised_semaphore;
mod users;
mod wait_graph;

pub use circular_wait::CircularWait;
pub use leftover_pages::LeftoverPages;
pub use miscounted_cores::MiscountedCores;
pub use missing_pop::MissingPop;
pub use missing_push::MissingPush;
pub(crate) use omission::look as look_for_omissions;
pub use starved_wait::StarvedWait;
pub use unflushed_at_exit::UnflushedAtExit;
pub use uninitialised_semaphore::UninitialisedSemaphore;
pub(crate) use users::Users;

use std::sync::Arc;

use tilewright_machine::{Outcome, Processor, Site, Waiting};
use tilewright_metal::Program;

use crate::finding::Finding;
use crate::rings::Rings;
use crate::session::Checker;
use wait_graph::{Knot, WaitGraph};

/// The checkers of this tool.
pub(crate) fn checkers(program: &Program, _: &Arc<Rings>) -> Vec<Box<dyn Checker>> {
    vec![
        Box::new(LeftoverPages::default()),
        Box::new(MiscountedCores::default()),
        Box::new(UnflushedAtExit::default()),
        Box::new(UninitialisedSemaphore::new(program)),
    ]
}

/// The causes of a run that is stuck, one finding for each way, with everybody who only waits
/// behind it; none if a wait is not one that kernels cause.
pub(crate) fn stuck(program: &Program, outcome: &Outcome, users: &Users) -> Option<Vec<Finding>> {
    let graph = WaitGraph::new(outcome, users);
    let mut ways: Vec<(Way, Finding)> = Vec::new();
    for knot in graph.knots() {
        let way = way(&graph, &knot);
        if let Some((_, finding)) = ways.iter_mut().find(|(other, _)| *other == way) {
            finding.count += 1;
            continue;
        }
        let transfers =
            |(_, _, waiting): &(_, _, Waiting)| matches!(waiting, Waiting::ForTransfers { .. });
        if way.iter().any(transfers) {
            return None;
        }
        let finding = if knot.is_cycle {
            circular_wait::finding(program, &graph, &knot)
        } else {
            starved_wait::finding(program, &graph, &knot)
        };
        ways.push((way, finding));
    }
    Some(ways.into_iter().map(|(_, finding)| finding).collect())
}

/// Who waits where for what: equal on cores that are stuck in the same way.
type Way = Vec<(Processor, Site, Waiting)>;

fn way(graph: &WaitGraph<'_>, knot: &Knot) -> Way {
    let wait = |node: &usize| {
        let node = &graph.nodes[*node];
        (node.state.id.processor, node.state.site, node.waiting)
    };
    knot.causes.iter().map(wait).collect()
}
