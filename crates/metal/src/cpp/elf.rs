//! A shared object's file: its sections, its functions, and whether it keeps state of its own.
//!
//! Reads 64-bit little-endian ELF, which is what the compilers of our hosts write.

/// A section: its name, where it lies in the file and in memory, how long it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section<'a> {
    pub(super) name: &'a str,
    pub(super) address: u64,
    pub(super) size: u64,
    pub(super) bytes: &'a [u8],
}

/// The file taken apart.
pub(super) struct Elf<'a> {
    file: &'a [u8],
    sections: Vec<Section<'a>>,
}

/// Sections that hold what a kernel can change.
const WRITABLE: [&str; 4] = [".data", ".bss", ".tdata", ".tbss"];
/// Constants that compilers put there all the same.
const CONSTANTS: [&str; 2] = ["DW.ref.", "__dso_handle"];
/// Bytes of a section header, and of a symbol.
const HEADER_BYTES: usize = 64;
const SYMBOL_BYTES: usize = 24;
/// The type of a section that takes no room in the file.
const NO_BITS: u32 = 8;
const SYMBOL_OBJECT: u8 = 1;
const SYMBOL_TLS: u8 = 6;

impl<'a> Elf<'a> {
    /// Reads the section table, if the file has one that makes sense.
    pub(super) fn parse(file: &'a [u8]) -> Option<Elf<'a>> {
        if !file.starts_with(b"\x7fELF\x02\x01") {
            return None;
        }
        let table = usize::try_from(word(file, 0x28)?).ok()?;
        let count = usize::from(half(file, 0x3c)?);
        let names = usize::from(half(file, 0x3e)?);
        let header = |index: usize| file.get(table + index * HEADER_BYTES..)?.get(..HEADER_BYTES);
        let strings = contents(file, header(names)?)?;
        let mut sections = Vec::new();
        for index in 0..count {
            let header = header(index)?;
            let name = text_at(strings, double(header, 0)? as usize)?;
            let (address, size) = (word(header, 0x10)?, word(header, 0x20)?);
            let is_empty = double(header, 4)? == NO_BITS || index == 0;
            let bytes = if is_empty { &[][..] } else { contents(file, header)? };
            sections.push(Section { name, address, size, bytes });
        }
        Some(Elf { file, sections })
    }

    pub(super) fn section(&self, name: &str) -> Option<Section<'a>> {
        self.sections.iter().copied().find(|section| section.name == name)
    }

    /// What loaders read of the file: all up to where only debuggers read on.
    pub(super) fn loaded(&self) -> &'a [u8] {
        let ends =
            self.sections.iter().filter(|it| it.address > 0).map(|it| it.bytes.as_ptr_range().end);
        let end = ends.max().map_or(0, |end| end.addr() - self.file.as_ptr().addr());
        self.file.get(..end).unwrap_or(self.file)
    }

    /// Whether code or data contain some text; what debuggers read does not count.
    pub(super) fn has_text(&self, text: &str) -> bool {
        let loaded = self.sections.iter().filter(|it| it.address > 0);
        loaded
            .map(|it| it.bytes)
            .any(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
    }

    /// Where in memory the kernel's own variables lie, relative to the object: none if it has no
    /// variable that outlives a call.
    pub(super) fn variables(&self) -> Vec<(u64, u64)> {
        let is_variable = |(name, kind, section): &(&str, u8, usize)| {
            (*kind == SYMBOL_OBJECT || *kind == SYMBOL_TLS)
                && self.sections.get(*section).is_some_and(|it| WRITABLE.contains(&it.name))
                && !CONSTANTS.iter().any(|constant| name.starts_with(constant))
        };
        if !self.symbols().any(|symbol| is_variable(&symbol)) {
            return Vec::new();
        }
        let writable = self.sections.iter().filter(|it| WRITABLE[..2].contains(&it.name));
        writable.filter(|it| it.size > 0).map(|it| (it.address, it.size)).collect()
    }

    /// Where a function lies, relative to the object.
    pub(super) fn function(&self, wanted: &str) -> Option<u64> {
        let (table, names) = (self.section(".symtab")?, self.section(".strtab")?);
        let mut symbols = table.bytes.chunks_exact(SYMBOL_BYTES);
        let found = symbols.find(|symbol| {
            let name = double(symbol, 0).and_then(|at| text_at(names.bytes, at as usize));
            name == Some(wanted)
        })?;
        word(found, 8)
    }

    /// Name, type and section of every symbol.
    fn symbols(&self) -> impl Iterator<Item = (&'a str, u8, usize)> {
        let table = self.section(".symtab").map_or(&[][..], |it| it.bytes);
        let names = self.section(".strtab").map_or(&[][..], |it| it.bytes);
        table.chunks_exact(SYMBOL_BYTES).filter_map(move |symbol| {
            let name = text_at(names, double(symbol, 0)? as usize)?;
            Some((name, symbol[4] & 15, usize::from(half(symbol, 6)?)))
        })
    }
}

fn contents<'a>(file: &'a [u8], header: &[u8]) -> Option<&'a [u8]> {
    let start = usize::try_from(word(header, 0x18)?).ok()?;
    let size = usize::try_from(word(header, 0x20)?).ok()?;
    file.get(start..start.checked_add(size)?)
}

fn text_at(strings: &[u8], at: usize) -> Option<&str> {
    let rest = strings.get(at..)?;
    let end = rest.iter().position(|byte| *byte == 0)?;
    std::str::from_utf8(&rest[..end]).ok()
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn double(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}
