//! `cargo xtask pictures`: the screenshots of README and the book, from real runs, by a headless
//! Chromium. They are committed; nothing checks them byte by byte, because fonts differ.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bytes of all pictures together.
const BYTES_MAX: u64 = 2_000_000;

/// What is drawn: its name, the program, what is done to the page before it is looked at, and in
/// which windows it is looked at.
struct Picture {
    name: &'static str,
    run: &'static [&'static str],
    script: &'static str,
    views: &'static [View],
}

/// A window: what the file's name has besides that of the picture, the window's size, and whether
/// its user likes it dark.
struct View {
    suffix: &'static str,
    size: (u32, u32),
    is_dark: bool,
}

const fn light(width: u32, height: u32) -> View {
    View { suffix: "", size: (width, height), is_dark: false }
}

/// By day and by night, on a desk and in a hand. No window of Chromium is narrower than this.
const fn four(height: u32) -> [View; 4] {
    let size = (500, 1000);
    [
        light(1200, height),
        View { suffix: "-dark", size: (1200, 800), is_dark: true },
        View { suffix: "-narrow", size, is_dark: false },
        View { suffix: "-narrow-dark", size, is_dark: true },
    ]
}

const TUTORIAL: &str = "examples/tutorial/program.toml";
const PASSING: &[&str] = &["layernorm-fw", "--shape", "128x1024", "--cores", "8"];

const PICTURES: [Picture; 6] = [
    Picture {
        name: "hang",
        run: &[TUTORIAL, "--set", "mistake=3"],
        script: "only('findings', 'time'); document.querySelector('.links button').click(); \
                 document.querySelector('[aria-label^=\"show the whole\"]').click(); \
                 scrollTo(0, 0)",
        views: &four(1320),
    },
    Picture {
        name: "race",
        run: &[TUTORIAL, "--set", "mistake=1"],
        script: "only('findings')",
        views: &four(1120),
    },
    Picture {
        name: "wrong-value",
        run: &[TUTORIAL, "--set", "mistake=4"],
        script: "only('outputs'); document.querySelector('.map button.link').click(); \
                 scrollTo(0, 0)",
        views: &four(940),
    },
    Picture { name: "pass", run: PASSING, script: "only('outputs', 'time')", views: &four(1100) },
    Picture { name: "timeline", run: PASSING, script: "only('time')", views: &[light(1200, 1240)] },
    Picture { name: "source", run: PASSING, script: "only('lines')", views: &[light(1200, 960)] },
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
    let (mut bytes, mut count) = (0, 0);
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
        for view in picture.views {
            let file = folder.join(format!("{}{}.png", picture.name, view.suffix));
            shoot(&page, &file, view, &work)?;
            bytes += fs::metadata(&file).map_err(|error| error.to_string())?.len();
            count += 1;
            println!("+ {}", file.display());
        }
    }
    if bytes > BYTES_MAX {
        return Err(format!("the pictures have {bytes} bytes; at most {BYTES_MAX}"));
    }
    println!("{count} pictures, {bytes} bytes");
    Ok(())
}

/// Adds what is done to a page before it is looked at.
fn prepare(page: &PathBuf, script: &str) -> Result<(), String> {
    let text = fs::read_to_string(page).map_err(|error| error.to_string())?;
    let added =
        format!("<script>{ONLY} {script}; dispatchEvent(new Event('resize'));</script></body>");
    fs::write(page, text.replace("</body>", &added)).map_err(|error| error.to_string())
}

fn shoot(page: &Path, file: &Path, view: &View, work: &Path) -> Result<(), String> {
    let ((width, height), is_light) = (view.size, !view.is_dark);
    let status = Command::new("chromium")
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic"])
        .args(["--no-first-run", "--disable-background-networking", "--disable-sync"])
        .args(["--disable-component-update", "--hide-scrollbars"])
        .arg(format!("--blink-settings=preferredColorScheme={}", u8::from(is_light)))
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
