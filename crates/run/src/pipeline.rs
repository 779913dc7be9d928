//! From a request to an outcome: prepare, simulate under tools and schedules, judge.

use std::sync::Arc;

use tilewright_tile::{dispatch, sfpu};

use crate::ask::Ask;
use crate::few_cores;
use crate::merge::merged;
use crate::outcome::{Outcome, Seen, Witness};
use crate::progress::{FrontEnd, Progress};
use crate::record::{Failure, Pause};
use crate::request::Request;
use crate::schedule::ScheduleRunner;
use crate::suppressions;

/// Runs a request: in this process, or in a worker if the kernels are foreign code.
///
/// A `witness` sees the events of the first schedule, which is then the only one.
pub fn run(
    request: &Request,
    front: &Arc<dyn FrontEnd>,
    witness: Option<&mut dyn Witness>,
) -> Result<Outcome, Failure> {
    if request.seeds == 0 {
        return Err(Failure::new("--seeds 0: there is nothing to run").help("give at least 1"));
    }
    #[cfg(target_os = "linux")]
    if request.is_isolated() {
        return crate::isolated::run(request, front, witness);
    }
    perform(&Ask::new(request, &Progress::new(front))?, front, witness)
}

/// Computes what is the same in every run, so that processes which are forked later have it: which
/// instructions the host has, the functions of the vector unit, the runtime of C++ kernels. For
/// processes that have one thread.
pub fn warm_up() {
    compute_tables();
    #[cfg(target_os = "linux")]
    tilewright_metal::cpp::load_runtime();
}

/// Computes what is computed once in a process, and takes long.
pub(crate) fn compute_tables() {
    dispatch::level();
    sfpu::read_programs();
}

/// Runs a request in this process.
pub(crate) fn perform(
    ask: &Ask<'_>,
    front: &Arc<dyn FrontEnd>,
    mut witness: Option<&mut dyn Witness>,
) -> Result<Outcome, Failure> {
    let schedules = ScheduleRunner::new(ask, front);
    let first = match &mut witness {
        Some(witness) => schedules.first(Some(&mut **witness))?,
        None => schedules.first(None)?,
    };
    let pause = first.schedule.pause.as_ref().map(Pause::from);
    let others = schedules.others(&first.schedule)?;
    drop(schedules);
    let all = std::iter::once(first.schedule).chain(others).collect();
    let mut run = merged(ask, all);
    if ask.asked.is_repeated_on_few_cores {
        few_cores::also(ask, &mut run, front);
    }
    suppressions::apply(&mut run, ask.sources(), &ask.asked.check);
    let seen = Seen { run: &run, heat: &first.heat, device: &first.device };
    let testimony = witness.map(|witness| witness.testify(&seen)).unwrap_or_default();
    Ok(Outcome { name: ask.own_name(), run, pause, kept: first.kept, testimony })
}
