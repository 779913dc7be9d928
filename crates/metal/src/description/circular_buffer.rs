//! Circular buffers as a description has them: one size, and pages of several formats in it.

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tilewright_machine::Site;
use tilewright_tile::DataFormat;

use super::words;
use crate::cb_spec::{CbDescription, CbPlacement, CbSpec};
use crate::core_set::CoreSet;

/// A circular buffer (tt-metal's `CBDescriptor`).
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Form {
    /// Bytes of the buffer on each of its cores.
    total_size: u32,
    #[schemars(with = "Vec<words::Rectangle>")]
    core_ranges: CoreSet,
    /// Indices that share the memory, each with its own pages.
    format_descriptors: Vec<FormatForm>,
    #[serde(default, skip_serializing_if = "PlacementForm::is_allocated")]
    placement: PlacementForm,
    #[serde(default = "words::site::unknown", with = "words::site")]
    #[serde(skip_serializing_if = "words::site::is_unknown")]
    #[schemars(with = "Option<words::Line>")]
    site: Site,
}

/// One index of a circular buffer (tt-metal's `CBFormatDescriptor`).
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FormatForm {
    buffer_index: u8,
    /// What reports call it; `c_N` if it is left out.
    #[serde(default)]
    name: Option<String>,
    #[serde(with = "words::format")]
    #[schemars(with = "String")]
    data_format: DataFormat,
    page_size: u32,
    /// Pages of the ring; as many as the buffer holds if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pages: Option<u32>,
    /// Rows and columns of a tile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tile: Option<[u32; 2]>,
    /// Whether kernels use it as plain memory, without taking turns.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    scratch: bool,
}

/// Where a circular buffer lies.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum PlacementForm {
    /// Where the program's own buffers are put.
    #[default]
    Allocated,
    /// In the shard that a core has of a declared tensor, some bytes from its start.
    Tensor {
        name: String,
        #[serde(default)]
        address_offset: u32,
    },
    /// At an address of L1.
    Address(u32),
}

impl PlacementForm {
    fn is_allocated(&self) -> bool {
        matches!(self, PlacementForm::Allocated)
    }
}

impl Serialize for CbDescription {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let total = self.bytes();
        let total_size = u32::try_from(total)
            .map_err(|_| serde::ser::Error::custom("a circular buffer of 4 GiB or more"))?;
        let format = |spec: &CbSpec| FormatForm {
            buffer_index: spec.id,
            name: Some(spec.name.clone()),
            data_format: spec.format,
            page_size: spec.page_bytes,
            pages: (spec.bytes() != total).then_some(spec.pages),
            tile: spec.tile,
            scratch: spec.is_scratch,
        };
        Form {
            total_size,
            core_ranges: self.cores.clone(),
            format_descriptors: self.specs.iter().map(format).collect(),
            placement: match self.placement.clone() {
                CbPlacement::Allocated => PlacementForm::Allocated,
                CbPlacement::Tensor { name, offset } => {
                    PlacementForm::Tensor { name, address_offset: offset }
                }
                CbPlacement::Address(at) => PlacementForm::Address(at),
            },
            site: self.site,
        }
        .serialize(to)
    }
}

impl<'de> Deserialize<'de> for CbDescription {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<CbDescription, D::Error> {
        let form = Form::deserialize(from)?;
        let total = form.total_size;
        let specs = form.format_descriptors.into_iter().map(|format| format.spec(total));
        Ok(CbDescription {
            specs: specs.collect::<Result<_, _>>().map_err(D::Error::custom)?,
            cores: form.core_ranges,
            placement: match form.placement {
                PlacementForm::Allocated => CbPlacement::Allocated,
                PlacementForm::Tensor { name, address_offset: offset } => {
                    CbPlacement::Tensor { name, offset }
                }
                PlacementForm::Address(at) => CbPlacement::Address(at),
            },
            site: form.site,
        })
    }
}

impl FormatForm {
    fn spec(self, total: u32) -> Result<CbSpec, String> {
        let (id, page_bytes) = (self.buffer_index, self.page_size);
        let name = self.name.unwrap_or_else(|| format!("c_{id}"));
        let whole =
            (page_bytes != 0 && total.is_multiple_of(page_bytes)).then(|| total / page_bytes);
        let pages = self.pages.or(whole).ok_or_else(|| {
            format!(
                "circular buffer `{name}` has {total} bytes, which pages of {page_bytes} bytes do \
                 not divide; give it a whole number of pages"
            )
        })?;
        Ok(CbSpec {
            id,
            name,
            format: self.data_format,
            page_bytes,
            pages,
            tile: self.tile,
            is_scratch: self.scratch,
        })
    }
}
