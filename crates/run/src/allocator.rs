//! The host's allocator, which ends the process with an answer when there is no memory left.
//!
//! Rust would abort, and nobody would know why.

#![allow(unsafe_code, reason = "an allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;

/// What is said in the end: the text, whether to standard output, and the exit code.
static LAST_WORDS: Mutex<Option<(String, bool, i32)>> = Mutex::new(None);

/// Says what is printed when memory is exhausted, and the exit code; otherwise Rust's own abort.
pub fn on_exhaustion(text: String, is_output: bool, code: i32) {
    if let Ok(mut words) = LAST_WORDS.lock() {
        *words = Some((text, is_output, code));
    }
}

/// Has the C library give large buffers back as soon as they are freed: for a process of ours
/// alone. By default it keeps them after a while, and small ones come to lie among them.
pub fn give_back_large_buffers() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const LARGE: i32 = 1 << 20;
        // SAFETY: it sets a number of the C library's allocator.
        unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE) };
    }
}

/// The host's allocator.
#[derive(Debug)]
pub struct Allocator;

// SAFETY: the system's allocator in all respects; where that has nothing, the process ends.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller says.
        found(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller says.
        found(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as the caller says.
        found(unsafe { System.realloc(start, layout, bytes) })
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: as the caller says.
        unsafe { System.dealloc(start, layout) }
    }
}

fn found(start: *mut u8) -> *mut u8 {
    if start.is_null() {
        exhausted();
    }
    start
}

/// Ends the process; returns if nothing was said about it.
#[cold]
fn exhausted() {
    // The holder of the lock is about to end the process, too.
    let Ok(words) = LAST_WORDS.try_lock() else { return };
    let Some((text, is_output, code)) = &*words else { return };
    end(text, *is_output, *code)
}

#[cfg(target_os = "linux")]
fn end(text: &str, is_output: bool, code: i32) -> ! {
    crate::process::print(if is_output { 1 } else { 2 }, text);
    crate::process::exit(code)
}

#[cfg(not(target_os = "linux"))]
fn end(text: &str, is_output: bool, code: i32) -> ! {
    use std::io::Write;
    // There is nobody left to tell.
    drop(match is_output {
        true => std::io::stdout().write_all(text.as_bytes()),
        false => std::io::stderr().write_all(text.as_bytes()),
    });
    std::process::exit(code)
}
