//! Stage 6: stub kernels run and give an output of the right shape and layout.

mod cases;
mod host;

use std::path::Path;

use operation_name::operation;

#[test]
fn stub_kernels_fill_the_output() {
    let mut queue = host::simulator();
    let tensors = cases::arguments(&mut queue);
    let (attributes, stubs) = (
        cases::attributes(&tensors),
        Path::new(operation::KERNELS).join("stub"),
    );
    let output = host::must(operation::launch(&mut queue, &tensors, &attributes, &stubs));
    let values = host::values(&mut queue, &output);
    assert_eq!(values.len(), cases::OUTPUT_SHAPE.iter().product::<usize>());
    assert!(
        values.iter().all(|value| *value == 0.0),
        "the stub writer writes zeros to every page"
    );
}
