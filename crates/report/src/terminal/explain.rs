//! Manuals of findings, one or a list of all.

use super::{Paint, table};
use crate::record::Explain;

/// Every id with its tool and its first sentence.
pub fn findings(explain: &Explain, paint: Paint) -> String {
    let row = |manual: &crate::record::Manual| {
        let tool = manual.tool.clone().unwrap_or_else(|| "-".to_owned());
        vec![manual.id.clone(), tool, manual.about.clone()]
    };
    let rows: Vec<Vec<String>> = explain.findings.iter().map(row).collect();
    table(paint, &["finding", "tool", "what it finds"], &rows, &[])
}

/// The manuals themselves.
pub fn manual(explain: &Explain, paint: Paint) -> String {
    let line = |line: &str| match line.strip_prefix("# ") {
        Some(title) => format!("\n{}\n", paint.strong(title)),
        None => format!("  {line}\n"),
    };
    let text = |manual: &crate::record::Manual| {
        let body: String = manual.manual.lines().map(line).collect();
        format!("{}\n{body}", paint.strong(&manual.id))
    };
    explain.findings.iter().map(text).collect()
}
