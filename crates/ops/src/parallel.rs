//! The host's threads, for references and judgements: work whose parts do not depend on another.
//!
//! Runs no kernel. Results are in order and the same for any number of threads.

use std::num::NonZero;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::thread;

/// Blocks for each thread: enough that one that is held up leaves its share to the others.
const BLOCKS_PER_THREAD: usize = 8;

/// `of(0)`, `of(1)`, … up to `count`.
pub(crate) fn map<Value: Send>(count: usize, of: impl Fn(usize) -> Value + Sync) -> Vec<Value> {
    on_threads(host_threads(), count, |block| block.map(&of).collect())
}

/// All values of `of(0)`, then those of `of(1)`, … up to `count`.
pub(crate) fn concat<Value: Send, Values: IntoIterator<Item = Value>>(
    count: usize,
    of: impl Fn(usize) -> Values + Sync,
) -> Vec<Value> {
    on_threads(host_threads(), count, |block| {
        let mut values = Vec::new();
        block.for_each(|index| values.extend(of(index)));
        values
    })
}

/// Has `of` write each row of `values`, of `width` values but for the last, given its number.
pub(crate) fn fill<Value: Send>(
    values: &mut [Value],
    width: usize,
    of: impl Fn(usize, &mut [Value]) + Sync,
) {
    let rows = Mutex::new(values.chunks_mut(width).enumerate());
    let next = || rows.lock().expect("nothing panics while it is held").next();
    let work = || {
        while let Some((index, row)) = next() {
            of(index, row);
        }
    };
    thread::scope(|scope| {
        (1..host_threads()).for_each(|_| drop(scope.spawn(work)));
        work();
    });
}

/// What two functions give, each on its own thread where there are two.
pub(crate) fn both<First: Send, Second>(
    first: impl FnOnce() -> First + Send,
    second: impl FnOnce() -> Second,
) -> (First, Second) {
    if host_threads() == 1 {
        return (first(), second());
    }
    thread::scope(|scope| {
        let first = scope.spawn(first);
        let second = second();
        (first.join().unwrap_or_else(|panic| resume_unwind(panic)), second)
    })
}

/// Asking takes longer than a small reference does.
fn host_threads() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
}

fn on_threads<Value: Send>(
    threads: usize,
    count: usize,
    of: impl Fn(Range<usize>) -> Vec<Value> + Sync,
) -> Vec<Value> {
    if threads == 1 || count <= 1 {
        return of(0..count);
    }
    let block = count.div_ceil(threads * BLOCKS_PER_THREAD);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let start = next.fetch_add(block, Ordering::Relaxed);
            if start >= count {
                return done;
            }
            done.push((start, of(start..count.min(start + block))));
        }
    };
    let mut blocks = thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(count)).map(|_| scope.spawn(work)).collect();
        let mut blocks = work();
        for other in others {
            blocks.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        blocks
    });
    blocks.sort_unstable_by_key(|(start, _)| *start);
    let mut values = Vec::with_capacity(blocks.iter().map(|(_, block)| block.len()).sum());
    blocks.into_iter().for_each(|(_, block)| values.extend(block));
    values
}

#[cfg(test)]
mod tests {
    use super::{both, concat, fill, map, on_threads};

    #[test]
    fn values_are_in_order_for_any_number_of_threads() {
        for count in [0, 1, 2, 7, 64, 1001] {
            let wanted: Vec<usize> = (0..count).map(|index| index * index).collect();
            for threads in [1, 2, 3, 64] {
                let square = |block: std::ops::Range<usize>| block.map(|it| it * it).collect();
                assert_eq!(on_threads(threads, count, square), wanted, "{threads} threads");
            }
            assert_eq!(map(count, |index| index * index), wanted);
        }
    }

    #[test]
    fn parts_of_any_length_follow_one_another() {
        let parts = concat(40, |index| vec![index; index % 3]);
        let wanted: Vec<usize> = (0..40).flat_map(|index| vec![index; index % 3]).collect();
        assert_eq!(parts, wanted);
        assert_eq!(both(|| 1, || "two"), (1, "two"));
    }

    #[test]
    fn rows_are_filled_each_with_its_own() {
        let mut values = vec![0; 1003];
        fill(&mut values, 10, |row, values| {
            values.iter_mut().enumerate().for_each(|(at, value)| *value = row * 10 + at);
        });
        assert!(values.iter().enumerate().all(|(at, value)| at == *value));
        fill(&mut values[..0], 10, |_, _| unreachable!("there is no row"));
    }

    #[test]
    fn a_panic_comes_through() {
        let work = || map(100, |index| assert!(index != 93, "the 93rd"));
        assert!(std::panic::catch_unwind(work).is_err());
    }
}
