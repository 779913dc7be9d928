//! Stage 3: the call reaches the operation.

mod cases;
mod host;

#[test]
fn the_call_reaches_the_device_operation() {
    let mut queue = host::Recorder::new();
    let tensors = cases::arguments(&mut queue);
    host::must(cases::call(&mut queue, &tensors));
    assert_eq!(
        queue.launches.len(),
        1,
        "the call does not reach operation::launch"
    );
    assert!(
        queue.launches[0].starts_with(&tensors),
        "the launch has the tensors of the call"
    );
}
