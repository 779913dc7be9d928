//! Writes the reduced tiles of each group.

use tilewright_metal::api::DataMovement;

use super::program_factory::OUT;
use super::strips::Strips;
use crate::movement::write_tiles;

pub(super) fn kernel(ctx: &DataMovement<'_>) {
    let strips = Strips::from_words(|index| ctx.compile_time_arg(index));
    let (output, _) = ctx.tensor_accessor(Strips::WORDS, ctx.arg(2));
    for group in ctx.arg(0)..ctx.arg(0) + ctx.arg(1) {
        write_tiles(ctx, (OUT, strips.across), &output, strips.group(group));
    }
}
