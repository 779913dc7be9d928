// Places on the network that are told by coordinates or by bank.

#pragma once

#include "api/dataflow/noc.h"

struct UnicastEndpoint {
    uint64_t get_noc_unicast_addr(uint32_t x, uint32_t y, uint32_t address, uint8_t = noc_index) const {
        return tw::noc_address(x, y, address);
    }
};

struct MulticastEndpoint {
    uint64_t get_noc_multicast_addr(
        uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, uint32_t address, uint8_t = noc_index) const {
        return tw::rectangle(x0, y0, x1, y1, address);
    }
};

enum class AllocatorBankType { L1, DRAM };

template <AllocatorBankType type>
struct AllocatorBank {
    uint64_t get_noc_addr_from_bank_id(uint32_t bank, uint32_t address, uint8_t noc = noc_index) const {
        return ::get_noc_addr_from_bank_id<type == AllocatorBankType::DRAM>(bank, address, noc);
    }
};

template <>
struct noc_traits_t<UnicastEndpoint> {
    struct src_args_type {
        uint32_t noc_x{};
        uint32_t noc_y{};
        uint32_t addr{};
    };
    using dst_args_type = src_args_type;
    template <Noc::AddressType type>
    static auto src_addr(const UnicastEndpoint&, const Noc&, const src_args_type& args) {
        if constexpr (type == Noc::AddressType::LOCAL_L1) {
            return args.addr;
        } else {
            return tw::noc_address(args.noc_x, args.noc_y, args.addr);
        }
    }
    template <Noc::AddressType type>
    static auto dst_addr(const UnicastEndpoint& at, const Noc& noc, const dst_args_type& args) {
        return src_addr<type>(at, noc, args);
    }
};

template <>
struct noc_traits_t<MulticastEndpoint> {
    struct dst_args_mcast_type {
        uint32_t noc_x_start{};
        uint32_t noc_y_start{};
        uint32_t noc_x_end{};
        uint32_t noc_y_end{};
        uint32_t addr{};
    };
    template <Noc::AddressType type>
    static uint64_t dst_addr_mcast(const MulticastEndpoint&, const Noc&, const dst_args_mcast_type& args) {
        return tw::rectangle(args.noc_x_start, args.noc_y_start, args.noc_x_end, args.noc_y_end, args.addr);
    }
};

template <AllocatorBankType bank_type>
struct noc_traits_t<AllocatorBank<bank_type>> {
    struct src_args_type {
        uint32_t bank_id{};
        uint32_t addr{};
    };
    using dst_args_type = src_args_type;
    template <Noc::AddressType type>
    static uint64_t src_addr(const AllocatorBank<bank_type>& bank, const Noc&, const src_args_type& args) {
        static_assert(type == Noc::AddressType::NOC, "a bank is on the network");
        return bank.get_noc_addr_from_bank_id(args.bank_id, args.addr);
    }
    template <Noc::AddressType type>
    static uint64_t dst_addr(const AllocatorBank<bank_type>& bank, const Noc& noc, const dst_args_type& args) {
        return src_addr<type>(bank, noc, args);
    }
};
