//! What a kernel prints, line by line. The first lines of a processor are kept with their texts,
//! which live as long as the process; of those that follow there is the event alone.

use std::cell::{Cell, RefCell};

use tilewright_machine::{Context, EventKind, Site};

use crate::intern::intern;

/// Lines of a processor that are kept, and bytes of them in all.
const LINES_MAX: u32 = 256;
const BYTES_MAX: usize = 32 * 1024;
/// Bytes after which a line is ended, if the kernel does not end it.
const LINE_BYTES_MAX: usize = 4096;

/// A line under construction, and how much has been printed.
#[derive(Default)]
pub(super) struct Printing {
    line: RefCell<String>,
    lines: Cell<u32>,
    bytes: Cell<usize>,
}

impl Printing {
    /// Adds text, and tells of each line that it ends.
    pub(super) fn print(&self, context: &Context<'_>, site: Site, text: &str) {
        let mut line = self.line.borrow_mut();
        for part in text.split_inclusive('\n') {
            line.push_str(part);
            if part.ends_with('\n') || line.len() > LINE_BYTES_MAX {
                let ended = std::mem::take(&mut *line);
                self.tell(context, site, ended.trim_end_matches('\n'));
            }
        }
    }

    /// Tells of a line that was not ended.
    pub(super) fn end(&self, context: &Context<'_>, site: Site) {
        let rest = self.line.take();
        if !rest.is_empty() {
            self.tell(context, site, &rest);
        }
    }

    fn tell(&self, context: &Context<'_>, site: Site, line: &str) {
        let (lines, bytes) = (self.lines.get(), self.bytes.get() + line.len());
        let is_kept = lines < LINES_MAX && bytes <= BYTES_MAX;
        if is_kept {
            self.lines.set(lines + 1);
            self.bytes.set(bytes);
        }
        let text = is_kept.then(|| intern(line));
        context.say(site, EventKind::Printed { text });
    }
}
