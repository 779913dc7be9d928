// The few functions of tt-llk that kernels call by themselves, where the machine has what they do.

#pragma once

#include "api/compute/common_globals.h"

#ifndef L1_ALIGNMENT
#define L1_ALIGNMENT TW_L1_ALIGNMENT
#endif

#ifndef MM_THROTTLE
#define MM_THROTTLE 0
#endif

namespace ckernel {

// What checks formats in tt-metal's debug builds; operands are followed here by themselves.
enum class Operand : uint8_t { SRCA, SRCB, PACK };
template <auto... Operands, typename... Cbs>
ALWI void state_configure(Cbs...) {}

// An operand is called by its buffer.
constexpr uint32_t get_operand_id(uint32_t cb) { return cb; }
constexpr uint32_t get_output_id(uint32_t cb) { return cb; }

// Start-up in its parts, as `compute_kernel_hw_startup` puts them together; kernels that do without it call
// these themselves, and some call them again in their middle. Older trees say `disaggregated`.
#ifdef TRISC_UNPACK
template <auto... More>
ALWI void llk_unpack_hw_configure(uint32_t a_cb, uint32_t b_cb) {
    tw_calls->configure_unpack_formats(TW_HERE, TW_SRC_A, a_cb);
    tw_calls->configure_unpack_formats(TW_HERE, TW_SRC_B, b_cb);
    tw_calls->started_up(TW_HERE);
}
template <auto... More>
ALWI void llk_unpack_hw_configure(uint32_t cb) {
    llk_unpack_hw_configure(cb, cb);
}
template <auto... More>
ALWI void llk_unpack_A_hw_configure_disaggregated(uint32_t cb, int = 0) {
    llk_unpack_hw_configure(cb, cb);
}
template <auto... More>
ALWI void llk_unpack_AB_hw_configure_disaggregated(uint32_t a_cb, uint32_t b_cb, int = 0) {
    llk_unpack_hw_configure(a_cb, b_cb);
}
#endif
#ifdef TRISC_MATH
template <auto... More>
ALWI void llk_math_hw_configure(uint32_t a_cb, uint32_t b_cb) {
    tw_calls->configure_alu_format(TW_HERE, TW_SRC_A, a_cb);
    tw_calls->configure_alu_format(TW_HERE, TW_SRC_B, b_cb);
}
template <auto... More>
ALWI void llk_math_hw_configure_disaggregated(uint32_t a_cb, uint32_t b_cb) {
    llk_math_hw_configure(a_cb, b_cb);
}
template <auto... More>
ALWI void llk_math_pack_sync_init() {
    tw_calls->start_math(TW_HERE);
    tw_calls->started_up(TW_HERE);
}
#endif
#ifdef TRISC_PACK
template <auto... More>
ALWI void llk_pack_hw_configure(uint32_t ocb) {
    tw_calls->configure_pack_formats(TW_HERE, ocb);
}
template <auto... More>
ALWI void llk_pack_hw_configure_disaggregated(uint32_t ocb) {
    llk_pack_hw_configure(ocb);
}
template <auto... More>
ALWI void llk_pack_dest_init(uint32_t = 0) {
    tw_calls->start_pack(TW_HERE);
    tw_calls->started_up(TW_HERE);
}
#endif

#ifdef TRISC_UNPACK
template <bool fp32 = false, auto... More>
ALWI void llk_unpack_reconfig_data_format_srca(uint32_t cb) {
    tw_calls->configure_unpack_formats(TW_HERE, TW_SRC_A, cb);
}
template <bool fp32 = false, auto... More>
ALWI void llk_unpack_reconfig_data_format_srca(uint32_t, uint32_t cb) {
    tw_calls->configure_unpack_formats(TW_HERE, TW_SRC_A, cb);
}
template <bool fp32 = false, auto... More>
ALWI void llk_unpack_reconfig_data_format_srcb(uint32_t cb) {
    tw_calls->configure_unpack_formats(TW_HERE, TW_SRC_B, cb);
}
template <bool fp32 = false, auto... More>
ALWI void llk_unpack_reconfig_data_format(uint32_t a_cb, uint32_t b_cb) {
    tw_calls->configure_unpack_formats(TW_HERE, TW_SRC_A, a_cb);
    tw_calls->configure_unpack_formats(TW_HERE, TW_SRC_B, b_cb);
}
template <bool fp32 = false, auto... More>
ALWI void llk_unpack_reconfig_data_format(uint32_t, uint32_t a_cb, uint32_t, uint32_t b_cb) {
    llk_unpack_reconfig_data_format<fp32>(a_cb, b_cb);
}
template <PoolType pool, ReduceDim dim, auto... More, typename... Cbs>
ALWI void llk_unpack_AB_reduce_init(Cbs...) {
    tw_calls->configure_unpack(TW_HERE, tw::unpack_both);
}
template <BroadcastType type = BroadcastType::NONE, auto... More>
ALWI void llk_unpack_AB_init(uint32_t, uint32_t, uint32_t = 0) {
    tw_calls->configure_unpack(TW_HERE, tw::unpack_both);
}
template <BroadcastType type = BroadcastType::NONE, auto... More>
ALWI void llk_unpack_AB(uint32_t a_cb, uint32_t b_cb, uint32_t a_tile, uint32_t b_tile, uint32_t = 0) {
    tw_calls->unpack(TW_HERE, tw::unpack_both, a_cb, a_tile, b_cb, b_tile);
}
template <
    BroadcastType type = BroadcastType::NONE,
    bool accumulate = false,
    EltwiseBinaryReuseDestType reuse = EltwiseBinaryReuseDestType::NONE,
    bool to_dest = false>
ALWI void llk_unpack_A_init(uint32_t faces = 0, uint32_t within = 0, uint32_t = 0) {
    static_assert(reuse == EltwiseBinaryReuseDestType::NONE, "an operand from a buffer");
    // A broadcast takes SrcB, unless the tile goes straight to Dst.
    const uint8_t source = type != BroadcastType::NONE && !to_dest ? TW_SRC_B : TW_SRC_A;
    const bool is_transposed = source == TW_SRC_A && (faces || within);
    tw_calls->configure_unpack(TW_HERE, is_transposed ? tw::unpack_as(faces, within) : tw::unpack_to(source));
}
ALWI void llk_unpack_AB_matmul_init(
    uint32_t, uint32_t, uint32_t = 0, uint32_t = 1, uint32_t = 1, uint32_t = 1) {
    tw_calls->configure_unpack(TW_HERE, tw::unpack_both);
}
// The first operand goes to SrcB, the second to SrcA; a block takes its tiles as `matmul_block` does.
ALWI void llk_unpack_AB_matmul(
    uint32_t in0,
    uint32_t in1,
    uint32_t tile0,
    uint32_t tile1,
    uint32_t ct = 1,
    uint32_t rt = 1,
    uint32_t kt = 1) {
    for (uint32_t at = 0; at < rt * ct; ++at) {
        tw_calls->unpack(TW_HERE, tw::unpack_both, in1, tile1 + at % ct, in0, tile0 + at / ct * kt);
    }
}
ALWI void llk_unpack_tilize_init(uint32_t, uint32_t row_tiles) {
    tw_calls->configure_unpack(TW_HERE, tw::unpack_tilize(row_tiles));
}
ALWI void llk_unpack_tilize(uint32_t cb, uint32_t tile, uint32_t row_tiles) {
    tw_calls->unpack(TW_HERE, tw::unpack_tilize(row_tiles), cb, tile, TW_NONE, 0);
}
ALWI void llk_unpack_tilize_block(uint32_t cb, uint32_t row_tiles, uint32_t tile = 0) {
    tw::require(tile % row_tiles == 0, "tilize from the middle of a row of tiles");
    for (uint32_t i = 0; i < row_tiles; ++i) {
        llk_unpack_tilize(cb, tile + i, row_tiles);
    }
}
ALWI void llk_unpack_tilize_uninit(uint32_t) { tw_calls->configure_unpack(TW_HERE, tw::unpack_one); }
#endif

#ifdef TRISC_MATH
ALWI void llk_math_wait_for_dest_available() { tw_calls->acquire(TW_HERE); }
template <bool fp32 = false, auto... More>
ALWI void llk_math_dest_section_done() {
    tw_calls->commit(TW_HERE);
}
template <
    DataCopyType copy,
    bool fp32 = false,
    BroadcastType type = BroadcastType::NONE,
    bool to_dest = false>
ALWI void llk_math_eltwise_unary_datacopy(uint32_t dst, uint32_t = 0) {
    static_assert(copy == DataCopyType::A2D && type == BroadcastType::NONE, "a plain copy");
    tw_calls->compute(TW_HERE, tw::math_copy, dst);
}
template <DataCopyType copy, bool fp32 = false, BroadcastType type = BroadcastType::NONE, auto... More>
ALWI void llk_math_eltwise_unary_datacopy_init(uint32_t = 0) {
    constexpr uint8_t source = copy == DataCopyType::A2D ? TW_SRC_A : TW_SRC_B;
    static_assert(type != BroadcastType::NONE || source == TW_SRC_A, "a plain copy is one of SrcA");
    constexpr tw_math_op broadcast = {TW_MATH_BROADCAST, 0, tw::code_of(type), source, 0, 0, {0, 0}};
    tw_calls->configure_math(TW_HERE, type == BroadcastType::NONE ? tw::math_copy : broadcast);
}
// Wormhole's Dst has no remapping.
ALWI void llk_math_reconfig_remap(bool) {}
template <bool fp32 = false, auto... More>
ALWI void llk_math_reconfig_data_format_srca(uint32_t cb) {
    tw_calls->configure_alu_format(TW_HERE, TW_SRC_A, cb);
}
template <bool fp32 = false, auto... More>
ALWI void llk_math_reconfig_data_format_srca(uint32_t, uint32_t cb) {
    tw_calls->configure_alu_format(TW_HERE, TW_SRC_A, cb);
}
template <bool fp32 = false, auto... More>
ALWI void llk_math_reconfig_data_format_srcb(uint32_t cb) {
    tw_calls->configure_alu_format(TW_HERE, TW_SRC_B, cb);
}
template <bool fp32 = false, auto... More>
ALWI void llk_math_reconfig_data_format(uint32_t a_cb, uint32_t b_cb) {
    tw_calls->configure_alu_format(TW_HERE, TW_SRC_A, a_cb);
    tw_calls->configure_alu_format(TW_HERE, TW_SRC_B, b_cb);
}
template <bool fp32 = false, auto... More>
ALWI void llk_math_reconfig_data_format(uint32_t, uint32_t a_cb, uint32_t, uint32_t b_cb) {
    llk_math_reconfig_data_format<fp32>(a_cb, b_cb);
}
template <PoolType pool, ReduceDim dim, auto... More, typename... Cbs>
ALWI void llk_math_reduce_init(Cbs...) {
    tw_calls->configure_math(
        TW_HERE,
        {TW_MATH_REDUCE, tw::code_of(pool), static_cast<uint8_t>(dim), 0, 0, 0, {0, 0}});
}
template <EltwiseBinaryType op, BroadcastType type, auto... More>
ALWI void llk_math_eltwise_binary_init(uint32_t = 0, uint32_t = 0, uint32_t acc_to_dest = 0) {
    // A product always adds to what is in Dst.
    const bool accumulates = acc_to_dest != 0 || op == EltwiseBinaryType::ELWMUL;
    tw_calls->configure_math(TW_HERE, tw::elementwise(tw::code_of(op), tw::code_of(type), accumulates));
}
template <EltwiseBinaryType op, BroadcastType type, auto... More>
ALWI void llk_math_eltwise_binary_init_with_operands(uint32_t, uint32_t, uint32_t acc_to_dest = 0) {
    llk_math_eltwise_binary_init<op, type>(0, 0, acc_to_dest);
}
template <
    EltwiseBinaryType op,
    BroadcastType type,
    bool fp32 = false,
    auto fidelity = 0,
    EltwiseBinaryReuseDestType reuse = EltwiseBinaryReuseDestType::NONE>
ALWI void llk_math_eltwise_binary(uint32_t, uint32_t, uint32_t dst, bool = true) {
    static_assert(reuse == EltwiseBinaryReuseDestType::NONE, "both operands come from buffers");
    tw_calls->compute(TW_HERE, tw::elementwise(tw::code_of(op), tw::code_of(type)), dst);
}
// Newer trees do not name the operands again.
template <EltwiseBinaryType op, BroadcastType type, auto... More>
ALWI void llk_math_eltwise_binary(uint32_t dst, bool clear = true) {
    llk_math_eltwise_binary<op, type, More...>(0, 0, dst, clear);
}
// A product may have another fidelity than the kernel's: its number of phases.
template <auto fidelity>
constexpr tw_math_op tw_product(bool transpose) {
    constexpr auto code = static_cast<uint8_t>(fidelity);
    constexpr uint8_t phases = code == 0 ? 1 : code;
    return {TW_MATH_MATMUL, fidelity == MATH_FIDELITY ? uint8_t{0} : phases, 0, 0, 0, transpose, {0, 0}};
}
template <auto fidelity, auto... More>
ALWI void llk_math_matmul_init(
    uint32_t, uint32_t, uint32_t transpose = 0, uint32_t = 1, uint32_t = 1, uint32_t = 1) {
    tw_calls->configure_math(TW_HERE, tw_product<fidelity>(transpose != 0));
}
template <auto fidelity, auto... More>
ALWI void llk_math_matmul(uint32_t dst, uint32_t ct = 1, uint32_t rt = 1, uint32_t = 1) {
    for (uint32_t at = 0; at < rt * ct; ++at) {
        tw_calls->compute(TW_HERE, tw_product<fidelity>(false), dst + at);
    }
}
#endif

#ifdef TRISC_PACK
ALWI void llk_packer_wait_for_math_done() { tw_calls->wait_commit(TW_HERE); }
template <bool fp32 = false, auto... More>
ALWI void llk_pack_dest_section_done() {
    tw_calls->release(TW_HERE);
}
template <auto... More>
ALWI void llk_pack_init(uint32_t = 0, uint32_t tiles = 1) {
    tw::require(tiles == 1, "packs of several tiles at once");
    tw_calls->configure_pack(TW_HERE, 0, 0);
}
// Out of order, every tile of a run goes to the same page, as in tt-llk.
template <bool fp32 = false, bool out_of_order = false, PackMode mode = PackMode::Default>
ALWI void llk_matmul_pack(uint32_t dst, uint32_t ocb, uint32_t tiles, uint32_t page = 0) {
    static_assert(mode == PackMode::Default, "whole tiles");
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        tw_calls->pack_tile(TW_HERE, dst + tile, ocb, out_of_order ? page : TW_NONE);
    }
}
template <bool fp32 = false, bool out_of_order = false, PackMode mode = PackMode::Default>
ALWI void llk_pack(uint32_t dst, uint32_t ocb, uint32_t page = 0) {
    llk_matmul_pack<fp32, out_of_order, mode>(dst, ocb, 1, page);
}
template <ReduceDim dim, auto... More>
ALWI void llk_pack_reduce_mask_config(uint32_t = 0) {
    tw_calls->configure_mask(TW_HERE, TW_MASK_ROW + static_cast<uint32_t>(dim));
}
ALWI void llk_pack_reduce_mask_clear() { tw_calls->configure_mask(TW_HERE, TW_MASK_NONE); }
ALWI void llk_pack_relu_config(uint32_t word) {
    tw_calls->configure_relu(TW_HERE, word & 3, word >> 16 & 0xffff);
}
ALWI void llk_pack_relu_config(const ReluConfig& config) {
    tw_calls->configure_relu(TW_HERE, static_cast<uint32_t>(config.get_mode()), config.get_threshold());
}
ALWI void llk_pack_relu_config(ReluType type) {
    tw_calls->configure_relu(TW_HERE, static_cast<uint32_t>(type), 0);
}
ALWI void llk_pack_reconfig_l1_acc(uint32_t enable) { tw_calls->configure_accumulate(TW_HERE, enable); }
#endif

}  // namespace ckernel
