//! What is handed to users: one binary with all it needs, its manual page, completions, checksums.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::cargo::Call;

/// Shells with completions, and what they call the file.
const SHELLS: [(&str, &str); 3] =
    [("bash", "tilewright.bash"), ("zsh", "_tilewright"), ("fish", "tilewright.fish")];
const BINARY: &str = "tilewright";

/// Puts everything into `target/dist-files`.
pub fn run(root: &Path) -> Result<(), String> {
    build(root)?;
    let folder = root.join("target/dist-files");
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let binary = folder.join(BINARY);
    copy(&root.join("target/dist").join(BINARY), &binary)?;
    for (shell, name) in SHELLS {
        write(&folder.join(name), &said(&binary, &["completions", shell])?)?;
    }
    write(&folder.join("tilewright.1"), &manual(&binary)?)?;
    for name in ["LICENSE-APACHE", "LICENSE-MIT", "CHANGELOG.md"] {
        copy(&root.join(name), &folder.join(name))?;
    }
    write(&folder.join("SHA256SUMS"), &checksums(&folder)?)?;
    let bytes = fs::read(&binary).map_err(|error| error.to_string())?;
    let library = newest_glibc(&bytes).unwrap_or_else(|| "no glibc".to_owned());
    println!("{}: {} bytes, needs {library}", binary.display(), bytes.len());
    Ok(())
}

/// Compiles the binary. Paths of this computer stay out of it, so that every build of a commit with
/// the same compiler gives the same bytes.
fn build(root: &Path) -> Result<(), String> {
    let home = std::env::var("CARGO_HOME").or_else(|_| {
        std::env::var("HOME")
            .map(|home| format!("{home}/.cargo"))
            .map_err(|error| error.to_string())
    })?;
    let flags = [
        format!("--remap-path-prefix={}=tilewright", root.display()),
        format!("--remap-path-prefix={home}=cargo"),
    ];
    let call = Call::new("build --profile dist --locked -p tilewright");
    call.with("CARGO_ENCODED_RUSTFLAGS", &flags.join("\u{1f}")).run(root)
}

/// What the binary prints.
fn said(binary: &Path, words: &[&str]) -> Result<String, String> {
    let output = Command::new(binary).args(words).env("COLUMNS", "100").output();
    let output = output.map_err(|error| format!("{}: {error}", binary.display()))?;
    if !output.status.success() {
        return Err(format!("{} {}: {}", binary.display(), words.join(" "), output.status));
    }
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}

/// The manual page: the help of the command and of all its subcommands.
fn manual(binary: &Path) -> Result<String, String> {
    let version = said(binary, &["--version"])?;
    let help = said(binary, &["--help"])?;
    let mut page = format!(
        ".TH TILEWRIGHT 1 \"\" \"{}\"\n.SH NAME\ntilewright \\- {}\n",
        version.trim(),
        roff(help.lines().next().unwrap_or_default()),
    );
    page += &section("DESCRIPTION", &help);
    for name in subcommands(&help) {
        let title = format!("TILEWRIGHT {}", name.to_uppercase());
        page += &section(&title, &said(binary, &["help", name])?);
    }
    Ok(page)
}

/// A text as it is, below a heading.
fn section(title: &str, text: &str) -> String {
    let lines: Vec<String> = text.trim_end().lines().map(roff).collect();
    format!(".SH {title}\n.nf\n{}\n.fi\n", lines.join("\n"))
}

/// A line in the language of manual pages.
fn roff(line: &str) -> String {
    let text = line.replace('\\', "\\e").replace('-', "\\-");
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}

/// The subcommands that a help lists.
fn subcommands(help: &str) -> Vec<&str> {
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = list.take_while(|line| !line.is_empty());
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect()
}

/// The checksums of all files of a folder, as `sha256sum --check` takes them.
fn checksums(folder: &Path) -> Result<String, String> {
    let entries = fs::read_dir(folder).map_err(|error| error.to_string())?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.collect();
    names.sort();
    let output = Command::new("sha256sum").current_dir(folder).args(names).output();
    let output = output.map_err(|error| format!("sha256sum: {error}"))?;
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}

/// The newest version of glibc among those that a binary names.
fn newest_glibc(bytes: &[u8]) -> Option<String> {
    let mark = b"GLIBC_2.";
    let found = bytes.windows(mark.len()).enumerate().filter(|(_, window)| window == mark);
    let minor = |(at, _): (usize, &[u8])| -> Option<u32> {
        let rest = bytes[at + mark.len()..].iter().take_while(|byte| byte.is_ascii_digit());
        let digits: Vec<u8> = rest.copied().collect();
        std::str::from_utf8(&digits).ok()?.parse().ok()
    };
    found.filter_map(minor).max().map(|minor| format!("glibc 2.{minor}"))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to).map(drop).map_err(|error| format!("{}: {error}", from.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_page_keeps_every_line() {
        assert_eq!(roff(".TH -x \\n"), "\\&.TH \\-x \\en");
        let help = "Runs.\n\nCommands:\n  check  one\n         more\n  help   two\n\nOptions:\n";
        assert_eq!(subcommands(help), ["check"]);
    }

    #[test]
    fn the_newest_library_is_found() {
        assert_eq!(newest_glibc(b"GLIBC_2.9\0GLIBC_2.34\0").as_deref(), Some("glibc 2.34"));
        assert_eq!(newest_glibc(b"no"), None);
    }
}
