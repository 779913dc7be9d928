//! Stage 4: the device operation allocates its output and launches one program.

mod cases;
mod host;

use std::path::Path;

use operation_name::operation;
use operation_name::queue::Queue;

#[test]
fn the_output_is_as_specified() {
    let mut queue = host::Recorder::new();
    let tensors = cases::arguments(&mut queue);
    let attributes = cases::attributes(&tensors);
    let output = host::must(operation::allocate_output(
        queue.device(),
        &tensors,
        &attributes,
    ));
    let sizes: Vec<usize> = output
        .shape
        .sizes()
        .iter()
        .map(|size| *size as usize)
        .collect();
    assert_eq!(sizes, cases::OUTPUT_SHAPE);
    assert_eq!(
        (output.layout, output.format),
        (tensors[0].layout, tensors[0].format)
    );
    assert_eq!(output.memory(), tensors[0].memory());
}

#[test]
fn one_program_is_launched_with_the_output_last() {
    let mut queue = host::Recorder::new();
    let tensors = cases::arguments(&mut queue);
    let (attributes, kernels) = (cases::attributes(&tensors), Path::new(operation::KERNELS));
    let output = host::must(operation::launch(
        &mut queue,
        &tensors,
        &attributes,
        kernels,
    ));
    let launched: Vec<_> = tensors.iter().copied().chain([output]).collect();
    assert_eq!(queue.launches, [launched]);
}
