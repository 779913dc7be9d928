//! Mistakes: every call of a kernel left out, and every count of pages off by one.

use std::fmt;
use std::fs;

use super::program::Folder;

/// A changed kernel.
pub struct Mistake {
    pub file: String,
    pub number: usize,
    /// The line as it was.
    pub line: String,
    pub change: &'static str,
    /// The whole text with the mistake.
    pub text: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mistake { file, number, line, change, .. } = self;
        write!(f, "{file}:{number} `{line}` {change}")
    }
}

/// Calls of the kernel API, one a line.
const CALLS: [&str; 11] = [
    "cb_",
    "noc_async_",
    "tile_regs_",
    "copy_tile",
    "pack_tile",
    "add_binary_tile",
    "binop_with_scalar",
    "mul_unary_tile",
    "init_sfpu",
    "acquire_dst",
    "release_dst",
];

/// Every mistake in the kernels of a program.
pub fn mistakes(folder: &Folder) -> Vec<Mistake> {
    let is_kernel = |file: &String| file.ends_with(".cpp");
    folder.files().into_iter().filter(is_kernel).flat_map(|file| of(folder, &file)).collect()
}

fn of(folder: &Folder, file: &str) -> Vec<Mistake> {
    let text = fs::read_to_string(folder.path(file)).expect("a kernel");
    let lines: Vec<&str> = text.lines().collect();
    let mut all = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        let call = line.trim();
        if !CALLS.iter().any(|name| call.starts_with(name)) {
            continue;
        }
        let mut add = |change, new: String| {
            let mut lines = lines.clone();
            lines[place] = &new;
            let (file, line) = (file.to_owned(), call.to_owned());
            all.push(Mistake { file, number: place + 1, line, change, text: lines.join("\n") });
        };
        add("dropped", String::new());
        if call.starts_with("cb_") {
            for change in ["+ 1", "- 1"] {
                add(change, line.replace(");", &format!(" {change});")));
            }
        }
    }
    all
}
