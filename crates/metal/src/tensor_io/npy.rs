//! One array of a numpy `.npy` file, versions 1 to 3 (numpy's `numpy/lib/_format_impl.py`).
//!
//! Written here rather than imported: the format is a dictionary of three keys, and a reader must
//! not fall over sizes that overflow.

use tilewright_tile::{DataFormat, Integer};

use super::{Problem, assemble};
use crate::tensor::{Layout, Tensor};

const MAGIC: &[u8] = b"\x93NUMPY";
/// Header and prefix together are padded to a multiple of this.
const ALIGNMENT: usize = 64;
const ACCEPTED: &str = "float32 ('<f4') is read, int32 ('<i4') and uint32 ('<u4') as whole \
                        numbers, and uint16 ('<u2') as bf16 patterns; convert with \
                        .astype(numpy.float32)";

pub fn decode(bytes: &[u8]) -> Result<Tensor, Problem> {
    let (header, data) = split(bytes)?;
    let format = match value_type(header)? {
        "<f4" => DataFormat::Float32,
        "<u2" => DataFormat::Bfloat16,
        "<i4" => DataFormat::Integer(Integer::Int32),
        "<u4" => DataFormat::Integer(Integer::UInt32),
        found => return Err(Problem::Type { found: format!("'{found}'"), accepted: ACCEPTED }),
    };
    let order = field(header, "fortran_order")?;
    if order.starts_with("True") {
        return Err(Problem::FortranOrder);
    }
    if !order.starts_with("False") {
        return Err(malformed("`fortran_order` is neither True nor False"));
    }
    assemble(&sizes(header)?, format, data)
}

/// The values as numpy holds them: 32-bit integers as they are, which fp32 could not hold, and
/// everything else as float32. Unsigned 16 bits would be read again as bf16 patterns.
fn values(tensor: &Tensor) -> (&'static str, Vec<u8>) {
    let kind = match tensor.format() {
        DataFormat::Integer(Integer::Int32) => "<i4",
        DataFormat::Integer(Integer::UInt32) => "<u4",
        DataFormat::Bfloat16
        | DataFormat::Float32
        | DataFormat::Tf32
        | DataFormat::Bfp8
        | DataFormat::Small(_)
        | DataFormat::Integer(Integer::UInt16 | Integer::UInt8 | Integer::Int8) => {
            let values = tensor.to_f32();
            return ("<f4", values.iter().flat_map(|value| value.to_le_bytes()).collect());
        }
    };
    let values = tensor.convert(Layout::RowMajor, tensor.format());
    (kind, values.expect("integers can be row-major").bytes().to_vec())
}

pub fn encode(tensor: &Tensor) -> Vec<u8> {
    let (kind, values) = values(tensor);
    let sizes: Vec<String> = tensor.shape().sizes().iter().map(u32::to_string).collect();
    // A tuple of one needs its comma.
    let shape = format!("({}{})", sizes.join(", "), if sizes.len() == 1 { "," } else { "" });
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    let prefix_bytes = MAGIC.len() + 2 + 2;
    let unpadded = prefix_bytes + header.len() + 1;
    header.extend(std::iter::repeat_n(' ', unpadded.next_multiple_of(ALIGNMENT) - unpadded));
    header.push('\n');

    let mut file = Vec::with_capacity(prefix_bytes + header.len() + values.len());
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&[1, 0]);
    // Eight sizes of ten digits make a header of 128 bytes at most.
    file.extend_from_slice(&(header.len() as u16).to_le_bytes());
    file.extend_from_slice(header.as_bytes());
    file.extend_from_slice(&values);
    file
}

/// The header's text, and the bytes after it.
fn split(bytes: &[u8]) -> Result<(&str, &[u8]), Problem> {
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        return Err(malformed("not an npy file: it does not begin with \\x93NUMPY"));
    };
    let (length, rest) = match rest {
        [1, _, low, high, rest @ ..] => (usize::from(u16::from_le_bytes([*low, *high])), rest),
        [2 | 3, _, a, b, c, d, rest @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, rest),
        [1..=3, ..] | [] => return Err(malformed("the npy header is cut off")),
        [version, ..] => {
            return Err(malformed(&format!("npy version {version}; 1 to 3 are read")));
        }
    };
    let Some((header, data)) = rest.split_at_checked(length) else {
        return Err(malformed("the npy header is cut off"));
    };
    let header =
        std::str::from_utf8(header).map_err(|_| malformed("the npy header is not text"))?;
    Ok((header, data))
}

/// What follows a key of the header's dictionary.
fn field<'a>(header: &'a str, key: &str) -> Result<&'a str, Problem> {
    let quoted = [format!("'{key}'"), format!("\"{key}\"")];
    let after = quoted.iter().find_map(|quoted| Some(header.split_once(quoted.as_str())?.1));
    let value = after.and_then(|after| after.trim_start().strip_prefix(':'));
    value.map(str::trim_start).ok_or_else(|| malformed(&format!("the npy header has no `{key}`")))
}

/// The `descr` of an array of plain values.
fn value_type(header: &str) -> Result<&str, Problem> {
    let descr = field(header, "descr")?;
    if descr.starts_with('[') {
        let found = "a structured dtype".to_owned();
        return Err(Problem::Type { found, accepted: ACCEPTED });
    }
    let quote = descr.chars().next().filter(|&quote| quote == '\'' || quote == '"');
    let text = quote.and_then(|quote| Some(descr[1..].split_once(quote)?.0));
    text.ok_or_else(|| malformed("`descr` of the npy header is not a type"))
}

/// The tuple of sizes. A size of too many digits is as large as can be.
fn sizes(header: &str) -> Result<Vec<u64>, Problem> {
    let error = || malformed("`shape` of the npy header is not a tuple of sizes");
    let tuple = field(header, "shape")?.strip_prefix('(').and_then(|text| text.split_once(')'));
    let (text, _) = tuple.ok_or_else(error)?;
    let text = text.trim();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let size = |part: &str| {
        let part = part.trim();
        let is_digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        is_digits.then(|| part.parse().unwrap_or(u64::MAX)).ok_or_else(error)
    };
    text.strip_suffix(',').unwrap_or(text).split(',').map(size).collect()
}

fn malformed(reason: &str) -> Problem {
    Problem::Malformed(reason.to_owned())
}
