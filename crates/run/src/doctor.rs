//! What this computer has, and what each is needed for, so that a failure for want of a mount or a
//! compiler is not mistaken for a kernel's.

use std::ffi::OsString;
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use tilewright_metal::API_VERSION;

use crate::memory::available_bytes;
use crate::record::{Doctor, Fact};

/// Looks for everything.
pub fn examine() -> Doctor {
    let place = Place {
        root: PathBuf::from("/"),
        path: std::env::var_os("PATH").unwrap_or_default(),
        cxx: std::env::var("CXX").ok().filter(|name| !name.is_empty()),
    };
    Doctor { facts: place.facts() }
}

/// Threads that the host runs at once.
pub fn host_threads() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Where to look.
struct Place {
    root: PathBuf,
    path: OsString,
    cxx: Option<String>,
}

impl Place {
    fn facts(&self) -> Vec<Fact> {
        let mut facts = vec![threads(), memory(), simd(), self.compiler()];
        facts.extend([api(), sandbox()]);
        facts.extend([self.card(), self.driver(), self.huge_pages()]);
        facts.extend(self.container());
        facts
    }

    fn compiler(&self) -> Fact {
        let names = self.cxx.iter().map(String::as_str).chain(["g++", "clang++", "c++"]);
        let found = names.filter_map(|name| self.program(name)).next();
        let help = "install g++ or clang++ with C++20, or name one in CXX";
        Fact {
            what: "C++ compiler".to_owned(),
            is_there: found.is_some(),
            detail: found.map_or_else(|| "none on PATH".to_owned(), |path| version(&path)),
            needed_for: "C++ kernels; Rust kernels need none".to_owned(),
            help: self.missing_help(help, || self.program("g++").or(self.program("clang++"))),
        }
    }

    fn missing_help<T>(&self, help: &str, found: impl FnOnce() -> Option<T>) -> Option<String> {
        let is_named = self.cxx.as_deref().is_some_and(|name| self.program(name).is_some());
        (!is_named && found().is_none()).then(|| help.to_owned())
    }

    /// The file that a name means on PATH.
    fn program(&self, name: &str) -> Option<PathBuf> {
        let folders = std::env::split_paths(&self.path);
        let files = folders.map(|folder| folder.join(name));
        files.into_iter().find(|file| file.is_file())
    }

    /// The driver makes a node for each card (tt-metal, INSTALLING.md).
    fn card(&self) -> Fact {
        let folder = self.root.join("dev/tenstorrent");
        let cards = fs::read_dir(&folder).map_or(0, Iterator::count);
        Fact {
            what: "Tenstorrent card".to_owned(),
            is_there: cards > 0,
            detail: match cards {
                0 => "no /dev/tenstorrent".to_owned(),
                1 => "1 node in /dev/tenstorrent".to_owned(),
                _ => format!("{cards} nodes in /dev/tenstorrent"),
            },
            needed_for: "running kernels on silicon; nothing here needs one".to_owned(),
            help: None,
        }
    }

    fn driver(&self) -> Fact {
        let version = fs::read_to_string(self.root.join("sys/module/tenstorrent/version")).ok();
        Fact {
            what: "Tenstorrent driver".to_owned(),
            is_there: version.is_some(),
            detail: version.map_or_else(
                || "module tenstorrent is not loaded".to_owned(),
                |version| format!("module tenstorrent {}", version.trim()),
            ),
            needed_for: "a card; nothing here".to_owned(),
            help: None,
        }
    }

    fn huge_pages(&self) -> Fact {
        let mounts = fs::read_to_string(self.root.join("proc/mounts")).unwrap_or_default();
        let is_there = mounts
            .lines()
            .any(|line| line.split(' ').nth(1).is_some_and(|at| at == "/dev/hugepages-1G"));
        let detail = if is_there { "mounted at" } else { "nothing mounted at" };
        Fact {
            what: "1 GiB huge pages".to_owned(),
            is_there,
            detail: format!("{detail} /dev/hugepages-1G"),
            needed_for: "tt-metal with a card; nothing here".to_owned(),
            help: None,
        }
    }

    /// A container sees a card only if it was given one.
    fn container(&self) -> Option<Fact> {
        let marks = [".dockerenv", "run/.containerenv"];
        let mark = marks.into_iter().find(|mark| self.root.join(mark).exists())?;
        let has_card = self.root.join("dev/tenstorrent").exists();
        let help = "a card of the host is seen here only with these mounts: \
                    `--device /dev/tenstorrent`, `-v /dev/hugepages-1G:/dev/hugepages-1G`, \
                    `-v /sys:/sys:ro`. Without them no device opens; that is no fault of a kernel";
        Some(Fact {
            what: "container".to_owned(),
            is_there: true,
            detail: format!("/{mark}"),
            needed_for: "nothing".to_owned(),
            help: (!has_card).then(|| help.to_owned()),
        })
    }
}

fn threads() -> Fact {
    Fact {
        what: "host threads".to_owned(),
        is_there: true,
        detail: host_threads().to_string(),
        needed_for: "speed; results do not depend on them".to_owned(),
        help: None,
    }
}

fn memory() -> Fact {
    let bytes = available_bytes();
    let detail = bytes.map(|bytes| format!("{} MiB available", bytes >> 20));
    Fact {
        what: "memory".to_owned(),
        is_there: bytes.is_some(),
        detail: detail.unwrap_or_else(|| "the system does not say".to_owned()),
        needed_for: "tensors, and up to 100 MiB for the L1 of 64 cores".to_owned(),
        help: None,
    }
}

/// The generation of the API that the C++ headers implement.
fn api() -> Fact {
    Fact {
        what: "tt-metal's API".to_owned(),
        is_there: true,
        detail: format!("{API_VERSION}; `api` of a kernel selects older meanings"),
        needed_for: "C++ kernels, which get headers of our own".to_owned(),
        help: None,
    }
}

/// What keeps C++ kernels from the rest of this computer.
#[cfg(target_os = "linux")]
fn sandbox() -> Fact {
    let support = crate::sandbox::support();
    let word = |is_there: bool, name: &str| format!("{}{name}", if is_there { "" } else { "no " });
    let (filter, landlock) = (support.has_filter, support.has_landlock);
    let help = "C++ kernels can do what this user can; run those of others in a container";
    Fact {
        what: "sandbox".to_owned(),
        is_there: filter && landlock,
        detail: format!("{}, {}", word(filter, "seccomp"), word(landlock, "Landlock")),
        needed_for: "C++ kernels that nobody has looked at; docs/src/trust.md".to_owned(),
        help: (!filter).then(|| help.to_owned()),
    }
}

#[cfg(not(target_os = "linux"))]
fn sandbox() -> Fact {
    Fact {
        what: "sandbox".to_owned(),
        is_there: false,
        detail: "Linux only, as C++ kernels are".to_owned(),
        needed_for: "C++ kernels that nobody has looked at; docs/src/trust.md".to_owned(),
        help: None,
    }
}

fn simd() -> Fact {
    let level = tilewright_tile::dispatch::detected();
    Fact {
        what: "SIMD".to_owned(),
        is_there: level != tilewright_tile::dispatch::SimdLevel::Portable,
        detail: format!("{level:?}").to_lowercase(),
        needed_for: "speed; results do not depend on it".to_owned(),
        help: None,
    }
}

/// What a compiler says it is, in a line.
fn version(compiler: &Path) -> String {
    let said = Command::new(compiler).arg("--version").output().ok();
    let text = said.map(|said| String::from_utf8_lossy(&said.stdout).into_owned());
    let line = text.and_then(|text| text.lines().next().map(str::to_owned));
    let name = compiler.file_name().unwrap_or_default().to_string_lossy().into_owned();
    line.filter(|line| !line.is_empty()).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(files: &[(&str, &str)]) -> Vec<Fact> {
        let name = format!("tilewright-doctor-{}-{}", std::process::id(), files.len());
        let root = std::env::temp_dir().join(name);
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        let place = Place { path: root.join("bin").into(), root: root.clone(), cxx: None };
        let facts = place.facts();
        // What is left in a temporary folder harms nobody.
        drop(fs::remove_dir_all(&root));
        facts
    }

    fn fact<'a>(facts: &'a [Fact], what: &str) -> &'a Fact {
        facts.iter().find(|fact| fact.what == what).expect("looked for")
    }

    #[test]
    fn a_bare_computer_lacks_what_is_not_needed() {
        let facts = facts(&[]);
        for what in ["C++ compiler", "Tenstorrent card", "Tenstorrent driver", "1 GiB huge pages"] {
            assert!(!fact(&facts, what).is_there, "{what}");
        }
        assert!(fact(&facts, "C++ compiler").help.is_some());
        assert!(facts.iter().all(|fact| fact.what != "container"));
    }

    #[test]
    fn a_computer_with_a_card_has_it_all() {
        let facts = facts(&[
            ("dev/tenstorrent/0", ""),
            ("sys/module/tenstorrent/version", "2.8.0\n"),
            ("proc/mounts", "hugetlbfs /dev/hugepages-1G hugetlbfs rw,pagesize=1024M 0 0\n"),
            (".dockerenv", ""),
            ("bin/g++", "not a program"),
        ]);
        assert_eq!(fact(&facts, "Tenstorrent card").detail, "1 node in /dev/tenstorrent");
        assert_eq!(fact(&facts, "Tenstorrent driver").detail, "module tenstorrent 2.8.0");
        assert!(fact(&facts, "1 GiB huge pages").is_there);
        assert_eq!(fact(&facts, "C++ compiler").detail, "g++");
        assert_eq!(fact(&facts, "container").help, None, "the card was passed on");
    }

    #[test]
    fn a_container_without_a_card_is_told_how_to_get_one() {
        let facts = facts(&[("run/.containerenv", "")]);
        let help = fact(&facts, "container").help.clone().expect("help");
        assert!(help.contains("--device /dev/tenstorrent"), "{help}");
    }
}
