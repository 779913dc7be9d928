//! Generations of tt-metal's kernel API: the one that the C++ headers implement, and the older one
//! that a kernel may select where the meaning of a call has changed.

/// The version of tt-metal whose kernel API the headers implement.
pub const API_VERSION: &str = "v0.78.0-dev20260822";

/// Which meaning calls have that exist in several generations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ApiGeneration {
    /// That of `API_VERSION`.
    #[default]
    Current,
    /// `reduce_tile` sums rows with the data in SrcA and the scaler in SrcB.
    BeforeV074,
}

impl ApiGeneration {
    /// The definition that selects it in the headers; the current one needs none.
    pub fn define(self) -> Option<&'static str> {
        match self {
            ApiGeneration::Current => None,
            ApiGeneration::BeforeV074 => Some("TILEWRIGHT_API_BEFORE_V0_74"),
        }
    }
}
