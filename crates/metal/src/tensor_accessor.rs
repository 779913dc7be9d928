//! From page index to bank and address, in kernels: tensor accessors and their arguments.
//!
//! The words are tt-metal's (`tt_metal/impl/buffers/tensor_accessor_args.cpp`), so that Rust and
//! C++ kernels read the same ones.

use std::fmt;

use tilewright_machine::{Architecture, CoreCoord, NocAddress};

use crate::buffer::Buffer;
use crate::interleaving::{Interleaving, Storage};
use crate::sharding::{Distribution, Sharding};

/// tt-metal's `ArgConfig` bits (`hostdevcommon/tensor_accessor/arg_config.hpp`).
const SHARDED: u32 = 1 << 0;
const IS_DRAM: u32 = 1 << 1;
const RUNTIME_RANK: u32 = 1 << 2;
const RUNTIME_BANKS: u32 = 1 << 3;
const RUNTIME_TENSOR: u32 = 1 << 4;
const RUNTIME_SHARD: u32 = 1 << 5;
const RUNTIME_COORDINATES: u32 = 1 << 6;
const KNOWN: u32 = (1 << 7) - 1;
/// The bit of the word with the number of banks that puts neighbouring shards into one bank.
const CONTIGUOUS: u32 = 1 << 31;

/// Bits that move a group of words from the compile-time to the common runtime arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuntimeWords(u32);

impl RuntimeWords {
    /// The number of dimensions; then both shapes, too.
    pub const RANK: RuntimeWords = RuntimeWords(RUNTIME_RANK | RUNTIME_TENSOR | RUNTIME_SHARD);
    /// The number of banks; then their coordinates, too.
    pub const BANKS: RuntimeWords = RuntimeWords(RUNTIME_BANKS | RUNTIME_COORDINATES);
    /// The tensor's shape.
    pub const TENSOR_SHAPE: RuntimeWords = RuntimeWords(RUNTIME_TENSOR);
    /// The shard's shape.
    pub const SHARD_SHAPE: RuntimeWords = RuntimeWords(RUNTIME_SHARD);
    /// The coordinates of banks.
    pub const BANK_COORDINATES: RuntimeWords = RuntimeWords(RUNTIME_COORDINATES);

    /// Both groups.
    pub fn and(self, other: RuntimeWords) -> RuntimeWords {
        RuntimeWords(self.0 | other.0)
    }
}

/// What a kernel must know of a tensor: words among its compile-time and common runtime arguments.
/// Each tensor's words follow those of the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorAccessorArgs {
    storage: Storage,
    aligned_page_bytes: u32,
    sharding: Option<Sharding>,
    runtime: RuntimeWords,
    /// Where the words after it begin, among compile-time and common runtime arguments.
    next: (usize, usize),
}

impl TensorAccessorArgs {
    /// Words that an interleaved tensor takes.
    pub const WORDS: usize = 2;

    /// The arguments of a buffer, on the host.
    pub fn new(buffer: &Buffer) -> TensorAccessorArgs {
        TensorAccessorArgs::with_runtime(buffer, RuntimeWords::default())
    }

    /// The same with some words of a sharded tensor among the common runtime arguments.
    pub fn with_runtime(buffer: &Buffer, runtime: RuntimeWords) -> TensorAccessorArgs {
        let (storage, aligned_page_bytes) = (buffer.storage, buffer.page_stride);
        let sharding = buffer.sharding();
        let runtime = if sharding.is_some() { runtime } else { RuntimeWords::default() };
        TensorAccessorArgs { storage, aligned_page_bytes, sharding, runtime, next: (0, 0) }
    }

    /// The arguments of an optional tensor that is not there; the words after it stay in place.
    pub fn absent() -> TensorAccessorArgs {
        TensorAccessorArgs {
            storage: Storage::L1,
            aligned_page_bytes: 0,
            sharding: None,
            runtime: RuntimeWords::default(),
            next: (0, 0),
        }
    }

    /// Appends the words to a kernel's compile-time arguments.
    pub fn append_to(&self, compile_time_args: &mut Vec<u32>) {
        compile_time_args.extend(self.words());
    }

    /// The words among the compile-time arguments.
    pub fn words(&self) -> Vec<u32> {
        let dram = match self.storage {
            Storage::Dram => IS_DRAM,
            Storage::L1 => 0,
        };
        let sharded = if self.sharding.is_some() { SHARDED } else { 0 };
        let config = dram | sharded | self.runtime.0;
        let groups = self.groups().filter(|(bit, _)| config & bit == 0);
        [config, self.aligned_page_bytes].into_iter().chain(groups.flat_map(|it| it.1)).collect()
    }

    /// The words among the common runtime arguments.
    pub fn common_words(&self) -> Vec<u32> {
        let groups = self.groups().filter(|(bit, _)| self.runtime.0 & bit != 0);
        groups.flat_map(|(_, words)| words).collect()
    }

    /// The words of a sharded tensor, with the bit that makes them runtime arguments.
    fn groups(&self) -> impl Iterator<Item = (u32, Vec<u32>)> {
        self.sharding.into_iter().flat_map(|sharding| {
            let it = sharding.distribution();
            let contiguous = if it.is_contiguous { CONTIGUOUS } else { 0 };
            let packed = |bank: &CoreCoord| u32::from(bank.x) << 8 | u32::from(bank.y);
            let pair = |pair: &[CoreCoord]| {
                pair.iter().rev().fold(0, |word, bank| word << 16 | packed(bank))
            };
            [
                (RUNTIME_RANK, vec![it.tensor.len() as u32]),
                (RUNTIME_BANKS, vec![it.banks.len() as u32 | contiguous]),
                (RUNTIME_TENSOR, it.tensor.clone()),
                (RUNTIME_SHARD, it.shard.clone()),
                (RUNTIME_COORDINATES, it.banks.chunks(2).map(pair).collect()),
            ]
        })
    }

    /// Reads the words back, in a kernel: those from `offset` in its compile-time arguments.
    #[inline]
    pub fn at(
        compile_time_args: &[u32],
        offset: usize,
    ) -> Result<TensorAccessorArgs, AccessorError> {
        TensorAccessorArgs::with_common(compile_time_args, offset, &[], 0)
    }

    /// The same with what is among its common runtime arguments, from `common_offset` on.
    #[inline]
    pub fn with_common(
        compile_time_args: &[u32],
        offset: usize,
        common_args: &[u32],
        common_offset: usize,
    ) -> Result<TensorAccessorArgs, AccessorError> {
        let words = compile_time_args.get(offset..).unwrap_or_default();
        let &[config, aligned_page_bytes, ..] = words else {
            return Err(AccessorError::TooFewWords { offset, words: compile_time_args.len() });
        };
        let next = (offset + TensorAccessorArgs::WORDS, common_offset);
        let runtime = RuntimeWords::default();
        let args = |storage| TensorAccessorArgs {
            storage,
            aligned_page_bytes,
            sharding: None,
            runtime,
            next,
        };
        match config {
            0 => Ok(args(Storage::L1)),
            IS_DRAM => Ok(args(Storage::Dram)),
            config if config & SHARDED != 0 && config & !KNOWN == 0 => {
                let storage = if config & IS_DRAM == 0 { Storage::L1 } else { Storage::Dram };
                let mut words = Words { lists: [compile_time_args, common_args], next, config };
                let sharding = words.sharding(storage);
                let short = AccessorError::TooFewWords { offset, words: compile_time_args.len() };
                let sharding = Some(sharding.ok_or(short)?);
                let runtime = RuntimeWords(config & !(SHARDED | IS_DRAM));
                Ok(TensorAccessorArgs { sharding, runtime, next: words.next, ..args(storage) })
            }
            config => Err(AccessorError::NotAConfig { offset, config }),
        }
    }

    /// Where the next tensor's words begin.
    #[inline]
    pub fn next_compile_time_args_offset(&self) -> usize {
        self.next.0
    }

    /// Where the next tensor's words begin among the common runtime arguments.
    #[inline]
    pub fn next_common_runtime_args_offset(&self) -> usize {
        self.next.1
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

/// The words of a sharded tensor, read one after another from two lists.
struct Words<'a> {
    lists: [&'a [u32]; 2],
    next: (usize, usize),
    config: u32,
}

impl Words<'_> {
    fn sharding(&mut self, storage: Storage) -> Option<Sharding> {
        let rank = self.take(RUNTIME_RANK, 1)?[0] as usize;
        let banks = self.take(RUNTIME_BANKS, 1)?[0];
        let (count, is_contiguous) = ((banks & !CONTIGUOUS) as usize, banks & CONTIGUOUS != 0);
        let tensor = self.take(RUNTIME_TENSOR, rank)?;
        let shard = self.take(RUNTIME_SHARD, rank)?;
        let coordinates = self.take(RUNTIME_COORDINATES, count.div_ceil(2))?;
        let bank = |number: usize| {
            let word = coordinates[number / 2] >> (number % 2 * 16);
            CoreCoord::new((word >> 8) as u8, word as u8)
        };
        let banks: Vec<CoreCoord> = (0..count).map(bank).collect();
        let is_right = rank > 0 && count > 0 && tensor.iter().chain(&shard).all(|size| *size > 0);
        let all = Distribution { storage, tensor, shard, banks, is_contiguous, spec: None };
        is_right.then(|| Sharding::of(all))
    }

    fn take(&mut self, bit: u32, words: usize) -> Option<Vec<u32>> {
        let (list, next) = match self.config & bit {
            0 => (self.lists[0], &mut self.next.0),
            _ => (self.lists[1], &mut self.next.1),
        };
        let taken = list.get(*next..next.checked_add(words)?)?.to_vec();
        *next += words;
        Some(taken)
    }
}

/// Finds the pages of one tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorAccessor {
    interleaving: Interleaving,
    sharding: Option<Sharding>,
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
        let (sharding, stride) = (args.sharding, interleaving.stride(page_bytes));
        TensorAccessor { interleaving, sharding, base_address, stride }
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
        self.page_offset(index, 0)
    }

    /// Where the byte `byte_offset` of page `index` is.
    #[inline]
    pub fn page_offset(&self, index: u32, byte_offset: u32) -> NocAddress {
        let base = self.base_address.wrapping_add(byte_offset);
        match self.sharding {
            Some(sharding) => sharding.place(base, self.stride, index),
            None => self.interleaving.place(base, self.stride, index),
        }
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
                "tensor accessor arguments at compile-time argument {offset} are incomplete: the \
                 kernel has {words} in all; append them on the host, in the order the kernel reads"
            ),
            AccessorError::NotAConfig { offset, config } => write!(
                f,
                "compile-time argument {offset} is {config}, which does not describe a tensor \
                 (0: L1, 2: DRAM, and 1 more if it is sharded); is the offset right?"
            ),
        }
    }
}

impl std::error::Error for AccessorError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;

    /// Host programs and kernels give these bits as numbers.
    #[test]
    fn bits_are_those_of_the_headers() {
        let header = include_str!("../shim/api/tensor/tensor_accessor_args.h");
        let theirs = tilewright_testing::enums::enumerators(header, "ArgConfig");
        let here = [
            ("None", 0),
            ("Sharded", SHARDED),
            ("IsDram", IS_DRAM),
            ("RuntimeRank", RUNTIME_RANK),
            ("RuntimeNumBanks", RUNTIME_BANKS),
            ("RuntimeTensorShape", RUNTIME_TENSOR),
            ("RuntimeShardShape", RUNTIME_SHARD),
            ("RuntimeBankCoords", RUNTIME_COORDINATES),
            ("RuntimePageSize", KNOWN + 1),
        ];
        assert_eq!(theirs, here.map(|(word, bit)| (word.to_owned(), bit)));
    }

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
        assert_eq!(at(&[0, 3, 64], 1), Err(AccessorError::TooFewWords { offset: 1, words: 3 }));
        let no_rank = [3, 64, 0, 1, 0];
        assert_eq!(at(&no_rank, 0), Err(AccessorError::TooFewWords { offset: 0, words: 5 }));
        assert_eq!(at(&[130, 0], 0), Err(AccessorError::NotAConfig { offset: 0, config: 130 }));
    }
}
