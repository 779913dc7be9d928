//! Programs that a device cannot hold are refused before they run.

use crate::common::ORIGIN;
use tilewright_metal::{CbSpec, CompileTimeArgs, DataMovementPlace, Device, Program, ProgramError};
use tilewright_tile::DataFormat;

#[test]
fn a_program_that_does_not_fit_is_refused_before_it_runs() {
    let device = Device::n150();
    let build = |pages: u32, page_bytes: u32| {
        let mut builder = Program::builder("large");
        let spec = CbSpec::pages(0, "cb_large", DataFormat::Bfloat16, page_bytes, pages);
        builder.circular_buffer(ORIGIN, spec);
        let (place, args) = (DataMovementPlace::Reader, CompileTimeArgs::default());
        builder.data_movement("reader", ORIGIN, place, args, |_| ());
        builder.build(device.architecture(), device.l1_lowest()).err()
    };
    assert_eq!(build(1, 1_393_472), None, "all of L1 above its base");
    let expected = "the circular buffers of core (0,0) need 1393488 bytes of L1, which has \
                    1393472 for them (`cb_large` takes 1393488)";
    assert_eq!(build(1, 1_393_488).expect("too large").to_string(), expected);
    assert!(matches!(build(65_535, u32::MAX - 15), Some(ProgramError::TooMuchL1 { .. })));
    assert!(matches!(build(65_536, 16), Some(ProgramError::BadPages { .. })));
    assert!(matches!(build(1, 22), Some(ProgramError::BadPages { .. })));
    assert_eq!(build(1, 24), None, "without compute kernels, pages are made of words");
}
