//! A kernel's shared object in this process: its entry, its lines, its variables.
//!
//! Objects are never unloaded: sites point into them. They are loaded from memory, so that a
//! process may load them that can write no file.

#![allow(unsafe_code, reason = "loads foreign code and keeps its variables apart")]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use tilewright_machine::Site;

use super::elf::Elf;
use super::error::CppError;
use super::lines::Lines;
use super::roots::Roots;
use super::stack::Calls;
use super::table::{TABLE, Table};
use super::traces;

type Bind = unsafe extern "C" fn(*const Table) -> u32;
type Enter = unsafe extern "C-unwind" fn();

/// A kernel's code, compiled for one processor.
#[derive(Debug)]
pub struct Code {
    /// The kernel's source, as the user named it.
    pub(super) file: String,
    /// A fingerprint of `bytes`.
    pub(super) digest: String,
    /// A shared object.
    pub(super) bytes: Vec<u8>,
    /// The files that it was made from, but for ours.
    pub(super) files: Vec<std::path::PathBuf>,
    /// Folders that it calls by numbers.
    pub(super) roots: Roots,
}

impl Code {
    /// See `may_reach_cores` in `tilewright/address.h`.
    pub(super) fn may_reach_cores(&self) -> bool {
        Elf::parse(&self.bytes).is_none_or(|elf| elf.section(".tilewright.reach").is_some())
    }

    fn shelved(&self) -> Shelved {
        (self.digest.clone(), self.roots.clone())
    }
}

/// A loaded object.
pub(super) struct Object {
    enter: Enter,
    base: usize,
    /// Where its code lies.
    code: Range<usize>,
    lines: &'static Lines,
    /// Where variables lie, and what they hold before the kernel begins.
    variables: Vec<(usize, Vec<u8>)>,
}

thread_local! {
    /// The lines of the object whose constructors this thread runs.
    static LOADING: Cell<Option<&'static Lines>> = const { Cell::new(None) };
}

/// The line of an instruction of an object that is being loaded by this thread.
pub(super) fn loading_site(pc: usize) -> Option<Site> {
    let lines = LOADING.get()?;
    // SAFETY: plain data.
    let mut about: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: asks about any address.
    if unsafe { libc::dladdr(std::ptr::with_exposed_provenance(pc), &raw mut about) } == 0 {
        return None;
    }
    lines.site(about.dli_fbase.addr(), pc as u64, || only(pc + 1))
}

impl Object {
    /// Loads code; its lines are known if another copy of it has been loaded.
    fn load(code: &Arc<Code>, lines: Option<&'static Lines>) -> Result<Object, CppError> {
        let refuse = |why: String| CppError::Load(format!("{}: {why}", code.file));
        let elf = Elf::parse(&code.bytes).ok_or_else(|| refuse("no ELF object".to_owned()))?;
        let lines = match lines {
            Some(lines) => lines,
            None => lines_of(code).ok_or_else(|| refuse("no ELF object".to_owned()))?,
        };
        LOADING.set(Some(lines));
        traces::loading(Some(&code.file));
        let library = open(elf.loaded());
        traces::loading(None);
        LOADING.set(None);
        let library = ManuallyDrop::new(library.map_err(refuse)?);
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

    /// Whether a function that this object calls returns to an address: an instruction of it that
    /// lies behind a call. Addresses of sites are left on stacks too, which do not.
    pub(super) fn is_returned_to(&self, address: usize) -> bool {
        if !self.contains(address) || address - self.code.start < CALL_BYTES_MAX {
            return false;
        }
        let before = std::ptr::with_exposed_provenance(address - CALL_BYTES_MAX);
        // SAFETY: within the object's code, which stays where it is.
        is_call(unsafe { &*before })
    }

    /// The site of calls in this object.
    pub(super) fn site(&self, fingerprint: u64, calls: impl FnOnce() -> Calls) -> Option<Site> {
        self.lines.site(self.base, fingerprint, calls)
    }
}

/// Bytes of the longest call.
const CALL_BYTES_MAX: usize = 7;

/// Whether code ends with a call: relative, or through a register or memory.
#[cfg(target_arch = "x86_64")]
fn is_call(code: &[u8; CALL_BYTES_MAX]) -> bool {
    let through = |length: usize| {
        let rest = &code[CALL_BYTES_MAX - length..];
        let (mode, register, base) = (rest[1] >> 6, rest[1] >> 3 & 7, rest[1] & 7);
        let index = rest.get(2).filter(|_| base == 4 && mode != 3);
        let displacement = match mode {
            1 => 1,
            0 if base == 5 || index.is_some_and(|index| index & 7 == 5) => 4,
            2 => 4,
            _ => 0,
        };
        let bytes = 2 + usize::from(base == 4 && mode != 3) + displacement;
        rest[0] == 0xff && register == 2 && bytes == length
    };
    code[CALL_BYTES_MAX - 5] == 0xe8 || (2..=CALL_BYTES_MAX).any(through)
}

#[cfg(target_arch = "aarch64")]
fn is_call(code: &[u8; CALL_BYTES_MAX]) -> bool {
    let last = u32::from_le_bytes([code[3], code[4], code[5], code[6]]);
    last >> 26 == 0x25 || last & 0xffff_fc1f == 0xd63f_0000
}

/// The lines of code that is never unloaded, and is kept for them.
fn lines_of(code: &Arc<Code>) -> Option<&'static Lines> {
    let code: &'static Code = Box::leak(Box::new(Arc::clone(code)));
    let lines = Lines::of(&Elf::parse(&code.bytes)?, code.roots.clone());
    Some(Box::leak(Box::new(lines)))
}

/// A span of memory and a copy of it.
fn kept(at: usize, bytes: usize) -> (usize, Vec<u8>) {
    let start = std::ptr::with_exposed_provenance::<u8>(at);
    // SAFETY: a section that the loader has just mapped.
    (at, unsafe { std::slice::from_raw_parts(start, bytes) }.to_vec())
}

/// What is kept of code that has been loaded.
#[derive(Default)]
struct Loaded {
    /// Objects that are not in use. Those with variables of their own are taken out.
    objects: Vec<Arc<Object>>,
    lines: Option<&'static Lines>,
}

/// What is the same in copies of an object: the fingerprint of its code, and where its sources lie.
type Shelved = (String, Roots);

/// Loaded objects.
static SHELF: Mutex<BTreeMap<Shelved, Loaded>> = Mutex::new(BTreeMap::new());

/// All objects.
static LOADED: Mutex<Vec<Arc<Object>>> = Mutex::new(Vec::new());

/// Takes every lock once that a run of kernels takes, the loader's among them. In a forked process,
/// this does not end if another thread held one of them.
pub fn take_locks_once() {
    drop(SHELF.lock());
    drop(LOADED.lock());
    drop(Library::this());
    crate::intern::intern("");
    crate::sharding::take_lock_once();
    super::lines::take_lock_once();
    tilewright_machine::take_locks_once();
}

/// The line before an instruction of any object, for who runs none.
pub(super) fn site_of(pc: usize) -> Option<Site> {
    let all = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let object = all.iter().find(|object| object.contains(pc))?;
    object.site(pc as u64, || only(pc))
}

/// An instruction without calls that led there.
fn only(pc: usize) -> Calls {
    let mut calls = Calls::NONE;
    calls.add(pc);
    calls
}

/// An object for one processor of one core; goes back to the shelf in the end.
pub(super) struct Instance {
    object: Arc<Object>,
    code: Arc<Code>,
}

impl Instance {
    /// An object that nobody else runs, unless that makes no difference.
    pub(super) fn take(code: &Arc<Code>) -> Result<Instance, CppError> {
        let mut shelf = SHELF.lock().unwrap_or_else(PoisonError::into_inner);
        let Loaded { objects, lines } = shelf.entry(code.shelved()).or_default();
        if let Some(object) = objects.last().filter(|object| object.is_shareable()) {
            return Ok(Instance { object: Arc::clone(object), code: Arc::clone(code) });
        }
        let object = match objects.pop() {
            Some(object) => object,
            None => {
                let object = Arc::new(Object::load(code, *lines)?);
                let mut all = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
                all.push(Arc::clone(&object));
                object
            }
        };
        *lines = Some(object.lines);
        if object.is_shareable() {
            objects.push(Arc::clone(&object));
        }
        Ok(Instance { object, code: Arc::clone(code) })
    }

    pub(super) fn object(&self) -> &Object {
        &self.object
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if !self.object.is_shareable() {
            let mut shelf = SHELF.lock().unwrap_or_else(PoisonError::into_inner);
            shelf.entry(self.code.shelved()).or_default().objects.push(Arc::clone(&self.object));
        }
    }
}

/// Has the loader map an object, and run its constructors.
fn open(bytes: &[u8]) -> Result<Library, String> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let file = memory(bytes).map_err(|error| format!("there is no memory for it: {error}"))?;
    let name = name(file.as_raw_fd(), NEXT.fetch_add(1, Ordering::Relaxed));
    // SAFETY: the object is one that we have had compiled; what it runs when it is loaded are
    // the kernel's own constructors.
    let library = unsafe { Library::open(Some(&name), RTLD_NOW | RTLD_LOCAL) };
    // What is mapped stays; the descriptor has done its work.
    library.map_err(|error| error.to_string().replace(&name, "the object"))
}

/// Loads the library that objects need, so that processes which are forked later share it; without
/// it, the first object loads it. Only for processes of one thread: what is forked while another
/// thread loads would wait for the loader's lock for ever.
pub fn load_runtime() {
    static RUNTIME: OnceLock<Option<Library>> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        // SAFETY: the C++ runtime, whose constructors every object would run.
        unsafe { Library::open(Some("libstdc++.so.6"), RTLD_NOW | RTLD_LOCAL) }.ok()
    });
}

/// A file without a name that holds these bytes.
fn memory(bytes: &[u8]) -> io::Result<File> {
    // SAFETY: a name that ends in zero.
    let made = unsafe { libc::memfd_create(c"tilewright-kernel".as_ptr(), libc::MFD_CLOEXEC) };
    if made < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a descriptor that the host has just made for us.
    let mut file = unsafe { File::from_raw_fd(made) };
    file.write_all(bytes)?;
    Ok(file)
}

/// A path of a descriptor that no other object was loaded by: descriptors come again, and the
/// loader gives the same object for the same path.
fn name(descriptor: i32, turn: usize) -> String {
    let mut name = "/proc/self/fd".to_owned();
    for bit in 0..usize::BITS - turn.leading_zeros() {
        // Of one length, so that no two numbers give the same path.
        name.push_str(if turn >> bit & 1 == 1 { "/./" } else { "///" });
    }
    format!("{name}/{descriptor}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn calls_are_told_from_other_code() {
        let is_call = |code: &[u8]| {
            let mut bytes = [0x90; 7];
            bytes[7 - code.len()..].copy_from_slice(code);
            super::is_call(&bytes)
        };
        assert!(is_call(&[0xe8, 1, 2, 3, 4]), "call rel32");
        assert!(is_call(&[0xff, 0xd0]), "call *%rax");
        assert!(is_call(&[0xff, 0x50, 0x18]), "call *0x18(%rax)");
        assert!(is_call(&[0xff, 0x92, 0, 1, 0, 0]), "call *0x100(%rdx)");
        assert!(is_call(&[0xff, 0x15, 1, 2, 3, 4]), "call *rip");
        assert!(is_call(&[0xff, 0x54, 0x24, 0x08]), "call *8(%rsp)");
        assert!(is_call(&[0xff, 0x94, 0x24, 8, 0, 0, 0]), "call *8(%rsp), long");
        assert!(!is_call(&[0x48, 0x8d, 0x05, 0, 0, 0, 0]), "lea 0(%rip), %rax");
        assert!(!is_call(&[0xff, 0xe0]), "jmp *%rax");
        assert!(!is_call(&[0x48, 0x89, 0xe5]), "mov %rsp, %rbp");
    }

    #[test]
    fn no_two_objects_are_loaded_by_one_path() {
        let paths: BTreeSet<String> = (0..5_000).map(|turn| super::name(7, turn)).collect();
        assert_eq!(paths.len(), 5_000);
    }
}
