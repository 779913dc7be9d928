//! How programs for this computer are compiled. Build scripts read this file, too.

/// Flags of a program and of its runtime. Frame pointers show who called whom.
pub const FLAGS: &[&str] =
    &["-std=gnu++20", "-O1", "-g1", "-gcolumn-info", "-fno-omit-frame-pointer", "-pthread", "-w"];
/// Host programs give sizes of 64 bits where 32 are asked for.
pub const DIALECT: &[&str] = &["-Wno-narrowing"];
/// What runtimes have besides: most of them is called once, and their lines are nobody's.
pub const RUNTIME_FLAGS: &[&str] = &["-Og", "-g0"];
/// The folder that our own headers appear to be in.
pub const SHIM_PREFIX: &str = "/tilewright/shim";
