//! Files keep tensors' values, and files that cannot be read are told apart.

use std::path::PathBuf;

use proptest::prelude::*;
use tilewright_metal::tensor_io::{load, load_named, save, save_named};
use tilewright_metal::{Layout, Shape, Tensor};
use tilewright_tile::{DataFormat, Integer};

/// A file of this test's own; each test uses names of its own.
fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// What `load` says of a file with these bytes, without the path in front.
fn refusal(name: &str, bytes: &[u8]) -> String {
    let path = file(name);
    std::fs::write(&path, bytes).unwrap();
    let error = load(&path).unwrap_err();
    assert_eq!(error.to_string(), format!("{}: {}", path.display(), error.problem));
    error.problem.to_string()
}

/// As numpy writes it, but for the padding.
fn npy(descr: &str, order: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", length.as_slice(), header.as_bytes(), data].concat()
}

fn safetensors(header: &str, data: &[u8]) -> Vec<u8> {
    [(header.len() as u64).to_le_bytes().as_slice(), header.as_bytes(), data].concat()
}

#[test]
fn every_tensor_keeps_its_values() {
    for text in ["1", "7", "1x1", "33x5", "2x3x4", "1x2x32x40"] {
        let shape: Shape = text.parse().unwrap();
        let values: Vec<f32> = (0..shape.volume()).map(|at| (at % 100) as f32 - 50.0).collect();
        let tensor = Tensor::from_f32(shape, &values).unwrap();
        for (layout, format) in [
            (Layout::RowMajor, DataFormat::Float32),
            (Layout::RowMajor, DataFormat::Bfloat16),
            (Layout::Tile, DataFormat::Bfloat16),
            (Layout::Tile, DataFormat::Bfp8),
        ] {
            let tensor = tensor.convert(layout, format).unwrap();
            for name in ["kept.npy", "kept.safetensors"] {
                save(&file(name), &tensor).unwrap();
                let loaded = load(&file(name)).unwrap();
                assert_eq!((loaded.shape(), loaded.layout()), (&shape, Layout::RowMajor));
                assert_eq!(loaded.to_f32(), values, "{tensor:?} in {name}");
                let is_bf16 = format == DataFormat::Bfloat16 && name == "kept.safetensors";
                let stored = if is_bf16 { DataFormat::Bfloat16 } else { DataFormat::Float32 };
                assert_eq!(loaded.format(), stored);
            }
        }
    }
}

#[test]
fn npy_files_are_numpys() {
    let tensor = Tensor::from_f32("2x3".parse().unwrap(), &[1.0; 6]).unwrap();
    let path = file("numpys.npy");
    save(&path, &tensor).unwrap();
    let mut expected = b"\x93NUMPY\x01\x00v\x00".to_vec();
    expected.extend(b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
    expected.resize(127, b' ');
    expected.push(b'\n');
    expected.extend([0, 0, 0x80, 0x3f].repeat(6));
    assert_eq!(std::fs::read(&path).unwrap(), expected);
}

#[test]
fn uint16_arrays_are_bf16_patterns() {
    let path = file("patterns.npy");
    let second = b"\x93NUMPY\x02\x00\x40\x00\x00\x00\
        {\"shape\": (2,), 'fortran_order': False, \"descr\": \"<u2\"}        \n\x80\x3f\x00\xc0";
    for bytes in [npy("'<u2'", "False", "(2,)", &[0x80, 0x3f, 0, 0xc0]), second.to_vec()] {
        std::fs::write(&path, bytes).unwrap();
        let tensor = load(&path).unwrap();
        assert_eq!((tensor.format(), tensor.to_f32()), (DataFormat::Bfloat16, vec![1.0, -2.0]));
    }
}

#[test]
fn whole_numbers_are_read_and_kept() {
    let numbers: Vec<u8> = [1_i32, -2, 70_000].iter().flat_map(|it| it.to_le_bytes()).collect();
    std::fs::write(file("i4.npy"), npy("'<i4'", "False", "(3,)", &numbers)).unwrap();
    let loaded = load(&file("i4.npy")).unwrap();
    assert_eq!(loaded.format(), DataFormat::Integer(Integer::Int32));
    assert_eq!(loaded.to_f32(), [1.0, -2.0, 70_000.0]);
    save(&file("i4.safetensors"), &loaded).unwrap();
    assert_eq!(load(&file("i4.safetensors")).unwrap(), loaded);
    std::fs::write(file("u4.npy"), npy("'<u4'", "False", "(1,)", &[255; 4])).unwrap();
    let loaded = load(&file("u4.npy")).unwrap();
    assert_eq!((loaded.format().name(), loaded.bytes()), ("UInt32", [255; 4].as_slice()));
    for name in ["i4.safetensors", "u4.npy"] {
        let loaded = load(&file(name)).unwrap();
        save(&file("again.npy"), &loaded).unwrap();
        assert_eq!(load(&file("again.npy")).unwrap(), loaded, "fp32 could not hold these");
    }
}

#[test]
fn safetensors_hold_several_by_name() {
    let path = file("several.safetensors");
    let one = Tensor::from_f32("3".parse().unwrap(), &[1.0, 2.0, 3.0]).unwrap();
    let two = Tensor::from_bf16("1x2".parse().unwrap(), &[0x3f80, 0x4000]).unwrap();
    save_named(&path, &[("x", &one), ("gamma", &two)]).unwrap();
    assert_eq!(load_named(&path, "x").unwrap(), one);
    assert_eq!(load_named(&path, "gamma").unwrap(), two);
    let problem = |result: Result<_, tilewright_metal::TensorIoError>| {
        let error: tilewright_metal::TensorIoError = result.map(|_: Tensor| ()).unwrap_err();
        error.problem.to_string()
    };
    assert_eq!(problem(load(&path)), "several tensors in the file; name one of `gamma`, `x`");
    let missing = problem(load_named(&path, "beta"));
    assert_eq!(missing, "no tensor `beta` in the file; it has `gamma`, `x`");
    let error = save_named(&path, &[("x", &one), ("x", &two)]).unwrap_err();
    assert_eq!(error.problem.to_string(), "two tensors called `x`; names must differ");
    save_named(&path, &[]).unwrap();
    assert_eq!(problem(load(&path)), "no tensor in the file");
    let array = file("several.npy");
    save(&array, &one).unwrap();
    assert_eq!(
        problem(load_named(&array, "x")),
        "an npy file has no names, so no `x`; use a .safetensors file"
    );
    assert!(save_named(&array, &[("x", &one)]).is_err());
}

#[test]
fn names_and_places_that_cannot_be_are_refused() {
    let problem = |name: &str| load(&file(name)).unwrap_err().problem.to_string();
    assert_eq!(problem("none.npy"), "cannot be read: there is no such file or folder");
    assert_eq!(problem("x.pt"), "`.pt` is not a tensor file; use .npy or .safetensors");
    assert_eq!(problem("x"), "the name has no extension; use .npy or .safetensors");
    let tensor = Tensor::from_f32("1".parse().unwrap(), &[1.0]).unwrap();
    let error = save(&file("no-such-folder/x.npy"), &tensor).unwrap_err();
    let expected = "cannot be written: there is no such file or folder";
    assert_eq!(error.problem.to_string(), expected);
    assert_eq!(refusal("empty.npy", b""), "the file is empty");
    assert_eq!(refusal("empty.safetensors", b""), "the file is empty");
}

#[test]
fn npy_files_that_are_not_tensors_are_refused() {
    let refusal = |bytes: &[u8]| refusal("refused.npy", bytes);
    let read = "float32 ('<f4') is read, int32 ('<i4') and uint32 ('<u4') as whole numbers, and \
                uint16 ('<u2') as bf16 patterns; convert with .astype(numpy.float32)";
    for descr in ["<f8", ">f4", "<i8", "|O", "<U3"] {
        let bytes = npy(&format!("'{descr}'"), "False", "(1,)", &[0; 8]);
        assert_eq!(refusal(&bytes), format!("values of type '{descr}'; {read}"));
    }
    let bytes = npy("[('shape', '<f4')]", "False", "(1,)", &[0; 4]);
    assert_eq!(refusal(&bytes), format!("values of type a structured dtype; {read}"));
    let order = npy("'<f4'", "True", "(2, 3)", &[0; 24]);
    assert!(refusal(&order).starts_with("the array is in Fortran order"));
    let order = npy("'<f4'", "Maybe", "(2, 3)", &[0; 24]);
    assert_eq!(refusal(&order), "`fortran_order` is neither True nor False");
    let shaped = |shape: &str, data: &[u8]| refusal(&npy("'<f4'", "False", shape, data));
    assert_eq!(shaped("()", &[0; 4]), "a shape of 0 dimensions; 1 to 8 are possible");
    let nine = "(1,1,1,1,1,1,1,1,1)";
    assert_eq!(shaped(nine, &[0; 4]), "a shape of 9 dimensions; 1 to 8 are possible");
    let zero = "shape 2x0 has size 0 in dimension 1; at least 1 is needed";
    assert_eq!(shaped("(2, 0)", &[]), zero);
    let cut = "20 bytes of values for shape 2x3, which needs 24";
    assert_eq!(shaped("(2, 3)", &[0; 20]), cut);
    assert!(shaped("(2, 3)", &[0; 28]).starts_with("28 bytes"));
    let huge = "(4294967296, 4294967296, 99999999999999999999999)";
    assert!(shaped(huge, &[]).contains("no device holds so many"));
    for shape in ["(2, -3)", "(2,,)", "7", "(2", "(x,)"] {
        assert_eq!(shaped(shape, &[]), "`shape` of the npy header is not a tuple of sizes");
    }
    let not = "not an npy file: it does not begin with \\x93NUMPY";
    assert_eq!(refusal(b"PK\x03\x04"), not);
    assert_eq!(refusal(b"\x93NUMPY\x01"), "the npy header is cut off");
    assert_eq!(refusal(b"\x93NUMPY\x01\x00\xff\xff{"), "the npy header is cut off");
    assert_eq!(refusal(b"\x93NUMPY\x09\x00\xff\xff{"), "npy version 9; 1 to 3 are read");
    assert_eq!(refusal(b"\x93NUMPY\x01\x00\x02\x00{}"), "the npy header has no `descr`");
}

#[test]
fn safetensors_that_are_not_tensors_are_refused() {
    let refusal = |bytes: &[u8]| refusal("refused.safetensors", bytes);
    let bytes = safetensors(r#"{"a":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}}"#, &[0; 4]);
    let read = "F32 and BF16 are read, and I32, U32 and U16 as whole numbers; convert with \
                .to(torch.float32)";
    assert_eq!(refusal(&bytes), format!("values of type F16; {read}"));
    let bytes = safetensors(r#"{"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}"#, &[0; 4]);
    assert_eq!(refusal(&bytes), "a shape of 0 dimensions; 1 to 8 are possible");
    let bytes = safetensors(r#"{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}"#, &[]);
    assert_eq!(refusal(&bytes), "shape 0 has size 0 in dimension 0; at least 1 is needed");
    let bytes = safetensors(r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#, &[0; 4]);
    for bytes in [bytes.as_slice(), b"12345678", b"\x02\0\0\0\0\0\0\0{", b"x"] {
        let refused = refusal(bytes);
        assert!(refused.starts_with("not a whole safetensors file: "), "{refused}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn damaged_files_are_errors_and_not_panics(at in 0usize..200, byte: u8, cut in 0usize..200) {
        let tensor = Tensor::from_f32("2x3".parse().unwrap(), &[1.0; 6]).unwrap();
        for name in ["damaged.npy", "damaged.safetensors"] {
            let path = file(name);
            save(&path, &tensor).unwrap();
            let mut bytes = std::fs::read(&path).unwrap();
            if let Some(place) = bytes.get_mut(at) {
                *place = byte;
            }
            let changed = bytes.clone();
            bytes.truncate(cut);
            for bytes in [changed, bytes] {
                std::fs::write(&path, bytes).unwrap();
                // Most are refused; values may change and be loaded. Neither may panic.
                drop(load(&path));
            }
        }
    }
}
