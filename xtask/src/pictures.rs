//! `cargo xtask pictures`: the screenshots of README and the book, from real runs, by a headless
//! Chromium. They are committed; nothing checks them byte by byte, because fonts differ.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bytes of all pictures together.
const BYTES_MAX: u64 = 1_500_000;

/// One picture: its name, the program, and what is done to the page before it is taken.
struct Picture {
    name: &'static str,
    run: &'static [&'static str],
    script: &'static str,
    size: (u32, u32),
}

const TUTORIAL: &str = "examples/tutorial/program.toml";
const PASSING: &[&str] = &["layernorm-fw", "--shape", "128x1024", "--cores", "8"];

const PICTURES: [Picture; 5] = [
    Picture {
        name: "hang",
        run: &[TUTORIAL, "--set", "mistake=3"],
        script: "only('findings', 'time'); document.querySelector('.links button').click(); \
                 document.querySelector('[aria-label^=\"show the whole\"]').click(); \
                 scrollTo(0, 0)",
        size: (1200, 1320),
    },
    Picture {
        name: "race",
        run: &[TUTORIAL, "--set", "mistake=1"],
        script: "only('findings')",
        size: (1200, 1120),
    },
    Picture {
        name: "wrong-value",
        run: &[TUTORIAL, "--set", "mistake=4"],
        script: "only('outputs'); document.querySelector('.map button.link').click(); \
                 scrollTo(0, 0)",
        size: (1200, 940),
    },
    Picture { name: "timeline", run: PASSING, script: "only('time')", size: (1200, 1240) },
    Picture { name: "source", run: PASSING, script: "only('lines')", size: (1200, 960) },
];

/// Hides the other sections of the page.
const ONLY: &str = "const only = (...names) => document.querySelectorAll('section') \
                    .forEach((it) => { it.hidden = !names.includes(it.id); });";

/// Makes all pictures with the command that was built last.
pub fn run(root: &Path, binary: &Path) -> Result<(), String> {
    let folder = root.join("docs/src/pictures");
    let work = root.join("target/pictures");
    for folder in [&folder, &work] {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let mut bytes = 0;
    for picture in &PICTURES {
        let page = work.join(format!("{}.html", picture.name));
        let mut report = Command::new(binary);
        report.current_dir(root).arg("report").args(picture.run).arg("-o").arg(&page);
        // Exit code 1 says that something was found, which most pictures show.
        let output = report.output().map_err(|error| format!("{}: {error}", binary.display()))?;
        if output.status.code().is_none_or(|code| code > 1) {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        prepare(&page, picture.script)?;
        let file = folder.join(format!("{}.png", picture.name));
        shoot(&page, &file, picture.size, &work)?;
        bytes += fs::metadata(&file).map_err(|error| error.to_string())?.len();
        println!("+ {}", file.display());
    }
    if bytes > BYTES_MAX {
        return Err(format!("the pictures have {bytes} bytes; at most {BYTES_MAX}"));
    }
    println!("{} pictures, {bytes} bytes", PICTURES.len());
    Ok(())
}

/// Adds what is done to a page before it is looked at.
fn prepare(page: &PathBuf, script: &str) -> Result<(), String> {
    let text = fs::read_to_string(page).map_err(|error| error.to_string())?;
    let added =
        format!("<script>{ONLY} {script}; dispatchEvent(new Event('resize'));</script></body>");
    fs::write(page, text.replace("</body>", &added)).map_err(|error| error.to_string())
}

fn shoot(page: &Path, file: &Path, (width, height): (u32, u32), work: &Path) -> Result<(), String> {
    let status = Command::new("chromium")
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic"])
        .args(["--no-first-run", "--disable-background-networking", "--disable-sync"])
        .args(["--disable-component-update", "--hide-scrollbars"])
        .arg("--blink-settings=preferredColorScheme=1")
        .arg(format!("--user-data-dir={}", work.join("profile").display()))
        .arg(format!("--window-size={width},{height}"))
        .arg(format!("--screenshot={}", file.display()))
        .arg(format!("file://{}", page.display()))
        .output();
    match status {
        Ok(output) if output.status.success() && file.is_file() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(error) => Err(format!("chromium: {error}; its package is `chromium`")),
    }
}
