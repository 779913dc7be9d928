//! Why a kernel is not served: what it uses that lies below the interface or beyond the card.

use super::find::{has_word, includes};
use crate::cpp::error::{Diagnostic, DiagnosticKind};

const RAW: &str = "raw instructions";
const REGISTERS: &str = "registers and hardware semaphores";
const SFPI: &str = "vector code (sfpi)";
const FABRIC: &str = "fabric";
const ETHERNET: &str = "ethernet";
const ASSEMBLER: &str = "inline assembler";
const SOCKETS: &str = "sockets";

/// The reason, if there is one. Only for kernels that do not compile: a kernel may mention such
/// things in branches that it does not use.
pub(super) fn refusal(texts: &[String], wrong: &[Diagnostic]) -> Option<&'static str> {
    let by_name = wrong.iter().filter_map(|diagnostic| match &diagnostic.kind {
        DiagnosticKind::MissingName(name) => of_name(name),
        DiagnosticKind::MissingHeader(header) => of_header(header),
        DiagnosticKind::Other => None,
    });
    let by_include = || texts.iter().flat_map(|text| includes(text)).find_map(|it| of_header(&it));
    by_name
        .min_by_key(|why| order(why))
        .or_else(by_include)
        .or_else(|| has_assembler(texts).then_some(ASSEMBLER))
}

/// Whether a header is missing that will never be there, whatever is assumed.
pub(super) fn is_beyond(wrong: &[Diagnostic]) -> bool {
    wrong.iter().any(|diagnostic| match &diagnostic.kind {
        DiagnosticKind::MissingHeader(header) => of_header(header).is_some(),
        DiagnosticKind::MissingName(_) | DiagnosticKind::Other => false,
    })
}

/// Which of several reasons is told: what is furthest from the interface first.
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

/// Whether the kernel's own file has assembler that the host cannot take. Every host has a `nop`.
pub(super) fn has_assembler(texts: &[String]) -> bool {
    let Some(kernel) = texts.first() else { return false };
    let behind = |word: &'static str| kernel.match_indices(word).map(move |(at, _)| &kernel[at..]);
    let is_foreign = |statement: &str| {
        let statement = statement.split(';').next().unwrap_or("");
        statement.split('"').nth(1).is_some_and(|code| code.trim() != "nop")
    };
    ["asm", "__asm__"].iter().any(|word| has_word(kernel, word) && behind(word).any(is_foreign))
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
    use super::{ASSEMBLER, FABRIC, RAW, SFPI, name, refusal};
    use crate::cpp::error::{Diagnostic, DiagnosticKind};

    fn missing(kind: DiagnosticKind) -> Diagnostic {
        let (kernel, file, message) = (String::new(), String::new(), "expected ';'".to_owned());
        Diagnostic { kernel, file, line: 1, column: 1, kind, message }
    }

    #[test]
    fn reasons_are_told_by_what_is_missing() {
        let of =
            |name: &str| refusal(&[], &[missing(DiagnosticKind::MissingName(name.to_owned()))]);
        assert_eq!(of("TTI_SFPLOAD"), Some(RAW));
        assert_eq!(of("sfpi::vFloat"), Some(SFPI));
        assert_eq!(of("where_tile"), None);
        let header = DiagnosticKind::MissingHeader("tt_metal/fabric/hw/inc/api.h".to_owned());
        assert_eq!(refusal(&[], &[missing(header)]), Some(FABRIC));
        assert_eq!(refusal(&["asm volatile(\"ebreak\");".to_owned()], &[]), Some(ASSEMBLER));
        assert_eq!(refusal(&["asm(\"nop\");".to_owned()], &[]), None);
    }

    #[test]
    fn names_are_counted_without_their_namespace() {
        let kind = DiagnosticKind::MissingName("ckernel::where_tile".to_owned());
        assert_eq!(name(&missing(kind)), "where_tile");
        assert_eq!(name(&missing(DiagnosticKind::Other)), "other: expected ';'");
    }
}
