//! The words of a manifest as the model's own.

use tilewright_metal::{ApiGeneration, DataMovementPlace, DstSync, Extent, ShardOrientation};
use tilewright_tile::{DataFormat, Integer, Small};

use super::document::{
    Api, Fidelity, Format, Layout, Orientation, Place, Reach, ShardLayout, Storage, Sync,
};

impl From<Format> for DataFormat {
    fn from(format: Format) -> DataFormat {
        match format {
            Format::Bf16 => DataFormat::Bfloat16,
            Format::Fp32 => DataFormat::Float32,
            Format::Bfp8 => DataFormat::Bfp8,
            Format::Bfp4 => DataFormat::Small(Small::Bfp4),
            Format::Bfp2 => DataFormat::Small(Small::Bfp2),
            Format::Fp16 => DataFormat::Small(Small::Float16),
            Format::UInt32 => DataFormat::Integer(Integer::UInt32),
            Format::Int32 => DataFormat::Integer(Integer::Int32),
            Format::UInt16 => DataFormat::Integer(Integer::UInt16),
            Format::UInt8 => DataFormat::Integer(Integer::UInt8),
            Format::Int8 => DataFormat::Integer(Integer::Int8),
        }
    }
}

impl Format {
    /// Whether its values are whole numbers.
    pub(super) fn is_integer(self) -> bool {
        matches!(DataFormat::from(self), DataFormat::Integer(_))
    }
}

impl From<Api> for ApiGeneration {
    fn from(api: Api) -> ApiGeneration {
        match api {
            Api::Current => ApiGeneration::Current,
            Api::BeforeV074 => ApiGeneration::BeforeV074,
        }
    }
}

impl From<Layout> for tilewright_metal::Layout {
    fn from(layout: Layout) -> tilewright_metal::Layout {
        match layout {
            Layout::Tile => tilewright_metal::Layout::Tile,
            Layout::RowMajor => tilewright_metal::Layout::RowMajor,
        }
    }
}

impl From<Storage> for tilewright_metal::Storage {
    fn from(storage: Storage) -> tilewright_metal::Storage {
        match storage {
            Storage::Dram => tilewright_metal::Storage::Dram,
            Storage::L1 => tilewright_metal::Storage::L1,
        }
    }
}

impl From<ShardLayout> for tilewright_metal::ShardLayout {
    fn from(layout: ShardLayout) -> tilewright_metal::ShardLayout {
        match layout {
            ShardLayout::Height => tilewright_metal::ShardLayout::Height,
            ShardLayout::Width => tilewright_metal::ShardLayout::Width,
            ShardLayout::Block => tilewright_metal::ShardLayout::Block,
            ShardLayout::Nd => tilewright_metal::ShardLayout::Nd,
        }
    }
}

impl From<Orientation> for ShardOrientation {
    fn from(orientation: Orientation) -> ShardOrientation {
        match orientation {
            Orientation::RowMajor => ShardOrientation::RowMajor,
            Orientation::ColumnMajor => ShardOrientation::ColMajor,
        }
    }
}

impl From<Reach> for Extent {
    fn from(reach: Reach) -> Extent {
        match reach {
            Reach::Same => Extent::Same,
            Reach::Matrix => Extent::Matrix,
            Reach::All => Extent::All,
        }
    }
}

impl From<Fidelity> for tilewright_tile::Fidelity {
    fn from(fidelity: Fidelity) -> tilewright_tile::Fidelity {
        match fidelity {
            Fidelity::LoFi => tilewright_tile::Fidelity::LoFi,
            Fidelity::HiFi2 => tilewright_tile::Fidelity::HiFi2,
            Fidelity::HiFi3 => tilewright_tile::Fidelity::HiFi3,
            Fidelity::HiFi4 => tilewright_tile::Fidelity::HiFi4,
        }
    }
}

impl From<Sync> for DstSync {
    fn from(sync: Sync) -> DstSync {
        match sync {
            Sync::Half => DstSync::Half,
            Sync::Full => DstSync::Full,
        }
    }
}

impl Place {
    /// The processor of a data-movement kernel; none for compute.
    pub(super) fn data_movement(self) -> Option<DataMovementPlace> {
        match self {
            Place::Reader => Some(DataMovementPlace::Reader),
            Place::Writer => Some(DataMovementPlace::Writer),
            Place::Compute => None,
        }
    }

    /// The word in a manifest.
    pub(super) fn name(self) -> &'static str {
        match self {
            Place::Reader => "reader",
            Place::Writer => "writer",
            Place::Compute => "compute",
        }
    }
}
