//! Pairs of a program that is right and the same with a usual mistake: the right one is silent, and
//! the mistake is the first finding, with what follows from it on its list.

use super::edit_all;
use super::program::Folder;

/// A mistake, and how its finding begins to advise.
struct Pair {
    name: &'static str,
    program: &'static str,
    edits: &'static [(&'static str, &'static str, &'static str)],
    id: &'static str,
    help: &'static str,
}

const PAIRS: &[Pair] = &[
    Pair {
        name: "uninitialised scaler",
        program: "rowsum",
        edits: &[
            ("reader.cpp", "    for (uint32_t i = 0; i < 1024; ++i) p[i] = 0;\n", ""),
            ("reader.cpp", "p[f * 256 + i] = 0x3f80;", "(void)p;"),
        ],
        id: "uninitialised-page",
        help: "write all of the page of `cb_scaler`",
    },
    Pair {
        name: "scaler of one face",
        program: "rowsum",
        edits: &[
            ("reader.cpp", "    for (uint32_t i = 0; i < 1024; ++i) p[i] = 0;\n", ""),
            ("reader.cpp", "f < 4; ++f", "f < 1; ++f"),
        ],
        id: "uninitialised-page",
        help: "write all of the page of `cb_scaler`",
    },
    Pair {
        name: "early push",
        program: "rowsum",
        edits: &[
            (
                "reader.cpp",
                "    cb_reserve_back(cb, 1);\n",
                "    cb_reserve_back(cb, 1);\n    cb_push_back(cb, 1);\n",
            ),
            ("reader.cpp", "0x3f80;\n    cb_push_back(cb, 1);", "0x3f80;"),
        ],
        id: "outside-window",
        help: "move the `cb_push_back` of line",
    },
    Pair {
        name: "early pop",
        program: "spill",
        edits: &[
            ("compute.cpp", "            cb_pop_front(1, nt);\n", ""),
            (
                "compute.cpp",
                "            cb_wait_front(1, nt);\n",
                "            cb_wait_front(1, nt);\n            cb_pop_front(1, nt);\n",
            ),
        ],
        id: "outside-window",
        help: "move the `cb_pop_front` of line",
    },
    Pair {
        name: "missing wait",
        program: "rowsum",
        edits: &[("compute.cpp", "            cb_wait_front(0, 1);\n", "")],
        id: "outside-window",
        help: "call `cb_wait_front` for 1 page of `cb_x`",
    },
    Pair {
        name: "missing pop",
        program: "rowsum",
        edits: &[("compute.cpp", "            cb_pop_front(0, 1);\n", "")],
        id: "missing-pop",
        help: "call `cb_pop_front` for 1 page of `cb_x`",
    },
    Pair {
        name: "released twice",
        program: "rowsum",
        edits: &[(
            "compute.cpp",
            "tile_regs_release();",
            "tile_regs_release(); \n tile_regs_release();",
        )],
        id: "dst-outside-section",
        help: "remove the `tile_regs_release` of line",
    },
    Pair {
        name: "output page off by one",
        program: "rowsum",
        edits: &[("writer.cpp", "noc_async_write_tile(r, y", "noc_async_write_tile(r + 1, y")],
        id: "outside-tensor",
        help: "end the loop with page 7 of `y`",
    },
    Pair {
        name: "input page beyond the last",
        program: "share",
        edits: &[("reader.cpp", "noc_async_read_tile(i, bias", "noc_async_read_tile(i + 1, bias")],
        id: "outside-tensor",
        help: "end the loop with page 3 of `bias`",
    },
    Pair {
        name: "more bytes than a page has",
        program: "share",
        edits: &[(
            "writer.cpp",
            "noc_async_write_tile(i * 4 + me, y, get_read_ptr(16));",
            "noc_async_write(get_read_ptr(16), y.get_noc_addr(i * 4 + me), 4096);",
        )],
        id: "outside-tensor",
        help: "give the accessor of `y` pages of 2048 bytes",
    },
    Pair {
        name: "swapped arguments",
        program: "rowsum",
        edits: &[(
            "program.toml",
            "[\"count\", \"tensor.x.tile_columns\"]",
            "[\"2 * count\", \"tensor.x.tile_columns / 2\"]",
        )],
        id: "starved-wait",
        help: "wait for and pop what is pushed to `cb_y`",
    },
    Pair {
        name: "missing reconfiguration of the unpacker",
        program: "spill",
        edits: &[("compute.cpp", "                reconfig_data_format_srca(1);\n", "")],
        id: "unpack-format",
        help: "set SrcA for `cb_b`",
    },
    Pair {
        name: "missing reconfiguration of the packer",
        program: "spill",
        edits: &[("compute.cpp", "            pack_reconfig_data_format(to);\n", "")],
        id: "pack-format",
        help: "call `pack_reconfig_data_format` for `cb_c`",
    },
    Pair {
        name: "missing init",
        program: "spill",
        edits: &[("compute.cpp", "                mm_init_short(0, 1);\n", "")],
        id: "wrong-init",
        help: "call `matmul_init(INPUT, cb_b)`",
    },
    Pair {
        name: "more tiles than Dst has",
        program: "spill",
        edits: &[("program.toml", "n = 64", "n = 160")],
        id: "dst-capacity",
        help: "use at most 4 tiles of Dst",
    },
    Pair {
        name: "ring too small",
        program: "spill",
        edits: &[(
            "program.toml",
            "index = 24\nformat = \"fp32\"\npages = \"tensor.b.tile_columns\"",
            "index = 24\nformat = \"fp32\"\npages = 1",
        )],
        id: "over-reserve",
        help: "",
    },
    Pair {
        name: "wrong stride of pages",
        program: "spill",
        edits: &[(
            "reader.cpp",
            "noc_async_read_tile(k * nt + n",
            "noc_async_read_tile(k * kt + n",
        )],
        id: "outside-tensor",
        help: "end the loop with page 7 of `b`",
    },
    Pair {
        name: "semaphore that is not reset",
        program: "share",
        edits: &[("reader.cpp", "            noc_semaphore_set(ready_p, 0);\n", "")],
        id: "starved-wait",
        help: "wait for at least 3, or reset the word",
    },
    Pair {
        name: "flag that is never cleared",
        program: "share",
        edits: &[("reader.cpp", "            noc_semaphore_set(valid_p, 0);\n", "")],
        id: "repeated-wait",
        help: "set semaphore 1 back with `noc_semaphore_set`",
    },
    Pair {
        name: "signal to another core",
        program: "share",
        edits: &[("reader.cpp", "get_noc_addr(0, 0, ready)", "get_noc_addr(1, 0, ready)")],
        id: "starved-wait",
        help: "signal 3 more",
    },
    Pair {
        name: "flag cleared too late",
        program: "share",
        edits: &[
            ("reader.cpp", "            noc_semaphore_set(valid_p, 0);\n", ""),
            (
                "reader.cpp",
                "ready), 1);\n",
                "ready), 1);\n            noc_semaphore_set(valid_p, 0);\n",
            ),
        ],
        id: "lost-update",
        help: "set the word before telling core (0,0)",
    },
    Pair {
        name: "multicast of bytes that have not landed",
        program: "share",
        edits: &[(
            "reader.cpp",
            "            noc_async_read_barrier();\n            noc_semaphore_wait",
            "            noc_semaphore_wait",
        )],
        id: "read-before-landing",
        help: "call `noc_async_read_barrier()`",
    },
    Pair {
        name: "sender counted in a multicast that leaves it out",
        program: "share",
        edits: &[("reader.cpp", "get_tile_size(1), 3);", "get_tile_size(1), 4);")],
        id: "miscounted-cores",
        help: "pass 3 as the number of destinations",
    },
    Pair {
        name: "a core too few in a semaphore's multicast",
        program: "share",
        edits: &[("reader.cpp", "3, 0, valid), 3);", "3, 0, valid), 2);")],
        id: "miscounted-cores",
        help: "pass 3 as the number of destinations",
    },
    Pair {
        name: "popped once too often",
        program: "share",
        edits: &[("compute.cpp", "cb_pop_front(1, 1)", "cb_pop_front(1, 2)")],
        id: "over-pop",
        help: "pop 1 page",
    },
];

#[test]
fn right_programs_are_silent() {
    for program in ["rowsum", "spill", "share"] {
        let Some(folder) = Folder::new(program, "program.toml") else { return };
        let found = folder.findings();
        assert!(found.is_empty(), "{program}: {found:#?}");
    }
}

#[test]
fn a_usual_mistake_is_one_finding_with_its_cause() {
    for Pair { name, program, edits, id, help } in PAIRS {
        let Some(folder) = Folder::new(program, "program.toml") else { return };
        edit_all(&folder, edits);
        let found = folder.findings();
        let ids: Vec<&str> = found.iter().map(|finding| finding.id.name()).collect();
        // Cores that wait for each other's signals are two findings.
        let is_alone = ids == [*id] || (ids.len() == 2 && ids == [*id; 2]);
        assert!(is_alone, "{name}: {ids:?}: {found:#?}");
        let advice = found[0].help.as_deref().unwrap_or_default();
        assert!(advice.starts_with(help), "{name}: {advice}");
    }
}

/// Before v0.74, tt-metal summed rows with the data in SrcA: a kernel of then may say so, and the
/// finding that it has otherwise says so too.
#[test]
fn sums_of_rows_may_have_the_older_operands() {
    let older: &[(&str, &str, &str)] = &[
        (
            "program.toml",
            "[\"rows\", \"columns\"]\nformat = \"bf16\"",
            "[\"rows\", \"columns\"]\nformat = \"fp32\"",
        ),
        ("program.toml", "index = 0\nformat = \"bf16\"", "index = 0\nformat = \"fp32\""),
        (
            "compute.cpp",
            "compute_kernel_hw_startup(1, 0, 16)",
            "compute_kernel_hw_startup(0, 1, 16)",
        ),
    ];
    let select =
        ("program.toml", "runs_on = \"compute\"", "runs_on = \"compute\"\napi = \"before-v0.74\"");
    let Some(folder) = Folder::new("rowsum", "program.toml") else { return };
    edit_all(&folder, older);
    let found = folder.findings();
    let ids: Vec<&str> = found.iter().map(|finding| finding.id.name()).collect();
    assert_eq!(ids, ["unpack-format"], "{found:#?}");
    let is_told = |fact: &String| fact.contains("only since tt-metal v0.74");
    assert!(found[0].facts.iter().any(is_told), "{found:#?}");
    edit_all(&folder, &[select]);
    let found = folder.findings();
    assert!(found.is_empty(), "{found:#?}");
}
