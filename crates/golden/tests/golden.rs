//! The golden data of the repository on the machine, and what the checker says of damaged data.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use ruzstd::decoding::StreamingDecoder;
use tilewright_golden::{Folder, GroupCount, Summary};
use tilewright_tile::{SimdLevel, dispatch};

/// Every group and its cases, as tests/golden/README.md counts them.
const GROUPS: [(&str, usize); 42] = [
    ("elw", 600),
    ("extra", 460),
    ("fmt", 140),
    ("matmul", 180),
    ("move", 68),
    ("reduce", 420),
    ("sfpu", 420),
    ("unit", 6),
    ("chain", 352),
    ("mismatch", 8),
    ("scalar", 252),
    ("tdest", 42),
    ("top", 100),
    ("ubcast", 144),
    ("blockmax", 2),
    ("fmt2", 53),
    ("fpu2", 84),
    ("further2", 73),
    ("sfpu2_act", 48),
    ("sfpu2_binary", 60),
    ("sfpu2_int", 54),
    ("sfpu2_intcmp", 58),
    ("sfpu2_mac", 3),
    ("sfpu2_math", 73),
    ("sfpu2_misc", 14),
    ("sfpu2_more", 40),
    ("sfpu2_trig", 44),
    ("sfpu2_typecast", 68),
    ("bh_blockmax", 2),
    ("bh_chains", 8),
    ("bh_fmt2", 2),
    ("bh_fpu", 8),
    ("bh_fpu2", 8),
    ("bh_sfpu", 28),
    ("bh_sfpu2_act", 20),
    ("bh_sfpu2_binary", 23),
    ("bh_sfpu2_int", 2),
    ("bh_sfpu2_intcmp", 10),
    ("bh_sfpu2_math", 16),
    ("bh_sfpu2_misc", 14),
    ("bh_sfpu2_more", 21),
    ("bh_sfpu2_trig", 22),
];

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden")
}

/// A folder of a test's own, empty.
fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn unpacked(name: &str) -> Vec<u8> {
    let frame = fs::read(golden().join(name)).unwrap();
    let mut bytes = Vec::new();
    StreamingDecoder::new(&frame[..]).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

fn line(group: &str, case: &str) -> String {
    let text = String::from_utf8(unpacked(&format!("{group}.jsonl.zst"))).unwrap();
    let id = format!("\"{case}\"");
    text.lines().find(|line| line.contains(&id)).unwrap().to_owned()
}

/// A folder `name` with one group of these lines and an unpacked copy of a group's arrays.
fn folder_of(
    name: &str,
    group: &str,
    lines: &[String],
    change: impl FnOnce(&mut Vec<u8>),
) -> PathBuf {
    let path = scratch(name);
    let mut arrays = unpacked(&format!("{group}.bin.zst"));
    change(&mut arrays);
    fs::write(path.join("group.bin"), arrays).unwrap();
    fs::write(path.join("group.jsonl"), lines.join("\n")).unwrap();
    path
}

fn checked(path: &Path) -> Summary {
    Folder::open(path).unwrap().check(|_| ())
}

#[test]
fn every_case_gives_its_bits_on_every_simd_level() {
    let folder = Folder::open(golden()).unwrap();
    assert_eq!(folder.cases(), 2288 + 6 + 898 + 674 + 184);
    let levels: Vec<SimdLevel> =
        SimdLevel::ALL.into_iter().filter(|level| *level <= dispatch::detected()).collect();
    for level in levels {
        dispatch::force(Some(level)).unwrap();
        let mut done = 0;
        let summary = folder.check(|progress| {
            done += 1;
            assert_eq!((progress.done, progress.total), (done, folder.cases()));
        });
        let failed: Vec<String> = summary.failed.iter().map(ToString::to_string).collect();
        assert_eq!(failed, [""; 0], "on {}", level.name());
        let count =
            |(name, passed): (&str, usize)| GroupCount { name: name.to_owned(), passed, failed: 0 };
        assert_eq!(summary.groups, GROUPS.map(count));
        assert_eq!((summary.passed, done), (4050, 4050));
        assert_eq!(summary.kernels_not_checked, 7);
    }
    dispatch::force(None).unwrap();
}

#[test]
fn the_operations_that_differ_between_the_chips_are_those_of_the_list() {
    let list = fs::read_to_string(golden().join("blackhole/differing.txt")).unwrap();
    let listed: BTreeSet<String> =
        list.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
    assert_eq!(Folder::open(golden()).unwrap().differing_operations(), listed);
}

#[test]
fn a_folder_of_groups_and_one_of_kernels_are_opened_too() {
    assert_eq!(Folder::open(golden().join("chains")).unwrap().cases(), 898);
    let kernels = checked(&golden().join("kernels"));
    assert_eq!((kernels.passed, kernels.kernels_not_checked), (0, 7));
}

/// Flips bits of one element, and expects the case to fail there and nowhere else.
#[track_caller]
fn damage(name: &str, group: &str, case: &str, byte: usize, flipped: u8, expected: (&str, usize)) {
    let lines = [line(group, case)];
    let clean = folder_of(&format!("clean-{name}"), group, &lines, |_| ());
    assert_eq!(checked(&clean).failed, []);
    let path = folder_of(name, group, &lines, |arrays| arrays[byte] ^= flipped);
    let summary = checked(&path);
    assert_eq!((summary.passed, summary.failed.len()), (0, 1));
    let found = &summary.failed[0];
    assert_eq!((found.group.as_str(), found.case.as_str()), ("group", case));
    assert_eq!((found.field.as_str(), found.index), expected);
    assert_eq!((found.differences, &found.refusal), (1, &None));
    assert_eq!(found.wanted_bits ^ found.got_bits, u32::from(flipped));
    let wanted = unpacked(&format!("{group}.bin.zst"))[byte] ^ flipped;
    assert_eq!(found.wanted_bits & 0xff, u32::from(wanted));
}

#[test]
fn a_damaged_value_is_found_where_it_is() {
    // The second of four tiles of `out` is at byte 16384.
    damage("move", "vectors/move", "move_0016", 16384 + 2 * 17, 4, ("out", 1024 + 17));
    damage("elw", "vectors/elw", "elw_0000", 4096 + 2 * 1000, 1, ("dst_out", 1000));
    damage("out", "chains/chain", "chain_0000", 16384 + 2 * 3, 0x40, ("out", 3));
    damage("out32", "chains/chain", "chain_0000", 22528 + 4 * 5, 0x80, ("out32", 1024 + 5));
    // Row 9 of a table of seven columns.
    let column = ("acc fp32dst", 9);
    damage("unit", "vectors/unit", "elwadd", 128_000 + 4 * (9 * 7 + 6), 2, column);
}

#[test]
fn a_damaged_input_is_found_as_well() {
    let lines = [line("vectors/elw", "elw_0000"), line("vectors/elw", "elw_0001")];
    let path = folder_of("input", "vectors/elw", &lines, |arrays| arrays[1] ^= 0x40);
    let summary = checked(&path);
    assert_eq!(summary.failed.len(), 1);
    assert_eq!(summary.failed[0].case, "elw_0000");
    assert_eq!((summary.failed[0].field.as_str(), summary.failed[0].index), ("dst_out", 0));
    assert!(summary.failed[0].to_string().starts_with("elw_0000: `dst_out` value 0 is 0x"));
    let group = GroupCount { name: "group".to_owned(), passed: 1, failed: 1 };
    assert_eq!(summary.groups, [group]);
}

/// Replaces a piece of a case's line; the case must fail with this message.
#[track_caller]
fn refused(name: &str, group: &str, case: &str, (from, to): (&str, &str), expected: &str) {
    let original = line(group, case);
    assert!(original.contains(from), "{original}");
    let lines = [original.replacen(from, to, 1), original];
    let summary = checked(&folder_of(&format!("refused-{name}"), group, &lines, |_| ()));
    assert_eq!(summary.passed, 1, "the case beside it is checked all the same");
    let said: Vec<String> = summary.failed.iter().map(ToString::to_string).collect();
    assert_eq!(said, [expected]);
    assert!(summary.failed[0].refusal.is_some());
}

#[test]
fn what_a_case_asks_for_and_nobody_knows_fails_with_a_message() {
    let (elw, sfpu, chain) = ("vectors/elw", "vectors/sfpu", "chains/chain");
    refused(
        "op",
        elw,
        "elw_0000",
        ("\"add_tiles\"", "\"pow_tiles\""),
        "elw_0000: `op`: operation `pow_tiles` is not known; see tests/golden/README.md",
    );
    refused(
        "cfg",
        sfpu,
        "sfpu_0000",
        ("FAST_APPROX=0", "FAST_APPROX=0 SLOW=1"),
        "sfpu_0000: `cfg`: option `SLOW` of `rsqrt_tile` is not modelled",
    );
    refused(
        "source",
        elw,
        "elw_0000",
        ("\"src_fmt_b\":\"Float16_b\"", "\"src_fmt_b\":\"Tf32\""),
        "elw_0000: `src_fmt_b`: is Tf32, and Float16_b is derived for it",
    );
    refused(
        "pack",
        elw,
        "elw_0000",
        ("\"pack_src\":\"Float16_b\"", "\"pack_src\":\"Bfp8_b\""),
        "elw_0000: `pack_src`: is Bfp8_b, and Float16_b is derived for it",
    );
    refused(
        "bytes",
        elw,
        "elw_0000",
        ("\"in_fmt_a\":\"Float16_b\"", "\"in_fmt_a\":\"Float32\""),
        "elw_0000: `A`: a tile has 2048 bytes; one of Float32 has 4096",
    );
    refused(
        "chain-op",
        chain,
        "chain_0000",
        ("\"sub_binary_tile\"", "\"pow_binary_tile\""),
        "chain_0000: `program`: operation `pow_binary_tile` is not known; \
         see tests/golden/README.md",
    );
    refused(
        "chain-argument",
        chain,
        "chain_0000",
        ("[\"copy_tile\",\"A\"", "[\"copy_tile\",\"D\""),
        "chain_0000: `program`: `copy_tile` needs a buffer (\"A\", \"B\" or \"T\") as argument 1, \
         not \"D\"",
    );
    refused(
        "chain-arguments",
        chain,
        "chain_0000",
        ("[\"copy_tile\",\"A\",0,1]", "[\"copy_tile\",\"A\",0,1,1]"),
        "chain_0000: `program`: `copy_tile` has 4 arguments; it takes 3",
    );
    refused(
        "table",
        "vectors/unit",
        "elwadd",
        ("\"rows\":6000", "\"rows\":5999"),
        "elwadd: `data`: holds not 5999 rows of 7 words (u32)",
    );
}

/// The folder must not open, for this reason; FOLDER stands for its path.
#[track_caller]
fn closed(path: &Path, expected: &str) {
    let error = Folder::open(path).err().expect("the folder is damaged").to_string();
    assert_eq!(error.replace(&path.display().to_string(), "FOLDER"), expected);
}

#[test]
fn a_folder_that_cannot_be_read_says_why() {
    let lines = [line("vectors/elw", "elw_0000"), line("vectors/elw", "elw_0001")];
    let group = |name, lines: &[String]| folder_of(name, "vectors/elw", lines, |_| ());

    let path = scratch("empty");
    closed(
        &path,
        "FOLDER holds no golden data; it needs <group>.jsonl and <group>.bin, also as .zst, or \
         the folders vectors or chains with such files",
    );
    let path = group("no-bin", &lines);
    fs::remove_file(path.join("group.bin")).unwrap();
    closed(
        &path,
        "FOLDER/group.bin is missing, and so is FOLDER/group.bin.zst; a group has a .jsonl and a \
         .bin",
    );
    let path = folder_of("cut-bin", "vectors/elw", &lines, |arrays| arrays.truncate(6143));
    closed(
        &path,
        "FOLDER/group.jsonl:1: the line names an array in `dst_out` that ends at byte 6144, and \
         FOLDER/group.bin has 6143 bytes; is it cut?",
    );
    let path = group("bad-json", &[lines[0].clone(), lines[1][..40].to_owned()]);
    closed(
        &path,
        "FOLDER/group.jsonl:2: the line is not a case: EOF while parsing a string, column 40",
    );
    let path = group("no-field", &[lines[0].replace("\"op\"", "\"po\"")]);
    let error = Folder::open(&path).err().unwrap().to_string();
    let said = "group.jsonl:1: the line is not a case: unknown field `po`, expected one of `id`";
    assert!(error.contains(said), "{error}");
    assert!(Folder::open(path.join("nowhere")).is_err());
}

#[test]
fn a_damaged_frame_says_so() {
    for (name, change) in [
        ("cut-frame", (|frame| frame.truncate(frame.len() / 2)) as fn(&mut Vec<u8>)),
        ("wrong-checksum", |frame| *frame.last_mut().unwrap() ^= 1),
        ("no-frame", |frame| frame[0] ^= 1),
    ] {
        let path = scratch(name);
        for file in ["unit.jsonl.zst", "unit.bin.zst"] {
            let mut frame = fs::read(golden().join("vectors").join(file)).unwrap();
            if file == "unit.bin.zst" {
                change(&mut frame);
            }
            fs::write(path.join(file), frame).unwrap();
        }
        let error = Folder::open(&path).err().expect(name).to_string();
        assert!(error.contains("unit.bin.zst is not a whole Zstandard frame: "), "{error}");
    }
}
