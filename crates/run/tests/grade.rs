//! Tests are graded by the faults that they notice.

use tilewright_run::grade::{Comparison, Graded, Grading};
use tilewright_run::prelude::*;
use tilewright_run::record::Grade;

fn graded(operation: &str, shape: &str, cores: u32) -> Graded {
    let request = Request::new(operation).shape(shape.parse().expect("a shape"));
    let request = Request { cores: Some(cores), ..request };
    Grading::new(request).run().expect("the operation completes")
}

fn atol(atol: f64) -> Comparison {
    Comparison { atol: Some(atol), ..Comparison::default() }
}

/// Every fault is counted once, and nothing that changes no value counts as caught.
fn check_sums(grade: &Grade) {
    let Grade { injected, ended, changed, latent, equivalent, .. } = *grade;
    assert_eq!(injected, ended + changed + latent + equivalent);
    assert_eq!(grade.uncaught.len(), changed - grade.caught_by_test);
    assert_eq!(grade.equivalents.len(), equivalent);
    assert_eq!(grade.classes.iter().map(|class| class.injected).sum::<usize>(), injected);
    assert_eq!(grade.classes.iter().map(|class| class.changed).sum::<usize>(), changed);
}

#[test]
fn a_looser_tolerance_catches_fewer_faults() {
    let graded = graded("layernorm-fw", "1x1x64x90", 2);
    let [bound, tight, loose] = [Comparison::default(), atol(0.1), atol(1e9)]
        .map(|comparison| graded.record(comparison).expect("passes without a fault"));
    for grade in [&bound, &tight, &loose] {
        check_sums(grade);
        println!(
            "{} {} {} {} {} {:?}",
            grade.injected, grade.ended, grade.changed, grade.latent, grade.equivalent, grade.score
        );
        for class in &grade.classes {
            println!("{class:?}");
        }
    }
    for it in &bound.uncaught {
        println!("{it:?}");
    }
    for it in &bound.equivalents {
        println!("{it:?}");
    }
}
