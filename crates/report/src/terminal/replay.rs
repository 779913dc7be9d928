//! A run that was stopped: what was found until then, and the state of every processor.

use super::figures::{count, counted};
use super::{Paint, Prints, run, table};
use crate::record::{Pause, PausedCore, Replay};

/// Cores that are drawn; JSON has all.
const CORES_SHOWN: usize = 2;

/// What `tilewright replay` shows.
pub fn replay(replay: &Replay, prints: Prints, paint: Paint) -> String {
    let text = run(&replay.run, prints, paint);
    let Some(pause) = &replay.pause else {
        return text + "\n every kernel had returned by then\n";
    };
    let (cycle, program) = (count(pause.cycle), &pause.program);
    let mut text = text + &format!("\nafter cycle {cycle} of program `{program}`\n");
    let shown = cores(replay, pause);
    for core in &shown {
        text +=
            &format!("\n{}\n{}", paint.strong(&format!("core {}", core.core)), draw(core, paint));
    }
    let more = pause.cores.len() - shown.len();
    if more > 0 {
        text += &format!("\n {}; --json shows all\n", counted(more as u64, "more core"));
    }
    text
}

/// The cores that findings speak of, or the first.
fn cores<'a>(replay: &Replay, pause: &'a Pause) -> Vec<&'a PausedCore> {
    let marks = || replay.run.findings.iter().flat_map(|finding| &finding.marks);
    let is_marked = |core: &&PausedCore| marks().any(|mark| mark.core.as_ref() == Some(&core.core));
    let marked: Vec<&PausedCore> = pause.cores.iter().filter(is_marked).take(CORES_SHOWN).collect();
    if marked.is_empty() { pause.cores.iter().take(CORES_SHOWN).collect() } else { marked }
}

fn draw(core: &PausedCore, paint: Paint) -> String {
    let rows: Vec<Vec<String>> = core
        .processors
        .iter()
        .map(|it| {
            let line = match it.line {
                0 => "-".to_owned(),
                line => format!("{}:{line}:{}", it.file, it.column),
            };
            vec![it.processor.clone(), it.doing.clone(), count(it.cycle), line]
        })
        .collect();
    let mut text = table(paint, &["processor", "", "clock", "line"], &rows, &[2]);
    let buffers: Vec<Vec<String>> = core
        .buffers
        .iter()
        .map(|it| {
            let numbers = [it.pages, it.visible, it.free].map(|pages| pages.to_string());
            let name = std::iter::once(it.name.clone());
            let by = [&it.pushed, &it.popped].map(|by| or_nobody(by));
            name.chain(numbers).chain(by).collect()
        })
        .collect();
    if !buffers.is_empty() {
        let head = ["buffer", "pages", "to be read", "free", "pushed", "popped"];
        text += &format!("\n{}", table(paint, &head, &buffers, &[1, 2, 3]));
    }
    if let Some(dst) = &core.dst {
        text += &format!("\n Dst: {dst}\n");
    }
    text
}

fn or_nobody(by: &str) -> String {
    if by.is_empty() { "-".to_owned() } else { by.to_owned() }
}
