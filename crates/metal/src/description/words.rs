//! How values of other modules are spelled in a description: formats, cores, shapes, sites.

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tilewright_machine::{CoreCoord, CoreRange, NocId, Site};
use tilewright_tile::{DataFormat, Fidelity};

use crate::core_set::CoreSet;
use crate::intern::intern;
use crate::shape::Shape;

/// A core as `[column, row]`.
pub(crate) mod core {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(core: &CoreCoord, to: S) -> Result<S::Ok, S::Error> {
        [core.x, core.y].serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<CoreCoord, D::Error> {
        let [x, y] = <[u8; 2]>::deserialize(from)?;
        Ok(CoreCoord::new(x, y))
    }
}

/// A rectangle of cores, both corners included.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rectangle {
    /// The upper left corner: column and row.
    start: [u8; 2],
    /// The lower right corner: column and row.
    end: [u8; 2],
}

impl From<CoreRange> for Rectangle {
    fn from(range: CoreRange) -> Rectangle {
        let CoreRange { start, end } = range;
        Rectangle { start: [start.x, start.y], end: [end.x, end.y] }
    }
}

impl Rectangle {
    fn range<E: serde::de::Error>(self) -> Result<CoreRange, E> {
        let ([left, top], [right, bottom]) = (self.start, self.end);
        if right < left || bottom < top {
            let message = format!(
                "core range from ({left},{top}) to ({right},{bottom}); its end lies before its \
                 start"
            );
            return Err(E::custom(message));
        }
        Ok(CoreRange::new(CoreCoord::new(left, top), CoreCoord::new(right, bottom)))
    }
}

/// Rectangles of cores in the order in which they were given.
pub(crate) mod ranges {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(ranges: &[CoreRange], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(ranges.iter().copied().map(Rectangle::from))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<CoreRange>, D::Error> {
        Vec::<Rectangle>::deserialize(from)?.into_iter().map(Rectangle::range).collect()
    }
}

/// A set of cores as a list of rectangles.
impl Serialize for CoreSet {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        ranges::serialize(&self.ranges(), to)
    }
}

impl<'de> Deserialize<'de> for CoreSet {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<CoreSet, D::Error> {
        let ranges = ranges::deserialize(from)?;
        Ok(ranges.into_iter().flat_map(CoreRange::cores).collect())
    }
}

/// A data format by tt-metal's name.
pub(crate) mod format {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(format: &DataFormat, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(format.name())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<DataFormat, D::Error> {
        let name = String::deserialize(from)?;
        DataFormat::from_name(&name).map_err(D::Error::custom)
    }
}

/// A shape as the list of its sizes.
pub(crate) mod shape {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(shape: &Shape, to: S) -> Result<S::Ok, S::Error> {
        shape.sizes().serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Shape, D::Error> {
        let sizes = Vec::<usize>::deserialize(from)?;
        Shape::new(&sizes).map_err(D::Error::custom)
    }
}

/// The line of a declaration.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Line {
    /// The file, as reports show it.
    file: String,
    /// The line, counted from 1.
    line: u32,
    /// The column, counted from 1; 0 if it is not known.
    #[serde(default)]
    column: u32,
}

/// The line that declares a part of a program, if it is known.
pub(crate) mod site {
    use super::*;

    pub(crate) fn unknown() -> Site {
        Site::KERNEL
    }

    pub(crate) fn is_unknown(site: &Site) -> bool {
        site.is_at(&Site::KERNEL)
    }

    pub(crate) fn serialize<S: Serializer>(site: &Site, to: S) -> Result<S::Ok, S::Error> {
        Line { file: site.file.to_owned(), line: site.line, column: site.column }.serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Site, D::Error> {
        let Line { file, line, column } = Line::deserialize(from)?;
        Ok(Site::new(intern(&file), line, column))
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Fidelity")]
pub(crate) enum FidelityName {
    LoFi,
    HiFi2,
    HiFi3,
    HiFi4,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(remote = "NocId")]
pub(crate) enum NocName {
    #[serde(rename = "noc_0")]
    Zero,
    #[serde(rename = "noc_1")]
    One,
}
