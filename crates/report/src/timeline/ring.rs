//! A circular buffer's pages over time, and who filled and drained it.

use tilewright_machine::{CbConfig, Processor, Site};

/// How many pages a consumer could see from a cycle on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// From when.
    pub cycle: u64,
    /// How many.
    pub pages: u32,
}

/// One ring of one core.
#[derive(Clone, Debug)]
pub struct Ring {
    /// Its index, place, size and format.
    pub config: CbConfig,
    /// What the program calls it.
    pub name: String,
    /// Where it was declared.
    pub site: Site,
    /// Its pages over time, from none at the start.
    pub levels: Vec<Level>,
    /// The most pages it held.
    pub most: u32,
    /// Pages that each processor pushed, in the order of `Processor::ALL`.
    pub pushed: [u64; 5],
    /// Pages that each processor popped.
    pub popped: [u64; 5],
    /// Which processors have seen pages in it, whether or not they popped them.
    pub seen: [bool; 5],
    /// In each span of so many cycles only the least, the most and the last are kept; 0 if all.
    pub grain: u64,
    limit: usize,
}

impl Ring {
    pub(super) fn new(config: CbConfig, name: String, site: Site, limit: usize) -> Ring {
        Ring {
            config,
            name,
            site,
            levels: vec![Level { cycle: 0, pages: 0 }],
            most: 0,
            pushed: [0; 5],
            popped: [0; 5],
            seen: [false; 5],
            grain: 0,
            limit,
        }
    }

    pub(super) fn push(&mut self, cycle: u64, processor: Processor, pages: u32) {
        self.pushed[processor as usize] += u64::from(pages);
        self.note(cycle);
    }

    pub(super) fn pop(&mut self, cycle: u64, processor: Processor, pages: u32) {
        self.popped[processor as usize] += u64::from(pages);
        self.note(cycle);
    }

    pub(super) fn see(&mut self, processor: Processor) {
        self.seen[processor as usize] = true;
    }

    /// The counters are 16 bits wide and wrap, so a ring that is popped too often shows many pages.
    fn note(&mut self, cycle: u64) {
        let (pushed, popped): (u64, u64) = (self.pushed.iter().sum(), self.popped.iter().sum());
        let pages = pushed.wrapping_sub(popped) as u32 & 0xffff;
        self.most = self.most.max(pages);
        match self.levels.last_mut() {
            Some(last) if last.cycle == cycle => last.pages = pages,
            Some(_) | None => self.levels.push(Level { cycle, pages }),
        }
        if self.levels.len() > self.limit {
            while self.levels.len() > self.limit / 2 {
                self.grain = (self.grain * 2).max(16);
                self.thin();
            }
        }
    }

    fn thin(&mut self) {
        let grain = self.grain;
        let levels = std::mem::take(&mut self.levels);
        for span in levels.chunk_by(|a, b| a.cycle / grain == b.cycle / grain) {
            let least = span.iter().min_by_key(|level| level.pages).copied();
            let most = span.iter().max_by_key(|level| level.pages).copied();
            let mut kept: Vec<Level> =
                [least, most, span.last().copied()].into_iter().flatten().collect();
            kept.sort_by_key(|level| level.cycle);
            kept.dedup();
            self.levels.extend(kept);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_machine::{CbId, L1Address};
    use tilewright_tile::DataFormat;

    #[test]
    fn thinning_keeps_the_most_the_last_and_the_order() {
        let (id, base, format) = (CbId(0), L1Address(0), DataFormat::Bfloat16);
        let config = CbConfig { id, base, page_bytes: 2048, pages: 4, format };
        let mut ring = Ring::new(config, "cb".to_owned(), Site::KERNEL, 60);
        for turn in 0..1000 {
            let pages = if turn == 777 { 4 } else { 1 };
            ring.push(40 * turn + 10, Processor::Reader, pages);
            ring.pop(40 * turn + 30, Processor::Unpack, pages);
        }
        assert!(ring.levels.len() <= 60 && ring.grain > 0);
        assert!(ring.levels.windows(2).all(|pair| pair[0].cycle < pair[1].cycle));
        assert!(ring.levels.contains(&Level { cycle: 40 * 777 + 10, pages: 4 }));
        assert_eq!(ring.levels.last(), Some(&Level { cycle: 40 * 999 + 30, pages: 0 }));
        assert_eq!((ring.most, ring.pushed[0], ring.popped[1]), (4, 1003, 1003));
    }
}
