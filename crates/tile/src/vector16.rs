//! Sixteen 32-bit lanes at a time, for loops whose order of loads and multiplications matters more
//! than what the compiler makes of plain Rust.
//!
//! Everything else is plain loops in `dispatch`. A portable build has no such vectors: who uses
//! them has a plain loop beside it that computes the same bits.

use crate::dispatch::SimdLevel;

/// Lanes of a vector.
pub(crate) const LANES: usize = 16;

/// Signed bytes, a row of a tile.
pub(crate) type Bytes = [i8; 2 * LANES];

/// Sixteen lanes of 32 bits, as floats or as integers, whichever an operation takes.
pub(crate) trait Vector16: Copy {
    /// Whether the host has registers for eight running sums and more of such vectors.
    const HAS_MANY: bool;

    /// From memory.
    fn load(from: &[u32; LANES]) -> Self;
    /// Signed bytes from memory.
    fn load_bytes(from: &[i8; LANES]) -> Self;
    /// To memory.
    fn store(self, to: &mut [u32; LANES]);
    /// Signed integers that fit to memory, as bytes.
    fn store_bytes(self, to: &mut [i8; LANES]);
    /// The same bits in each lane.
    fn splat(bits: u32) -> Self;

    /// `self * factor + added` of floats, rounded once.
    fn mul_add(self, factor: Self, added: Self) -> Self;
    /// The sum of floats.
    fn add_floats(self, other: Self) -> Self;
    /// The difference of floats.
    fn sub_floats(self, other: Self) -> Self;
    /// Signed integers as floats.
    fn to_floats(self) -> Self;

    /// The sum of integers; wraps.
    fn add(self, other: Self) -> Self;
    /// The difference of integers; wraps.
    fn sub(self, other: Self) -> Self;
    /// The larger of signed integers.
    fn max(self, other: Self) -> Self;
    /// The smaller of signed integers.
    fn min(self, other: Self) -> Self;
    /// The smaller of integers without a sign.
    fn min_unsigned(self, other: Self) -> Self;
    /// The magnitude of signed integers.
    fn abs(self) -> Self;
    /// Bits that both have.
    fn and(self, other: Self) -> Self;
    /// Bits that either has.
    fn or(self, other: Self) -> Self;
    /// Bits that one of them has.
    fn xor(self, other: Self) -> Self;
    /// Bits moved up.
    fn shift_left<const BITS: u32>(self) -> Self;
    /// Bits moved down; zeros follow.
    fn shift_right<const BITS: u32>(self) -> Self;
    /// Bits moved down; the sign follows.
    fn shift_right_signed<const BITS: u32>(self) -> Self;
    /// Bits moved down, each lane by its own count; from 32 on nothing is left.
    fn shift_right_by(self, counts: Self) -> Self;
    /// Bits moved down, each lane by its own count; from 32 on the sign is left.
    fn shift_right_signed_by(self, counts: Self) -> Self;
    /// `self` where `other` is not zero, zero elsewhere.
    fn where_not_zero(self, other: Self) -> Self;
    /// Which lanes have the same bits, a bit each.
    fn equal(self, other: Self) -> u32;

    /// The largest sum of a row's byte and that row's scalar, in each column.
    fn most_of_sums(rows: &[Bytes; 8], scalars: &[i8; 8], most: &mut Bytes);
}

/// A loop over vectors.
pub(crate) trait VectorLoop {
    /// What the loop returns.
    type Output;
    /// Runs the loop. Must be `#[inline(always)]`, and so must what it calls.
    fn run<V: Vector16>(self) -> Self::Output;
}

/// Runs a loop with the vectors of the level in use, if it has any.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn run<L: VectorLoop>(_: SimdLevel, _: L) -> Option<L::Output> {
    None
}

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::run;

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "instructions that a level has")]
mod x86 {
    //! AVX-512, and AVX2 with two registers for a vector.
    //!
    //! SAFETY of all of it: `run` is called with a level of this machine, and nothing else makes
    //! such vectors. Arrays of sixteen words are as large as what is loaded and stored.

    use std::arch::x86_64::*;

    use super::{Bytes, LANES, SimdLevel, Vector16, VectorLoop};

    /// As documented outside; `level` must be one of this machine.
    #[inline]
    pub(crate) fn run<L: VectorLoop>(level: SimdLevel, looped: L) -> Option<L::Output> {
        match level {
            SimdLevel::Portable => None,
            SimdLevel::Avx2 => Some(unsafe { run_avx2(looped) }),
            SimdLevel::Avx512 => Some(unsafe { run_avx512(looped) }),
        }
    }

    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt")]
    fn run_avx2<L: VectorLoop>(looped: L) -> L::Output {
        looped.run::<Pair>()
    }

    #[target_feature(
        enable = "avx2,fma,bmi1,bmi2,lzcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl"
    )]
    fn run_avx512<L: VectorLoop>(looped: L) -> L::Output {
        looped.run::<Whole>()
    }

    #[inline(always)]
    fn most_of_sums(rows: &[Bytes; 8], scalars: &[i8; 8], most: &mut Bytes) {
        unsafe {
            let mut largest = _mm256_set1_epi8(i8::MIN);
            for (row, scalar) in rows.iter().zip(scalars) {
                let row = _mm256_loadu_si256(row.as_ptr().cast());
                let sum = _mm256_adds_epi8(row, _mm256_set1_epi8(*scalar));
                largest = _mm256_max_epi8(largest, sum);
            }
            _mm256_storeu_si256(most.as_mut_ptr().cast(), largest);
        }
    }

    #[derive(Clone, Copy)]
    struct Whole(__m512i);

    #[derive(Clone, Copy)]
    struct Pair(__m256i, __m256i);

    impl Whole {
        #[inline(always)]
        fn floats(self) -> __m512 {
            unsafe { _mm512_castsi512_ps(self.0) }
        }

        #[inline(always)]
        fn of(floats: __m512) -> Whole {
            Whole(unsafe { _mm512_castps_si512(floats) })
        }
    }

    /// Methods of `Whole` that are one instruction of two vectors.
    macro_rules! whole {
        ($($name:ident = $instruction:ident;)*) => {
            $(#[inline(always)]
            fn $name(self, other: Whole) -> Whole {
                Whole(unsafe { $instruction(self.0, other.0) })
            })*
        };
    }

    impl Vector16 for Whole {
        const HAS_MANY: bool = true;

        #[inline(always)]
        fn load(from: &[u32; LANES]) -> Whole {
            Whole(unsafe { _mm512_loadu_si512(from.as_ptr().cast()) })
        }

        #[inline(always)]
        fn load_bytes(from: &[i8; LANES]) -> Whole {
            Whole(unsafe { _mm512_cvtepi8_epi32(_mm_loadu_si128(from.as_ptr().cast())) })
        }

        #[inline(always)]
        fn store(self, to: &mut [u32; LANES]) {
            unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), self.0) }
        }

        #[inline(always)]
        fn store_bytes(self, to: &mut [i8; LANES]) {
            unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), _mm512_cvtepi32_epi8(self.0)) }
        }

        #[inline(always)]
        fn splat(bits: u32) -> Whole {
            Whole(unsafe { _mm512_set1_epi32(bits as i32) })
        }

        #[inline(always)]
        fn mul_add(self, factor: Whole, added: Whole) -> Whole {
            Whole::of(unsafe { _mm512_fmadd_ps(self.floats(), factor.floats(), added.floats()) })
        }

        #[inline(always)]
        fn add_floats(self, other: Whole) -> Whole {
            Whole::of(unsafe { _mm512_add_ps(self.floats(), other.floats()) })
        }

        #[inline(always)]
        fn sub_floats(self, other: Whole) -> Whole {
            Whole::of(unsafe { _mm512_sub_ps(self.floats(), other.floats()) })
        }

        #[inline(always)]
        fn to_floats(self) -> Whole {
            Whole::of(unsafe { _mm512_cvtepi32_ps(self.0) })
        }

        whole! {
            add = _mm512_add_epi32;
            sub = _mm512_sub_epi32;
            max = _mm512_max_epi32;
            min = _mm512_min_epi32;
            min_unsigned = _mm512_min_epu32;
            and = _mm512_and_si512;
            or = _mm512_or_si512;
            xor = _mm512_xor_si512;
            shift_right_by = _mm512_srlv_epi32;
            shift_right_signed_by = _mm512_srav_epi32;
        }

        #[inline(always)]
        fn abs(self) -> Whole {
            Whole(unsafe { _mm512_abs_epi32(self.0) })
        }

        #[inline(always)]
        fn shift_left<const BITS: u32>(self) -> Whole {
            Whole(unsafe { _mm512_slli_epi32::<BITS>(self.0) })
        }

        #[inline(always)]
        fn shift_right<const BITS: u32>(self) -> Whole {
            Whole(unsafe { _mm512_srli_epi32::<BITS>(self.0) })
        }

        #[inline(always)]
        fn shift_right_signed<const BITS: u32>(self) -> Whole {
            Whole(unsafe { _mm512_srai_epi32::<BITS>(self.0) })
        }

        #[inline(always)]
        fn where_not_zero(self, other: Whole) -> Whole {
            Whole(unsafe {
                _mm512_maskz_mov_epi32(_mm512_test_epi32_mask(other.0, other.0), self.0)
            })
        }

        #[inline(always)]
        fn equal(self, other: Whole) -> u32 {
            unsafe { _mm512_cmpeq_epi32_mask(self.0, other.0) }.into()
        }

        #[inline(always)]
        fn most_of_sums(rows: &[Bytes; 8], scalars: &[i8; 8], most: &mut Bytes) {
            most_of_sums(rows, scalars, most);
        }
    }

    /// Methods of `Pair` that are one instruction, twice: of one vector, of two, and of floats.
    macro_rules! pair {
        ($($name:ident($($other:ident)?) = $instruction:ident;)*) => {
            $(#[inline(always)]
            fn $name(self $(, $other: Pair)?) -> Pair {
                unsafe {
                    Pair(
                        $instruction(self.0 $(, $other.0)?),
                        $instruction(self.1 $(, $other.1)?),
                    )
                }
            })*
        };
    }

    #[inline(always)]
    fn floats(half: __m256i) -> __m256 {
        unsafe { _mm256_castsi256_ps(half) }
    }

    #[inline(always)]
    fn bits(half: __m256) -> __m256i {
        unsafe { _mm256_castps_si256(half) }
    }

    #[inline(always)]
    fn half_mul_add(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
        bits(unsafe { _mm256_fmadd_ps(floats(a), floats(b), floats(c)) })
    }

    #[inline(always)]
    unsafe fn half_add(a: __m256i, b: __m256i) -> __m256i {
        bits(unsafe { _mm256_add_ps(floats(a), floats(b)) })
    }

    #[inline(always)]
    unsafe fn half_sub(a: __m256i, b: __m256i) -> __m256i {
        bits(unsafe { _mm256_sub_ps(floats(a), floats(b)) })
    }

    #[inline(always)]
    unsafe fn half_to_floats(half: __m256i) -> __m256i {
        bits(unsafe { _mm256_cvtepi32_ps(half) })
    }

    /// `a` where `b` is not zero.
    #[inline(always)]
    unsafe fn half_where(a: __m256i, b: __m256i) -> __m256i {
        unsafe { _mm256_andnot_si256(_mm256_cmpeq_epi32(b, _mm256_setzero_si256()), a) }
    }

    #[inline(always)]
    fn half_equal(a: __m256i, b: __m256i) -> u32 {
        unsafe { _mm256_movemask_ps(floats(_mm256_cmpeq_epi32(a, b))) as u32 }
    }

    /// A count as shifts take it; the compiler makes an immediate of a constant one.
    #[inline(always)]
    fn count(bits: u32) -> __m128i {
        unsafe { _mm_cvtsi32_si128(bits as i32) }
    }

    impl Vector16 for Pair {
        const HAS_MANY: bool = false;

        #[inline(always)]
        fn load(from: &[u32; LANES]) -> Pair {
            let (low, high) = from.split_at(LANES / 2);
            unsafe {
                Pair(
                    _mm256_loadu_si256(low.as_ptr().cast()),
                    _mm256_loadu_si256(high.as_ptr().cast()),
                )
            }
        }

        #[inline(always)]
        fn load_bytes(from: &[i8; LANES]) -> Pair {
            let (low, high) = from.split_at(LANES / 2);
            unsafe {
                Pair(
                    _mm256_cvtepi8_epi32(_mm_loadl_epi64(low.as_ptr().cast())),
                    _mm256_cvtepi8_epi32(_mm_loadl_epi64(high.as_ptr().cast())),
                )
            }
        }

        #[inline(always)]
        fn store(self, to: &mut [u32; LANES]) {
            let (low, high) = to.split_at_mut(LANES / 2);
            unsafe {
                _mm256_storeu_si256(low.as_mut_ptr().cast(), self.0);
                _mm256_storeu_si256(high.as_mut_ptr().cast(), self.1);
            }
        }

        #[inline(always)]
        fn store_bytes(self, to: &mut [i8; LANES]) {
            unsafe {
                // Packing takes quarters of both in turns.
                let turns = _mm256_packs_epi32(self.0, self.1);
                let halves = _mm256_permute4x64_epi64::<0b11_01_10_00>(turns);
                let (low, high) =
                    (_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
                _mm_storeu_si128(to.as_mut_ptr().cast(), _mm_packs_epi16(low, high));
            }
        }

        #[inline(always)]
        fn splat(bits: u32) -> Pair {
            let half = unsafe { _mm256_set1_epi32(bits as i32) };
            Pair(half, half)
        }

        #[inline(always)]
        fn mul_add(self, factor: Pair, added: Pair) -> Pair {
            Pair(half_mul_add(self.0, factor.0, added.0), half_mul_add(self.1, factor.1, added.1))
        }

        pair! {
            add_floats(other) = half_add;
            sub_floats(other) = half_sub;
            to_floats() = half_to_floats;
            add(other) = _mm256_add_epi32;
            sub(other) = _mm256_sub_epi32;
            max(other) = _mm256_max_epi32;
            min(other) = _mm256_min_epi32;
            min_unsigned(other) = _mm256_min_epu32;
            abs() = _mm256_abs_epi32;
            and(other) = _mm256_and_si256;
            or(other) = _mm256_or_si256;
            xor(other) = _mm256_xor_si256;
            shift_right_by(other) = _mm256_srlv_epi32;
            shift_right_signed_by(other) = _mm256_srav_epi32;
            where_not_zero(other) = half_where;
        }

        #[inline(always)]
        fn shift_left<const BITS: u32>(self) -> Pair {
            let by = count(BITS);
            unsafe { Pair(_mm256_sll_epi32(self.0, by), _mm256_sll_epi32(self.1, by)) }
        }

        #[inline(always)]
        fn shift_right<const BITS: u32>(self) -> Pair {
            let by = count(BITS);
            unsafe { Pair(_mm256_srl_epi32(self.0, by), _mm256_srl_epi32(self.1, by)) }
        }

        #[inline(always)]
        fn shift_right_signed<const BITS: u32>(self) -> Pair {
            let by = count(BITS);
            unsafe { Pair(_mm256_sra_epi32(self.0, by), _mm256_sra_epi32(self.1, by)) }
        }

        #[inline(always)]
        fn equal(self, other: Pair) -> u32 {
            half_equal(self.0, other.0) | half_equal(self.1, other.1) << (LANES / 2)
        }

        #[inline(always)]
        fn most_of_sums(rows: &[Bytes; 8], scalars: &[i8; 8], most: &mut Bytes) {
            most_of_sums(rows, scalars, most);
        }
    }
}
