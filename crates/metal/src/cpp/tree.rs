//! The vector functions of the tt-metal tree that a kernel belongs to.
//!
//! Kernels include them by name (`ckernel_sfpu_exp.h`). They are vector code, which our headers
//! execute, so that those of the kernel's own tree serve.

use std::path::{Path, PathBuf};

/// Where a tree keeps them, from its root.
const FOLDERS: [&str; 4] = [
    "tt_metal/hw/ckernels/wormhole_b0/metal/llk_api/llk_sfpu",
    "tt_metal/hw/ckernels/wormhole_b0/metal/llk_api",
    "tt_metal/tt-llk/tt_llk_wormhole_b0/common/inc",
    "tt_metal/third_party/tt_llk/tt_llk_wormhole_b0/common/inc",
];

/// The folders of the first tree that one of some paths lies in; none if there is no tree.
pub(super) fn vector_folders<'a>(of: impl IntoIterator<Item = &'a Path>) -> Vec<PathBuf> {
    let mut roots = of.into_iter().flat_map(Path::ancestors);
    let root = roots.find(|root| root.join(FOLDERS[0]).is_dir());
    root.map(|root| FOLDERS.map(|folder| root.join(folder)).to_vec()).unwrap_or_default()
}
