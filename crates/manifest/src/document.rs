//! What a manifest may say. The published schema and the reference page are made from these types,
//! and every manifest is checked against that schema before it is read.
//!
//! Says nothing about what the parts mean together: that is `lower`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::at::At;
use super::word::{Argument, Cores, Expression, Padding};

/// Tables by name, with the places of the names.
pub(super) type Named<Table> = BTreeMap<At<String>, Table>;

/// A program: tensors, circular buffers, semaphores and kernels on cores, and what must come out.
/// Or several programs that run one after the other on one device, where tensors stay as the
/// programs before left them.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Manifest")]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    /// What reports call the program. Left out, it is the file's name.
    pub(super) name: Option<String>,
    /// The device. Left out, an n150; `--device` replaces it for a run.
    pub(super) device: Option<DeviceName>,
    /// The cores of the program: a number of cores of the grid, row by row, or ranges such as
    /// `"(0,0)-(7,0)"`. Left out, all cores of the grid. Of several programs, those that do not
    /// say their own.
    pub(super) cores: Option<At<Cores>>,
    /// Work that is dealt out to the cores. Cores without work run no kernel.
    pub(super) split: Option<At<Split>>,
    /// Numbers with names, for expressions. `--set name=number` replaces one for a run.
    #[serde(default)]
    pub(super) values: Named<At<Expression>>,
    /// The tensors. Those with `input` or `file` are filled before the run; the others are outputs,
    /// unless they say `scratch`.
    #[serde(default)]
    pub(super) tensors: Named<Tensor>,
    /// The circular buffers. Each takes its L1 after those before it.
    #[serde(default)]
    pub(super) buffers: Named<Buffer>,
    /// The semaphores, numbered in their order.
    #[serde(default)]
    pub(super) semaphores: Named<Semaphore>,
    /// The kernels; a manifest has these or `programs`.
    #[serde(default)]
    pub(super) kernels: Named<Kernel>,
    /// An operation or reference of `tilewright list` that gives the exact results to compare the
    /// outputs with.
    pub(super) reference: Option<At<Reference>>,
    /// Outputs that are compared with a file, by the tensor's name. One that the reference judges,
    /// too, must agree with both; the answer has the file's part as `NAME (expected)`.
    #[serde(default)]
    pub(super) expected: Named<Expected>,
    /// Several programs in place of one, run in the order in which they stand. Each has its own
    /// `split`, `buffers`, `semaphores`, `kernels` and `reference`; all share `values` and
    /// `tensors`.
    #[serde(default)]
    pub(super) programs: Named<Program>,
}

/// A product.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum DeviceName {
    /// Wormhole, 8x8 cores.
    N150,
    /// Blackhole, 11x10 cores.
    P100a,
    /// Blackhole, 13x10 cores.
    P150,
}

impl DeviceName {
    /// The name that devices have.
    pub(super) fn name(self) -> &'static str {
        match self {
            DeviceName::N150 => "n150",
            DeviceName::P100a => "p100a",
            DeviceName::P150 => "p150",
        }
    }
}

/// One of several programs. Reports call it by its name here. A tensor that nothing fills is made
/// by the first program whose kernels are given its address; for those after it, it is an input.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Program {
    /// Its cores. Left out, those of the manifest.
    pub(super) cores: Option<At<Cores>>,
    /// Work that is dealt out to its cores. Cores without work run no kernel.
    pub(super) split: Option<At<Split>>,
    /// Its circular buffers. Each takes its L1 after those before it.
    #[serde(default)]
    pub(super) buffers: Named<Buffer>,
    /// Its semaphores, numbered in their order.
    #[serde(default)]
    pub(super) semaphores: Named<Semaphore>,
    /// Its kernels.
    pub(super) kernels: Named<Kernel>,
    /// An operation or reference of `tilewright list` that gives the exact results to compare its
    /// outputs with.
    pub(super) reference: Option<At<Reference>>,
}

/// Work dealt out as tt-metal's `split_work_to_cores` does: the first cores have one unit more if
/// it does not come out even. Expressions of runtime arguments then know `start` and `count`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Split {
    /// How many units there are.
    pub(super) units: At<Expression>,
    /// Over how many of the program's cores at most. Left out, all of them.
    pub(super) over: Option<At<Expression>>,
}

/// A tensor in the device's memory: interleaved over its banks, or in shards.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Tensor {
    /// The sizes, the last one running fastest. A file brings its own.
    pub(super) shape: Option<At<Vec<At<Expression>>>>,
    /// The format of its values.
    pub(super) format: Format,
    /// The order of its values: `tile` unless said otherwise.
    #[serde(default)]
    pub(super) layout: Layout,
    /// The memory it lies in: `dram` unless said otherwise.
    #[serde(default)]
    pub(super) storage: Storage,
    /// How it is cut into shards. Left out, its pages are interleaved over all banks.
    pub(super) shards: Option<At<Shards>>,
    /// A family of values that fills it, as `tilewright list` shows them.
    pub(super) input: Option<At<String>>,
    /// The seed of those values. Left out, that of `--data-seed`.
    pub(super) seed: Option<u64>,
    /// Which of the seed's streams. Left out, the number of inputs before this one.
    pub(super) stream: Option<u64>,
    /// For a format of whole numbers, what they are below: `uniform` then gives any from 0 on,
    /// `ramp` counts up along a row and begins again, `zeros` gives zeros.
    pub(super) below: Option<At<Expression>>,
    /// What those values are multiplied by.
    pub(super) scale: Option<f32>,
    /// What is added to them then.
    pub(super) offset: Option<f32>,
    /// A .npy or .safetensors file that fills it, beside the manifest.
    pub(super) file: Option<At<String>>,
    /// The tensor's name in a .safetensors file that has several.
    pub(super) file_tensor: Option<String>,
    /// What the tiles hold beyond the values. Of an input, the number that the host puts there: 0
    /// unless said otherwise. Of an output, what the program must leave there: `"zero"`,
    /// `"unchanged"` (what an input holds there) or `"free"`, which it is unless said otherwise.
    pub(super) padding: Option<At<Padding>>,
    /// The input whose padding an output must have, for `padding = "unchanged"`. Left out, the one
    /// input that has the output's shape.
    pub(super) padding_of: Option<At<String>>,
    /// Whether results may depend on what an input's tiles hold beyond its values. If not, that is
    /// a finding, whatever the value is.
    #[serde(default)]
    pub(super) uses_padding: bool,
    /// Whether it is a place for intermediate values: neither an input nor an output.
    #[serde(default)]
    pub(super) scratch: bool,
    /// What of the inputs must be in every tile of this output, by the input's name. What is not
    /// said is not checked.
    #[serde(default)]
    pub(super) holds: Named<Holds>,
}

/// Tiles of an input that must be in each tile of an output, by rows and columns of tiles.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Holds {
    /// Which rows: `same` unless said otherwise.
    #[serde(default)]
    pub(super) rows: Reach,
    /// Which columns: `same` unless said otherwise.
    #[serde(default)]
    pub(super) columns: Reach,
}

/// How far tiles of an input reach into an output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Reach {
    /// The tiles at the output tile's own place.
    #[default]
    Same,
    /// All tiles of its matrix.
    Matrix,
    /// All tiles of the tensor.
    All,
}

/// The format of values in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub(super) enum Format {
    /// Bfloat16, tt-metal's Float16_b.
    #[serde(rename = "bf16")]
    Bf16,
    /// IEEE single precision, tt-metal's Float32.
    #[serde(rename = "fp32")]
    Fp32,
    /// Blocks of 16 values with a common exponent, tt-metal's Bfp8_b. Tile layout only.
    #[serde(rename = "bfp8")]
    Bfp8,
    /// The same with values of 4 bits, tt-metal's Bfp4_b.
    #[serde(rename = "bfp4")]
    Bfp4,
    /// The same with values of 2 bits, tt-metal's Bfp2_b.
    #[serde(rename = "bfp2")]
    Bfp2,
    /// IEEE half precision, tt-metal's Float16. For buffers: no tensor on the host has it.
    #[serde(rename = "fp16")]
    Fp16,
    /// Whole numbers of 32 bits, for data movement only: no compute unit takes them here.
    #[serde(rename = "uint32")]
    UInt32,
    /// The same with a sign.
    #[serde(rename = "int32")]
    Int32,
    /// Whole numbers of 16 bits, for data movement only.
    #[serde(rename = "uint16")]
    UInt16,
    /// Whole numbers of 8 bits.
    #[serde(rename = "uint8")]
    UInt8,
    /// A sign and 7 bits of magnitude.
    #[serde(rename = "int8")]
    Int8,
}

/// The order of a tensor's values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Layout {
    /// Tiles of 32x32; a page is a tile.
    #[default]
    Tile,
    /// Row by row; a page is a row.
    RowMajor,
}

/// The memory of a tensor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Storage {
    /// The banks of DRAM.
    #[default]
    Dram,
    /// The L1 of every core.
    L1,
}

/// How a tensor is cut into shards, each in one place: a core's L1, or a bank of DRAM.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Shards {
    /// Along which dimensions it is cut.
    pub(super) layout: ShardLayout,
    /// The sizes of a shard: rows and columns, or any number of sizes for `nd`.
    pub(super) shape: Vec<At<Expression>>,
    /// The cores in the order in which they are filled: a number, a range or a list of ranges.
    /// Banks of DRAM are the columns of row 0: `"(0,0)-(11,0)"`.
    pub(super) cores: At<Cores>,
    /// The order in which the cores of a range are filled: `row-major` unless said otherwise.
    #[serde(default)]
    pub(super) orientation: Orientation,
}

/// Along which dimensions a tensor is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum ShardLayout {
    /// Rows: a shard has whole rows.
    Height,
    /// Columns: a shard has whole columns.
    Width,
    /// Both; a row of shards is a row of cores.
    Block,
    /// Any dimensions.
    Nd,
}

/// The order in which the cores of a range are filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Orientation {
    /// Row by row.
    #[default]
    RowMajor,
    /// Column by column.
    ColumnMajor,
}

/// A circular buffer: a ring of pages in the L1 of each of its cores.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Buffer {
    /// Its number, tt-metal's `c_0` and so on.
    pub(super) index: At<Expression>,
    /// The format of its values.
    pub(super) format: Format,
    /// Pages of the ring.
    pub(super) pages: At<Expression>,
    /// Bytes of a page. Left out, those of a tile.
    pub(super) page_bytes: Option<At<Expression>>,
    /// Its cores. Left out, all that have work.
    pub(super) cores: Option<At<Cores>>,
    /// Another buffer whose memory it uses.
    pub(super) shares: Option<At<String>>,
    /// A sharded tensor in L1 in whose memory it lies: on each core in that core's shard.
    pub(super) in_tensor: Option<At<String>>,
    /// Bytes from the start of the shard: 0 unless said otherwise.
    pub(super) offset: Option<At<Expression>>,
    /// Whether kernels use it as plain memory: then nobody expects them to take turns at it.
    #[serde(default)]
    pub(super) scratch: bool,
    /// Inputs of which its pages must hold whole rows of tiles.
    #[serde(default)]
    pub(super) row_sum_of: Vec<At<String>>,
}

/// A word in L1 that kernels wait on.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Semaphore {
    /// Its first value: 0 unless said otherwise.
    pub(super) initial: Option<At<Expression>>,
    /// Its cores. Left out, all that have work.
    pub(super) cores: Option<At<Cores>>,
}

/// A kernel in C++ on a processor of its cores.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Kernel {
    /// Its source, beside the manifest.
    pub(super) file: At<String>,
    /// Where it runs.
    pub(super) runs_on: At<Place>,
    /// The network of a data-movement kernel, 0 or 1. Left out, the reader has 0 and the writer 1,
    /// as in tt-metal's reader and writer configurations.
    pub(super) noc: Option<At<u8>>,
    /// Its cores. Left out, all that have work; `"group_1"` and `"group_2"` are the two groups of
    /// the split.
    pub(super) cores: Option<At<Cores>>,
    /// Folders that are searched for headers, beside the manifest.
    #[serde(default)]
    pub(super) include: Vec<At<String>>,
    /// Preprocessor definitions.
    #[serde(default)]
    pub(super) defines: BTreeMap<String, String>,
    /// Compile-time arguments by position. `"tensor.x.accessor"` stands for the words of a tensor's
    /// accessor.
    #[serde(default)]
    pub(super) compile_time_args: Vec<At<Expression>>,
    /// Compile-time arguments by name.
    #[serde(default)]
    pub(super) named_args: Named<At<Expression>>,
    /// Runtime arguments, evaluated per core. A list in place of one has an entry for each
    /// core.
    #[serde(default)]
    pub(super) args: Vec<At<Argument>>,
    /// Runtime arguments that all its cores share.
    #[serde(default)]
    pub(super) common_args: Vec<At<Expression>>,
    /// The generation of tt-metal's API that a compute kernel is written for, where the meaning of
    /// a call has changed: `current` unless said otherwise.
    #[serde(default)]
    pub(super) api: Api,
    /// Names that a kernel of tt-metal's Metal 2.0 asks for.
    pub(super) bindings: Option<Bindings>,
    /// Phases of a product: HiFi4 unless said otherwise.
    pub(super) fidelity: Option<At<Fidelity>>,
    /// Bits of a value in Dst, 16 or 32: 16 unless said otherwise.
    pub(super) dst_bits: Option<At<u8>>,
    /// How math and pack share Dst: `half` unless said otherwise.
    pub(super) dst_sync: Option<At<Sync>>,
    /// Whether functions of the vector unit are compiled in their approximate form, for those that
    /// have one by this mode; they are refused by name where there is no evidence for it.
    pub(super) math_approx_mode: Option<At<bool>>,
    /// Whether Bfp8 is packed from the full value of Dst.
    pub(super) bfp8_pack_precise: Option<At<bool>>,
    /// Buffers of fp32 that go straight to Dst, by name.
    pub(super) unpack_to_dst: Option<At<Vec<At<String>>>>,
}

/// Names that a kernel of Metal 2.0 asks for: namespaces that stand before its source.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Bindings {
    /// `dfb::NAME`: which buffer it is.
    #[serde(default)]
    pub(super) dfb: Named<At<String>>,
    /// `tensor::NAME`: which tensor it is.
    #[serde(default)]
    pub(super) tensor: Named<At<String>>,
    /// `sem::NAME`: which semaphore it is.
    #[serde(default)]
    pub(super) sem: Named<At<String>>,
    /// `args::NAME`: runtime arguments, evaluated per core. Those of the kernel's own `args`
    /// come after them.
    #[serde(default)]
    pub(super) args: Named<At<Argument>>,
    /// `args::NAME`: runtime arguments that all its cores share. Then come the addresses of the
    /// tensors, then the kernel's own `common_args`.
    #[serde(default)]
    pub(super) common_args: Named<At<Expression>>,
    /// `args::NAME`: compile-time arguments.
    #[serde(default)]
    pub(super) compile_time_args: Named<At<Expression>>,
}

/// A generation of tt-metal's kernel API.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub(super) enum Api {
    /// The one that our headers implement; `tilewright doctor` says which that is.
    #[default]
    #[serde(rename = "current")]
    Current,
    /// Before v0.74, sums of rows have the data in SrcA and the scaler in SrcB.
    #[serde(rename = "before-v0.74")]
    BeforeV074,
}

/// Where a kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Place {
    /// The first data-movement processor for reading (NCRISC).
    Reader,
    /// The data-movement processor for writing (BRISC).
    Writer,
    /// The three compute processors.
    Compute,
}

/// Phases of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub(super) enum Fidelity {
    /// One phase.
    LoFi,
    /// Two phases.
    HiFi2,
    /// Three phases.
    HiFi3,
    /// Four phases: every bit of a product.
    HiFi4,
}

/// How math and pack share Dst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Sync {
    /// Each has a half.
    Half,
    /// They take turns with all of it.
    Full,
}

/// Outputs compared with the exact results of an operation, each element with the bound derived for
/// our own kernels of it or for the named kernels of tt-metal, or with a stated tolerance.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Reference {
    /// The operation or reference, as `tilewright list` shows them.
    pub(super) operation: At<String>,
    /// The operation's own choices.
    #[serde(default)]
    pub(super) choices: BTreeMap<String, String>,
    /// Which tensor is which of the operation's inputs.
    pub(super) inputs: Named<At<String>>,
    /// Which tensor is which of the operation's outputs. Outputs left out are not judged.
    pub(super) outputs: Named<At<String>>,
    /// A tolerance in place of the derived bound: an absolute part.
    pub(super) absolute: Option<f64>,
    /// A tolerance in place of the derived bound: a part relative to the exact value.
    pub(super) relative: Option<f64>,
}

/// An output compared with a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Expected {
    /// A .npy or .safetensors file beside the manifest.
    pub(super) file: At<String>,
    /// The tensor's name in a .safetensors file that has several.
    pub(super) file_tensor: Option<String>,
    /// The absolute part of the tolerance. With neither part, every bit must be equal. With one,
    /// a NaN or an infinity in the file must be a NaN, or the infinity with its sign.
    pub(super) absolute: Option<f64>,
    /// The part of the tolerance that is relative to the value in the file.
    pub(super) relative: Option<f64>,
}
