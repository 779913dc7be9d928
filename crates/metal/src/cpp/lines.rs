//! From addresses of an object to lines of source: the one that an instruction was made from, and
//! those of the calls that led there, inlined ones among them.
//!
//! Lines of our own headers and of the compiler's are left out: the first of the user's is the
//! site, those further out are its callers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use addr2line::Context;
use addr2line::gimli::{Dwarf, EndianSlice, LittleEndian, SectionId};
use tilewright_machine::Site;

use super::elf::Elf;
pub(super) use super::host_flags::SHIM_PREFIX;
use super::roots::Roots;
use super::stack::Calls;
use crate::call_text;
use crate::intern::intern;

/// The folder that compilations, and what is generated for them, appear to be in.
pub(super) const UNIT_FOLDER: &str = "/tilewright/unit";
/// What the folder of kernels that are given as text is called in objects.
pub(super) const TEXT_FOLDER: &str = "/tilewright/text";
/// Callers that a site keeps: the innermost, and the outermost one.
const CALLERS_MAX: usize = 8;

type Section = EndianSlice<'static, LittleEndian>;

/// The lines of an object, read when they are first asked for.
pub(super) struct Lines {
    state: Mutex<State>,
}

struct State {
    /// Contents of sections, until they have been read.
    sections: BTreeMap<&'static str, &'static [u8]>,
    context: Option<Context<Section>>,
    /// Sites by the fingerprint of their calls.
    known: BTreeMap<u64, Option<Site>>,
    /// Folders that it calls by numbers.
    roots: Roots,
    /// Where relative names of files begin.
    folder: String,
    /// Files by where the object's name for them lies, and how long it is.
    files: BTreeMap<(usize, usize), &'static str>,
    /// Lines of files, for columns.
    texts: BTreeMap<&'static str, Vec<&'static str>>,
}

/// A file, a line and a column, as compilers tell them.
type Place = (&'static str, u32, u32);

impl Lines {
    /// The lines of an object, which is never unloaded; neither is this.
    pub(super) fn of(elf: &Elf<'static>, roots: Roots) -> Lines {
        let wanted = SECTIONS.iter().filter_map(|id| Some((id.name(), elf.section(id.name())?)));
        let sections = wanted.map(|(name, it)| (name, it.bytes)).collect();
        let folder = std::env::current_dir().unwrap_or_default().display().to_string();
        let (context, known) = (None, BTreeMap::new());
        let (files, texts) = (BTreeMap::new(), BTreeMap::new());
        Lines { state: Mutex::new(State { sections, context, known, roots, folder, files, texts }) }
    }

    /// The site of calls in an object that lies at `base`.
    pub(super) fn site(
        &self,
        base: usize,
        fingerprint: u64,
        calls: impl FnOnce() -> Calls,
    ) -> Option<Site> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(site) = state.known.get(&fingerprint) {
            return *site;
        }
        let site = state.find(base, &calls());
        state.known.insert(fingerprint, site);
        site
    }
}

/// What lines and inlined calls are read from.
const SECTIONS: [SectionId; 11] = [
    SectionId::DebugAbbrev,
    SectionId::DebugAddr,
    SectionId::DebugAranges,
    SectionId::DebugInfo,
    SectionId::DebugLine,
    SectionId::DebugLineStr,
    SectionId::DebugRanges,
    SectionId::DebugRngLists,
    SectionId::DebugStr,
    SectionId::DebugStrOffsets,
    SectionId::DebugTypes,
];

impl State {
    fn find(&mut self, base: usize, calls: &Calls) -> Option<Site> {
        let mut places = Vec::new();
        for address in calls.iter() {
            // What is behind an instruction may belong to the next line.
            let within = address.checked_sub(1).and_then(|at| at.checked_sub(base));
            places.extend(within.into_iter().flat_map(|at| self.inlined(at as u64)));
        }
        let nearest = places.first().copied();
        places.retain(|(file, ..)| is_users(file));
        // Recursion at one line is one call.
        places.dedup();
        if places.len() > CALLERS_MAX + 1 {
            places.drain(CALLERS_MAX..places.len() - 1);
        }
        let chain = if places.is_empty() { nearest.into_iter().collect() } else { places };
        let further_in = |caller: Option<Site>, place| Some(self.site(place, caller.map(keep)));
        chain.into_iter().rev().fold(None, further_in)
    }

    /// The places of an address, the innermost first: its own line, then lines of inlined calls.
    fn inlined(&mut self, address: u64) -> Vec<Place> {
        let mut places = Vec::new();
        if self.context.is_none() {
            self.context = context(&self.sections);
        }
        let Some(context) = &self.context else { return places };
        let Ok(mut frames) = context.find_frames(address).skip_all_loads() else { return places };
        while let Ok(Some(frame)) = frames.next() {
            let Some(at) = frame.location else { continue };
            if let (Some(file), Some(line)) = (at.file, at.line.filter(|line| *line > 0)) {
                let file =
                    *self.files.entry((file.as_ptr().addr(), file.len())).or_insert_with(|| {
                        let file = self.roots.file(Path::new(file)).display().to_string();
                        intern(relative(&file, &self.folder))
                    });
                places.push((file, line, at.column.unwrap_or(0)));
            }
        }
        places
    }

    fn site(&mut self, (file, line, column): Place, caller: Option<&'static Site>) -> Site {
        let text = self.texts.entry(file).or_insert_with(|| {
            let text = fs::read_to_string(file).unwrap_or_default();
            text.leak().lines().collect()
        });
        let text = text.get(line as usize - 1).copied().unwrap_or_default();
        Site { file, line, column: call_text::start(text, column), caller }
    }
}

/// Reads what tells lines and inlined calls; none if there is nothing of the kind.
fn context(sections: &BTreeMap<&str, &'static [u8]>) -> Option<Context<Section>> {
    let bytes = |id: SectionId| sections.get(id.name()).copied().unwrap_or_default();
    let section = |id| Ok::<_, ()>(EndianSlice::new(bytes(id), LittleEndian));
    Context::from_dwarf(Dwarf::load(section).ok()?).ok()
}

/// The name of a file from the folder that the user is in.
fn relative<'a>(file: &'a str, folder: &str) -> &'a str {
    let inside = [TEXT_FOLDER, folder].into_iter().find_map(|it| file.strip_prefix(it));
    inside.and_then(|rest| rest.strip_prefix('/')).unwrap_or(file)
}

/// Whether somebody who writes kernels wrote it: neither our headers nor our text before a kernel,
/// nor the libraries of the compiler.
pub(super) fn is_users(file: &str) -> bool {
    let is_ours = file.starts_with(SHIM_PREFIX) || file.starts_with(UNIT_FOLDER);
    let is_library = file.starts_with("/usr/") || file.contains("/include/c++/");
    !is_ours && !is_library
}

/// Sites that are kept for good: others name them as their caller, or threads know them.
static SITES: Mutex<BTreeSet<&'static Site>> = Mutex::new(BTreeSet::new());

/// See `take_locks_once`.
pub(super) fn take_lock_once() {
    drop(SITES.lock());
}

/// The one copy of a site that is kept for good.
pub(super) fn keep(site: Site) -> &'static Site {
    let mut sites = SITES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = sites.get(&site) {
        return known;
    }
    let kept: &'static Site = Box::leak(Box::new(site));
    sites.insert(kept);
    kept
}

#[cfg(test)]
mod tests {
    use super::{is_users, relative};

    #[test]
    fn files_of_libraries_and_headers_are_not_the_users() {
        for (file, expected) in [
            ("/project/kernels/reader.cpp", true),
            ("/other/include/helpers.h", true),
            ("/tilewright/shim/api/dataflow/noc.h", false),
            ("/tilewright/unit/unit.h", false),
            ("/usr/include/c++/12/array", false),
            ("/opt/gcc/include/c++/14/array", false),
        ] {
            assert_eq!(is_users(relative(file, "/project")), expected, "{file}");
        }
        assert_eq!(relative("/project/kernels/reader.cpp", "/project"), "kernels/reader.cpp");
        assert_eq!(relative("/projects/reader.cpp", "/project"), "/projects/reader.cpp");
        assert_eq!(relative("/tilewright/text/reader.cpp", "/project"), "reader.cpp");
    }
}
