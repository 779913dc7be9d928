//! The changes that nobody notices, and why.

use super::trial::Trial;

/// Vector functions without constants: another vector init has set what they need.
const NO_CONSTANTS: &str = "this function loads no constants, and others were initialised before";
/// The formats are those that were set before.
const SAME_FORMAT: &str = "both buffers have the same format, so that nothing is reconfigured";
/// What is undone is set anew by the next init.
const SET_ANEW: &str = "the next init sets everything that this call undoes";
/// A core that adds up parts does so once.
const ONCE: &str = "done once by a core: the page is never needed again";

/// No schedule can show the difference: a wait that ends proves the whole push that ended it.
const FRAME: &str = "the pages are pushed together: where the others are, the last one is";

/// How source line and change begin, and the reason why the program is still right, or why the
/// change cannot be told from a right program.
pub const EXPLAINED: &[(&str, &str, &str)] = &[
    ("ctx.cb_wait_front(cb::X, plan.row_tiles);", "Pages(-1)", FRAME),
    ("ctx.cb_wait_front(cb::X, PAIR);", "Pages(-1)", FRAME),
    ("ctx.cb_wait_front(cb::DY, PAIR);", "Pages(-1)", FRAME),
    ("ctx.cb_wait_front(cb::SPLIT, ", "Pages(-1)", FRAME),
    ("ctx.cb_wait_front(cb::PARTIAL_IN, parts);", "Pages(-1)", FRAME),
    ("ctx.cb_wait_front(cb::PARTIAL_OUT, 2 * PAIR);", "Pages(-1)", FRAME),
    ("ctx.cb_wait_front(cb::OUT, BLOCK);", "Pages(-1)", FRAME),
    ("ctx.cb_wait_front(cb::STICKS, pages.sticks);", "Pages(-1)", FRAME),
    ("streamed.iter().for_each(|buffer| ctx.cb_wait_front(*buffer, BLOCK));", "Pages(-1)", FRAME),
    ("self.ctx.sub_binary_tile_init();", "Skip", NO_CONSTANTS),
    ("self.ctx.mul_binary_tile_init();", "Skip", NO_CONSTANTS),
    ("self.ctx.add_binary_tile_init();", "Skip", NO_CONSTANTS),
    ("ctx.sub_binary_tile_init();", "Skip", NO_CONSTANTS),
    ("ctx.copy_dest_values_init();", "Skip", NO_CONSTANTS),
    ("self.ctx.mask_tile_init();", "Skip", NO_CONSTANTS),
    ("self.ctx.binop_with_scalar_tile_init();", "Skip", NO_CONSTANTS),
    ("ctx.binop_with_scalar_tile_init();", "Skip", NO_CONSTANTS),
    ("self.row.ctx.square_tile_init();", "Skip", NO_CONSTANTS),
    ("ctx.reconfig_data_format(cb::SPLIT, cb::ONES);", "Skip", SAME_FORMAT),
    ("ctx.reconfig_data_format_reduce(", "Skip", SAME_FORMAT),
    ("ctx.reconfig_data_format_srca(cb::STICKS);", "Skip", SAME_FORMAT),
    ("self.ctx.reconfig_data_format_srca(from);", "Skip", SAME_FORMAT),
    ("self.ctx.reconfig_data_format(first, first);", "Skip", SAME_FORMAT),
    ("ctx.pack_reconfig_data_format(to);", "Skip", SAME_FORMAT),
    ("ctx.tilize_uninit(cb::STICKS, to);", "Skip", SET_ANEW),
    ("ctx.reduce_uninit();", "Skip", SET_ANEW),
    ("ctx.cb_pop_front(cb::PARTIAL_OUT, 2 * PAIR);", "Skip", ONCE),
    ("ctx.cb_pop_front(cb::PARTIAL_OUT, 2 * PAIR);", "Pages(-1)", ONCE),
    ("ctx.cb_pop_front(cb::PARTIAL_IN, parts);", "Skip", ONCE),
    ("ctx.cb_pop_front(cb::PARTIAL_IN, parts);", "Pages(-1)", ONCE),
    ("ctx.cb_pop_front(cb::SPLIT, 4 * PAIR);", "Skip", ONCE),
    ("ctx.cb_pop_front(cb::SPLIT, 4 * PAIR);", "Pages(-1)", ONCE),
    (
        "ctx.cb_reserve_back(cb::PARTIAL_IN, parts);",
        "Skip",
        "the pages are filled by other cores, which a semaphore lets in",
    ),
    (
        "ctx.noc_async_read(self.zeros, to + segment_bytes + tile * zeros, zeros);",
        "Skip",
        "the zeros fill whole tiles behind the row, which nothing that is written depends on",
    ),
    (
        "ctx.tilize_block(cb::STICKS, tiles, to);",
        "Dst(1)",
        "math and pack of the same call move on together, inside the section",
    ),
    ("compute argument 0", "-1", "tells whether the last pair is whole; here all are"),
    ("writer argument 4", "", "where the core's rows begin, which its writer does not use"),
    ("writer argument 5", "", "how many rows the core has, which its writer does not use"),
    ("writer argument 6", "-1", "the core's place among those that share rows: alone it is first"),
    ("writer argument 7", "", "who adds up the parts: used where rows are shared"),
    ("writer argument 8", "", "who adds up the parts: used where rows are shared"),
    ("reader argument 6", "-1", "where the rows begin: at zero already"),
    ("reader argument 8", "", "the core's place among those that share rows"),
    ("compute argument 2", "-1", "where the rows begin: at zero already"),
    ("compute argument 4", "-1", "the core's place among those that share rows: first already"),
];

/// Why nobody notices this change.
pub fn reason(trial: &Trial) -> Option<&'static str> {
    EXPLAINED.iter().find(|it| is_it(trial, it)).map(|(.., reason)| *reason)
}

/// Whether an explanation is of this change.
pub fn is_it(trial: &Trial, (line, change, _): &(&str, &str, &str)) -> bool {
    trial.line.starts_with(line) && trial.change.starts_with(change)
}
