//! `tilewright cache`: what compiled kernels take, and less of it.

use tilewright_metal::cpp::{self, CACHE_BYTES_MAX, CacheSize};
use tilewright_report::record::{self, Failure};
use tilewright_report::{json, terminal};

use crate::args::{Cache, CacheAction};
use crate::output::{Output, Status};

/// Does what was asked for, and shows what is left.
pub fn cache(asked: &Cache, output: &Output) -> Result<Status, Failure> {
    let cache = cpp::Cache::new(asked.dir.clone());
    let shown = asked.dir.as_deref().unwrap_or(cache.folder()).display().to_string();
    let refuse = |doing: &str, error: std::io::Error| {
        Failure::new(format!("the cache {shown} cannot be {doing}: {error}"))
            .help("XDG_CACHE_HOME or --dir names another folder")
    };
    let bytes_max = u64::from(asked.max_mib) << 20;
    let removed = match asked.action {
        CacheAction::Show => CacheSize::default(),
        CacheAction::Prune => cache.prune(bytes_max).map_err(|it| refuse("pruned", it))?,
        CacheAction::Clear => cache.clear().map_err(|it| refuse("cleared", it))?,
    };
    let left = cache.size().map_err(|error| refuse("read", error))?;
    let record = record::Cache {
        folder: shown.clone(),
        entries: left.entries,
        bytes: left.bytes,
        bytes_max: CACHE_BYTES_MAX,
        removed_entries: removed.entries,
        removed_bytes: removed.bytes,
    };
    let text = |paint| terminal::cache(&record, paint);
    Ok(output.answer(|| json::text(&record), text, Status::Clean))
}
