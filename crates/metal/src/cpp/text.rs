//! Texts and structs that kernels hand over by pointer.

#![allow(unsafe_code, reason = "reads and writes through a kernel's pointers")]

use std::ffi::{CStr, c_char};

/// A text that ends in a zero byte.
pub(super) fn read(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: our headers pass literals, or texts that they have built.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// So many bytes of text.
pub(super) fn read_bytes(text: *const c_char, bytes: u64) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: our headers pass a buffer of their own and its length.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), bytes as usize) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// So many words.
pub(super) fn read_words(words: *const u32, count: u32) -> Vec<u32> {
    // SAFETY: our headers pass an array of their own and its length.
    unsafe { std::slice::from_raw_parts(words, count as usize) }.to_vec()
}

/// Writes a struct where the caller wants it.
pub(super) fn store<T>(to: *mut T, value: T) {
    // SAFETY: our headers pass a variable of their own.
    unsafe { to.write(value) };
}
