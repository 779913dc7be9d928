//! Something for each core, found by the core's place in the grid and not by a search.

use tilewright_machine::CoreCoord;

/// More columns than any grid has.
const COLUMNS: usize = 32;

/// One value for each core, the default until its first use.
#[derive(Default)]
pub(crate) struct PerCore<T>(Vec<T>);

impl<T: Default> PerCore<T> {
    /// The core's value.
    #[inline]
    pub(crate) fn at(&mut self, core: CoreCoord) -> &mut T {
        let place = place(core);
        if place >= self.0.len() {
            self.grow(place + 1);
        }
        &mut self.0[place]
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, places: usize) {
        self.0.resize_with(places, T::default);
    }

    /// The core's value, if any core behind it has been asked for.
    #[inline]
    pub(crate) fn get(&self, core: CoreCoord) -> Option<&T> {
        self.0.get(place(core))
    }
}

#[inline]
fn place(core: CoreCoord) -> usize {
    usize::from(core.y) * COLUMNS + usize::from(core.x)
}
