//! A kernel's shared object in this process: its entry, its lines, its variables.
//!
//! Objects are never unloaded: sites point into them.

#![allow(unsafe_code, reason = "loads foreign code and keeps its variables apart")]

use std::collections::BTreeMap;
use std::fs;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use tilewright_machine::Site;

use super::elf::Elf;
use super::error::CppError;
use super::lines::Lines;
use super::stack::Calls;
use super::table::{TABLE, Table};

type Bind = unsafe extern "C" fn(*const Table) -> u32;
type Enter = unsafe extern "C-unwind" fn();

/// A loaded object.
pub(super) struct Object {
    enter: Enter,
    base: usize,
    /// Where its code lies.
    code: Range<usize>,
    lines: Arc<Lines>,
    /// Where variables lie, and what they hold before the kernel begins.
    variables: Vec<(usize, Vec<u8>)>,
}

impl Object {
    /// Loads a file; its lines are known if another copy of it has been loaded.
    fn load(path: &Path, lines: Option<Arc<Lines>>) -> Result<Object, CppError> {
        let refuse = |why: String| CppError::Load(format!("{}: {why}", path.display()));
        let file = fs::read(path).map_err(|error| CppError::Io { path: path.to_owned(), error })?;
        let elf = Elf::parse(&file).ok_or_else(|| refuse("no ELF object".to_owned()))?;
        // SAFETY: the object is one that we have had compiled; what it runs when it is loaded are
        // the kernel's own constructors.
        let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
        let library = ManuallyDrop::new(library.map_err(|error| refuse(error.to_string()))?);
        // SAFETY: the types are those of `runtime.cpp`.
        let (bind, enter) = unsafe {
            let bind = library.get::<Bind>(b"tw_bind\0");
            let enter = library.get::<Enter>(b"tw_enter\0");
            match (bind, enter) {
                (Ok(bind), Ok(enter)) => (*bind, *enter),
                (Err(error), _) | (_, Err(error)) => return Err(refuse(error.to_string())),
            }
        };
        // SAFETY: the table lives as long as the process.
        if unsafe { bind(&raw const TABLE) } == 0 {
            return Err(refuse("made for another version of the interface".to_owned()));
        }
        let place = elf.function("tw_enter");
        let place = place.ok_or_else(|| refuse("it has no symbols".to_owned()))?;
        let base = (enter as usize).wrapping_sub(place as usize);
        let lines = lines.unwrap_or_else(|| Arc::new(Lines::of(&elf)));
        let code = elf.section(".text").map_or(0..0, |text| {
            let start = base + text.address as usize;
            start..start + text.size as usize
        });
        let spans = elf.variables();
        let variables = spans.iter().map(|(at, size)| kept(base + *at as usize, *size as usize));
        Ok(Object { enter, base, code, lines, variables: variables.collect() })
    }

    /// Whether several processors may run it without seeing each other.
    fn is_shareable(&self) -> bool {
        self.variables.is_empty()
    }

    /// Runs the kernel.
    pub(super) fn enter(&self) {
        // SAFETY: the entry of our runtime, which lets nothing but our own unwinding out.
        unsafe { (self.enter)() };
    }

    /// Gives variables their first values, as loading a kernel onto a processor does.
    pub(super) fn reset_variables(&self) {
        for (at, first) in &self.variables {
            let at = std::ptr::with_exposed_provenance_mut::<u8>(*at);
            // SAFETY: the object's own writable sections; nobody else runs this copy of it.
            unsafe { std::ptr::copy_nonoverlapping(first.as_ptr(), at, first.len()) };
        }
    }

    /// Whether an instruction is one of this object.
    pub(super) fn contains(&self, pc: usize) -> bool {
        self.code.contains(&pc)
    }

    /// The site of calls in this object.
    pub(super) fn site(&self, fingerprint: u64, calls: impl FnOnce() -> Calls) -> Option<Site> {
        self.lines.site(self.base, fingerprint, calls)
    }
}

/// A span of memory and a copy of it.
fn kept(at: usize, bytes: usize) -> (usize, Vec<u8>) {
    let start = std::ptr::with_exposed_provenance::<u8>(at);
    // SAFETY: a section that the loader has just mapped.
    (at, unsafe { std::slice::from_raw_parts(start, bytes) }.to_vec())
}

/// What is kept of a file that has been loaded.
#[derive(Default)]
struct Loaded {
    /// Objects that are not in use. Those with variables of their own are taken out.
    objects: Vec<Arc<Object>>,
    lines: Option<Arc<Lines>>,
}

/// Loaded objects by file.
static SHELF: Mutex<BTreeMap<PathBuf, Loaded>> = Mutex::new(BTreeMap::new());

/// An object for one processor of one core; goes back to the shelf in the end.
pub(super) struct Instance {
    object: Arc<Object>,
    path: PathBuf,
}

impl Instance {
    /// An object that nobody else runs, unless that makes no difference.
    pub(super) fn take(path: &Path) -> Result<Instance, CppError> {
        let mut shelf = SHELF.lock().unwrap_or_else(PoisonError::into_inner);
        let Loaded { objects, lines } = shelf.entry(path.to_owned()).or_default();
        if let Some(object) = objects.last().filter(|object| object.is_shareable()) {
            return Ok(Instance { object: Arc::clone(object), path: path.to_owned() });
        }
        let object = match objects.pop() {
            Some(object) => object,
            None => Arc::new(load_copy(path, lines.clone())?),
        };
        *lines = Some(Arc::clone(&object.lines));
        if object.is_shareable() {
            objects.push(Arc::clone(&object));
        }
        Ok(Instance { object, path: path.to_owned() })
    }

    pub(super) fn object(&self) -> &Object {
        &self.object
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if !self.object.is_shareable() {
            let mut shelf = SHELF.lock().unwrap_or_else(PoisonError::into_inner);
            shelf.entry(self.path.clone()).or_default().objects.push(Arc::clone(&self.object));
        }
    }
}

/// Loads a file under a name of its own: the loader gives the same object for the same file.
fn load_copy(path: &Path, lines: Option<Arc<Lines>>) -> Result<Object, CppError> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let turn = NEXT.fetch_add(1, Ordering::Relaxed);
    let copy = path.with_extension(format!("{}-{turn}.so", std::process::id()));
    let failed = |error| CppError::Io { path: copy.clone(), error };
    fs::copy(path, &copy).map_err(failed)?;
    let object = Object::load(&copy, lines);
    // Mapped memory stays; the name has done its work.
    fs::remove_file(&copy).map_err(failed)?;
    object
}
