//! Where a tensor's pages go: interleaved over all banks, or in shards on chosen ones.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tilewright_machine::CoreRange;

use crate::description::words;
use crate::interleaving::Storage;

/// The memory of a tensor (tt-metal's `MemoryConfig`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryConfig {
    /// DRAM or L1.
    #[serde(rename = "buffer_type")]
    pub storage: Storage,
    /// How it is cut into shards; without, pages are interleaved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shards: Option<ShardSpec>,
}

impl From<Storage> for MemoryConfig {
    fn from(storage: Storage) -> MemoryConfig {
        MemoryConfig { storage, shards: None }
    }
}

/// How a tensor is cut into shards, and where they go (tt-metal's `ShardSpec` and `NdShardSpec`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShardSpec {
    /// Along which dimensions it is cut.
    #[serde(rename = "memory_layout")]
    pub layout: ShardLayout,
    /// The cores, or banks of DRAM as the columns of row 0, in this order.
    #[serde(with = "words::ranges")]
    #[schemars(with = "Vec<words::Rectangle>")]
    pub grid: Vec<CoreRange>,
    /// Values of a shard along the last dimensions: rows and columns, or any number of sizes for
    /// `nd`.
    pub shape: Vec<u32>,
    /// In which order cores are filled.
    #[serde(default)]
    pub orientation: ShardOrientation,
}

/// Along which dimensions a tensor is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ShardLayout {
    /// Rows: a shard has whole rows.
    #[serde(rename = "height_sharded")]
    Height,
    /// Columns: a shard has whole columns.
    #[serde(rename = "width_sharded")]
    Width,
    /// Both; a row of shards is a row of cores.
    #[serde(rename = "block_sharded")]
    Block,
    /// Any dimensions.
    #[serde(rename = "nd_sharded")]
    Nd,
}

/// In which order a shard grid's cores are filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShardOrientation {
    /// Row by row.
    #[default]
    RowMajor,
    /// Column by column.
    ColMajor,
}
