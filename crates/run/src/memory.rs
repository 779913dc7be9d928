//! The host's memory: how much there is for this process, how much one uses, and what happens when
//! there is none left.

use std::fs;
use std::path::Path;

/// The exit code of a worker that has run out of memory.
pub const EXHAUSTED: i32 = 71;

/// Bytes that this process can still have: what the host has, and what its limits and control
/// groups leave. Nothing where the system does not say.
pub fn available_bytes() -> Option<u64> {
    let mut least = host_bytes();
    let mut limit = |bytes: Option<u64>| {
        least = match (least, bytes) {
            (Some(least), Some(bytes)) => Some(least.min(bytes)),
            (least, bytes) => least.or(bytes),
        };
    };
    limit(address_space_bytes());
    limit(group_bytes(Path::new("/sys/fs/cgroup"), &own_groups()));
    least
}

/// What the host has without swapping.
fn host_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// What `ulimit -v` and `ulimit -d` leave.
fn address_space_bytes() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let limit = |name: &str| -> Option<u64> {
        let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    };
    let used = |name: &str| -> Option<u64> {
        let status = fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
    };
    let left = |limited: &str, counted: &str| {
        Some(limit(limited)?.saturating_sub(used(counted).unwrap_or(0)))
    };
    let all = left("Max address space", "VmSize:");
    let data = left("Max data size", "VmData:");
    match (all, data) {
        (Some(all), Some(data)) => Some(all.min(data)),
        (all, data) => all.or(data),
    }
}

/// The control groups of this process, with the controllers of each.
fn own_groups() -> String {
    fs::read_to_string("/proc/self/cgroup").unwrap_or_default()
}

/// What the control groups leave, of version 2 and of version 1: the least of a group and of those
/// above it.
fn group_bytes(root: &Path, groups: &str) -> Option<u64> {
    let number = |path: &Path| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let left = |folder: &Path, most: &str, used: &str| {
        let most = number(&folder.join(most))?;
        Some(most.saturating_sub(number(&folder.join(used)).unwrap_or(0)))
    };
    let mut least: Option<u64> = None;
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(kinds), Some(path)) = (fields.next(), fields.next()) else { continue };
        let (root, most, used) = match kinds {
            "" => (root.to_owned(), "memory.max", "memory.current"),
            _ if kinds.split(',').any(|kind| kind == "memory") => {
                (root.join("memory"), "memory.limit_in_bytes", "memory.usage_in_bytes")
            }
            _ => continue,
        };
        let own = root.join(path.trim_start_matches('/'));
        for folder in own.ancestors().take_while(|folder| folder.starts_with(&root)) {
            let found = left(folder, most, used);
            least = least.into_iter().chain(found).min();
        }
    }
    least
}

/// Bytes of memory that a process has in use.
pub fn used_bytes(process: i32) -> Option<u64> {
    const PAGE_BYTES: u64 = 4096;
    let text = fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    pages.checked_mul(PAGE_BYTES)
}

/// How many processes the host has ended for want of memory.
pub fn processes_killed() -> u64 {
    let text = fs::read_to_string("/proc/vmstat").unwrap_or_default();
    let count = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
    count.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_all_groups_counts() {
        let root = std::env::temp_dir().join(format!("tilewright-groups-{}", std::process::id()));
        let put = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("room");
            fs::write(path, text).expect("room");
        };
        put("ci/memory.max", "1000\n");
        put("ci/memory.current", "300\n");
        put("ci/job/memory.max", "max\n");
        assert_eq!(group_bytes(&root, "0::/ci/job\n"), Some(700));
        put("ci/job/memory.max", "500\n");
        assert_eq!(group_bytes(&root, "0::/ci/job\n"), Some(500));
        put("memory/job/memory.limit_in_bytes", "200\n");
        let both = "4:cpu:/job\n3:blkio,memory:/job\n0::/ci/job\n";
        assert_eq!(group_bytes(&root, both), Some(200));
        assert_eq!(group_bytes(&root, "0::/elsewhere\n"), None);
        fs::remove_dir_all(&root).expect("ours");
    }

    #[test]
    fn this_process_has_memory_and_uses_some() {
        if cfg!(target_os = "linux") {
            assert!(available_bytes().is_some_and(|bytes| bytes > 1 << 20));
            assert!(used_bytes(std::process::id() as i32).is_some_and(|bytes| bytes > 1 << 16));
        }
    }
}
