//! Transfers that leave the page of the tensor they begin in, or name a page it does not have.

use std::collections::BTreeMap;
use std::sync::Arc;

use tilewright_machine::{
    Cycle, Ending, Event, EventKind, L1Address, NocAddress, Outcome, ProcessorId, Site, StopReason,
    Target,
};
use tilewright_metal::{DeviceTensor, Layout, Program, TensorDeclaration};

use crate::FindingId;
use crate::class::Class;
use crate::declaration::{StuckWaits, declare};
use crate::ending::count_of;
use crate::finding::{Blame, Finding, Mark};
use crate::of_class;
use crate::rings::{Ring, Rings};
use crate::session::{Checker, Found};
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// A transfer from or to a tensor that names a page beyond the tensor's last, that runs beyond
    /// the page it begins in, or that moves a page of a circular buffer where pages are of another
    /// size.
    /// # Why it matters
    /// Pages go round the banks, and other tensors follow in each bank: what lies beyond a page is
    /// another page of the tensor or another tensor's, and is read or overwritten without a word.
    /// # Instead
    /// Let the loop end with the last page, give the accessor the tensor's own page size, and let
    /// a circular buffer have the format of the tensor that it is filled from or drained to.
    pub struct OutsideTensor {
        tensors: Vec<TensorDeclaration>,
        rings: Arc<Rings>,
        beyond: BTreeMap<ProcessorId, Vec<Beyond>>,
    }
    Declaration {
        name: "outside-tensor",
        tool: Some(Tool::Memory),
        loses_values: true,
        resizes: true,
        misplaces_values: true,
        stuck_waits: StuckWaits::AtItsLine(FindingId::OutOfBounds),
    }
}

/// A page that an accessor was asked for and that its tensor does not have.
#[derive(Clone, Copy)]
struct Beyond {
    at: NocAddress,
    tensor: usize,
    page: u32,
}

/// Pages beyond the end that are remembered of a processor: addresses are used soon.
const REMEMBERED: usize = 16;

/// One end of a transfer in a memory that tensors lie in, and the other in this core's L1.
#[derive(Clone, Copy)]
struct Transfer {
    who: ProcessorId,
    site: Site,
    cycle: Cycle,
    at: NocAddress,
    local: Option<L1Address>,
    bytes: u32,
    /// Whether it writes; not known of one that ended the run.
    is_write: Option<bool>,
}

/// What is wrong with a transfer.
enum Fault<'a> {
    /// The tensor does not have the page.
    NoSuchPage { page: u64 },
    /// It leaves its page.
    BeyondPage { page: u64, inside: u64 },
    /// It leaves the shards of its bank, whose pages follow each other.
    BeyondShard { page: u64, inside: u64 },
    /// It moves a page of a ring whose pages are of another size.
    OtherSize { page: u64, ring: &'a Ring },
}

impl OutsideTensor {
    pub(crate) fn new(program: &Program, rings: &Arc<Rings>) -> OutsideTensor {
        let tensors = program.declarations().tensors().cloned().collect();
        OutsideTensor { tensors, rings: Arc::clone(rings), beyond: BTreeMap::new() }
    }

    /// Whether there is a tensor to stay in.
    pub(crate) fn is_needed(&self) -> bool {
        !self.tensors.is_empty()
    }

    /// Remembers a page that its tensor does not have, and forgets it once the place is meant for
    /// another one.
    fn addressed(&mut self, who: ProcessorId, at: NocAddress, base: u32, page: u32) {
        let is_it = |it: &TensorDeclaration| it.tensor.buffer.begins_at(at, base);
        let meant = self.tensors.iter().position(is_it);
        let is_there = |tensor: &usize| page < self.tensors[*tensor].tensor.buffer.pages;
        if meant.is_none_or(|tensor| is_there(&tensor)) {
            let known = self.beyond.get_mut(&who);
            return known.into_iter().for_each(|known| known.retain(|it| it.at != at));
        }
        let Some(tensor) = meant else { return };
        let known = self.beyond.entry(who).or_default();
        if known.len() == REMEMBERED {
            known.remove(0);
        }
        known.push(Beyond { at, tensor, page });
    }

    fn transferred(&self, transfer: &Transfer, found: &mut Found) {
        let Some((tensor, fault)) = self.fault(transfer) else { return };
        let at = (transfer.cycle, transfer.who.core);
        found.add(FindingId::OutsideTensor, transfer.site, at, || {
            self.finding(transfer, &self.tensors[tensor], &fault)
        });
        if transfer.is_write != Some(false) {
            let name = &self.tensors[tensor].name;
            found.is_of_output(FindingId::OutsideTensor, transfer.site, name);
        }
    }

    /// The tensor that a transfer strays from, and how.
    fn fault(&self, transfer: &Transfer) -> Option<(usize, Fault<'_>)> {
        if let Some(beyond) = self.beyond_of(transfer) {
            return Some((beyond.tensor, Fault::NoSuchPage { page: beyond.page.into() }));
        }
        let placed = self.tensors.iter().enumerate().find_map(|(number, it)| {
            let (page, inside) = it.tensor.buffer.page_at(transfer.at)?;
            Some((number, page, inside))
        });
        let (number, page, inside) = placed?;
        let tensor = &self.tensors[number].tensor;
        let buffer = &tensor.buffer;
        if page >= u64::from(buffer.pages) {
            return Some((number, Fault::NoSuchPage { page }));
        }
        if let Some(ring) = self.other_size(transfer, tensor).filter(|_| inside == 0) {
            return Some((number, Fault::OtherSize { page, ring }));
        }
        // What lies between two pages belongs to neither.
        let is_beyond = u64::from(transfer.bytes) > buffer.room_at(transfer.at, inside);
        let fault = match buffer.sharding() {
            Some(_) => Fault::BeyondShard { page, inside },
            None => Fault::BeyondPage { page, inside },
        };
        is_beyond.then_some((number, fault))
    }

    /// The ring of tiles of which a transfer moves a whole page, if it is of another size than the
    /// tensor's.
    fn other_size(&self, transfer: &Transfer, tensor: &DeviceTensor) -> Option<&Ring> {
        let local = transfer.local?;
        let is_it = |ring: &&Ring| {
            let config = &ring.config;
            let is_page = local.0.checked_sub(config.base.0).is_some_and(|from| {
                from < config.pages * config.page_bytes && from.is_multiple_of(config.page_bytes)
            });
            is_page && transfer.bytes == config.page_bytes && config.page_bytes == ring.tile_bytes()
        };
        let ring = self.rings.on(transfer.who.core).find(is_it)?;
        let is_other = ring.config.format != tensor.format
            && ring.config.page_bytes != tensor.buffer.page_bytes
            && tensor.layout == Layout::Tile;
        is_other.then_some(ring)
    }

    /// The page beyond the end that a transfer begins in, if it was asked for.
    fn beyond_of(&self, transfer: &Transfer) -> Option<Beyond> {
        let known = self.beyond.get(&transfer.who)?;
        let is_it = |it: &&Beyond| {
            let stride = u64::from(self.tensors[it.tensor].tensor.buffer.page_stride);
            let (from, at) = (it.at.low_bits(), transfer.at.low_bits());
            same_bank(it.at, transfer.at) && (from..from + stride).contains(&at)
        };
        known.iter().rev().find(is_it).copied()
    }

    fn finding(
        &self,
        transfer: &Transfer,
        tensor: &TensorDeclaration,
        fault: &Fault<'_>,
    ) -> Finding {
        let Transfer { who, site, cycle, bytes, .. } = *transfer;
        let (name, buffer) = (&tensor.name, &tensor.tensor.buffer);
        let Words { title, role, proof, help } = words(transfer, tensor, fault);
        let mut marks = vec![Mark { role, site, processor: Some(who) }];
        let blame = match fault {
            Fault::OtherSize { ring, .. } => {
                marks.push(ring.declaration(format!("`{}` has pages of {bytes} bytes", ring.name)));
                Blame::HostBug
            }
            Fault::NoSuchPage { .. } | Fault::BeyondPage { .. } | Fault::BeyondShard { .. } => {
                Blame::KernelBug
            }
        };
        let pages = count_of(buffer.pages.into(), "page");
        let role = format!("`{name}` has {pages} of {} bytes", buffer.page_bytes);
        marks.push(Mark { role, site: tensor.site, processor: None });
        let mut facts = vec![format!("proof: {proof}")];
        facts.extend(self.lands(transfer, tensor));
        let help = Some(help);
        Finding { title, marks, facts, help, blame, ..Finding::of(FindingId::OutsideTensor) }
            .at(cycle)
    }

    /// Whose page lies where a stray transfer begins or ends.
    fn lands(&self, transfer: &Transfer, meant: &TensorDeclaration) -> Option<String> {
        let last = transfer.at.offset_by(u64::from(transfer.bytes.max(1)) - 1);
        let (tensor, (page, _)) =
            self.tensors.iter().find_map(|it| Some((it, it.tensor.buffer.page_at(last)?)))?;
        let is_there = page < u64::from(tensor.tensor.buffer.pages);
        let is_own = tensor.name == meant.name;
        match (is_there, is_own) {
            (true, false) => Some(format!("page {page} of `{}` lies there", tensor.name)),
            (true, true) => Some(format!("its last byte is in page {page} of `{}`", tensor.name)),
            (false, _) => Some("no page of a tensor lies there".to_owned()),
        }
    }
}

impl Checker for OutsideTensor {
    fn classes(&self) -> &'static [Class] {
        &[Class::Network]
    }

    fn event(&mut self, event: &Event, found: &mut Found) {
        let (who, site, cycle) = (event.processor, event.site, event.cycle);
        let transfer = match event.kind {
            EventKind::PageAddressed { at, base, page } => {
                return self.addressed(who, at, base, page);
            }
            EventKind::ReadIssued { from, to, bytes, .. } => Transfer {
                who,
                site,
                cycle,
                at: from,
                local: Some(to),
                bytes,
                is_write: Some(false),
            },
            EventKind::WriteIssued { from, to: Target::One(at), bytes, .. } => {
                Transfer { who, site, cycle, at, local: from, bytes, is_write: Some(true) }
            }
            EventKind::WriteIssued { to: Target::Cores { .. }, .. }
            | EventKind::CoresMiscounted { .. }
            | EventKind::ReadLanded { .. }
            | EventKind::WriteDeparted { .. }
            | EventKind::WriteAcknowledged { .. }
            | EventKind::AtomicIssued { .. }
            | EventKind::AtomicAcknowledged { .. }
            | EventKind::Arrived { .. }
            | EventKind::BarrierPassed { .. }
            | of_class!(Ring, Wait, Section, UnpackFormat, AluFormat, Operation, PackSetting)
            | of_class!(Unpack, Matrix, Vector, Pack, Word, Kernel) => return,
        };
        self.transferred(&transfer, found);
    }

    /// A transfer that ends the run because nothing lies at its address emits no event.
    fn end(&mut self, _: &Program, outcome: &Outcome, found: &mut Found) {
        let Ending::Stopped(stops) = &outcome.ending else { return };
        for stop in stops {
            if let StopReason::NoSuchPlace { at, bytes } = stop.reason {
                let (who, site, cycle) = (stop.processor, stop.site, stop.cycle);
                let is_write = None;
                let transfer = Transfer { who, site, cycle, at, local: None, bytes, is_write };
                self.transferred(&transfer, found);
            }
        }
    }
}

/// What is said of a transfer.
struct Words {
    title: String,
    role: String,
    proof: String,
    help: String,
}

fn words(transfer: &Transfer, tensor: &TensorDeclaration, fault: &Fault<'_>) -> Words {
    let Transfer { who, bytes, is_write, .. } = *transfer;
    let (name, buffer) = (&tensor.name, &tensor.tensor.buffer);
    let (verb, done, to) = match is_write {
        Some(true) => ("writes", "written to", "to"),
        Some(false) => ("reads", "read from", "of"),
        None => ("asks for", "asked of", "of"),
    };
    let (size, last) = (buffer.page_bytes, buffer.pages - 1);
    let (doer, core) = (who.processor, who.core);
    let sizes = format!("{bytes} bytes are {done} pages of {size} of `{name}`");
    let follows = format!("a page of `{name}` has {size} bytes; what follows it is another's");
    match fault {
        Fault::NoSuchPage { page } => {
            let pages = count_of(buffer.pages.into(), "page");
            Words {
                title: format!(
                    "{doer} on core {core} {verb} page {page} of `{name}`, which has {pages}"
                ),
                role: format!("{doer} {verb} page {page} of `{name}`"),
                proof: format!("the last page of `{name}` is {last}"),
                help: format!("end the loop with page {last} of `{name}`"),
            }
        }
        Fault::BeyondPage { page, inside: 0 } => Words {
            title: sizes,
            role: format!("{doer} {verb} {bytes} bytes {to} page {page}"),
            proof: follows,
            help: format!("give the accessor of `{name}` pages of {size} bytes, and transfer one"),
        },
        Fault::BeyondPage { page, inside } => Words {
            title: format!("{doer} on core {core} goes beyond the end of page {page} of `{name}`"),
            role: format!("{bytes} bytes from byte {inside} on"),
            proof: follows,
            help: format!("transfer at most what is left of a page of `{name}`"),
        },
        Fault::BeyondShard { page, inside } => {
            let room = buffer.room_at(transfer.at, *inside);
            Words {
                title: format!("{doer} on core {core} goes beyond the end of a shard of `{name}`"),
                role: format!("{bytes} bytes from page {page} on"),
                proof: format!("{room} bytes are left of the shard from there on"),
                help: format!("transfer at most {room} bytes from there, or end with the shard"),
            }
        }
        Fault::OtherSize { page, ring } => Words {
            title: sizes,
            role: format!("{doer} {verb} page {page}, {bytes} bytes"),
            proof: format!(
                "a page of `{}` has {bytes} bytes ({}), one of `{name}` {size} ({})",
                ring.name, ring.config.format, tensor.tensor.format
            ),
            help: format!("give `{}` and `{name}` the same format", ring.name),
        },
    }
}

fn same_bank(first: NocAddress, second: NocAddress) -> bool {
    match (first, second) {
        (NocAddress::Dram(first), NocAddress::Dram(second)) => first.bank == second.bank,
        (NocAddress::L1 { core: first, .. }, NocAddress::L1 { core: second, .. }) => {
            first == second
        }
        (NocAddress::Dram(_), NocAddress::L1 { .. })
        | (NocAddress::L1 { .. }, NocAddress::Dram(_)) => false,
    }
}
