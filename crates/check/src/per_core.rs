//! Something for each core, found by the core's place in the grid and not by a search.

use tilewright_machine::CoreCoord;

/// More columns than any grid has.
const COLUMNS: usize = 32;

/// One value for each core, the default until its first use.
#[derive(Default)]
pub(crate) struct PerCore<T>(Vec<T>);

impl<T: Default> PerCore<T> {
    /// The core's value.
    pub(crate) fn at(&mut self, core: CoreCoord) -> &mut T {
        let place = place(core);
        if place >= self.0.len() {
            self.0.resize_with(place + 1, T::default);
        }
        &mut self.0[place]
    }

    /// The core's value, if any core behind it has been asked for.
    pub(crate) fn get(&self, core: CoreCoord) -> Option<&T> {
        self.0.get(place(core))
    }
}

fn place(core: CoreCoord) -> usize {
    usize::from(core.y) * COLUMNS + usize::from(core.x)
}
