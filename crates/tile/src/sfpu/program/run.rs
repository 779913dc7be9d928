//! Programs at run time: steps on registers of many lanes.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

use super::instruction::Instruction;
use super::state::{Register as Register32, VectorState};
use super::table;
use crate::bits::{SIGN, loaded16, stored16};
use crate::chip::{Arithmetic, with_arithmetic};
use crate::dispatch::{self, SimdLoop};
use crate::sfpu::{direct, lane};
use crate::{Chip, DstWidth, FACE_SIDE, Lanes};

/// Lanes computed at a time: as many as keep a program's registers in the nearest cache.
pub(super) const CHUNK: usize = 256;

pub(super) type Chunk = [u32; CHUNK];

/// A register by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Register(u16);

impl Register {
    /// No register: a mask in which every lane is enabled.
    pub(super) const ALL: Register = Register(u16::MAX);
}

/// How SFPLOAD and SFPSTORE convert between Dst and a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A float of the width of Dst.
    Float,
    /// 32 bits as they are.
    Int32,
    /// 16 bits without a sign, in the upper half of a 32-bit Dst.
    UInt16,
    /// Two's complement in Dst, sign and magnitude in the lane.
    SignMagnitude,
    /// 16 bits as storage holds them, in the upper half, and the other half below.
    Exchanged,
    /// A bf16 number of a row of 16 bits, in a 32-bit Dst.
    Half,
    /// 16 bits as storage holds them, of a row of 16 bits in a 32-bit Dst.
    StoredHalf,
}

impl Mode {
    pub(super) fn from_name(name: &str, chip: Chip) -> Result<Mode, String> {
        match name {
            "float" => Ok(Mode::Float),
            "i32" => Ok(Mode::Int32),
            "u16" => Ok(Mode::UInt16),
            "sm32" => Ok(Mode::signed(chip)),
            "exchanged" => Ok(Mode::Exchanged),
            other => {
                Err(format!("unknown mode `{other}`; known: float, i32, u16, sm32, exchanged"))
            }
        }
    }
}

impl Mode {
    /// That of 32-bit integers, mode 12 of the instructions.
    pub(super) fn signed(chip: Chip) -> Mode {
        if chip.has_raw_integers() { Mode::Int32 } else { Mode::SignMagnitude }
    }

    /// Whether rows are counted as those of a 16-bit Dst, in a 32-bit one.
    pub(super) fn is_narrow(self) -> bool {
        matches!(self, Mode::Half | Mode::StoredHalf)
    }

    /// SFPLOAD of one lane.
    #[inline(always)]
    pub(super) fn load(self, value: u32) -> u32 {
        match self {
            Mode::Float | Mode::Int32 | Mode::Half => value,
            Mode::StoredHalf => stored16(value >> 16),
            Mode::Exchanged => value << 16 | stored16(value >> 16),
            Mode::UInt16 => value >> 16,
            Mode::SignMagnitude => lane::sign_magnitude(value),
        }
    }

    /// SFPSTORE of one lane.
    #[inline(always)]
    pub(super) fn store(self, width: DstWidth, value: u32) -> u32 {
        match self {
            Mode::Float => lane::store(value, width.mask()),
            Mode::Int32 => value,
            Mode::UInt16 => value << 16,
            Mode::SignMagnitude if value == SIGN => SIGN,
            Mode::SignMagnitude => lane::twos_complement(value),
            Mode::Exchanged => loaded16(value & 0xffff) << 16 | value >> 16,
            Mode::Half => lane::store(value, DstWidth::Bits16.mask()),
            Mode::StoredHalf => loaded16(value & 0xffff) << 16,
        }
    }
}

/// Where a constant register gets its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    /// In the program.
    Word(u32),
    /// An argument of the call.
    Scalar(usize),
    /// Ten to the power of an argument of the call, times 1 or -1.
    PowerOfTen(usize, i32),
    /// A register that init calls program.
    Programmable(usize),
}

impl Source {
    fn value(self, operands: &Operands<'_>) -> u32 {
        let scalar = |at: usize| operands.scalars.get(at).copied().unwrap_or(0);
        match self {
            Source::Word(word) => word,
            Source::Scalar(at) => scalar(at),
            Source::PowerOfTen(at, sign) => power_of_ten((scalar(at) as i32).wrapping_mul(sign)),
            Source::Programmable(at) => operands.constants[at],
        }
    }
}

/// The nearest fp32 value.
fn power_of_ten(exponent: i32) -> u32 {
    format!("1e{exponent}").parse::<f32>().map_or(0, f32::to_bits)
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Load { mode: Mode, tile: usize, out: Register },
    Lanes { instruction: Instruction, out: Register, operands: [Register; 3] },
    Store { mode: Mode, value: Register, mask: Register },
}

/// A program's number, which no other one has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProgramId(u64);

impl Default for ProgramId {
    fn default() -> ProgramId {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        ProgramId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// A function for one width of Dst.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) id: ProgramId,
    pub(super) steps: Vec<Step>,
    pub(super) constants: Vec<(Register, Source)>,
    /// Operand tiles.
    pub(super) tiles: usize,
    registers: u16,
}

impl Program {
    pub(super) fn new_register(&mut self) -> Register {
        self.registers += 1;
        Register(self.registers - 1)
    }
}

/// Rows of a tile in Dst.
pub(super) const TILE_ROWS: usize = 64;

/// Most tiles of a call: four operands and a result.
pub const MOST_TILES: usize = 5;

/// What a call of a function works on.
pub struct Operands<'a> {
    /// The chip.
    pub chip: Chip,
    /// Width of Dst.
    pub width: DstWidth,
    /// What init calls have left in the programmable registers.
    pub constants: [u32; 3],
    /// The call's scalars.
    pub scalars: &'a [u32],
    /// The operand tiles, and those that the result replaces.
    pub tiles: &'a mut [Lanes],
    /// Which of the tiles the result replaces.
    pub out: usize,
    /// Which of the tiles each operand of a sequence is; operands may overlap.
    pub slots: [usize; MOST_TILES],
    /// What the unit keeps between calls.
    pub state: &'a mut VectorState,
    /// Lanes of each tile that sequences have stored to.
    pub stored: [StoredLanes; MOST_TILES],
    /// Whether a sequence has reached past its tiles.
    pub overran: bool,
}

/// Lanes of a tile that have been stored to: a bit for each half of the columns of a row of Dst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoredLanes(u128);

impl StoredLanes {
    const ALL: StoredLanes = StoredLanes(u128::MAX);

    /// Whether a value has been stored to, by its place in the tile.
    pub fn has(self, place: usize) -> bool {
        self.0 >> (place / FACE_SIDE * 2 + place % 2) & 1 == 1
    }

    /// Rows of which any lane has been stored to, a bit for each.
    pub fn rows(self) -> u64 {
        (0..64).filter(|row| self.0 >> (2 * row) & 3 != 0).fold(0, |rows, row| rows | 1 << row)
    }
}

impl<'a> Operands<'a> {
    /// Operands that are the first tiles, in order; the result replaces the first.
    pub fn new(
        (chip, width): (Chip, DstWidth),
        constants: [u32; 3],
        scalars: &'a [u32],
        tiles: &'a mut [Lanes],
        state: &'a mut VectorState,
    ) -> Operands<'a> {
        Operands {
            chip,
            width,
            constants,
            scalars,
            tiles,
            out: 0,
            slots: std::array::from_fn(|operand| operand),
            state,
            stored: Default::default(),
            overran: false,
        }
    }
}

impl Operands<'_> {
    /// SFPSTORE at an address of a tile.
    pub(super) fn store(&mut self, tile: usize, at: usize, mode: Mode, register: &Register32) {
        if tile >= self.tiles.len() || at >= TILE_ROWS {
            self.overran = true;
            return;
        }
        let (row, is_odd) = (at & !3, (at >> 1) & 1);
        for (lane, value) in register.iter().enumerate() {
            let row = row + lane / 8;
            self.tiles[tile][row * FACE_SIDE + 2 * (lane % 8) + is_odd] =
                mode.store(self.width, *value);
        }
        self.stored[tile].0 |= 0b0101_0101 << (2 * row + is_odd);
    }

    /// Stores to every lane of a tile.
    pub(super) fn replace(&mut self, tile: usize, values: Lanes) {
        self.tiles[tile] = values;
        self.stored[tile] = StoredLanes::ALL;
    }
}

impl Program {
    /// Runs on every lane of the tiles.
    pub(super) fn run(&self, operands: &mut Operands<'_>) {
        assert!(operands.tiles.len() >= self.tiles.max(operands.out + 1), "a tile is missing");
        let is_done = table::look_up(self, operands);
        if !is_done {
            self.compute(operands);
        }
    }

    /// The same without what was computed before.
    pub(super) fn compute(&self, operands: &mut Operands<'_>) {
        let chip = operands.chip;
        with_arithmetic!(chip, A => {
            dispatch::run(Run { program: self, operands, _arithmetic: A::default() });
        });
    }
}

thread_local! {
    /// What registers hold is never looked at before it is written, so that those of the last
    /// program serve the next one.
    #[expect(clippy::vec_box, reason = "a result is exchanged for the spare register, not copied")]
    static REGISTERS: RefCell<Vec<Box<Chunk>>> = const { RefCell::new(Vec::new()) };
}

struct Run<'a, 'b, A> {
    program: &'a Program,
    operands: &'a mut Operands<'b>,
    _arithmetic: A,
}

impl<A: Arithmetic> SimdLoop for Run<'_, '_, A> {
    type Output = ();
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Run { program, operands, _arithmetic } = self;
        let mut registers = REGISTERS.take();
        let count = usize::from(program.registers) + 1;
        registers.resize_with(registers.len().max(count), || Box::new([0; CHUNK]));
        let mut is_plain = vec![false; count];
        for (register, source) in &program.constants {
            let word = source.value(operands);
            registers[place(*register)].fill(word);
            is_plain[place(*register)] = direct::is_plain(&[word]);
        }
        let gathered = match operands.tiles {
            [tile] => Gathered::take(tile),
            _ => None,
        };
        let chunks = match gathered {
            Some(_) => 1,
            None => operands.tiles.first().map_or(0, |tile| tile.len() / CHUNK),
        };
        for chunk in 0..chunks {
            for step in &program.steps {
                run_step::<A, FUSED>(
                    *step,
                    chunk,
                    operands.width,
                    operands.tiles,
                    operands.out,
                    (&mut registers[..count], &mut is_plain),
                );
            }
        }
        if let Some(gathered) = gathered {
            gathered.put_back(&mut operands.tiles[0]);
        }
        REGISTERS.set(registers);
    }
}

/// The lanes of a tile that differ from all others, in its first chunk, the last of which is one of
/// the others. A reduction leaves such a tile: the function of its results is computed once, and so
/// is that of what lies beside them.
struct Gathered {
    count: usize,
    places: [u16; CHUNK],
}

impl Gathered {
    /// Moves the lanes of a tile that differ from its last to its first chunk, if they fit there.
    #[inline(always)]
    fn take(tile: &mut Lanes) -> Option<Gathered> {
        let common = tile[tile.len() - 1];
        let is_other = |value: &u32| u32::from(*value != common);
        let mut others = 0;
        for chunk in tile.as_chunks::<CHUNK>().0 {
            others += chunk.iter().map(is_other).sum::<u32>();
            if others as usize >= CHUNK {
                return None;
            }
        }
        let (mut count, mut places) = (0, [0; CHUNK]);
        for (row, values) in tile.as_chunks::<FACE_SIDE>().0.iter().enumerate() {
            if values.iter().fold(0, |differences, value| differences | (value ^ common)) == 0 {
                continue;
            }
            for (column, _) in values.iter().enumerate().filter(|(_, value)| **value != common) {
                places[count] = (row * FACE_SIDE + column) as u16;
                count += 1;
            }
        }
        let mut values = [common; CHUNK];
        for (value, place) in values.iter_mut().zip(&places[..count]) {
            *value = tile[usize::from(*place)];
        }
        tile[..CHUNK].copy_from_slice(&values);
        Some(Gathered { count, places })
    }

    /// Puts the results where their operands were.
    #[inline(always)]
    fn put_back(self, tile: &mut Lanes) {
        let mut results = [0; CHUNK];
        results.copy_from_slice(&tile[..CHUNK]);
        tile.fill(results[CHUNK - 1]);
        for (result, place) in results.iter().zip(&self.places[..self.count]) {
            tile[usize::from(*place)] = *result;
        }
    }
}

fn place(register: Register) -> usize {
    usize::from(register.0)
}

#[inline(always)]
fn run_step<A: Arithmetic, const FUSED: bool>(
    step: Step,
    chunk: usize,
    width: DstWidth,
    tiles: &mut [Lanes],
    out_tile: usize,
    (registers, is_plain): (&mut [Box<Chunk>], &mut [bool]),
) {
    let spare = registers.len() - 1;
    match step {
        Step::Load { mode, tile, out } => {
            *registers[place(out)] = tiles[tile].as_chunks().0[chunk];
            load(mode, &mut registers[place(out)]);
            is_plain[place(out)] = false;
        }
        Step::Lanes { instruction, out, operands } => {
            let (registers, spare_chunk) = registers.split_at_mut(spare);
            let are_plain = [0, 1].map(|at: usize| is_plain[place(operands[at])]);
            let operands = operands.map(|register| &*registers[place(register)]);
            is_plain[place(out)] =
                instruction.compute::<A, FUSED, CHUNK>(operands, are_plain, &mut spare_chunk[0]);
            std::mem::swap(&mut registers[place(out)], &mut spare_chunk[0]);
        }
        Step::Store { mode, value, mask } => {
            let out = &mut tiles[out_tile].as_chunks_mut().0[chunk];
            let value = &registers[place(value)];
            if mask == Register::ALL {
                stored(mode, width, value, out);
                return;
            }
            let (before, mask) = (*out, &registers[place(mask)]);
            stored(mode, width, value, out);
            for lane in 0..CHUNK {
                out[lane] = out[lane] & mask[lane] | before[lane] & !mask[lane];
            }
        }
    }
}

/// SFPLOAD of many lanes, which Dst's values are replaced with.
#[inline(always)]
pub(super) fn load<const N: usize>(mode: Mode, lanes: &mut [u32; N]) {
    match mode {
        Mode::Float | Mode::Int32 | Mode::Half => {}
        Mode::StoredHalf => lanes.iter_mut().for_each(|it| *it = Mode::StoredHalf.load(*it)),
        Mode::Exchanged => lanes.iter_mut().for_each(|it| *it = Mode::Exchanged.load(*it)),
        Mode::UInt16 => lanes.iter_mut().for_each(|it| *it = Mode::UInt16.load(*it)),
        Mode::SignMagnitude => lanes.iter_mut().for_each(|it| *it = Mode::SignMagnitude.load(*it)),
    }
}

/// SFPSTORE of many lanes.
#[inline(always)]
pub(super) fn stored<const N: usize>(
    mode: Mode,
    width: DstWidth,
    from: &[u32; N],
    to: &mut [u32; N],
) {
    match mode {
        Mode::Float => (0..N).for_each(|i| to[i] = Mode::Float.store(width, from[i])),
        Mode::Int32 => *to = *from,
        Mode::Exchanged => (0..N).for_each(|i| to[i] = Mode::Exchanged.store(width, from[i])),
        Mode::UInt16 => (0..N).for_each(|i| to[i] = Mode::UInt16.store(width, from[i])),
        Mode::Half => (0..N).for_each(|i| to[i] = Mode::Half.store(width, from[i])),
        Mode::StoredHalf => (0..N).for_each(|i| to[i] = Mode::StoredHalf.store(width, from[i])),
        Mode::SignMagnitude => {
            (0..N).for_each(|i| to[i] = Mode::SignMagnitude.store(width, from[i]));
        }
    }
}
