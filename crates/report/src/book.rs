//! Pages of the book that are made from the code.

use tilewright_check::{FindingId, Tool};

/// Every finding with its manual, by tool.
pub fn findings() -> String {
    let mut page =
        "# Findings\n\nEvery kind of finding, with its manual. `tilewright explain ID` prints the \
                    same text.\n"
            .to_owned();
    let tools = Tool::ALL.into_iter().map(Some).chain([None]);
    for tool in tools {
        let title = tool.map_or("What ends a run".to_owned(), |tool| format!("Tool {tool}"));
        page += &format!("\n## {title}\n");
        for id in FindingId::ALL.iter().copied().filter(|id| id.tool() == tool) {
            page += &format!("\n### {id}\n\n{}", sections(&id.manual()));
        }
    }
    page
}

/// A manual's headings, two levels further down.
fn sections(manual: &str) -> String {
    let line = |line: &str| match line.strip_prefix("# ") {
        Some(title) => format!("\n**{title}.**\n"),
        None => format!("{line}\n"),
    };
    manual.lines().map(line).collect::<String>().trim_start().to_owned()
}
