//! What the cache holds, in a few lines.

use super::Paint;
use super::figures::counted;
use crate::record::Cache;

/// What `tilewright cache` shows.
pub fn cache(cache: &Cache, paint: Paint) -> String {
    let Cache { folder, entries, bytes, bytes_max, removed_entries, removed_bytes } = cache;
    let mut text = String::new();
    if *removed_entries > 0 {
        let removed = counted(*removed_entries, "file");
        text += &format!("removed {removed} of {}\n", mebibytes(*removed_bytes));
    }
    let holds = counted(*entries, "file");
    text += &format!("{}: {holds} of {}\n", paint.strong(folder), mebibytes(*bytes));
    text + &format!("at most {} are kept, those used last\n", mebibytes(*bytes_max))
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}
