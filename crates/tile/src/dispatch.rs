//! Which SIMD instructions a whole-tile loop is compiled for, chosen when the process runs.
//!
//! The loops are plain Rust; this module only instantiates each of them once per level inside a
//! function that enables the level's instructions, so that the compiler vectorises with them.
//! Every level computes the same bits: tests compare all levels that the host has.

use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};

/// A set of instructions that loops are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SimdLevel {
    /// What the target always has: SSE2 on x86-64, NEON on AArch64.
    Portable,
    /// AVX2 and FMA on x86-64.
    Avx2,
    /// AVX-512 F, BW, CD, DQ and VL on x86-64.
    Avx512,
}

impl SimdLevel {
    /// Every level, narrowest first.
    pub const ALL: [SimdLevel; 3] = [SimdLevel::Portable, SimdLevel::Avx2, SimdLevel::Avx512];

    /// A name for people.
    pub fn name(self) -> &'static str {
        match self {
            SimdLevel::Portable => "portable",
            SimdLevel::Avx2 => "avx2",
            SimdLevel::Avx512 => "avx512",
        }
    }
}

/// A level was asked for that this machine does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unavailable {
    /// The level asked for.
    pub asked: SimdLevel,
    /// The best level of this machine.
    pub detected: SimdLevel,
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (asked, detected) = (self.asked.name(), self.detected.name());
        write!(f, "this machine has no {asked} instructions; its best level is {detected}")
    }
}

impl std::error::Error for Unavailable {}

/// 0 until first asked, then one more than the level's place in `SimdLevel::ALL`.
static LEVEL: AtomicU8 = AtomicU8::new(0);

/// The best level this machine has.
pub fn detected() -> SimdLevel {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        let has_avx2 = has!("avx2") && has!("fma") && has!("bmi1") && has!("bmi2") && has!("lzcnt");
        let has_avx512 = has!("avx512f")
            && has!("avx512bw")
            && has!("avx512cd")
            && has!("avx512dq")
            && has!("avx512vl");
        if has_avx2 && has_avx512 {
            return SimdLevel::Avx512;
        }
        if has_avx2 {
            return SimdLevel::Avx2;
        }
    }
    SimdLevel::Portable
}

/// The level in use: the detected one unless [`force`] chose another.
#[inline]
pub fn level() -> SimdLevel {
    match LEVEL.load(Ordering::Relaxed) {
        1 => SimdLevel::Portable,
        2 => SimdLevel::Avx2,
        3 => SimdLevel::Avx512,
        _ => {
            let level = detected();
            store(level);
            level
        }
    }
}

/// Makes every later operation of the process use `level`, or the detected level for `None`.
///
/// Results do not depend on the level.
pub fn force(level: Option<SimdLevel>) -> Result<(), Unavailable> {
    let detected = detected();
    let asked = level.unwrap_or(detected);
    if asked > detected {
        return Err(Unavailable { asked, detected });
    }
    store(asked);
    Ok(())
}

fn store(level: SimdLevel) {
    // Only ever called with a level this machine has: `run` relies on it.
    LEVEL.store(level as u8 + 1, Ordering::Relaxed);
}

/// A loop over tiles that is compiled once per level.
///
/// `run` must be `#[inline(always)]`, and so must what its loops call: code that is not inlined
/// is compiled for the portable level.
pub(crate) trait SimdLoop {
    /// What the loop returns.
    type Output;
    /// Runs the loop. `FUSED` says whether `f32::mul_add` is one instruction at this level.
    fn run<const FUSED: bool>(self) -> Self::Output;
}

/// Runs `simd_loop` at the level in use.
#[inline]
#[cfg_attr(target_arch = "x86_64", allow(unsafe_code))]
pub(crate) fn run<K: SimdLoop>(simd_loop: K) -> K::Output {
    match level() {
        SimdLevel::Portable => run_portable(simd_loop),
        // SAFETY: `LEVEL` only ever holds a level whose instructions were detected.
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx2 => unsafe { run_avx2(simd_loop) },
        // SAFETY: as above.
        #[cfg(all(target_arch = "x86_64", not(test)))]
        SimdLevel::Avx512 => unsafe { run_avx512(simd_loop) },
        // SAFETY: as above, and whoever has AVX-512 has AVX2. The tests inside this crate compare
        // ways to compute; those in `tests` compare levels, and need no second copy of each loop.
        #[cfg(all(target_arch = "x86_64", test))]
        SimdLevel::Avx512 => unsafe { run_avx2(simd_loop) },
        #[cfg(not(target_arch = "x86_64"))]
        SimdLevel::Avx2 | SimdLevel::Avx512 => unreachable!("never detected on this target"),
    }
}

/// Apart from `run`, so that callers of another level do not pay for its stack frame.
#[inline(never)]
fn run_portable<K: SimdLoop>(simd_loop: K) -> K::Output {
    simd_loop.run::<{ cfg!(target_arch = "aarch64") }>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt")]
fn run_avx2<K: SimdLoop>(simd_loop: K) -> K::Output {
    simd_loop.run::<true>()
}

#[cfg(all(target_arch = "x86_64", not(test)))]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
fn run_avx512<K: SimdLoop>(simd_loop: K) -> K::Output {
    simd_loop.run::<true>()
}
