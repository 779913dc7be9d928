//! References for kernels that are not ours: what normalisation, softmax and cross-entropy must
//! give, with bounds that follow the steps of tt-metal's own kernels.
//!
//! A manifest names one as its reference's operation. The exact values are the mathematics; the
//! bounds are derived from the formats that the named kernel keeps between its steps, and from the
//! hardware's steps (`tilewright_tile::bound`). There is no kernel here.

mod exponentials;
mod rows;
mod ttml_layernorm;
mod ttml_layernorm_backward;
mod ttml_rmsnorm;
mod ttml_rmsnorm_backward;
mod ttnn_norm;
mod unit;

use tilewright_tile::{DataFormat, DstWidth};

use crate::operation::{Choice, OpError, Request};
use crate::reference::{Given, Roles, Wanted};
use crate::vector::REFERENCES;

/// A reference that follows the steps of a kernel of tt-metal.
pub struct Formula {
    /// The name that manifests use: whose kernel, and what it computes.
    pub name: &'static str,
    /// What it computes, in a line.
    pub about: &'static str,
    /// What the kernel lets its caller choose, as far as bounds or values depend on it.
    pub choices: &'static [Choice],
    /// The names of its tensors.
    pub roles: Roles,
    /// The formats that its first tensor may have; what its calls take, if there are none.
    pub formats: &'static [DataFormat],
    pub(crate) exact: fn(&Request, Vec<Given>) -> Result<Vec<Wanted>, OpError>,
}

impl Formula {
    /// What the outputs must hold, for inputs in the order of `roles`.
    pub fn exact(&self, request: &Request, given: Vec<Given>) -> Result<Vec<Wanted>, OpError> {
        if !self.formats.is_empty() && !self.formats.contains(&request.format) {
            let (name, format) = (self.name, request.format);
            return Err(OpError::Invalid(format!(
                "{name} is known for bf16 tensors, not {format}"
            )));
        }
        (self.exact)(request, given)
    }
}

const EPSILON: Choice = Choice {
    name: "epsilon",
    values: &["kernel", Choice::REAL],
    about: "added to the variance or mean square; the kernel's own unless said",
};

const INTERMEDIATES: Choice = Choice {
    name: "intermediates",
    values: &["kernel", "bf16", "fp32"],
    about: "the format of buffers between the steps; what the program factory of tt-metal gives \
            them unless said",
};

const PATH: Choice = Choice {
    name: "path",
    values: &["row", "blocks"],
    about: "a whole row of tiles in L1, or blocks that are read several times",
};

const PASS: Choice = Choice {
    name: "pass",
    values: &["row", Choice::NUMBER],
    about: "tiles of a row that are summed before the sum is put aside; all of them unless said",
};

const STABLE: Choice = Choice {
    name: "stable",
    values: &["no", "yes"],
    about: "whether rows are shifted by their maximum first",
};

const SCALE: Choice = Choice {
    name: "scale",
    values: &["rows", Choice::REAL],
    about: "what gradients are multiplied by: one over the number of rows unless said",
};

const FACTOR: Choice = Choice {
    name: "scale",
    values: &["1", Choice::REAL],
    about: "what x is multiplied by before the mask is added; the kernel has it in bf16",
};

/// Every formula, in the order in which `tilewright list` shows them.
pub fn formulas() -> impl Iterator<Item = &'static Formula> {
    FORMULAS.iter().chain(&REFERENCES)
}

pub(crate) const BF16: &[DataFormat] = &[DataFormat::Bfloat16];

static FORMULAS: [Formula; 14] = [
    Formula {
        name: "ttml-layernorm-fw",
        about: "LayerNorm as tt-train's layernorm_fw: y, mean and 1/std",
        choices: &[EPSILON, INTERMEDIATES],
        roles: ttml_layernorm::ROLES,
        formats: BF16,
        exact: ttml_layernorm::exact,
    },
    Formula {
        name: "ttml-layernorm-bw",
        about: "gradients of LayerNorm as tt-train's layernorm_bw: dx, and dγ and dβ before they \
                are summed",
        choices: &[INTERMEDIATES],
        roles: ttml_layernorm_backward::ROLES,
        formats: BF16,
        exact: ttml_layernorm_backward::exact,
    },
    Formula {
        name: "ttml-rmsnorm-fw",
        about: "RMSNorm as tt-train's rmsnorm_fw: y and the root mean square",
        choices: &[EPSILON, INTERMEDIATES],
        roles: ttml_rmsnorm::ROLES,
        formats: BF16,
        exact: ttml_rmsnorm::exact,
    },
    Formula {
        name: "ttml-rmsnorm-bw",
        about: "gradients of RMSNorm as tt-train's rmsnorm_bw: dx, and dγ before it is summed",
        choices: &[INTERMEDIATES],
        roles: ttml_rmsnorm_backward::ROLES,
        formats: BF16,
        exact: ttml_rmsnorm_backward::exact,
    },
    Formula {
        name: "ttml-softmax",
        about: "softmax over the last dimension as tt-train's softmax",
        choices: &[PATH, INTERMEDIATES],
        roles: exponentials::SOFTMAX,
        formats: BF16,
        exact: exponentials::ttml_softmax,
    },
    Formula {
        name: "ttml-softmax-bw",
        about: "the gradient of softmax as tt-train's softmax_backward",
        choices: &[INTERMEDIATES],
        roles: exponentials::SOFTMAX_BACKWARD,
        formats: BF16,
        exact: exponentials::ttml_softmax_backward,
    },
    Formula {
        name: "ttml-cross-entropy-fw",
        about: "cross-entropy of each row as tt-train's cross_entropy_fw",
        choices: &[INTERMEDIATES],
        roles: exponentials::ENTROPY,
        formats: BF16,
        exact: exponentials::ttml_entropy,
    },
    Formula {
        name: "ttml-cross-entropy-bw",
        about: "the gradient of cross-entropy as tt-train's cross_entropy_bw",
        choices: &[SCALE, INTERMEDIATES],
        roles: exponentials::ENTROPY_BACKWARD,
        formats: BF16,
        exact: exponentials::ttml_entropy_backward,
    },
    Formula {
        name: "ttnn-layernorm",
        about: "LayerNorm with γ and β as TTNN's interleaved layernorm",
        choices: &[EPSILON, PATH, INTERMEDIATES],
        roles: ttnn_norm::ROLES,
        formats: BF16,
        exact: ttnn_norm::layernorm,
    },
    Formula {
        name: "ttnn-rmsnorm",
        about: "RMSNorm with γ and β as TTNN's interleaved layernorm has it",
        choices: &[EPSILON, PATH, INTERMEDIATES],
        roles: ttnn_norm::ROLES,
        formats: BF16,
        exact: ttnn_norm::rmsnorm,
    },
    Formula {
        name: "ttnn-add-layernorm",
        about: "LayerNorm of x and a residual as TTNN's interleaved layernorm",
        choices: &[EPSILON, INTERMEDIATES],
        roles: ttnn_norm::ADDED,
        formats: BF16,
        exact: ttnn_norm::added_layernorm,
    },
    Formula {
        name: "ttnn-add-rmsnorm",
        about: "RMSNorm of x and a residual as TTNN's interleaved layernorm has it",
        choices: &[EPSILON, INTERMEDIATES],
        roles: ttnn_norm::ADDED,
        formats: BF16,
        exact: ttnn_norm::added_rmsnorm,
    },
    Formula {
        name: "ttnn-softmax",
        about: "softmax over the last dimension as TTNN's interleaved softmax",
        choices: &[STABLE, PASS, INTERMEDIATES],
        roles: exponentials::SOFTMAX,
        formats: BF16,
        exact: exponentials::ttnn_softmax,
    },
    Formula {
        name: "ttnn-scale-mask-softmax",
        about: "softmax of x times a scale plus a mask as TTNN's interleaved softmax",
        choices: &[FACTOR, STABLE, INTERMEDIATES],
        roles: exponentials::MASKED_SOFTMAX,
        formats: BF16,
        exact: exponentials::ttnn_masked_softmax,
    },
];

/// What is added to a variance.
fn epsilon(request: &Request, of_kernel: f64) -> Result<f64, OpError> {
    Ok(request.real(&EPSILON)?.unwrap_or(of_kernel))
}

/// The format between the steps.
fn intermediates(request: &Request, of_kernel: DataFormat) -> Result<DataFormat, OpError> {
    Ok(match request.choice(&INTERMEDIATES)? {
        "bf16" => DataFormat::Bfloat16,
        "fp32" => DataFormat::Float32,
        _ => of_kernel,
    })
}

/// The format that TTNN keeps between steps: as wide as Dst.
fn of_width(request: &Request) -> DataFormat {
    match request.settings.width {
        DstWidth::Bits16 => DataFormat::Bfloat16,
        DstWidth::Bits32 => DataFormat::Float32,
    }
}
