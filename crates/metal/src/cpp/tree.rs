//! The vector functions of the tt-metal tree that a kernel belongs to.
//!
//! Kernels include them by name (`ckernel_sfpu_exp.h`). They are vector code, which our headers
//! execute, so that those of the kernel's own tree serve.

use std::path::{Path, PathBuf};

/// Where a tree keeps those of a chip, from its root; the first is in every tree.
fn folders(chip: &str) -> [String; 4] {
    let api = format!("tt_metal/hw/ckernels/{chip}/metal/llk_api");
    let common = format!("tt_llk_{chip}/common/inc");
    [
        format!("{api}/llk_sfpu"),
        api,
        format!("tt_metal/tt-llk/{common}"),
        format!("tt_metal/third_party/tt_llk/{common}"),
    ]
}

/// The folders for a chip in the first tree that one of some paths lies in; none if there is no
/// tree.
pub(super) fn vector_folders<'a>(
    chip: &str,
    of: impl IntoIterator<Item = &'a Path>,
) -> Vec<PathBuf> {
    let folders = folders(chip);
    let mut roots = of.into_iter().flat_map(Path::ancestors);
    let root = roots.find(|root| root.join(&folders[0]).is_dir());
    root.map(|root| folders.iter().map(|it| root.join(it)).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn each_chip_has_folders_of_its_own() {
        let root = std::env::temp_dir().join(format!("tilewright-tree-{}", std::process::id()));
        let kernels = root.join("ttnn/kernels");
        for chip in ["wormhole_b0", "blackhole"] {
            fs::create_dir_all(root.join(&folders(chip)[0])).expect("room");
        }
        fs::create_dir_all(&kernels).expect("room");
        let found = |chip: &str| vector_folders(chip, [kernels.as_path()]);
        let (wormhole, blackhole) = (found("wormhole_b0"), found("blackhole"));
        fs::remove_dir_all(&root).expect("ours");
        assert_eq!(wormhole.len(), 4);
        assert!(wormhole.iter().all(|it| it.to_string_lossy().contains("wormhole_b0")));
        assert!(blackhole.iter().all(|it| it.to_string_lossy().contains("blackhole")));
        assert_eq!(blackhole.len(), wormhole.len());
        assert!(vector_folders("blackhole", [Path::new("/nowhere")]).is_empty());
    }
}
