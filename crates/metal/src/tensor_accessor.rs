//! From page index to bank and address, in kernels: tensor accessors and their arguments.
//!
//! The words are tt-metal's (`tt_metal/impl/buffers/tensor_accessor_args.cpp`), so that Rust and
//! C++ kernels read the same ones. Sharded tensors are refused by name.

use std::fmt;

use tilewright_machine::{Architecture, NocAddress};

use crate::buffer::Buffer;
use crate::interleaving::{Interleaving, Storage};

/// tt-metal's `ArgConfig` bits (`hostdevcommon/tensor_accessor/arg_config.hpp`).
const SHARDED: u32 = 1 << 0;
const IS_DRAM: u32 = 1 << 1;

/// What a kernel must know of a tensor when it is compiled: two words among its compile-time
/// arguments. Each tensor's words follow those of the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorAccessorArgs {
    storage: Storage,
    aligned_page_bytes: u32,
    offset: usize,
}

impl TensorAccessorArgs {
    /// Words that an interleaved tensor takes.
    pub const WORDS: usize = 2;

    /// The arguments of a buffer, on the host.
    pub fn new(buffer: &Buffer) -> TensorAccessorArgs {
        let (storage, aligned_page_bytes) = (buffer.storage, buffer.page_stride);
        TensorAccessorArgs { storage, aligned_page_bytes, offset: 0 }
    }

    /// The arguments of an optional tensor that is not there; the words after it stay in place.
    pub fn absent() -> TensorAccessorArgs {
        TensorAccessorArgs { storage: Storage::L1, aligned_page_bytes: 0, offset: 0 }
    }

    /// Appends the words to a kernel's compile-time arguments.
    pub fn append_to(&self, compile_time_args: &mut Vec<u32>) {
        compile_time_args.extend(self.words());
    }

    /// The words.
    pub fn words(&self) -> [u32; TensorAccessorArgs::WORDS] {
        let config = match self.storage {
            Storage::Dram => IS_DRAM,
            Storage::L1 => 0,
        };
        [config, self.aligned_page_bytes]
    }

    /// Reads the words back, in a kernel: those from `offset` in its compile-time arguments.
    #[inline]
    pub fn at(
        compile_time_args: &[u32],
        offset: usize,
    ) -> Result<TensorAccessorArgs, AccessorError> {
        let words = compile_time_args.get(offset..).unwrap_or_default();
        let &[config, aligned_page_bytes, ..] = words else {
            return Err(AccessorError::TooFewWords { offset, words: compile_time_args.len() });
        };
        let storage = match config {
            0 => Storage::L1,
            IS_DRAM => Storage::Dram,
            config if config & !(SHARDED | IS_DRAM) == 0 => {
                return Err(AccessorError::Sharded { offset });
            }
            config => return Err(AccessorError::NotAConfig { offset, config }),
        };
        Ok(TensorAccessorArgs { storage, aligned_page_bytes, offset })
    }

    /// Where the next tensor's words begin.
    #[inline]
    pub fn next_compile_time_args_offset(&self) -> usize {
        self.offset + TensorAccessorArgs::WORDS
    }

    /// The memory the tensor is in.
    pub fn storage(&self) -> Storage {
        self.storage
    }

    /// Bytes from one page to the next in the same bank.
    pub fn aligned_page_bytes(&self) -> u32 {
        self.aligned_page_bytes
    }
}

/// Finds the pages of one tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorAccessor {
    interleaving: Interleaving,
    base_address: u32,
    stride: u32,
}

impl TensorAccessor {
    /// The accessor of a tensor at `base_address` whose pages have `page_bytes` bytes. Nothing is
    /// checked, as on silicon: a wrong page size gives the addresses of a wrong page size.
    #[inline]
    pub fn new(
        args: TensorAccessorArgs,
        base_address: u32,
        page_bytes: u32,
        arch: &Architecture,
    ) -> TensorAccessor {
        let interleaving = Interleaving::new(arch, args.storage);
        TensorAccessor { interleaving, base_address, stride: interleaving.stride(page_bytes) }
    }

    /// The accessor of a tensor with the page size that the host wrote into the arguments.
    #[inline]
    pub fn from_args(
        args: TensorAccessorArgs,
        base_address: u32,
        arch: &Architecture,
    ) -> TensorAccessor {
        TensorAccessor::new(args, base_address, args.aligned_page_bytes, arch)
    }

    /// Where page `index` begins.
    #[inline]
    pub fn page(&self, index: u32) -> NocAddress {
        self.interleaving.place(self.base_address, self.stride, index)
    }

    /// Where the byte `byte_offset` of page `index` is.
    #[inline]
    pub fn page_offset(&self, index: u32, byte_offset: u32) -> NocAddress {
        let base = self.base_address.wrapping_add(byte_offset);
        self.interleaving.place(base, self.stride, index)
    }

    /// The address that page 0 has in bank 0.
    #[inline]
    pub fn bank_base_address(&self) -> u32 {
        self.base_address
    }

    /// Bytes from one page to the next in the same bank.
    #[inline]
    pub fn aligned_page_bytes(&self) -> u32 {
        self.stride
    }
}

/// Why compile-time arguments are not those of an accessor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessorError {
    /// The arguments end before the accessor's words do.
    TooFewWords {
        /// Where the words should begin.
        offset: usize,
        /// How many arguments the kernel has.
        words: usize,
    },
    /// The words are those of a sharded tensor.
    Sharded {
        /// Where they begin.
        offset: usize,
    },
    /// The first word is no configuration of an interleaved tensor.
    NotAConfig {
        /// Where it is.
        offset: usize,
        /// The word.
        config: u32,
    },
}

impl fmt::Display for AccessorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AccessorError::TooFewWords { offset, words } => write!(
                f,
                "tensor accessor arguments at compile-time argument {offset} need {}, and the \
                 kernel has {words} in all; append them on the host, in the order the kernel reads",
                TensorAccessorArgs::WORDS
            ),
            AccessorError::Sharded { offset } => write!(
                f,
                "compile-time argument {offset} describes a sharded tensor, which is not \
                 modelled; use an interleaved one"
            ),
            AccessorError::NotAConfig { offset, config } => write!(
                f,
                "compile-time argument {offset} is {config}, which does not describe an \
                 interleaved tensor (0: L1, 2: DRAM); is the offset right?"
            ),
        }
    }
}

impl std::error::Error for AccessorError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;

    #[test]
    fn arguments_chain() {
        let mut device = Device::n150();
        let input = device.allocate(Storage::Dram, 2048, 40).unwrap();
        let output = device.allocate(Storage::L1, 100, 200).unwrap();
        let mut words = vec![9, 9, 9];
        TensorAccessorArgs::new(&input).append_to(&mut words);
        TensorAccessorArgs::absent().append_to(&mut words);
        TensorAccessorArgs::new(&output).append_to(&mut words);
        assert_eq!(words, [9, 9, 9, 2, 2048, 0, 0, 0, 112]);

        let arch = device.architecture();
        let first = TensorAccessorArgs::at(&words, 3).unwrap();
        let second = TensorAccessorArgs::at(&words, first.next_compile_time_args_offset()).unwrap();
        let third = TensorAccessorArgs::at(&words, second.next_compile_time_args_offset()).unwrap();
        assert_eq!(third.next_compile_time_args_offset(), words.len());
        for (args, buffer) in [(first, input), (third, output)] {
            let accessor = TensorAccessor::from_args(args, buffer.address_word(), arch);
            let sized = TensorAccessor::new(args, buffer.address_word(), buffer.page_bytes, arch);
            assert_eq!(accessor, sized);
            for index in 0..buffer.pages {
                assert_eq!(Ok(accessor.page(index)), buffer.page(index));
            }
            let (at, inside) = (accessor.page(39), accessor.page_offset(39, 48));
            assert_eq!(inside.low_bits(), at.low_bits() + 48);
        }
    }

    #[test]
    fn a_wrong_page_size_gives_wrong_addresses_and_no_panic() {
        let device = Device::n150();
        let args = TensorAccessorArgs::at(&[2, 2048], 0).unwrap();
        let accessor = TensorAccessor::new(args, u32::MAX, u32::MAX, device.architecture());
        assert_eq!(accessor.page_offset(u32::MAX, u32::MAX).low_bits(), 0xffff_fffe);
    }

    #[test]
    fn words_that_are_no_accessor_are_refused() {
        let at = TensorAccessorArgs::at;
        assert_eq!(at(&[2], 0), Err(AccessorError::TooFewWords { offset: 0, words: 1 }));
        assert_eq!(at(&[2, 2048], 9), Err(AccessorError::TooFewWords { offset: 9, words: 2 }));
        assert_eq!(at(&[0, 3, 64], 1), Err(AccessorError::Sharded { offset: 1 }));
        assert_eq!(at(&[130, 0], 0), Err(AccessorError::NotAConfig { offset: 0, config: 130 }));
    }
}
