//! `--save` writes what a run has left, and `--simd` changes none of it.

use crate::common::{must_hold, tilewright};
use std::fs;
use std::path::{Path, PathBuf};

use tilewright_metal::Tensor;
use tilewright_metal::tensor_io::load;

fn file(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("saving");
    fs::create_dir_all(&folder).expect("a folder");
    folder.join(name)
}

/// Runs an operation and gives back what it saves under a name.
fn saved(typed: &[&str], name: &str, file: &Path) -> Tensor {
    let save = format!("{name}={}", file.display());
    let answer = tilewright(&[typed, &["--save", &save]].concat());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    load(file).expect("a tensor")
}

#[test]
fn tensors_and_pages_of_buffers_are_saved() {
    let copy = ["run", "copy", "--shape", "40x64", "--cores", "1"];
    let x = saved(&copy, "x", &file("x.npy"));
    let y = saved(&copy, "y", &file("y.safetensors"));
    assert_eq!((x.shape().to_string(), y.shape().to_string()), ("40x64".into(), "40x64".into()));
    assert_eq!(x.to_f32(), y.to_f32());
    assert!(x.to_f32().iter().any(|value| *value != 0.0), "nothing but zeros");
    // Four tiles pass through a ring of sixteen pages: the first page is the first tile.
    let pages = saved(&copy, "cb_in@0,0", &file("pages.npy"));
    assert_eq!(pages.shape().to_string(), "16x32x32");
    let first_row: Vec<f32> = x.to_f32()[..32].to_vec();
    assert_eq!(pages.to_f32()[..32], first_row);
}

#[test]
fn what_cannot_be_saved_is_refused_before_the_run() {
    let (unknown, elsewhere) = (file("unknown.npy"), file("elsewhere.npy"));
    for (name, file, said) in [
        ("z", &unknown, "unknown tensor or buffer `z`"),
        ("cb_in@9,9", &elsewhere, "unknown tensor or buffer `cb_in` on core (9,9)"),
        ("y", &file("missing/y.npy"), "missing"),
        ("y", &file("y.txt"), "the file must end in .npy or .safetensors"),
    ] {
        let save = format!("{name}={}", file.display());
        let answer = tilewright(&["run", "copy", "--shape", "32x32", "--save", &save]);
        assert_eq!(answer.code, 2, "{save}");
        assert!(answer.stderr.contains(said), "{save}: {}", answer.stderr);
        assert!(!file.exists(), "{save}");
    }
}

#[test]
fn simd_levels_change_no_bit() {
    let digest = |level: &str, name: &str| {
        let typed = ["run", "softmax", "--shape", "64x96", "--simd", level];
        let y = saved(&typed, "y", &file(name));
        let answer = tilewright(&[&typed[..], &["--json"]].concat());
        let run = must_hold("run", &answer.stdout);
        (run["digest"].clone(), run["outputs"].clone(), y.to_f32())
    };
    let portable = digest("portable", "portable.npy");
    for level in ["avx2", "avx512"] {
        // A level that the host lacks is refused by name, which is an answer, too.
        let typed = ["run", "identity", "--shape", "32x32", "--simd", level];
        match tilewright(&typed).code {
            0 => assert_eq!(digest(level, &format!("{level}.npy")), portable, "{level}"),
            code => assert_eq!(code, 2, "{level}"),
        }
    }
    assert_eq!(tilewright(&["run", "softmax", "--simd", "fast"]).code, 2);
}
