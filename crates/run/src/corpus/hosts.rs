//! What hosts really give to kernels that no general assumption suits, read from tt-metal's program
//! factories at commit e4f9f0bb8de.

use std::path::Path;

/// What one host gives.
pub(super) struct Host {
    /// How the kernel's path ends.
    kernel: &'static str,
    /// Compile-time arguments by place.
    pub(super) args: &'static [(u32, u32)],
    /// Definitions, instead of those of `tilewright/corpus.h`.
    pub(super) defines: &'static [(&'static str, &'static str)],
}

/// What the host of a kernel gives; nothing if it is not listed.
pub(super) fn host_of(kernel: &Path) -> &'static Host {
    static UNKNOWN: Host = Host { kernel: "", args: &[], defines: &[] };
    HOSTS.iter().find(|host| kernel.ends_with(host.kernel)).unwrap_or(&UNKNOWN)
}

const fn args(kernel: &'static str, args: &'static [(u32, u32)]) -> Host {
    Host { kernel, args, defines: &[] }
}

const fn defines(kernel: &'static str, defines: &'static [(&'static str, &'static str)]) -> Host {
    Host { kernel, args: &[], defines }
}

const FILL_PAD: &[(&str, &str)] = &[("MASK_ELEM_UINT", "uint16_t"), ("MASK_VALUE", "0x3F80u")];
const ADDCMUL: &[(&str, &str)] = &[("ADDCMUL_DATA_FORMAT", "DataFormat::Int32")];
const SHARES: &[(&str, &str)] = &[
    ("DEVICE_ORDER", "{0}"),
    ("INPUT_CORE_XY", "{}"),
    ("OUTPUT_CORE_XY", "{}"),
    ("Q_OUTPUT_CORE_XY", "{}"),
    ("K_OUTPUT_CORE_XY", "{}"),
    ("V_OUTPUT_CORE_XY", "{}"),
    ("SCHEDULE", "{}"),
];
const POOL: &[(&str, &str)] =
    &[("REDUCE_OP", "ckernel::PoolType::MAX"), ("REDUCE_DIM", "ckernel::ReduceDim::REDUCE_COL")];
const BINARY_SFPU: &[(&str, &str)] = &[
    ("BINOP_INIT", "add_binary_tile_init();"),
    ("BINARY_SFPU_OP", "add_binary_tile(i*2,i*2+1,i*2);"),
];

static HOSTS: &[Host] = &[
    defines("fill_pad/device/kernels/dataflow/fill_pad_writer.cpp", FILL_PAD),
    defines("fill_pad/device/kernels/dataflow/fill_pad_sharded_writer.cpp", FILL_PAD),
    defines(
        "fill_pad/device/kernels/compute/fill_pad_compute.cpp",
        &[
            ("FILL_PAD_DATA_FMT", "DataFormat::Float16_b"),
            ("FILL_PAD_FILL_FN", "fill_tile_bitcast"),
            ("FILL_PAD_FILL_ARG", "fill_bits"),
        ],
    ),
    defines("non_zero_indices_sc_reader.cpp", &[("NUM_BYTES", "2")]),
    defines("ternary_addcmul_int_sfpu.cpp", ADDCMUL),
    defines("ternary_addcmul_int_sfpu_bcast.cpp", ADDCMUL),
    defines(
        "eltwise_bw_gelu_tanh.cpp",
        &[("BF16_ROUNDING_MODE", "ckernel::DstRoundingMode::NearestEven")],
    ),
    defines("matmul_wo/device/kernels/dm1.cpp", &[("COLLECTOR_CORE_COORDS", "{}")]),
    defines("moe_gpt/device/kernels/dm1.cpp", &[("OUTPUT_SHARD_CORE_MAP", "{}")]),
    defines("moe_compute/device/kernels/dm1.cpp", &[("OUTPUT_SHARD_CORE_MAP", "{}")]),
    defines("reader_llama_reduce_scatter.cpp", SHARES),
    defines("topk_route_prep_untilize_clamp.cpp", &[("CLAMP_BITS", "0u")]),
    defines("welford_writer_unary_sharded_gn_rm_gb_v2.cpp", &[("TILE_HW_VAL", "1024")]),
    defines("reader_moreh_getitem_tilize.cpp", &[("TILIZE_INDEX", "1")]),
    defines("pool/generic/device/kernels/compute/compute_pool_2d.cpp", POOL),
    defines("pool/generic/device/kernels/compute/compute_mpwi.cpp", POOL),
    defines("eltwise_binary_sfpu_kernel.cpp", BINARY_SFPU),
    defines(
        "accumulation_compute.cpp",
        &[("BINARY_OP", "add_binary_tile"), ("BINARY_OP_INIT", "add_binary_tile_init")],
    ),
    args("reader_msda.cpp", &[(5, 32)]),
    args("writer_msda.cpp", &[(3, 32)]),
    args("topk_large_indices/device/kernels/writer.cpp", &[(3, 64), (5, 64)]),
    args("writer_index_fill.cpp", &[(2, 2)]),
    args("tilize/device/kernels/compute/retile.cpp", &[(5, 16), (6, 32)]),
];

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::host_of;

    #[test]
    fn a_host_is_found_by_how_the_path_of_its_kernel_ends() {
        assert_eq!(host_of(Path::new("a/b/writer_msda.cpp")).args, [(3, 32)]);
        assert!(host_of(Path::new("a/b/my_writer_msda.cpp")).args.is_empty());
    }
}
