//! One piece of vector code while it is recorded, or compared with one that was.

mod replay;

use std::rc::Rc;

use tilewright_machine::Site;
use tilewright_tile::sfpu::program::unit::{
    AddressMode, Code, Effect, LoadMode, Place, Swap, Table, issue,
};
use tilewright_tile::sfpu::program::{Instruction, Mode};
use tilewright_tile::{Chip, DstWidth};

pub(super) use self::replay::Block;
use self::replay::Loading;
use super::paths::{Call, Ended, Paths, Reached, State};
use super::{INSTRUCTIONS, TESTS, control, kind, lane};

/// What a kernel has its vector unit do, up to where it calls anything else.
#[derive(Default)]
pub(super) struct Recording {
    /// Where the code is first met, or first stores.
    pub(super) site: Option<Site>,
    pub(super) has_store: bool,
    path: Path,
    code: Code,
    state: State,
    /// The name of the first value: those before belong to code that was executed.
    first: u32,
    /// Operands of an operation that takes many.
    operands: Vec<Place>,
    loading: Option<Loading>,
}

/// How far the calls are known.
#[derive(Clone, Copy, Default)]
enum Path {
    /// There are none yet.
    #[default]
    Start,
    /// All were made before: neither the code nor the state has changed.
    Followed(u32),
    /// They are recorded, and kept from the last one on.
    Kept(u32),
    /// They are recorded.
    Lost,
}

type Recorded<T> = Result<T, String>;

impl Recording {
    /// Whether the kernel's width and chip are known.
    pub(super) fn is_begun(&self) -> bool {
        self.state.width.is_some()
    }

    pub(super) fn begin(&mut self, width: DstWidth, chip: Chip) {
        (self.state.width, self.state.chip) = (Some(width), chip);
    }

    /// Takes a call: its result, and whether there is something to execute.
    pub(super) fn call(&mut self, call: Call, paths: &mut Paths) -> Recorded<(u32, bool)> {
        let call = Call { words: self.relative(&call), ..call };
        if let Path::Start = self.path {
            let is_between = self.loading.is_none() && self.operands.is_empty();
            let root = is_between.then(|| paths.from(&self.state)).flatten();
            self.path = root.map_or(Path::Lost, Path::Followed);
        }
        if let Path::Followed(node) = self.path {
            if let Some(next) = paths.after(node, &call) {
                self.path = Path::Followed(next);
                return Ok(self.told(paths.reached(next)));
            }
            self.record_all(&paths.calls_to(node))?;
            self.path = Path::Kept(node);
        }
        let reached = self.record(&call)?;
        if let Path::Kept(node) = self.path {
            self.path = paths.keep(node, call, reached).map_or(Path::Lost, Path::Kept);
        }
        Ok(self.told(reached))
    }

    fn told(&self, reached: Reached) -> (u32, bool) {
        let name = |place: u32| place.wrapping_add(self.first);
        (reached.result.map_or(0, name), reached.length > 0)
    }

    /// The words of a call with names counted from the first value of this code on.
    fn relative(&self, call: &Call) -> [u32; 4] {
        let names = names(call.kind);
        std::array::from_fn(|at| match call.words[at] {
            u32::MAX => u32::MAX,
            word if names >> at & 1 == 1 => word.wrapping_sub(self.first),
            word => word,
        })
    }

    /// Records calls that were only compared until now.
    fn record_all(&mut self, calls: &[Call]) -> Recorded<()> {
        calls.iter().try_for_each(|call| self.record(call).map(drop))
    }

    fn record(&mut self, call: &Call) -> Recorded<Reached> {
        let [a, b, c, _] = call.words;
        let result = match call.kind {
            kind::INSTRUCTION => self.instruction(a).map(|()| None)?,
            kind::CONTROL => self.control(a, b, c).map(|()| None)?,
            op => self.load_lanes(op, call.words)?.map(|place| place.0),
        };
        let (length, is_within_condition) = (self.code.len(), self.code.is_within_condition());
        Ok(Reached { result, length: length as u32, is_within_condition })
    }

    /// How long the code is, and whether it is within a condition.
    pub(super) fn length(&self, paths: &Paths) -> (usize, bool) {
        match self.path {
            Path::Followed(node) => {
                let reached = paths.reached(node);
                (reached.length as usize, reached.is_within_condition)
            }
            Path::Start | Path::Kept(_) | Path::Lost => {
                (self.code.len(), self.code.is_within_condition())
            }
        }
    }

    /// Ends the code, and gives what is to be executed.
    pub(super) fn end(&mut self, paths: &mut Paths) -> Ended {
        if let Path::Followed(node) = self.path {
            if let Some(ended) = paths.ended(node) {
                self.state.clone_from(&ended.state);
                self.path = Path::Start;
                return ended;
            }
            let recorded = self.record_all(&paths.calls_to(node));
            assert!(recorded.is_ok(), "calls that were recorded once are recorded again");
            self.path = Path::Kept(node);
        }
        // Code that is too long or too short is refused where it is replayed.
        let _ = self.close_block();
        let mut code = std::mem::take(&mut self.code);
        let made = code.values();
        let is_kept = self.loading.is_none() && self.operands.is_empty();
        let kept = if let Path::Kept(node) = self.path { is_kept.then_some(node) } else { None };
        code.fuse(self.state.chip);
        match kept {
            Some(_) => code.settle_to_repeat(),
            None => code.settle(),
        }
        let ended = Ended { code: Rc::new(code), made, state: Rc::new(self.state.clone()) };
        if let Some(node) = kept {
            paths.keep_ended(node, ended.clone());
        }
        self.path = Path::Start;
        ended
    }

    /// What was executed: its values are no longer known.
    pub(super) fn forget(&mut self, ended: Ended) {
        self.first = self.first.wrapping_add(ended.made);
        // The memory of code that nobody keeps serves the next one.
        if let Ok(mut code) = Rc::try_unwrap(ended.code) {
            code.clear();
            self.code = code;
        }
    }

    /// A value by its name in this code.
    fn place(&self, name: u32) -> Recorded<Place> {
        let place = Place(name);
        if name == u32::MAX {
            return Err("a vector that was never assigned".to_owned());
        }
        match self.code.knows(place) && place.0 >= Code::FIRST_VALUE {
            true => Ok(place),
            false => Err("a vector that is kept across a call of another unit".to_owned()),
        }
    }

    fn lanes_now(&mut self, op: u32, [a, b, c, d]: [u32; 4]) -> Recorded<Option<Place>> {
        if let Some(instruction) = INSTRUCTIONS.get((op & 0xff) as usize) {
            let x = self.place(a)?;
            let operands = match (instruction.operands(), op & lane::WORD) {
                (1, _) => [x; 3],
                (_, lane::WORD) => [x, self.code.word(b, op & lane::LITERAL != 0), x],
                (2, _) => [x, self.place(b)?, x],
                _ => [x, self.place(b)?, self.place(c)?],
            };
            if *instruction == Instruction::Add && op & lane::WORD == 0 {
                let from_loops = operands.iter().enumerate().filter(|(at, _)| c >> at & 1 == 1);
                from_loops.for_each(|(_, product)| self.code.keep_apart(*product));
            }
            return Ok(Some(self.code.lanes(*instruction, operands)));
        }
        self.special(op, [a, b, c, d])
    }

    /// What is more than an instruction on each lane.
    fn special(&mut self, op: u32, [a, b, c, d]: [u32; 4]) -> Recorded<Option<Place>> {
        let made = match op {
            lane::OF_WORD => self.code.word(a, b != 0),
            lane::ASSIGN => {
                let old = if a == u32::MAX { Place::NONE } else { self.place(a)? };
                let new = self.place(b)?;
                self.code.assign(old, new)
            }
            lane::LOAD => {
                let (mode, row) = (self.mode(a)?, self.row(b, c)?);
                self.code.load(mode, row)
            }
            lane::STORE => {
                let value = self.place(c)?;
                let (mode, row) = (self.mode(a)?, self.row(b, d)?);
                self.code.store(mode, row, value);
                return Ok(None);
            }
            lane::TEST => {
                let test = *TESTS.get(a as usize).ok_or("an unknown test")?;
                let of = self.place(b)?;
                self.code.test(test, of)
            }
            lane::SWAP => {
                let swap = if a == 0 { Swap::Always } else { Swap::Minimum(d as u8) };
                let operands = [self.place(b)?, self.place(c)?];
                self.code.swap(swap, operands)
            }
            lane::TRANSPOSE => {
                let registers = [self.place(a)?, self.place(b)?, self.place(c)?, self.place(d)?];
                self.code.transpose(registers)
            }
            lane::ROTATE => {
                let from = self.place(a)?;
                self.code.rotate(from)
            }
            lane::OPERAND => {
                let operand = self.place(a)?;
                self.operands.push(operand);
                return Ok(None);
            }
            lane::LOOKUP => self.lookup(a, b)?,
            lane::READ => self.code.read(Place(a)),
            _ => return self.effect(op, [a, b]).map(|()| None),
        };
        Ok(Some(made))
    }

    /// What has no result.
    fn effect(&mut self, op: u32, [a, b]: [u32; 2]) -> Recorded<()> {
        match op {
            lane::WRITE => {
                let value = self.place(b)?;
                self.code.write(Place(a), value);
            }
            lane::CONFIGURE => {
                let value = self.place(b)?;
                self.code.configure(Place(a), value);
            }
            lane::BEGIN => self.code.begin()?,
            lane::END => self.code.end()?,
            lane::COMPLEMENT => self.code.complement(),
            lane::REQUIRE => {
                let mask = self.place(a)?;
                self.code.require(mask);
            }
            lane::COUNT => self.state.counters.increase(a, false),
            _ => return Err("a code that the interface does not have".to_owned()),
        }
        Ok(())
    }

    fn lookup(&mut self, mode: u32, is_fp32: u32) -> Recorded<Place> {
        let table = Table::from_mode(mode, is_fp32 != 0).ok_or("an unknown table of lines")?;
        let operands = std::mem::take(&mut self.operands);
        let (of, given) = operands.split_last().ok_or("a table without an argument")?;
        let mut coefficients = [*of; 6];
        coefficients.iter_mut().zip(given).for_each(|(place, given)| *place = *given);
        Ok(self.code.lookup(table, coefficients, *of))
    }

    fn mode(&self, mode: u32) -> Recorded<Mode> {
        LoadMode(mode).mode(self.state.chip, self.state.width.unwrap_or(DstWidth::Bits16))
    }

    /// The row of an access. One with an address mode, counted from 1, moves the counter.
    fn row(&mut self, address: u32, mode: u32) -> Recorded<u32> {
        let counters = &mut self.state.counters;
        let row = counters.row(address);
        if let Some(mode) = mode.checked_sub(1) {
            let AddressMode { increment, clears, moves_copy, sets_copy } =
                counters.mode(self.state.chip, mode);
            let is_plain = !(clears || moves_copy || sets_copy);
            let rows = u32::try_from(increment).ok().filter(|_| is_plain);
            counters.increase(rows.ok_or("an address mode of dst_reg")?, false);
        }
        Ok(row)
    }

    fn issue(&mut self, word: u32) -> Recorded<()> {
        let width = self.state.width.unwrap_or(DstWidth::Bits16);
        let State { counters, chip, .. } = &mut self.state;
        let (code, chip) = (&mut self.code, *chip);
        issue(word, &mut Effect { code, counters, chip, width }).map_err(|refusal| refusal.0)
    }

    fn control(&mut self, which: u32, a: u32, b: u32) -> Recorded<()> {
        self.close_block()?;
        match which {
            control::BASE => self.state.counters.base = a,
            control::UPPER_MODES => self.state.counters.uses_upper_modes = a != 0,
            control::ADDRESS_MODE => {
                let mode = self
                    .state
                    .counters
                    .modes
                    .get_mut(a as usize)
                    .ok_or("an unknown address mode")?;
                *mode = AddressMode {
                    increment: i32::from(b as u16 as i16),
                    clears: b >> 16 & 1 == 1,
                    moves_copy: b >> 17 & 1 == 1,
                    sets_copy: b >> 18 & 1 == 1,
                };
            }
            _ => return Err("a code that the interface does not have".to_owned()),
        }
        Ok(())
    }
}

/// Which words of a call are names of values, a bit for each.
fn names(kind: u32) -> u32 {
    if kind == kind::INSTRUCTION || kind == kind::CONTROL {
        return 0;
    }
    if let Some(instruction) = INSTRUCTIONS.get((kind & 0xff) as usize) {
        return match (instruction.operands(), kind & lane::WORD) {
            (1, _) | (_, lane::WORD) => 0b0001,
            (2, _) => 0b0011,
            _ => 0b0111,
        };
    }
    match kind {
        lane::ASSIGN => 0b0011,
        lane::STORE => 0b0100,
        lane::TEST | lane::WRITE | lane::CONFIGURE => 0b0010,
        lane::SWAP => 0b0110,
        lane::TRANSPOSE => 0b1111,
        lane::ROTATE | lane::OPERAND | lane::REQUIRE => 0b0001,
        _ => 0,
    }
}
