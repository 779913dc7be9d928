//! What ends a run, drawn for a terminal, each with a program that comes near and is right.

use crate::common::Rig;
use crate::small::{
    CORES, Computing, Movement, check, draw_with, idle, is_alone, no_compute, watch,
};
use tilewright_check::{Finding, FindingId, host_crash, host_error};
use tilewright_machine::DramAddress;
use tilewright_metal::api::{Compute, DataMovement};
use tilewright_metal::{
    CbSpec, CompileTimeArgs, ComputeConfig, CoreCoord, DataMovementPlace, L1Address, NocAddress,
    RunOptions, Site,
};
use tilewright_tile::DataFormat::Bfloat16;

/// Bytes of every bank of DRAM that the host has allocated.
const DRAM_BYTES: u64 = 4096;
/// Where L1 ends.
const L1_BYTES: u32 = 1464 * 1024;

/// Two cores with `cb_in` (0) and `cb_out` (16), rings of two pages. The reader has a compile-time
/// argument, which is 7.
fn run(reader: Movement, compute: Computing) -> Vec<Finding> {
    let mut rig = Rig::new();
    rig.device.machine_mut().dram_mut().grow(DRAM_BYTES as usize);
    let builder = &mut rig.builder;
    builder.circular_buffer(CORES, CbSpec::tiles(0, "cb_in", Bfloat16, 2));
    builder.circular_buffer(CORES, CbSpec::tiles(16, "cb_out", Bfloat16, 2));
    let (place, args) = (DataMovementPlace::Reader, CompileTimeArgs::positional(&[7]));
    builder.data_movement("reader", CORES, place, args, reader);
    rig.compute(CORES, ComputeConfig::default(), compute);
    let options = RunOptions { cycle_limit: 100_000, ..RunOptions::default() };
    watch(&mut rig, "none", options).report.findings()
}

/// The run ends with this finding, drawn as stored, whatever tools are on.
#[track_caller]
fn ends(name: &str, id: FindingId, reader: Movement, compute: Computing) {
    is_alone(&run(reader, compute), (name, id.name()));
    assert!(id.tool().is_none(), "{id} has a tool");
}

#[track_caller]
fn completes(reader: Movement, compute: Computing) {
    let found = run(reader, compute);
    assert!(found.is_empty(), "{found:#?}");
}

fn push(k: &DataMovement<'_>) {
    k.cb_reserve_back(0, 1);
    k.cb_push_back(0, 1);
}

/// One tile through Dst.
fn copy(k: &Compute<'_>) {
    k.cb_wait_front(0, 1);
    k.tile_regs_acquire();
    k.copy_tile(0, 0, 0);
    k.tile_regs_commit();
    k.tile_regs_wait();
    k.pack_tile(0, 16);
    k.tile_regs_release();
}

#[test]
fn operations_before_their_inits() {
    let init: Computing = |k| {
        k.compute_kernel_hw_startup(0, 0, 16);
        copy(k);
    };
    ends("missing-init", FindingId::MissingInit, push, init);
    let right: Computing = |k| {
        k.compute_kernel_hw_startup(0, 0, 16);
        k.copy_tile_init(0);
        copy(k);
    };
    completes(push, right);
}

#[test]
fn memory_that_is_not_there() {
    let beyond: Movement = |k| k.write_l1(L1Address(L1_BYTES - 3), 4, |bytes| bytes.fill(1));
    ends("out-of-bounds", FindingId::OutOfBounds, beyond, no_compute);
    completes(|k| k.write_l1(L1Address(L1_BYTES - 4), 4, |bytes| bytes.fill(1)), no_compute);
    let beyond: Movement = |k| dram(k, DRAM_BYTES);
    ends("out-of-bounds-dram", FindingId::OutOfBounds, beyond, no_compute);
    completes(|k| dram(k, DRAM_BYTES - 64), no_compute);
}

/// Reads 64 bytes of a bank.
fn dram(k: &DataMovement<'_>, offset: u64) {
    let from = NocAddress::Dram(DramAddress { bank: 3, offset });
    k.noc_async_read(from, k.get_write_ptr(0), 64);
    k.noc_async_read_barrier();
}

/// Reads 64 bytes from another core.
fn transfer(k: &DataMovement<'_>, from: u32, to: u32) {
    let from = k.get_noc_addr(CoreCoord::new(1, 0), L1Address(from));
    k.noc_async_read(from, L1Address(to), 64);
    k.noc_async_read_barrier();
}

#[test]
fn addresses_that_do_not_agree() {
    let apart: Movement = |k| transfer(k, 0x2_0008, 0x2_0000);
    ends("misaligned", FindingId::Misaligned, apart, no_compute);
    completes(|k| transfer(k, 0x2_0008, 0x2_1018), no_compute);
}

#[test]
fn what_the_program_does_not_have() {
    ends("no-such-buffer", FindingId::NoSuchBuffer, |k| k.cb_reserve_back(5, 1), no_compute);
    completes(|k| k.cb_reserve_back(16, 1), no_compute);
    let reader: Movement = |k| assert_eq!(k.compile_time_arg(1), 0);
    ends("no-such-argument", FindingId::NoSuchArgument, reader, no_compute);
    completes(|k| assert_eq!(k.compile_time_arg(0), 7), no_compute);
}

/// A word that is written at an address.
fn write_word(k: &DataMovement<'_>, at: u32) {
    k.noc_inline_dw_write(k.get_noc_addr(CoreCoord::new(1, 0), L1Address(at)), 1);
    k.noc_async_write_barrier();
}

#[test]
fn what_the_simulator_lacks() {
    ends("not-modelled", FindingId::NotModelled, |k| write_word(k, 0x2_0002), no_compute);
    completes(|k| write_word(k, 0x2_0004), no_compute);
}

#[test]
fn more_time_than_there_is() {
    let endless: Movement = |k| {
        loop {
            push(k);
            k.cb_pop_front(0, 1);
        }
    };
    ends("cycle-limit", FindingId::CycleLimit, endless, no_compute);
    let enough: Movement = |k| {
        for _ in 0..50 {
            push(k);
            k.cb_pop_front(0, 1);
        }
    };
    completes(enough, no_compute);
}

#[test]
fn nothing_is_wrong_with_a_program_that_does_nothing() {
    completes(idle, no_compute);
}

/// A finding of a host program, drawn as stored.
#[track_caller]
fn host(name: &str, finding: &Finding) {
    check(name, &draw_with(finding, "tilewright exec a.cpp"));
}

#[test]
fn host_programs_end_at_their_lines() {
    let site = Site::new("examples/host/copy/copy.cpp", 29, 0);
    let crash = "uses memory that is not its own (SIGSEGV)";
    host("host-crash", &host_crash(crash, Some(site)));
    let what = "the copy differs from its source\nvalue 3 is the first";
    host("host-error", &host_error(what, Some(site)));
}
