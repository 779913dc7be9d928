//! From an instruction of an object to the line of source it was made from.
//!
//! Reads the line programs of DWARF 4 (section 6.2 of the standard), which `-gdwarf-4` asks for;
//! anything else gives an empty table, and accesses without a line.

use tilewright_machine::Site;

use super::intern::intern;

/// The folder that our own headers appear to be in.
pub(super) const SHIM_PREFIX: &str = "tilewright/shim/";

/// One row: from this address on, this line.
#[derive(Clone, Copy, Debug)]
struct Row {
    address: u64,
    site: Site,
    is_end: bool,
}

/// The rows of an object, ordered by address.
pub(super) struct Lines {
    rows: Vec<Row>,
}

impl Lines {
    /// Reads `.debug_line`.
    pub(super) fn parse(section: &[u8]) -> Lines {
        let mut rows = Vec::new();
        let mut rest = Reader(section);
        while let Some(unit) = rest.unit() {
            // A program that cannot be read to its end keeps the rows it had until there.
            let _ = Program::read(unit).and_then(|mut program| program.run(&mut rows));
        }
        rows.sort_by_key(|row| (row.address, !row.is_end));
        Lines { rows }
    }

    /// The line of an instruction; of the kernel's own that led there, if it is in our headers.
    pub(super) fn site(&self, address: u64) -> Option<Site> {
        let after = self.rows.partition_point(|row| row.address <= address);
        let before = self.rows[..after].iter().rev().take_while(|row| !row.is_end);
        let named = before.filter(|row| row.site.line > 0);
        let mut nearest = None;
        for row in named {
            nearest.get_or_insert(row.site);
            if !row.site.file.starts_with(SHIM_PREFIX) {
                return Some(row.site);
            }
        }
        nearest
    }
}

/// One line program and the state of its machine.
struct Program<'a> {
    opcodes: Reader<'a>,
    lengths: &'a [u8],
    files: Vec<&'static str>,
    instruction_bytes: u64,
    line_base: i64,
    line_range: i64,
    opcode_base: u8,
}

/// The registers that rows are made of.
struct Registers {
    address: u64,
    file: usize,
    line: i64,
    column: u64,
}

impl Registers {
    const START: Registers = Registers { address: 0, file: 1, line: 1, column: 0 };
}

impl<'a> Program<'a> {
    fn read(mut unit: Reader<'a>) -> Option<Program<'a>> {
        if unit.half()? != 4 {
            return None;
        }
        let header_bytes = unit.double()? as usize;
        let opcodes = Reader(unit.0.get(header_bytes..)?);
        let instruction_bytes = u64::from(unit.byte()?);
        let (_operations, _is_statement) = (unit.byte()?, unit.byte()?);
        let line_base = i64::from(unit.byte()? as i8);
        let line_range = i64::from(unit.byte()?).max(1);
        let opcode_base = unit.byte()?;
        let lengths = unit.take(usize::from(opcode_base).saturating_sub(1))?;
        let files = files(&mut unit)?;
        Some(Program {
            opcodes,
            lengths,
            files,
            instruction_bytes,
            line_base,
            line_range,
            opcode_base,
        })
    }

    fn run(&mut self, rows: &mut Vec<Row>) -> Option<()> {
        let mut state = Registers::START;
        while let Some(opcode) = self.opcodes.byte() {
            if opcode >= self.opcode_base {
                let adjusted = i64::from(opcode - self.opcode_base);
                self.advance(&mut state, (adjusted / self.line_range) as u64);
                state.line += self.line_base + adjusted % self.line_range;
                rows.push(self.row(&state, false));
            } else if opcode == 0 {
                self.extended(&mut state, rows)?;
            } else {
                self.standard(opcode, &mut state, rows)?;
            }
        }
        Some(())
    }

    fn advance(&self, state: &mut Registers, operations: u64) {
        let bytes = operations.wrapping_mul(self.instruction_bytes);
        state.address = state.address.wrapping_add(bytes);
    }

    fn extended(&mut self, state: &mut Registers, rows: &mut Vec<Row>) -> Option<()> {
        let length = self.opcodes.unsigned()? as usize;
        let mut operands = Reader(self.opcodes.take(length)?);
        match operands.byte()? {
            1 => {
                // Rows that begin where their sequence ends cover nothing.
                while rows.pop_if(|row| row.address == state.address && !row.is_end).is_some() {}
                rows.push(self.row(state, true));
                *state = Registers::START;
            }
            2 => state.address = operands.word()?,
            _ => {} // A file defined late, or a discriminator: nothing that we look at.
        }
        Some(())
    }

    fn standard(&mut self, opcode: u8, state: &mut Registers, rows: &mut Vec<Row>) -> Option<()> {
        match opcode {
            1 => rows.push(self.row(state, false)),
            2 => {
                let operations = self.opcodes.unsigned()?;
                self.advance(state, operations);
            }
            3 => state.line = state.line.wrapping_add(self.opcodes.signed()?),
            4 => state.file = self.opcodes.unsigned()? as usize,
            5 => state.column = self.opcodes.unsigned()?,
            8 => {
                let adjusted = i64::from(255 - self.opcode_base);
                self.advance(state, (adjusted / self.line_range) as u64);
            }
            9 => state.address = state.address.wrapping_add(u64::from(self.opcodes.half()?)),
            _ => {
                let operands = *self.lengths.get(usize::from(opcode) - 1)?;
                for _ in 0..operands {
                    self.opcodes.unsigned()?;
                }
            }
        }
        Some(())
    }

    fn row(&self, state: &Registers, is_end: bool) -> Row {
        let file = state.file.checked_sub(1).and_then(|index| self.files.get(index));
        let (line, column) = (u32::try_from(state.line).unwrap_or(0), state.column as u32);
        let site = Site { file: file.copied().unwrap_or(""), line, column };
        Row { address: state.address, site, is_end }
    }
}

/// The file table: names, each in a folder of the table before.
fn files(header: &mut Reader<'_>) -> Option<Vec<&'static str>> {
    let mut folders = Vec::new();
    while let Some(folder) = header.text().filter(|folder| !folder.is_empty()) {
        folders.push(folder);
    }
    let mut files = Vec::new();
    while let Some(name) = header.text().filter(|name| !name.is_empty()) {
        let folder = header.unsigned()? as usize;
        let (_modified, _length) = (header.unsigned()?, header.unsigned()?);
        let folder = folder.checked_sub(1).and_then(|index| folders.get(index));
        files.push(match folder {
            Some(folder) if !name.starts_with('/') => intern(&format!("{folder}/{name}")),
            _ => intern(name),
        });
    }
    Some(files)
}

/// Bytes that are read from the front.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(front)
    }

    /// One unit of the section, without its length.
    fn unit(&mut self) -> Option<Reader<'a>> {
        let length = self.double()? as usize;
        self.take(length).map(Reader)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn half(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }

    fn double(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn word(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    fn text(&mut self) -> Option<&'a str> {
        let end = self.0.iter().position(|byte| *byte == 0)?;
        let text = std::str::from_utf8(self.take(end)?).ok()?;
        self.take(1)?;
        Some(text)
    }

    /// LEB128.
    fn unsigned(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn signed(&mut self) -> Option<i64> {
        let mut value = 0_i64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= i64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                let is_negative = byte & 0x40 != 0 && shift + 7 < 64;
                return Some(if is_negative { value | -1 << (shift + 7) } else { value });
            }
        }
        None
    }
}
