//! Files of tensors, right and wrong: npy and safetensors.

use super::hostile;
use super::random::Random;

/// A file of a tensor: its name and what it holds.
pub struct TensorFile {
    pub name: &'static str,
    pub bytes: Vec<u8>,
}

const SIZES: &[usize] = &[0, 1, 2, 31, 32, 33, 64, 96];
const NPY_TYPES: &[&str] =
    &["<f4", ">f4", "<f8", "<f2", "|u1", "<u2", "<u4", "<i4", "<i8", "<V2", "|b1", "<c8", "|O", ""];
const SAFETENSORS_TYPES: &[&str] =
    &["F32", "BF16", "F16", "F64", "U8", "I32", "BOOL", "F8_E4M3", ""];

/// A file that is right, or has one thing wrong with it.
pub fn file(shape: &[usize], random: &mut Random) -> TensorFile {
    if random.once_in(3) {
        return TensorFile { name: "x.safetensors", bytes: safetensors(shape, random) };
    }
    TensorFile { name: "x.npy", bytes: npy(shape, random) }
}

/// Sizes that most tensors have, or any.
pub fn shape(random: &mut Random) -> Vec<usize> {
    match random.below(4) {
        0 => (0..random.below(5)).map(|_| random.of_these(SIZES)).collect(),
        _ => (0..2).map(|_| random.of_these(&SIZES[1..])).collect(),
    }
}

fn npy(shape: &[usize], random: &mut Random) -> Vec<u8> {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    let mut sizes = sizes.join(", ");
    let (mut kind, mut order) = ("<f4", "False");
    let mut data = values(shape.iter().product());
    let mut version = (1, 0);
    match random.below(16) {
        0 => kind = random.of_these(NPY_TYPES),
        1 => order = random.of_these(&["True", "0", "None", ""]),
        2 => sizes = format!("{}, {}", hostile::whole(random), hostile::whole(random)),
        3 => version = (random.below(5) as u8, random.below(3) as u8),
        4 => data.truncate(random.below(data.len() + 1)),
        5 => data.extend(random.bytes(5)),
        6 => special(&mut data, random),
        7 => {
            let bytes = npy_file(version, &npy_header(kind, order, &sizes), &data);
            return super::text::changed(&String::from_utf8_lossy(&bytes), random);
        }
        _ => {}
    }
    let mut bytes = npy_file(version, &npy_header(kind, order, &sizes), &data);
    if random.once_in(12) {
        let end = 128.min(bytes.len());
        let place = random.below(end);
        bytes[place] = random.below(256) as u8;
    }
    bytes
}

fn npy_header(kind: &str, order: &str, sizes: &str) -> String {
    format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': ({sizes},), }}")
}

fn npy_file(version: (u8, u8), header: &str, data: &[u8]) -> Vec<u8> {
    let padded = header.len().next_multiple_of(64);
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version.0, version.1]);
    bytes.extend((padded as u16).to_le_bytes());
    bytes.extend(format!("{header:padded$}").bytes());
    bytes.extend(data);
    bytes
}

fn safetensors(shape: &[usize], random: &mut Random) -> Vec<u8> {
    let mut data = values(shape.iter().product());
    let (mut kind, mut sizes, mut end) = ("F32", format!("{shape:?}"), data.len().to_string());
    match random.below(12) {
        0 => kind = random.of_these(SAFETENSORS_TYPES),
        1 => sizes = format!("[{}, {}]", hostile::whole(random), hostile::whole(random)),
        2 => end = hostile::whole(random),
        3 => data.truncate(random.below(data.len() + 1)),
        4 => special(&mut data, random),
        _ => {}
    }
    let header =
        format!("{{\"x\":{{\"dtype\":\"{kind}\",\"shape\":{sizes},\"data_offsets\":[0,{end}]}}}}");
    let length =
        if random.once_in(16) { u64::MAX >> random.below(64) } else { header.len() as u64 };
    let mut bytes = length.to_le_bytes().to_vec();
    bytes.extend(header.bytes());
    bytes.extend(data);
    bytes
}

fn values(count: usize) -> Vec<u8> {
    (0..count).flat_map(|index| ((index % 3) as f32).to_le_bytes()).collect()
}

/// Not a number, infinities and denormals.
fn special(data: &mut [u8], random: &mut Random) {
    for value in data.chunks_exact_mut(4) {
        let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 1e-44, -0.0];
        if random.once_in(4) {
            value.copy_from_slice(&random.of_these(&odd).to_le_bytes());
        }
    }
}
