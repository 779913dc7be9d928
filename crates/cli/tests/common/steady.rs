//! Output without what differs from host to host and from one timing table to the next.

/// Lines of a script that are shown; the rest of it is clap's.
const SCRIPT_LINES: usize = 5;

/// A line without what is not steady.
pub fn steady(line: &str) -> String {
    let drawn = ["bytes", "begin", "slices", "slices_seen", "levels"];
    let seconds = ["loading", "read_back", "judging"];
    let run = ["wall_seconds", "tiles_per_second", "cycles", "digest"];
    let host = ["compiler", "compiled_by", "script"];
    for field in run.into_iter().chain(seconds).chain(drawn).chain(host) {
        if let Some((start, _)) = line.split_once(&format!("\"{field}\": ")) {
            return format!("{start}\"{field}\": _,");
        }
    }
    if line.starts_with("{\"") {
        return cycleless(line);
    }
    if let (Some((start, rest)), true) = (line.split_once(" in "), line.contains("simulated in")) {
        let word = if rest.contains(" cycle;") { "cycle" } else { "cycles" };
        let host = "loaded in _ s, read back in _ s, judged in _ s";
        let host = if rest.contains("; loaded in ") { format!("; {host}") } else { String::new() };
        return format!("{start} in _ {word}; simulated in _ s, _ tiles/s{host}");
    }
    if let Some((start, rest)) = line.split_once("  ").filter(|_| line.contains(" bytes; ")) {
        return format!("{start}  _ bytes;{}", rest.split_once(';').map_or("", |(_, rest)| rest));
    }
    if line.contains(" cycles, ") && line.ends_with(" slices") {
        let start = line.split(", ").next().unwrap_or_default();
        return format!("{start}, _ cycles, _ slices");
    }
    if let Some((_, rest)) = line.strip_prefix("after cycle ").and_then(|it| it.split_once(' ')) {
        return format!("after cycle _ {rest}");
    }
    if let Some(row) = clockless(line) {
        return row;
    }
    let program = line.strip_prefix("   ").and_then(|line| line.split_once(": "));
    if let Some((name, _)) = program.filter(|(_, rest)| rest.contains(" cycles, digest ")) {
        return format!("   {name}: _ cycles, digest _");
    }
    if let Some((start, rest)) = line.split_once(", digest ") {
        return format!("{start}, digest _{}", rest.find(' ').map_or("", |at| &rest[at..]));
    }
    let is_replay = line.contains("= replay: ");
    let marks = [
        ("= cycle ", true),
        (" --compiled-by ", line.contains(" --seed ")),
        (" --stop-at ", is_replay),
    ];
    let found = marks
        .into_iter()
        .filter(|(_, is_meant)| *is_meant)
        .find_map(|(mark, _)| line.split_once(mark).map(|(start, _)| format!("{start}{mark}_")));
    found.unwrap_or_else(|| line.to_owned())
}

/// A line of JSON without its cycles.
fn cycleless(line: &str) -> String {
    let mut parts = line.split("\"cycles\":");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let rest = part.trim_start_matches(|letter: char| letter.is_ascii_digit());
        text + "\"cycles\":_" + rest
    })
}

/// The row of a processor in a paused run, without its clock.
fn clockless(line: &str) -> Option<String> {
    let names = [" reader ", " unpack ", " math ", " pack ", " writer "];
    let (row, place) = line.rsplit_once("  ")?;
    let (start, clock) = row.rsplit_once(' ')?;
    let is_clock = !clock.is_empty() && clock.chars().all(|it| it.is_ascii_digit() || it == '_');
    let is_row = is_clock && names.iter().any(|name| line.starts_with(name));
    is_row.then(|| format!("{start} {:>1$}  {place}", '_', clock.len()))
}

/// The steady lines of what a typed line has printed.
pub fn steady_answer(typed: &str, stdout: &str) -> impl Iterator<Item = String> {
    let is_about_host = typed.contains(" doctor") && !typed.contains(" --help");
    let is_script = stdout.len() > 10_000 && typed.contains(" completions");
    let lines: Vec<String> = match (is_about_host, is_script) {
        (true, _) if stdout.starts_with('{') => facts(stdout),
        (true, _) => rows(stdout),
        (_, true) if !stdout.starts_with('{') => {
            let more = stdout.lines().count() > SCRIPT_LINES;
            let first = stdout.lines().take(SCRIPT_LINES).map(str::to_owned);
            first.chain(more.then(|| "…".to_owned())).collect()
        }
        _ => stdout.lines().map(steady).collect(),
    };
    lines.into_iter()
}

/// What `tilewright doctor` looks for and why, without what it finds. Whether a host is a
/// container, and the advice that follows from what is missing, is its own.
fn rows(stdout: &str) -> Vec<String> {
    let table = stdout.lines().take_while(|line| !line.is_empty());
    let row = |line: &str| {
        let cells: Vec<&str> =
            line.split("  ").map(str::trim).filter(|it| !it.is_empty()).collect();
        match cells.as_slice() {
            ["yes" | "no", "container", ..] => None,
            ["yes" | "no", what, _, needed_for] => Some(format!("_  {what}  _  {needed_for}")),
            _ => Some(cells.join("  ")),
        }
    };
    table.filter_map(row).collect()
}

/// The same of its JSON.
fn facts(stdout: &str) -> Vec<String> {
    let (mut lines, mut is_container) = (Vec::new(), false);
    for line in stdout.lines() {
        let found = ["is_there", "detail", "help"].into_iter().find_map(|field| {
            let (start, _) = line.split_once(&format!("\"{field}\": "))?;
            Some(format!("{start}\"{field}\": _,"))
        });
        if line.contains("\"what\": \"container\"") {
            is_container = true;
            lines.pop();
        }
        if !is_container {
            // Whether a fact is the last one depends on the host, too.
            let line = if line == "    }," { "    }" } else { line };
            lines.push(found.unwrap_or_else(|| line.to_owned()));
        }
        is_container &= line.trim() != "}";
    }
    lines
}
