// What a kernel knows of a tensor: words among its compile-time and its common runtime arguments.
//
// The order of the words is tt-metal's: configuration, page size, and for a sharded tensor rank, banks,
// tensor shape, shard shape, bank coordinates. A bit of the configuration moves a group of words from
// the compile-time to the common runtime arguments.

#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "api/compile_time_args.h"
#include "internal/arguments.h"

namespace tensor_accessor {

inline constexpr std::size_t UNKNOWN = static_cast<std::size_t>(-1);
inline constexpr std::size_t MAX_RANK = 8;
inline constexpr uint32_t ShardContiguousBit = 1u << 31;

enum class ArgConfig : uint8_t {
    None = 0,
    Sharded = 1 << 0,
    IsDram = 1 << 1,
    RuntimeRank = 1 << 2,
    RuntimeNumBanks = 1 << 3,
    RuntimeTensorShape = 1 << 4,
    RuntimeShardShape = 1 << 5,
    RuntimeBankCoords = 1 << 6,
    RuntimePageSize = 1 << 7,
};

}  // namespace tensor_accessor

template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET = tensor_accessor::UNKNOWN>
struct TensorAccessorArgs {
#ifdef TW_CORPUS
    // Sharded ones have everything but the page size among the runtime arguments.
    static constexpr uint32_t config = TW_CORPUS_SHARDED ? 0x7d : static_cast<uint32_t>(tensor_accessor::ArgConfig::IsDram);
#else
    static constexpr uint32_t config = get_compile_time_arg_val(CTA_OFFSET);
#endif
    static constexpr bool has(tensor_accessor::ArgConfig bit) { return (config & static_cast<uint32_t>(bit)) != 0; }
    template <bool Given, std::size_t Index>
    static constexpr uint32_t word() {
        if constexpr (Given) {
            return get_compile_time_arg_val(Index);
        } else {
            return 0;
        }
    }

    static constexpr bool is_sharded = (config & 1) != 0;
    static constexpr bool is_dram = (config & 2) != 0;
    static constexpr bool rank_is_crta = (config & 4) != 0;
    static constexpr bool num_banks_is_crta = (config & 8) != 0;
    static constexpr bool tensor_shape_is_crta = (config & 16) != 0;
    static constexpr bool shard_shape_is_crta = (config & 32) != 0;
    static constexpr bool bank_coords_is_crta = (config & 64) != 0;
    static constexpr bool page_size_is_crta = (config & 128) != 0;
    static_assert((config & ~255u) == 0, "this compile-time argument does not describe a tensor");
    static_assert(!is_sharded || !page_size_is_crta, "a sharded tensor's page size is a compile-time argument");

    static constexpr uint32_t AlignedPageSize = word<!page_size_is_crta, CTA_OFFSET + 1>();
    static constexpr uint32_t RankCTAOffset = CTA_OFFSET + (page_size_is_crta ? 1 : 2);
    static constexpr uint32_t NumBanksCTAOffset = RankCTAOffset + (rank_is_crta ? 0 : 1);
    static constexpr uint32_t RankCT = word<is_sharded && !rank_is_crta, RankCTAOffset>();
    static constexpr uint32_t NumBanksRawCT = word<is_sharded && !num_banks_is_crta, NumBanksCTAOffset>();
    static constexpr uint32_t NumBanksCT = NumBanksRawCT & ~tensor_accessor::ShardContiguousBit;
    static constexpr bool is_shard_contiguous = (NumBanksRawCT & tensor_accessor::ShardContiguousBit) != 0;
    static constexpr uint32_t TensorShapeCTAOffset = NumBanksCTAOffset + (num_banks_is_crta ? 0 : 1);
    static constexpr uint32_t ShardShapeCTAOffset = TensorShapeCTAOffset + (tensor_shape_is_crta ? 0 : RankCT);
    static constexpr uint32_t BankCoordsCTAOffset = ShardShapeCTAOffset + (shard_shape_is_crta ? 0 : RankCT);
    static constexpr uint32_t ShardedEnd = BankCoordsCTAOffset + (bank_coords_is_crta ? 0 : (NumBanksCT + 1) / 2);
    static constexpr uint32_t NumArgsCT = is_sharded ? ShardedEnd - CTA_OFFSET : (page_size_is_crta ? 1 : 2);

    constexpr TensorAccessorArgs() = default;
    constexpr explicit TensorAccessorArgs(uint32_t crta_offset) : crta_offset_(crta_offset) {}

    constexpr uint32_t crta_offset() const {
        return CRTA_OFFSET != tensor_accessor::UNKNOWN ? static_cast<uint32_t>(CRTA_OFFSET) : crta_offset_;
    }
    constexpr uint32_t get_aligned_page_size() const {
        if constexpr (page_size_is_crta) {
            return get_common_arg_val<uint32_t>(static_cast<int>(crta_offset()));
        } else {
            return AlignedPageSize;
        }
    }
    constexpr uint32_t get_rank() const { return given<!rank_is_crta>(RankCT, crta_offset()); }
    constexpr uint32_t num_banks_crta_offset() const { return crta_offset() + rank_is_crta; }
    constexpr uint32_t num_banks_word() const {
        return given<!num_banks_is_crta>(NumBanksRawCT, num_banks_crta_offset());
    }
    constexpr uint32_t get_num_banks() const { return num_banks_word() & ~tensor_accessor::ShardContiguousBit; }
    constexpr bool resolve_shard_contiguous() const { return num_banks_word() >> 31 != 0; }
    constexpr uint32_t tensor_shape_crta_offset() const { return num_banks_crta_offset() + num_banks_is_crta; }
    constexpr uint32_t shard_shape_crta_offset() const {
        return tensor_shape_crta_offset() + (tensor_shape_is_crta ? get_rank() : 0);
    }
    constexpr uint32_t bank_coords_crta_offset() const {
        return shard_shape_crta_offset() + (shard_shape_is_crta ? get_rank() : 0);
    }

    static constexpr uint32_t num_compile_time_args() { return NumArgsCT; }
    static constexpr uint32_t next_compile_time_args_offset() { return CTA_OFFSET + NumArgsCT; }
    constexpr uint32_t num_common_runtime_args() const {
        if constexpr (!is_sharded) {
            return page_size_is_crta ? 1 : 0;
        } else {
            return bank_coords_crta_offset() + (bank_coords_is_crta ? (get_num_banks() + 1) / 2 : 0) - crta_offset();
        }
    }
    constexpr uint32_t next_common_runtime_args_offset() const { return crta_offset() + num_common_runtime_args(); }

private:
    template <bool Static>
    static constexpr uint32_t given(uint32_t known, uint32_t index) {
        if constexpr (Static) {
            return known;
        } else {
            return get_common_arg_val<uint32_t>(static_cast<int>(index));
        }
    }

    uint32_t crta_offset_ = 0;
};

namespace tensor_accessor::detail {

template <uint32_t TENSOR_IDX, uint32_t CTA_OFFSET>
constexpr uint32_t get_tensor_accessor_args_cta_offset() {
    if constexpr (TENSOR_IDX == 0) {
        return CTA_OFFSET;
    } else {
        return TensorAccessorArgs<get_tensor_accessor_args_cta_offset<TENSOR_IDX - 1, CTA_OFFSET>()>::
            next_compile_time_args_offset();
    }
}

template <uint32_t CTA_OFFSET, uint32_t... Indices>
constexpr auto make_tensor_accessor_args_tuple(std::integer_sequence<uint32_t, Indices...>) {
    return std::make_tuple(TensorAccessorArgs<get_tensor_accessor_args_cta_offset<Indices, CTA_OFFSET>()>()...);
}

}  // namespace tensor_accessor::detail

// Descriptions of several tensors, one after the other.
template <uint32_t NUM_TENSORS, uint32_t CTA_OFFSET>
constexpr auto make_tensor_accessor_args_tuple() {
    return tensor_accessor::detail::make_tensor_accessor_args_tuple<CTA_OFFSET>(
        std::make_integer_sequence<uint32_t, NUM_TENSORS>());
}
