//! Follows values through a run: uninitialised data, and which inputs each value depends on.
//!
//! Fed from events alone, so that it is the same for any number of host threads and costs nothing
//! when switched off. Judges nothing: that is `init` and `value`.

mod core;
mod dst;
mod facts;
mod layout;
mod reach;
mod ring;
mod sources;
mod tensors;
mod touch;
mod transfers;
mod watch;
mod zeros;

use tilewright_machine::{
    CbId, CoreCoord, DramAddress, Event, EventKind, Granule, L1Address, NocAddress, Operand,
    Processor, ProcessorId, Setting, Shadow,
};
use tilewright_metal::{Program, Site};

pub(crate) use self::core::CoreFlow;
pub(crate) use facts::{Birth, Births, Born, BornId, Fact, Step, TileFacts};
pub(crate) use sources::{Part, SourceTiles, Sources};
pub(crate) use tensors::Grid;
use transfers::Flights;
pub(crate) use watch::Watch;

use crate::of_class;
use crate::trace::Traces;
use crate::written::Written;

/// Cores that a table by column and row has room for.
const GRID_SIDE: usize = 32;

/// What is known of all memories and registers.
pub(crate) struct Flow {
    program: Program,
    pub(crate) inputs: Vec<Grid>,
    pub(crate) outputs: Vec<Grid>,
    pub(crate) births: Births,
    cores: Vec<Option<Box<CoreFlow>>>,
    banks: Vec<Shadow<Fact>>,
    flights: Flights,
    /// Outputs, by number, that the program itself has read from.
    pub(crate) is_read: Vec<bool>,
    /// Pages of outputs that were written over: output, page, who had written what before.
    pub(crate) replaced: Vec<(u8, u32, Fact)>,
}

/// Overwritten pages that are remembered; beyond it the report is no longer complete.
const REPLACED_MAX: usize = 4096;

impl Flow {
    pub(crate) fn new(program: &Program) -> Flow {
        let grids = |tensors: &[tilewright_metal::TensorDeclaration]| -> Vec<Grid> {
            tensors.iter().enumerate().map(|(number, it)| Grid::new(it, number)).collect()
        };
        let declared = program.declarations();
        let mut flow = Flow {
            program: program.clone(),
            inputs: grids(&declared.inputs),
            outputs: grids(&declared.outputs),
            births: Births::default(),
            cores: (0..GRID_SIDE * GRID_SIDE).map(|_| None).collect(),
            banks: Vec::new(),
            flights: Flights::default(),
            is_read: vec![false; declared.outputs.len()],
            replaced: Vec::new(),
        };
        for number in 0..flow.inputs.len() {
            flow.place_input(number);
        }
        flow
    }

    /// What is known of a core.
    pub(crate) fn core(&mut self, core: CoreCoord) -> &mut CoreFlow {
        let place = usize::from(core.y) * GRID_SIDE + usize::from(core.x);
        self.cores[place].get_or_insert_with(|| Box::new(CoreFlow::new(&self.program, core)))
    }

    fn core_and_births(&mut self, core: CoreCoord) -> (&mut CoreFlow, &mut Births) {
        let place = usize::from(core.y) * GRID_SIDE + usize::from(core.x);
        let flow =
            self.cores[place].get_or_insert_with(|| Box::new(CoreFlow::new(&self.program, core)));
        (flow, &mut self.births)
    }

    /// What is known of the memory at an address, and where in it that is.
    pub(crate) fn memory(&mut self, at: NocAddress) -> (&mut Shadow<Fact>, usize) {
        match at {
            NocAddress::L1 { core, address } => (&mut self.core(core).l1, address.0 as usize),
            NocAddress::Dram(DramAddress { bank, offset }) => {
                let bank = usize::from(bank);
                if bank >= self.banks.len() {
                    let tensors = self.inputs.iter().chain(&self.outputs);
                    let bytes = tensors.map(Grid::bank_end).max().unwrap_or(0) as usize;
                    self.banks.resize_with(bank + 1, || Shadow::new(bytes));
                }
                (&mut self.banks[bank], offset as usize)
            }
        }
    }

    /// What the host has put into an input.
    fn place_input(&mut self, number: usize) {
        let grid = self.inputs[number].clone();
        let is_padded = !grid.declared.is_padding_used;
        let padding = self.births.id(Birth::Padding { input: grid.number }, None);
        for page in 0..grid.pages() {
            let (row, _) = grid.tile_of(page);
            for column in grid.columns_of(page) {
                let part = Part::new(grid.number, row..row + 1, column..column + 1);
                let writer = host(grid.declared.site);
                let sources = self.births.sets.of(part);
                let (shadow, at) = self.memory(grid.place(page));
                if grid.is_row_major() {
                    let segment = grid.segment(page, column);
                    let fact = Fact { writer, sources, born: BornId::NOT };
                    shadow.write(at + segment.start, segment.len(), fact);
                    continue;
                }
                let lanes = grid.padding((row, column));
                if lanes.is_empty() || !is_padded {
                    shadow.write(
                        at,
                        grid.page_bytes(),
                        Fact { writer, sources, born: BornId::NOT },
                    );
                } else {
                    let (defined, granules) = layout::defined_bytes(&lanes, grid.format());
                    let fact = Fact { writer, sources, born: padding };
                    shadow.write_defined(at, &defined[..granules], fact);
                }
            }
        }
    }

    /// The tiles of inputs that are in a value.
    pub(crate) fn tiles(&self, sources: Sources) -> SourceTiles {
        self.births.sets.tiles(sources)
    }

    /// What a buffer is called.
    pub(crate) fn buffer_name(&self, core: CoreCoord, cb: CbId) -> String {
        crate::ending::name(&self.program, core, cb)
    }

    /// Who pushed to a ring last.
    pub(crate) fn last_push(&self, core: CoreCoord, cb: CbId) -> Option<Step> {
        let place = usize::from(core.y) * GRID_SIDE + usize::from(core.x);
        self.cores[place].as_ref()?.ring(cb)?.last_push
    }

    /// The sources of a written page of a ring, and its last writer.
    pub(crate) fn page(
        &mut self,
        core: CoreCoord,
        at: usize,
        format: tilewright_tile::DataFormat,
    ) -> Option<(Sources, Step)> {
        let (core, births) = self.core_and_births(core);
        let sources = core.tile_at(at, format, births, None).sources;
        let writer = core.l1.fact_at(at)?.writer;
        Some((sources, writer))
    }

    /// The output that holds a byte, and its page.
    pub(crate) fn output_at(&self, at: NocAddress) -> Option<(u8, u32)> {
        self.outputs.iter().find_map(|output| Some((output.number, output.page_at(at)?)))
    }

    /// Notes that the program reads one of its outputs back.
    fn note_read(&mut self, from: NocAddress) {
        if self.is_read.contains(&false)
            && let Some((output, _)) = self.output_at(from)
        {
            self.is_read[usize::from(output)] = true;
        }
    }

    /// Who wrote each page of each output last.
    pub(crate) fn written(&mut self) -> Vec<Written> {
        let outputs = self.outputs.clone();
        let written = |grid: &Grid| {
            let writer = |page| {
                let (shadow, at) = self.memory(grid.place(page));
                shadow.fact_at(at).map(|fact| (fact.writer, fact.sources.traces))
            };
            let pages = (0..grid.pages()).map(writer).collect();
            Written::new(&grid.declared, pages)
        };
        outputs.iter().map(written).collect()
    }

    /// What is known of a page of an output, as a tile, and who wrote it last.
    pub(crate) fn output_tile(&mut self, output: usize, page: u32) -> (TileFacts, Option<Step>) {
        let grid = &self.outputs[output];
        let (place, format, bytes) = (grid.place(page), grid.format(), grid.page_bytes());
        let unwritten = self.births.id(Birth::Output { output: output as u8 }, None);
        let (shadow, at) = self.memory(place);
        if let Some(fact) = shadow.whole(at, bytes) {
            let tile = TileFacts { sources: fact.sources, ..TileFacts::CLEAN };
            return (tile, Some(fact.writer));
        }
        let granules: Vec<_> = shadow.span(at, bytes).map(seen).collect();
        let (mut tile, mut writer) = (TileFacts::CLEAN, None);
        for (number, (undefined, fact)) in granules.into_iter().enumerate() {
            layout::add_lanes(&mut tile.lanes, format, number, undefined);
            writer = writer.or(fact.map(|fact| fact.writer));
            let sources = fact.map_or(Sources::NONE, |fact| fact.sources);
            self.births.sets.join(&mut tile.sources, &sources);
            if undefined != 0 {
                let known = fact.map(|fact| fact.born).filter(|born| *born != BornId::NOT);
                tile.born = tile.born.or(known.unwrap_or(unwritten));
            }
        }
        (tile, writer)
    }

    /// The same of the part of a stick that lies in a column of tiles; its lanes are all or none.
    pub(crate) fn output_segment(
        &mut self,
        output: usize,
        page: u32,
        column: u32,
    ) -> (TileFacts, Option<Step>) {
        let grid = &self.outputs[output];
        let (place, segment) = (grid.place(page), grid.segment(page, column));
        let unwritten = self.births.id(Birth::Output { output: output as u8 }, None);
        let (shadow, at) = self.memory(place);
        let granules: Vec<_> = shadow.span(at + segment.start, segment.len()).map(seen).collect();
        let (mut tile, mut writer) = (TileFacts::CLEAN, None);
        for (undefined, fact) in granules {
            writer = writer.or(fact.map(|fact| fact.writer));
            if let Some(fact) = fact {
                self.births.sets.join(&mut tile.sources, &fact.sources);
            }
            if undefined != 0 {
                let known = fact.map(|fact| fact.born).filter(|born| *born != BornId::NOT);
                tile.born = tile.born.or(known.unwrap_or(unwritten));
                tile.lanes = tilewright_tile::LaneSet::ALL;
            }
        }
        (tile, writer)
    }

    /// Takes one event, and the findings that it has to do with.
    pub(crate) fn event(&mut self, event: &Event, touched: Traces) {
        self.follow(event, touched);
        if !touched.is_empty() {
            self.core(event.processor.core).touch(event, touched);
        }
    }

    fn follow(&mut self, event: &Event, touched: Traces) {
        let at = event.processor.core;
        match event.kind {
            EventKind::Pushed { cb, pages } => {
                if let Some(ring) = self.core(at).ring_mut(cb) {
                    ring.pushed(event.processor.processor, pages);
                    ring.note_push(event);
                }
            }
            EventKind::Popped { cb, pages } => self.popped(event, cb, pages),
            EventKind::PointerMoved { cb, pointer, to } => {
                if let Some(ring) = self.core(at).ring_mut(cb) {
                    ring.set(event.processor.processor, pointer, to);
                }
            }
            EventKind::StartedUp if event.processor.processor == Processor::Pack => {
                self.core(at).started_pack();
            }
            EventKind::Configured(Setting::Pack(mode)) => self.core(at).set_pack_mode(mode),
            EventKind::Configured(Setting::Mask(mask)) => self.core(at).set_mask(mask),
            EventKind::Configured(Setting::Accumulate) => self.core(at).set_accumulation(),
            EventKind::DstReleased => self.core(at).released(),
            EventKind::Zeros { operand, zeros } => {
                let core = self.core(at);
                match operand {
                    Operand::Source(source) => core.source_zeros(source, zeros),
                    Operand::Dst(_) => core.mask_zeros(zeros),
                }
            }
            EventKind::Unpacked { a, b, tiles: [tile_a, tile_b], configured, .. } => {
                let (core, births) = self.core_and_births(at);
                core.begin(event, touched);
                let operands = [(a, tile_a), (b, tile_b)].map(|(at, tile)| core.operand(at?, tile));
                core.unpacked(event, operands, configured, births);
            }
            EventKind::Computed { dst, configured, .. } => {
                let (core, births) = self.core_and_births(at);
                core.begin(event, touched);
                core.computed(event, dst, configured, births);
            }
            EventKind::Vectored { operation, reads, writes } => {
                let (core, births) = self.core_and_births(at);
                core.begin(event, touched);
                core.vectored(event, operation, reads, writes, births);
            }
            EventKind::Packed { dst, to, bytes, .. } => {
                let (core, births) = self.core_and_births(at);
                core.begin(event, touched);
                core.packed(event, dst, (to.0 as usize, bytes as usize), births);
            }
            EventKind::SemaphoreSet { at: to, .. } => self.changed(event, to, 4, touched),
            EventKind::L1Written { at: to, bytes } => self.changed(event, to, bytes, touched),
            of_class!(Network) => self.transfer(event, touched),
            EventKind::Reserved { .. }
            | EventKind::Waited { .. }
            | EventKind::StartedUp
            | EventKind::StartupRepeated
            | EventKind::DstAcquired
            | EventKind::DstCommitted
            | EventKind::DstWaited
            | EventKind::Configured(Setting::PackFormats(_) | Setting::Relu)
            | EventKind::SemaphoreWaited { .. }
            | EventKind::L1Read { .. }
            | of_class!(Wait, UnpackFormat, AluFormat, Operation, Kernel) => {}
        }
    }

    /// A popped page is written again before it is read again, or what is read is stale.
    fn popped(&mut self, event: &Event, cb: CbId, pages: u32) {
        let core = self.core(event.processor.core);
        let Some(at) = core.rings.iter().position(|ring| ring.config.id == cb) else { return };
        let ring = &mut core.rings[at];
        let (processor, bytes) = (event.processor.processor, ring.config.page_bytes as usize);
        let is_kept = ring.is_plain || ring.is_own(processor);
        for page in ring.popped(processor, pages) {
            if core.rings[at].is_used(processor, page) && !is_kept {
                core.forget(at, page, bytes);
            }
        }
    }

    /// A processor wrote its L1. It may have kept some of what was there.
    fn changed(&mut self, event: &Event, at: L1Address, bytes: u32, touched: Traces) {
        let core = self.core(event.processor.core);
        let mut sources = Sources::NONE;
        sources.traces = core.traces_of(event.processor.processor);
        sources.traces.join(touched);
        let fact = Fact { writer: Step::of(event), sources, born: BornId::NOT };
        core.note_written(at.0 as usize, bytes as usize);
        core.l1.change(at.0 as usize, bytes as usize, fact);
    }
}

/// The bytes of a granule that mean nothing, and what is known of it.
fn seen(granule: Granule<'_, Fact>) -> (u16, Option<Fact>) {
    (!granule.defined & granule.bytes, granule.fact.copied())
}

/// The host as a writer.
fn host(site: Site) -> Step {
    let processor = ProcessorId { core: CoreCoord::new(0, 0), processor: Processor::Reader };
    Step { site, processor, cycle: tilewright_machine::Cycle(0) }
}
