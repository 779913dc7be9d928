//! The manuals of what init finds.

use crate::declaration::declare;
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// An element of an output that depends on an uninitialised page of a circular
    /// buffer.
    /// # Why it matters
    /// L1 keeps what earlier programs left in it. On a fresh device that is often zero, so that
    /// tests pass and later runs do not.
    /// # Instead
    /// Write every byte of a page that is used before it is pushed. Pages that are pushed and not
    /// used are no finding: values are followed through copies, arithmetic, masks and products
    /// with zero, and reported only where they reach an element of a declared output. A kernel's
    /// own store to a tile counts as writing all of the span it was given.
    pub struct UninitialisedPage {}
    Declaration { name: "uninitialised-page", tool: Some(Tool::Init) }
}

declare! {
    /// # What it finds
    /// An element of an output that depends on uninitialised L1 outside of circular
    /// buffers: a scratch place of the core or of another one, or a semaphore that the program
    /// does not declare there.
    /// # Why it matters
    /// L1 keeps what earlier programs left in it, which is not promised to anybody.
    /// # Instead
    /// Write the place before it is read, on the core that it is read from. L1 counts as written
    /// where the host had allocated buffers when the program was built, and below the first
    /// circular buffer, where the chip keeps arguments and its own state. What a program before
    /// has left between the two counts as nobody's.
    pub struct UninitialisedL1 {}
    Declaration { name: "uninitialised-l1", tool: Some(Tool::Init) }
}

declare! {
    /// # What it finds
    /// An element of an output that depends on a page of a circular buffer as it was before it was
    /// popped: it was not written in this lap.
    /// # Why it matters
    /// The page holds an earlier tile. Where tiles are alike, nothing is to be seen.
    /// # Instead
    /// Write the page again before it is pushed again, or do not pop what is used once more.
    /// Buffers that share their memory with another index are left out; so are pages that a
    /// compute kernel pops without a read from a ring that it fills itself, to push them again.
    pub struct StaleLap {}
    Declaration { name: "stale-lap", tool: Some(Tool::Init) }
}

declare! {
    /// # What it finds
    /// An element of an output that depends on a tile of Dst that was not written since it was
    /// cleared.
    /// # Why it matters
    /// Releasing a section marks its rows as undefined and leaves the data there. Pack reads zeros;
    /// the vector unit brings old data back in every other column.
    /// # Instead
    /// Write the tile, or fill it with zero, in the section that reads it. Adding a product or a
    /// reduction to a clear tile is no finding.
    pub struct UninitialisedDst {}
    Declaration { name: "uninitialised-dst", tool: Some(Tool::Init) }
}

declare! {
    /// # What it finds
    /// An element of an output that depends on the padding of an input: what its last tiles hold
    /// beyond its shape.
    /// # Why it matters
    /// Nobody promises what padding holds. Zero hides the fault; the result of another operation
    /// there does not.
    /// # Instead
    /// Mask the last tile before it is reduced, give its reduction scalers of zero for the padding,
    /// or overwrite that. Known as masks are such scalers, the vector unit's mask and products with
    /// whole rows or columns of zeros; a tile with computed zeros is not. A program whose host
    /// fills the padding declares a padded input.
    pub struct PaddingInOutput {}
    Declaration { name: "padding-in-output", tool: Some(Tool::Init), stands_alone: true }
}

declare! {
    /// # What it finds
    /// A page of a declared output, or an element of one, that is still unwritten when all
    /// kernels have returned.
    /// # Why it matters
    /// The output keeps what its memory held before: often the right result of the run before.
    /// # Instead
    /// Write every page, or declare a smaller output.
    pub struct UnwrittenOutput {}
    Declaration {
        name: "unwritten-output",
        tool: Some(Tool::Init),
        lacks_values: true,
        // It is unwritten from the beginning.
        is_final: true,
        counts_when_read: true,
    }
}

declare! {
    /// # What it finds
    /// A kernel that reads bytes of its L1, or waits for a word there, none of which anybody has
    /// written: of a circular buffer in this lap, elsewhere since launch.
    /// # Why it matters
    /// What a kernel reads itself decides how it goes on: how often it loops, where it writes.
    /// # Instead
    /// Wait for the page, or for the transfer that fills it. A read of which some bytes were
    /// written is no finding; neither is one of buffers of the host, or of what the chip keeps
    /// below the circular buffers. A wait on a word that was never written is
    /// uninitialised-semaphore, unless it is in a circular buffer.
    pub struct UninitialisedBranch {}
    Declaration { name: "uninitialised-branch", tool: Some(Tool::Init) }
}
