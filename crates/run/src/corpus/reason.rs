//! Why a kernel is not served: what it uses that lies below the interface or beyond the card.

use tilewright_metal::cpp::{Diagnostic, DiagnosticKind, FOREIGN_ASSEMBLER as FOREIGN_CODE};

const RAW: &str = "raw instructions";
const REGISTERS: &str = "registers and hardware semaphores";
const SFPI: &str = "vector code (sfpi)";
const FABRIC: &str = "fabric";
const ETHERNET: &str = "ethernet";
const ASSEMBLER: &str = "inline assembler";
const SOCKETS: &str = "sockets";

/// The reason, if there is one: something that is wrong is beyond what is served. What a kernel
/// only mentions does not count.
pub(super) fn refusal(wrong: &[Diagnostic]) -> Option<&'static str> {
    let reason = |diagnostic: &Diagnostic| match &diagnostic.kind {
        DiagnosticKind::MissingName(name) => of_name(name).or_else(|| of_file(&diagnostic.file)),
        DiagnosticKind::MissingHeader(header) => of_header(header),
        DiagnosticKind::Other if diagnostic.message.starts_with(FOREIGN_CODE) => Some(ASSEMBLER),
        DiagnosticKind::Other => of_file(&diagnostic.file),
    };
    wrong.iter().filter_map(reason).min_by_key(|why| order(why))
}

/// Whose header does not compile.
fn of_file(file: &str) -> Option<&'static str> {
    ["/fabric/", "/edm_fabric/"].iter().any(|part| file.contains(part)).then_some(FABRIC)
}

/// Whether a header is missing that will never be there, whatever is assumed.
pub(super) fn is_beyond(wrong: &[Diagnostic]) -> bool {
    wrong.iter().any(|diagnostic| match &diagnostic.kind {
        DiagnosticKind::MissingHeader(header) => of_header(header).is_some(),
        DiagnosticKind::MissingName(_) | DiagnosticKind::Other => false,
    })
}

/// Which of several reasons is reported: the one furthest from the interface first.
fn order(why: &str) -> usize {
    let all = [FABRIC, ETHERNET, SOCKETS, RAW, SFPI, REGISTERS, ASSEMBLER];
    all.iter().position(|it| *it == why).unwrap_or(all.len())
}

fn of_header(header: &str) -> Option<&'static str> {
    let has = |text: &str| header.contains(text);
    if has("fabric") || has("edm_") || has("worker_routing_utils") {
        Some(FABRIC)
    } else if has("ethernet") || has("eth_l1") {
        Some(ETHERNET)
    } else if has("socket_api") {
        Some(SOCKETS)
    } else if has("ckernel_sfpu") || has("sfpi") || has("_sfpu_macros") {
        Some(SFPI)
    } else if has("ckernel_ops") || has("ckernel_template") || has("ckernel_instr") {
        Some(RAW)
    } else {
        None
    }
}

fn of_name(name: &str) -> Option<&'static str> {
    const VECTORS: [&str; 8] =
        ["vFloat", "vInt", "vUInt", "dst_reg", "v_if", "l_reg", "sfpi", "SFPU_"];
    const STATE: [&str; 8] = [
        "t6_semaphore",
        "reg_read",
        "reg_write",
        "NOC_CMD_BUF",
        "NOC_STATUS",
        "cfg_",
        "tensix_sync",
        "semaphore::",
    ];
    let last = name.rsplit("::").next().unwrap_or(name);
    let starts =
        |all: &[&str]| all.iter().any(|text| last.starts_with(text) || name.starts_with(text));
    if last.starts_with("TTI_") || last.starts_with("TT_") || last.starts_with("TT_OP_") {
        Some(RAW)
    } else if starts(&VECTORS) || name.contains("sfpu::") || last.contains("_sfpu_") {
        Some(SFPI)
    } else if last.starts_with("eth_") || last.starts_with("erisc_") {
        Some(ETHERNET)
    } else if name.contains("fabric") {
        Some(FABRIC)
    } else if starts(&STATE) {
        Some(REGISTERS)
    } else {
        None
    }
}

/// What a diagnostic is counted as.
pub(super) fn name(diagnostic: &Diagnostic) -> String {
    match &diagnostic.kind {
        DiagnosticKind::MissingName(name) | DiagnosticKind::MissingHeader(name) => {
            name.trim_start_matches("ckernel::").to_owned()
        }
        DiagnosticKind::Other => {
            let words: String = diagnostic.message.chars().take(80).collect();
            format!("other: {words}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ASSEMBLER, FABRIC, FOREIGN_CODE, RAW, SFPI, name, refusal};
    use tilewright_metal::cpp::{Diagnostic, DiagnosticKind};

    fn missing(kind: DiagnosticKind) -> Diagnostic {
        let (kernel, file, message) = (String::new(), String::new(), "expected ';'".to_owned());
        Diagnostic { kernel, file, line: 1, column: 1, kind, message }
    }

    #[test]
    fn reasons_are_told_by_what_is_missing() {
        let of = |name: &str| refusal(&[missing(DiagnosticKind::MissingName(name.to_owned()))]);
        assert_eq!(of("TTI_SFPLOAD"), Some(RAW));
        assert_eq!(of("sfpi::vFloat"), Some(SFPI));
        assert_eq!(of("where_tile"), None);
        let header = DiagnosticKind::MissingHeader("tt_metal/fabric/hw/inc/api.h".to_owned());
        assert_eq!(refusal(&[missing(header)]), Some(FABRIC));
        let foreign = Diagnostic {
            message: format!("{FOREIGN_CODE}: no such instruction: `ebreak'"),
            ..missing(DiagnosticKind::Other)
        };
        assert_eq!(refusal(&[foreign]), Some(ASSEMBLER));
        assert_eq!(refusal(&[missing(DiagnosticKind::Other)]), None);
    }

    #[test]
    fn names_are_counted_without_their_namespace() {
        let kind = DiagnosticKind::MissingName("ckernel::where_tile".to_owned());
        assert_eq!(name(&missing(kind)), "where_tile");
        assert_eq!(name(&missing(DiagnosticKind::Other)), "other: expected ';'");
    }
}
