//! Many runs with a fault each: on all host threads, or foreign kernels in a process each.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::fault::Fault;
use super::trial::{Clean, TestBed, Trial};
use crate::ask::Ask;
use crate::lock;
use crate::progress::{FrontEnd, Progress};
use crate::record::Failure;
use crate::turns::in_turns_if;

/// The run without a fault, and the faults that fit it.
pub(crate) fn clean(
    test_bed: &TestBed<'_>,
    ask: &Ask<'_>,
) -> Result<(Clean, Trial, Vec<Fault>), Failure> {
    #[cfg(target_os = "linux")]
    if ask.is_foreign() {
        let encode = || test_bed.clean().map(|it| super::wire::encode_clean(&it));
        let bytes = super::process::isolated(ask, encode)?;
        return match bytes {
            Ok(bytes) => super::wire::decode_clean(&bytes)
                .ok_or_else(|| Failure::new("the kernels damaged the record of their run")),
            Err(how) => Err(Failure::new(format!("{}: the run without a fault {how}", ask.name()))
                .help("`tilewright run` says why")),
        };
    }
    let (clean, trial, places) = test_bed.clean()?;
    debug_assert!(!ask.is_foreign() || cfg!(not(target_os = "linux")));
    Ok((clean, trial, places.faults))
}

/// What comes of each fault, in their order.
pub(crate) fn attempt_all(
    test_bed: &TestBed<'_>,
    ask: &Ask<'_>,
    faults: &[&Fault],
    (front, what): (&Arc<dyn FrontEnd>, &str),
) -> Result<Vec<Trial>, Failure> {
    let progress = Progress::new(front);
    let all = faults.len() as u64;
    let attempt = |fault: &Fault| {
        #[cfg(target_os = "linux")]
        if ask.is_foreign() {
            return attempt_isolated(test_bed, ask, fault);
        }
        test_bed.attempt(&fault.cause)
    };
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let trials = Mutex::new(Vec::new());
    let work = || {
        while let Some((number, fault)) = {
            let number = next.fetch_add(1, Ordering::Relaxed);
            faults.get(number).map(|fault| (number, fault))
        } {
            in_turns_if(ask.is_foreign(), || {
                let trial = attempt(fault);
                lock(&trials).push((number, trial));
                progress.bar(what, done.fetch_add(1, Ordering::Relaxed) as u64 + 1, all);
            });
        }
    };
    std::thread::scope(|scope| {
        (1..threads(ask)).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    let mut trials = std::mem::take(&mut *lock(&trials));
    trials.sort_by_key(|(number, _)| *number);
    trials.into_iter().map(|(_, trial)| trial).collect()
}

/// Host threads: each run has one, so that few cores are no reason for few threads.
fn threads(ask: &Ask<'_>) -> usize {
    let host = || std::thread::available_parallelism().map_or(1, NonZero::get);
    ask.asked.threads.unwrap_or_else(host).max(1)
}

#[cfg(target_os = "linux")]
fn attempt_isolated(
    test_bed: &TestBed<'_>,
    ask: &Ask<'_>,
    fault: &Fault,
) -> Result<Trial, Failure> {
    let encode = || {
        let trial = test_bed.attempt(&fault.cause)?;
        Ok(serde_json::to_vec(&trial).expect("a trial is plain JSON"))
    };
    let lost = |how: String| Ok(Trial::lost(how));
    match super::process::isolated(ask, encode)? {
        Ok(bytes) => match serde_json::from_slice(&bytes) {
            Ok(trial) => Ok(trial),
            Err(_) => lost("damages the memory of its process".to_owned()),
        },
        Err(how) => lost(how),
    }
}
