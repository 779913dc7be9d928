// Pages of a tensor that is cut into shards, and shards over banks.
//
// A shard is a block of pages of the tensor's own rank. Shards go to banks in turn, or a run of them to
// each bank. A bank of L1 is told by the core's coordinates, one of DRAM by its number.

#pragma once

#include <cstdint>

#include "api/tensor/tensor_accessor_args.h"
#include "tilewright/address.h"

namespace tw {

struct shape {
    uint32_t rank;
    uint32_t extent[tensor_accessor::MAX_RANK];

    constexpr uint32_t operator[](uint32_t dim) const { return extent[dim]; }
    constexpr uint32_t& operator[](uint32_t dim) { return extent[dim]; }
    constexpr uint32_t size() const { return rank; }
    constexpr uint32_t volume() const {
        uint32_t pages = 1;
        for (uint32_t dim = 0; dim < rank; ++dim) {
            pages *= extent[dim];
        }
        return pages;
    }
    constexpr shape strides() const {
        shape all{rank, {}};
        uint32_t stride = 1;
        for (uint32_t dim = rank; dim-- > 0;) {
            all[dim] = stride;
            stride *= extent[dim];
        }
        return all;
    }
};

template <bool Dram>
class sharded {
public:
    static constexpr bool is_dram = Dram;
    static constexpr bool is_interleaved = false;
    using Shape = shape;

    template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
    explicit sharded(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>& args) {
        using words = TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>;
        banks_ = args.get_num_banks();
        is_contiguous_ = args.resolve_shard_contiguous();
        read<words::tensor_shape_is_crta>(
            tensor_, args.get_rank(), words::TensorShapeCTAOffset, args.tensor_shape_crta_offset());
        read<words::shard_shape_is_crta>(
            shard_, args.get_rank(), words::ShardShapeCTAOffset, args.shard_shape_crta_offset());
        coordinates_ = words::bank_coords_is_crta ? args.bank_coords_crta_offset() : words::BankCoordsCTAOffset;
        are_coordinates_runtime_ = words::bank_coords_is_crta;
        grid_.rank = tensor_.rank;
        for (uint32_t dim = 0; dim < tensor_.rank; ++dim) {
            grid_[dim] = (tensor_[dim] + shard_[dim] - 1) / shard_[dim];
        }
    }

    uint32_t rank() const { return tensor_.rank; }
    uint32_t num_banks() const { return banks_; }
    const shape& tensor_shape() const { return tensor_; }
    const shape& shard_shape() const { return shard_; }
    const shape& shard_grid() const { return grid_; }
    shape tensor_strides() const { return tensor_.strides(); }
    shape shard_strides() const { return shard_.strides(); }
    shape shard_grid_strides() const { return grid_.strides(); }
    uint32_t tensor_volume() const { return tensor_.volume(); }
    uint32_t shard_volume() const { return shard_.volume(); }
    uint32_t num_shards() const { return grid_.volume(); }

    // Which shard a page is in, and its place there.
    struct place_in_shard {
        uint32_t shard;
        uint32_t page;
    };
    place_in_shard find(uint32_t page) const {
        place_in_shard found{0, 0};
        uint32_t shard_stride = 1;
        uint32_t page_stride = 1;
        for (uint32_t dim = rank(); dim-- > 0;) {
            const uint32_t at = page % tensor_[dim];
            page /= tensor_[dim];
            found.shard += at / shard_[dim] * shard_stride;
            found.page += at % shard_[dim] * page_stride;
            shard_stride *= grid_[dim];
            page_stride *= shard_[dim];
        }
        return found;
    }
    // The tensor's page at a place in a shard; TW_NONE where the shard hangs over the tensor's edge.
    uint32_t page_at(uint32_t shard_index, uint32_t page) const {
        uint32_t found = 0;
        uint32_t stride = 1;
        for (uint32_t dim = rank(); dim-- > 0;) {
            const uint32_t at = shard_index % grid_[dim] * shard_[dim] + page % shard_[dim];
            if (at >= tensor_[dim]) {
                return TW_NONE;
            }
            shard_index /= grid_[dim];
            page /= shard_[dim];
            found += at * stride;
            stride *= tensor_[dim];
        }
        return found;
    }
    // The address of a place in a shard.
    uint64_t address(place_in_shard at, uint32_t base, uint32_t page_bytes) const {
        const uint32_t run = is_contiguous_ ? num_shards() / banks_ : 1;
        const uint32_t bank = is_contiguous_ ? at.shard / run : at.shard % banks_;
        const uint32_t slot = is_contiguous_ ? at.shard % run : at.shard / banks_;
        const uint32_t offset = base + (slot * shard_volume() + at.page) * page_bytes;
        const uint32_t xy = coordinates(bank);
        return Dram ? dram_address(xy >> 8, offset) : noc_address(xy >> 8, xy & 0xff, offset);
    }

private:
    // x in the upper byte and y in the lower, two banks in a word.
    uint32_t coordinates(uint32_t bank) const {
        const uint32_t index = coordinates_ + bank / 2;
        const uint32_t word = are_coordinates_runtime_ ? get_common_arg_val<uint32_t>(static_cast<int>(index))
                                                       : kernel_compile_time_args[index];
        return word >> (bank % 2 * 16) & 0xffff;
    }
    template <bool Runtime>
    static void read(shape& to, uint32_t rank, uint32_t compile_time, uint32_t runtime) {
        to.rank = rank;
        for (uint32_t dim = 0; dim < rank; ++dim) {
            to[dim] = Runtime ? get_common_arg_val<uint32_t>(static_cast<int>(runtime + dim))
                              : kernel_compile_time_args[compile_time + dim];
        }
    }

    shape tensor_{};
    shape shard_{};
    shape grid_{};
    uint32_t banks_;
    uint32_t coordinates_;
    bool is_contiguous_;
    bool are_coordinates_runtime_;
};

}  // namespace tw
