// From page index to bank and address.

#pragma once

#include <array>
#include <cstdint>
#include <tuple>

#include "api/tensor/page.h"
#include "api/tensor/tensor_accessor_args.h"
#include "api/tensor/tensor_binding_token.h"
#include "internal/tensor/interleaved.h"
#include "internal/tensor/pages.h"
#include "internal/tensor/sharded.h"

#ifdef COMPILE_FOR_TRISC
#define TW_NOC_INDEX 0
#else
#define TW_NOC_INDEX NOC_INDEX
#endif

template <typename DSpecT>
struct TensorAccessor;

// Pages in turn over the banks.
template <bool Dram>
struct TensorAccessor<tw::interleaved<Dram>> {
    using DSpec = tw::interleaved<Dram>;
    static constexpr bool is_dram = Dram;

    template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
    TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>& args, std::size_t address) :
        TensorAccessor(args, address, args.get_aligned_page_size()) {}
    template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
    TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>&, std::size_t address, uint32_t page_bytes) :
        bank_base_address(static_cast<uint32_t>(address)),
        page_size(page_bytes),
        aligned_page_size(page_bytes),
        stride_(DSpec::stride(page_bytes)) {}
    template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
    TensorAccessor(tensor_accessor::TensorBindingToken<CTA_OFFSET, ADDR_CRTA_OFFSET>) :
        TensorAccessor(
            TensorAccessorArgs<CTA_OFFSET, ADDR_CRTA_OFFSET / 4 + 1>{},
            get_common_arg_val<uint32_t>(ADDR_CRTA_OFFSET / 4)) {}

    // As given: only the stride between pages is rounded up to the bank's alignment.
    constexpr uint32_t get_aligned_page_size() const { return aligned_page_size; }
    constexpr uint32_t get_bank_base_address() const { return bank_base_address; }
    uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t = TW_NOC_INDEX) const {
        return DSpec::page_address(bank_base_address + offset, stride_, page);
    }
    tw::pages<TensorAccessor> pages(uint32_t first, uint32_t end, uint8_t = TW_NOC_INDEX) const {
        return {*this, first, end};
    }

    uint32_t bank_base_address;
    uint32_t page_size;
    uint32_t aligned_page_size;

private:
    uint32_t stride_;
};

// Pages in shards.
template <bool Dram>
struct TensorAccessor<tw::sharded<Dram>> {
    using DSpec = tw::sharded<Dram>;
    static constexpr bool is_dram = Dram;

    template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
    TensorAccessor(
        const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>& args,
        std::size_t address,
        uint32_t page_bytes = TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>::AlignedPageSize) :
        dspec_(args), base_(static_cast<uint32_t>(address)), page_bytes_(page_bytes) {}
    template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
    TensorAccessor(tensor_accessor::TensorBindingToken<CTA_OFFSET, ADDR_CRTA_OFFSET>) :
        TensorAccessor(
            TensorAccessorArgs<CTA_OFFSET, ADDR_CRTA_OFFSET / 4 + 1>{},
            get_common_arg_val<uint32_t>(ADDR_CRTA_OFFSET / 4)) {}

    const DSpec& dspec() const { return dspec_; }
    uint32_t get_aligned_page_size() const { return page_bytes_; }
    uint32_t get_bank_base_address() const { return base_; }
    uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t = TW_NOC_INDEX) const {
        const uint64_t at = dspec_.address(dspec_.find(page), base_, page_bytes_) + offset;
        // The simulator knows how many pages there are.
        tw_calls->page_addressed(at, base_ + offset, page);
        return at;
    }
    uint64_t get_shard_noc_addr(uint32_t shard, uint32_t offset = 0, uint8_t = TW_NOC_INDEX) const {
        return dspec_.address({shard, 0}, base_, page_bytes_) + offset;
    }
    bool is_local_addr(uint64_t address, uint8_t = TW_NOC_INDEX) const {
        const uint32_t core = tw_calls->core();
        return address >> tw::address_bits == tw::place(core & 0xff, core >> 8, 0) >> tw::address_bits;
    }
    bool is_local_page(uint32_t page, uint8_t = TW_NOC_INDEX) const { return is_local_addr(get_noc_addr(page)); }
    bool is_local_shard(uint32_t shard, uint8_t = TW_NOC_INDEX) const {
        return is_local_addr(get_shard_noc_addr(shard));
    }
    tw::pages<TensorAccessor> pages(uint32_t first = 0, uint32_t end = 0, uint8_t = TW_NOC_INDEX) const {
        return {*this, first, end == 0 ? dspec_.tensor_volume() : end};
    }
    tw::shard_pages<TensorAccessor> shard_pages(
        uint32_t shard, uint32_t first = 0, uint32_t end = 0, uint8_t = TW_NOC_INDEX) const {
        return {*this, shard, first, end == 0 ? dspec_.shard_volume() : end};
    }

private:
    DSpec dspec_;
    uint32_t base_;
    uint32_t page_bytes_;
};

namespace tw {

template <typename Args>
using spec_of = std::conditional_t<Args::is_sharded, sharded<Args::is_dram>, interleaved<Args::is_dram>>;

}  // namespace tw

template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET, typename... Rest>
TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>&, Rest...)
    -> TensorAccessor<tw::spec_of<TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>>>;
template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
TensorAccessor(tensor_accessor::TensorBindingToken<CTA_OFFSET, ADDR_CRTA_OFFSET>)
    -> TensorAccessor<tw::spec_of<TensorAccessorArgs<CTA_OFFSET, ADDR_CRTA_OFFSET / 4 + 1>>>;

// Several tensors, their addresses in a row of runtime arguments.
template <typename... Args>
auto make_tensor_accessor_tuple(const std::tuple<Args...>& args, uint32_t first_address) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return std::make_tuple(
            TensorAccessor(std::get<I>(args), get_arg_val<uint32_t>(static_cast<int>(first_address + I)))...);
    }(std::index_sequence_for<Args...>());
}

// Any accessor behind one type.
class AbstractTensorAccessorWrapper {
public:
    AbstractTensorAccessorWrapper() = default;
    template <typename Accessor>
    AbstractTensorAccessorWrapper(const Accessor& accessor) :
        accessor_(&accessor), find_([](const void* at, uint32_t page, uint32_t offset, uint8_t noc) {
            return static_cast<const Accessor*>(at)->get_noc_addr(page, offset, noc);
        }) {}
    uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t noc = TW_NOC_INDEX) const {
        return find_(accessor_, page, offset, noc);
    }

private:
    const void* accessor_ = nullptr;
    uint64_t (*find_)(const void*, uint32_t, uint32_t, uint8_t) = nullptr;
};

template <typename... Accessors>
auto make_abstract_tensor_accessor_wrappers(const std::tuple<Accessors...>& accessors) {
    return std::apply(
        [](const auto&... each) {
            using all = std::array<AbstractTensorAccessorWrapper, sizeof...(Accessors)>;
            return all{AbstractTensorAccessorWrapper(each)...};
        },
        accessors);
}

template <typename Accessor>
struct PageView {
    const Accessor& accessor;
    explicit PageView(const Accessor& all) : accessor(all) {}
    uint64_t get_noc_addr(uint32_t page, uint32_t offset, uint8_t noc) const {
        return accessor.get_noc_addr(page, offset, noc);
    }
};

template <typename Accessor>
struct ShardView {
    const Accessor& accessor;
    explicit ShardView(const Accessor& all) : accessor(all) {}
    bool is_local_shard(uint32_t shard, uint8_t noc) const { return accessor.is_local_shard(shard, noc); }
    uint64_t get_noc_addr(uint32_t shard, uint32_t offset, uint8_t noc) const {
        return accessor.get_shard_noc_addr(shard, offset, noc);
    }
};
