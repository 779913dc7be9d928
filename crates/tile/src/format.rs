//! Data formats, register widths and fidelities: the words every other module is configured with.
//!
//! Only names and sizes. What a conversion does to a value is in `unpack`, `pack` and `fpu`.

use std::fmt;

/// How values are stored in L1, or how a source register is configured.
///
/// ```
/// use tilewright_tile::DataFormat;
///
/// let format = DataFormat::from_name("bf16")?;
/// assert_eq!((format.name(), format.tile_bytes()), ("Float16_b", 2048));
/// assert!(DataFormat::from_name("Lf8").is_err(), "a format without evidence is refused by name");
/// # Ok::<(), tilewright_tile::FormatError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DataFormat {
    /// IEEE single precision, 32 bits.
    Float32,
    /// 8 exponent and 10 mantissa bits; exists in source registers only.
    Tf32,
    /// The upper half of an fp32 pattern (`Float16_b`).
    Bfloat16,
    /// Blocks of 16 values sharing an 8-bit exponent, 7-bit magnitudes (`Bfp8_b`).
    Bfp8,
    /// Floats of fewer bits.
    Small(Small),
    /// Whole numbers.
    Integer(Integer),
}

/// Floats of fewer bits than the usual ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Small {
    /// IEEE half precision (`Float16`). In a source register its 5-bit exponent lies in the low
    /// bits of the exponent field; a 16-bit Dst holds its bits.
    Float16,
    /// Blocks as of `Bfp8_b`, 3-bit magnitudes (`Bfp4_b`).
    Bfp4,
    /// Blocks as of `Bfp8_b`, 1-bit magnitudes (`Bfp2_b`).
    Bfp2,
}

/// Formats of whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Integer {
    /// 32 bits without a sign.
    UInt32,
    /// 32 bits; tt-metal's host and data-movement kernels take two's complement.
    Int32,
    /// 16 bits without a sign.
    UInt16,
    /// 8 bits without a sign.
    UInt8,
    /// A sign and 7 bits of magnitude.
    Int8,
}

impl DataFormat {
    /// Every format that the engine computes with.
    pub const ALL: [DataFormat; 4] =
        [DataFormat::Float32, DataFormat::Tf32, DataFormat::Bfloat16, DataFormat::Bfp8];

    /// tt-metal's spelling.
    pub fn name(self) -> &'static str {
        match self {
            DataFormat::Float32 => "Float32",
            DataFormat::Tf32 => "Tf32",
            DataFormat::Bfloat16 => "Float16_b",
            DataFormat::Bfp8 => "Bfp8_b",
            DataFormat::Small(Small::Float16) => "Float16",
            DataFormat::Small(Small::Bfp4) => "Bfp4_b",
            DataFormat::Small(Small::Bfp2) => "Bfp2_b",
            DataFormat::Integer(Integer::UInt8) => "UInt8",
            DataFormat::Integer(Integer::Int8) => "Int8",
            DataFormat::Integer(Integer::UInt32) => "UInt32",
            DataFormat::Integer(Integer::Int32) => "Int32",
            DataFormat::Integer(Integer::UInt16) => "UInt16",
        }
    }

    /// Reads tt-metal's names and the short ones in use, in any case except that `Bfp8` with a
    /// capital is tt-metal's other (fp16-based) block format, and is refused by name.
    pub fn from_name(name: &str) -> Result<DataFormat, FormatError> {
        if UNMODELLED.contains(&name) {
            return Err(FormatError { name: name.to_owned(), is_real: true });
        }
        match name.to_ascii_lowercase().as_str() {
            "float32" | "fp32" => Ok(DataFormat::Float32),
            "tf32" => Ok(DataFormat::Tf32),
            "float16_b" | "bfloat16" | "bf16" => Ok(DataFormat::Bfloat16),
            "bfp8_b" | "bfp8" => Ok(DataFormat::Bfp8),
            "bfp4_b" => Ok(DataFormat::Small(Small::Bfp4)),
            "bfp2_b" => Ok(DataFormat::Small(Small::Bfp2)),
            "float16" => Ok(DataFormat::Small(Small::Float16)),
            "uint32" => Ok(DataFormat::Integer(Integer::UInt32)),
            "int32" => Ok(DataFormat::Integer(Integer::Int32)),
            "uint16" => Ok(DataFormat::Integer(Integer::UInt16)),
            "uint8" => Ok(DataFormat::Integer(Integer::UInt8)),
            "int8" => Ok(DataFormat::Integer(Integer::Int8)),
            lower => {
                let is_real = UNMODELLED.iter().any(|real| real.eq_ignore_ascii_case(lower));
                Err(FormatError { name: name.to_owned(), is_real })
            }
        }
    }

    /// Bytes of one tile in L1. A tf32 tile would be stored as fp32.
    pub fn tile_bytes(self) -> usize {
        match self {
            DataFormat::Float32 | DataFormat::Tf32 => 4096,
            DataFormat::Bfloat16 => 2048,
            DataFormat::Bfp8 => 1088, // 64 shared exponents and 1024 mantissas
            DataFormat::Small(Small::Float16) => 2048,
            DataFormat::Small(Small::Bfp4) => 576, // two values a byte
            DataFormat::Small(Small::Bfp2) => 320, // four values a byte
            DataFormat::Integer(Integer::UInt8 | Integer::Int8) => 1024,
            DataFormat::Integer(Integer::UInt32 | Integer::Int32) => 4096,
            DataFormat::Integer(Integer::UInt16) => 2048,
        }
    }

    /// Bytes of one value, or `None` for block formats.
    pub fn value_bytes(self) -> Option<usize> {
        match self {
            DataFormat::Float32 | DataFormat::Tf32 => Some(4),
            DataFormat::Bfloat16 => Some(2),
            DataFormat::Bfp8 | DataFormat::Small(Small::Bfp4 | Small::Bfp2) => None,
            DataFormat::Small(Small::Float16) => Some(2),
            DataFormat::Integer(Integer::UInt8 | Integer::Int8) => Some(1),
            DataFormat::Integer(Integer::UInt32 | Integer::Int32) => Some(4),
            DataFormat::Integer(Integer::UInt16) => Some(2),
        }
    }

    /// Whether the unpacker writes it straight to Dst instead of a source register.
    pub fn is_unpacked_to_dst(self) -> bool {
        self == DataFormat::Float32 || self.is_integer32()
    }

    /// Whether its values are whole numbers.
    pub fn is_integer(self) -> bool {
        matches!(self, DataFormat::Integer(_))
    }

    /// Whether it is an integer of 32 bits.
    pub fn is_integer32(self) -> bool {
        matches!(self, DataFormat::Integer(Integer::Int32 | Integer::UInt32))
    }

    /// The bits of an fp32 pattern that the FPU sees in a source register of this format.
    pub fn source_mask(self) -> u32 {
        match self {
            DataFormat::Tf32 | DataFormat::Small(Small::Float16) => 0xffff_e000,
            DataFormat::Float32
            | DataFormat::Bfloat16
            | DataFormat::Bfp8
            | DataFormat::Small(Small::Bfp4 | Small::Bfp2) => 0xffff_0000,
            // Numbers as they are: the matrix unit only copies them.
            DataFormat::Integer(_) => 0xffff_ffff,
        }
    }
}

impl fmt::Display for DataFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Formats the hardware has and this crate does not model.
const UNMODELLED: [&str; 12] = [
    "Fp8",
    "Fp8_e4m3",
    "Lf8",
    "Bfp8",
    "Bfp4",
    "Bfp2",
    "Int16",
    "RawUInt8",
    "RawUInt16",
    "RawUInt32",
    "Fp16",
    "RawUInt4",
];

/// A format name that is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    /// The name as given.
    pub name: String,
    /// Whether Tensix has such a format, so that it is this crate that lacks it.
    pub is_real: bool,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = if self.is_real {
            "is a Tensix data format that is not modelled"
        } else {
            "is not a data format"
        };
        let accepted = "accepted: Float32 (fp32), Tf32, Float16_b (bf16, bfloat16), Bfp8_b (bfp8), \
                        Bfp4_b, Bfp2_b, Float16, Int32, UInt32, UInt16, Int8, UInt8";
        write!(f, "`{}` {reason}; {accepted}", self.name)
    }
}

impl std::error::Error for FormatError {}

/// A pair of formats between which no conversion is modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UnsupportedConversion {
    /// What was asked to convert, as in "unpack" or "pack".
    pub step: &'static str,
    /// Format of the values read.
    pub from: DataFormat,
    /// Format of the values to be written.
    pub to: DataFormat,
}

impl fmt::Display for UnsupportedConversion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} from {} to {} is not modelled", self.step, self.from, self.to)
    }
}

impl std::error::Error for UnsupportedConversion {}

/// Formats of the two source registers as the ALU is configured, whatever is in them.
///
/// Tf32 keeps 10 mantissa bits, all others 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SourceFormats {
    /// Configured format of SrcA.
    pub a: DataFormat,
    /// Configured format of SrcB.
    pub b: DataFormat,
}

/// Width of Dst values: bf16, or fp32 (`fp32_dest_acc_en`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DstWidth {
    /// 16-bit Dst: bf16 values.
    Bits16,
    /// 32-bit Dst: fp32 values.
    Bits32,
}

impl DstWidth {
    /// The bits of an fp32 pattern that a Dst of this width holds.
    pub fn mask(self) -> u32 {
        match self {
            DstWidth::Bits16 => 0xffff_0000,
            DstWidth::Bits32 => 0xffff_ffff,
        }
    }
}

/// How many passes over partial mantissas a multiplication makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fidelity {
    /// High parts only: 5 bits of SrcA, 7 of SrcB.
    LoFi,
    /// Adds SrcA's low part.
    HiFi2,
    /// Adds SrcB's low part times SrcA's high part.
    HiFi3,
    /// Adds low part times low part.
    HiFi4,
}

impl Fidelity {
    /// Every fidelity, fewest phases first.
    pub const ALL: [Fidelity; 4] =
        [Fidelity::LoFi, Fidelity::HiFi2, Fidelity::HiFi3, Fidelity::HiFi4];

    /// Number of phases.
    pub fn phases(self) -> u32 {
        match self {
            Fidelity::LoFi => 1,
            Fidelity::HiFi2 => 2,
            Fidelity::HiFi3 => 3,
            Fidelity::HiFi4 => 4,
        }
    }

    /// tt-metal's spelling.
    pub fn name(self) -> &'static str {
        match self {
            Fidelity::LoFi => "LoFi",
            Fidelity::HiFi2 => "HiFi2",
            Fidelity::HiFi3 => "HiFi3",
            Fidelity::HiFi4 => "HiFi4",
        }
    }

    /// Reads a name in any case.
    pub fn from_name(name: &str) -> Option<Fidelity> {
        Fidelity::ALL.into_iter().find(|fidelity| fidelity.name().eq_ignore_ascii_case(name))
    }
}

/// Which part of operand B stands for a whole tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Broadcast {
    /// Every value for itself.
    None,
    /// Column 0, along each row (`bcast_cols`).
    Column,
    /// Row 0, down each column (`bcast_rows`).
    Row,
    /// The value at row 0, column 0.
    Scalar,
}
