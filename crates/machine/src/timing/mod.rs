//! How long things take. Timing chooses among legal orders; it never changes what is computed.
//!
//! The figures are estimates: documented rates and measured latencies where there are any, no
//! contention. Each figure names its source, documented, measured or estimated.

mod blackhole;
mod wormhole;

pub use blackhole::blackhole;
pub use wormhole::wormhole;

/// Where a figure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// A page of the ISA documentation says so.
    Documented(&'static str),
    /// Measured on silicon; tt-metal's repository has the result.
    Measured(&'static str),
    /// An estimate: what it is thought to consist of.
    Estimate(&'static str),
}

impl Evidence {
    /// The word that reports use.
    pub fn name(self) -> &'static str {
        match self {
            Evidence::Documented(_) => "documented",
            Evidence::Measured(_) => "measured",
            Evidence::Estimate(_) => "estimate",
        }
    }

    /// The place, or the reasoning.
    pub fn text(self) -> &'static str {
        match self {
            Evidence::Documented(text) | Evidence::Measured(text) | Evidence::Estimate(text) => {
                text
            }
        }
    }
}

/// One figure of the table, with what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure {
    /// What takes that long.
    pub name: &'static str,
    /// The figure.
    pub value: u64,
    /// Its unit.
    pub unit: &'static str,
    /// Where it comes from.
    pub evidence: Evidence,
}

/// Cycles of the core's clock for each kind of step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// A call that reads or writes a few registers: reserve, push, wait, pop, an argument.
    pub call: u64,
    /// A block of plain code, from one branch to the next.
    pub block: u64,
    /// Writing a network command.
    pub noc_issue: u64,
    /// From a network interface through its router to another's, without hops.
    pub noc_endpoint: u64,
    /// One hop between neighbouring routers.
    pub noc_hop: u64,
    /// Bytes that a link moves in a cycle.
    pub noc_bytes_per_cycle: u64,
    /// What DRAM adds to a transfer.
    pub dram: u64,
    /// No effect on another core or on DRAM comes sooner than this after its cause.
    pub noc_least: u64,
    /// A processor's store to L1, per word.
    pub l1_word: u64,
    /// A processor's loads from L1, per four words.
    pub l1_four_loads: u64,
    /// Bytes of L1 that unpackers read in a cycle.
    pub unpack_bytes_per_cycle: u64,
    /// Bytes of L1 that packers write in a cycle.
    pub pack_bytes_per_cycle: u64,
    /// Starting an unpack, math or pack operation.
    pub operation: u64,
    /// One pass of an elementwise operation or a move over a tile.
    pub elementwise_pass: u64,
    /// One fidelity phase of a product of two tiles.
    pub matmul_phase: u64,
    /// One vector instruction over a tile.
    pub sfpu_instruction: u64,
    /// A configuration call.
    pub configure: u64,
    /// The same figures with their sources, for reports.
    pub figures: &'static [&'static Figure],
}

#[cfg(test)]
mod tests {
    use super::{Evidence, blackhole, wormhole};

    /// The fields of a table as its `Debug` shows them, without the list of figures.
    fn values(timing: &super::Timing) -> Vec<u64> {
        let text = format!("{timing:?}");
        let fields = text.split("figures").next().unwrap_or_default();
        fields.split(&[' ', ',']).filter_map(|word| word.parse().ok()).collect()
    }

    #[test]
    fn every_figure_is_in_the_table_with_its_source() {
        for timing in [wormhole(), blackhole()] {
            check(&timing);
        }
    }

    fn check(timing: &super::Timing) {
        let listed: Vec<u64> = timing.figures.iter().map(|figure| figure.value).collect();
        assert_eq!(listed, values(timing), "in the order of the fields");
        for figure in timing.figures {
            assert!(figure.evidence.text().len() > 20, "{}: a source one can look up", figure.name);
            if let Evidence::Documented(page) | Evidence::Measured(page) = figure.evidence {
                assert!(page.contains(".md") || page.contains(".yaml"), "{page}");
            }
        }
    }
}
