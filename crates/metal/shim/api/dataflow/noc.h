// The network as an object: reads, writes and barriers between things that know their addresses.
//
// What can take part in a transfer says so with `noc_traits_t`: arguments of its own, and the address
// that they mean, on the network or in this core's L1.

#pragma once

#include <type_traits>

#include "api/dataflow/dataflow_api.h"

template <typename DSpecT>
struct TensorAccessor;

struct DataflowBufferArgs {
    uint32_t offset_bytes{};
};

template <typename T>
struct noc_traits_t {
    static_assert(sizeof(T) == 0, "this type cannot take part in a transfer");
};

enum class NocOptions : uint32_t {
    DEFAULT = 0,
    TXN_ID = 1u << 0,
    POSTED = 1u << 1,
    CUSTOM_VC = 1u << 2,
    MCAST_INCL_SRC = 1u << 3,
    INLINE_L1 = 1u << 4,
    INLINE_REG = 1u << 5,
};
constexpr NocOptions operator|(NocOptions a, NocOptions b) noexcept {
    return static_cast<NocOptions>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b));
}
constexpr bool has_flag(NocOptions options, NocOptions flag) noexcept {
    return (static_cast<uint32_t>(options) & static_cast<uint32_t>(flag)) != 0;
}

// Virtual channels change nothing that the machine models.
struct NocOptVals {
    uint32_t vc = NOC_UNICAST_WRITE_VC;
    uint32_t trid = 0;
};

class Noc {
public:
    enum class AddressType { NOC, LOCAL_L1 };
    // Options as they were until May 2026, when `NocOptions` took their place.
    enum class VcSelection { DEFAULT, CUSTOM };
    enum class McastMode { INCLUDE_SRC, EXCLUDE_SRC };
    static constexpr uint32_t INVALID_TXN_ID = 0xffffffff;

private:
    template <typename T>
    using src_args_t = typename noc_traits_t<T>::src_args_type;
    template <typename T>
    using dst_args_t = typename noc_traits_t<T>::dst_args_type;
    template <typename T>
    using dst_args_mcast_t = typename noc_traits_t<T>::dst_args_mcast_type;

    template <typename Src>
    uint64_t remote(const Src& src, const src_args_t<Src>& args) const {
        return noc_traits_t<Src>::template src_addr<AddressType::NOC>(src, *this, args);
    }
    template <typename Dst>
    uint64_t remote_dst(const Dst& dst, const dst_args_t<Dst>& args) const {
        return noc_traits_t<Dst>::template dst_addr<AddressType::NOC>(dst, *this, args);
    }
    template <typename Src>
    uint32_t local(const Src& src, const src_args_t<Src>& args) const {
        return static_cast<uint32_t>(noc_traits_t<Src>::template src_addr<AddressType::LOCAL_L1>(src, *this, args));
    }
    template <typename Dst>
    uint32_t local_dst(const Dst& dst, const dst_args_t<Dst>& args) const {
        return static_cast<uint32_t>(noc_traits_t<Dst>::template dst_addr<AddressType::LOCAL_L1>(dst, *this, args));
    }
    template <NocOptions options>
    static constexpr uint32_t flags() {
        return has_flag(options, NocOptions::POSTED) ? TW_POSTED : 0;
    }

public:
    Noc() : noc_id_(noc_index) {}
    explicit Noc(uint8_t noc_id) : noc_id_(noc_id) {}

    uint8_t get_noc_id() const { return noc_id_; }
    bool is_local_bank(uint32_t x, uint32_t y) const { return x == my_x[noc_id_] && y == my_y[noc_id_]; }
    bool is_local_addr(uint64_t address) const {
        return is_local_bank(NOC_UNICAST_ADDR_X(address), NOC_UNICAST_ADDR_Y(address));
    }

    template <
        NocOptions opts = NocOptions::DEFAULT,
        uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
        bool enable_noc_tracing = true,
        typename Src,
        typename Dst>
    void async_read(
        const Src& src,
        const Dst& dst,
        uint32_t bytes,
        const src_args_t<Src>& src_args,
        const dst_args_t<Dst>& dst_args,
        const NocOptVals& values = {}) const {
        set_read_trid<opts>(values);
        tw::read(noc_id_, remote(src, src_args), local_dst(dst, dst_args), bytes);
    }
    template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Src>
    void set_async_read_state(
        const Src& src, uint32_t bytes, const src_args_t<Src>& src_args, const NocOptVals& values = {}) const {
        set_read_trid<opts>(values);
        noc_async_read_one_packet_set_state(remote(src, src_args), bytes, 0, noc_id_);
    }
    template <
        NocOptions opts = NocOptions::DEFAULT,
        uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
        typename Src,
        typename Dst>
    void async_read_with_state(
        const Src& src,
        const Dst& dst,
        uint32_t bytes,
        const src_args_t<Src>& src_args,
        const dst_args_t<Dst>& dst_args,
        const NocOptVals& values = {}) const {
        set_read_trid<opts>(values);
        const tw::command_buffer& state = tw::read_state(noc_id_);
        const uint64_t from = state.at(static_cast<uint32_t>(remote(src, src_args)));
        // One packet has the size of the state; more have their own.
        const uint32_t size = max_page_size <= NOC_MAX_BURST_SIZE ? state.bytes : bytes;
        tw::read(noc_id_, from, local_dst(dst, dst_args), size);
    }

    template <
        NocOptions opts = NocOptions::DEFAULT,
        uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
        bool enable_noc_tracing = true,
        typename Src,
        typename Dst>
    void async_write(
        const Src& src,
        const Dst& dst,
        uint32_t bytes,
        const src_args_t<Src>& src_args,
        const dst_args_t<Dst>& dst_args,
        const NocOptVals& values = {}) const {
        if constexpr (has_flag(opts, NocOptions::TXN_ID)) {
            tw::write_state(noc_id_).trid = values.trid;
        }
        tw::write(noc_id_, local(src, src_args), remote_dst(dst, dst_args), bytes, flags<opts>());
    }
    template <
        NocOptions opts = NocOptions::DEFAULT,
        uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
        bool enable_noc_tracing = true,
        typename Src,
        typename Dst>
    void async_write_multicast(
        const Src& src,
        const Dst& dst,
        uint32_t bytes,
        uint32_t cores,
        const src_args_t<Src>& src_args,
        const dst_args_mcast_t<Dst>& dst_args,
        bool = false) const {
        static_assert(!has_flag(opts, NocOptions::TXN_ID | NocOptions::POSTED), "no multicast has these options");
        const uint64_t to = noc_traits_t<Dst>::template dst_addr_mcast<AddressType::NOC>(dst, *this, dst_args);
        const uint32_t self = has_flag(opts, NocOptions::MCAST_INCL_SRC) ? TW_INCLUDE_SELF : 0;
        tw::write(noc_id_, local(src, src_args), to, bytes, TW_TO_CORES(cores) | self);
    }
    template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Dst>
    void set_async_write_state(
        const Dst& dst, uint32_t bytes, const dst_args_t<Dst>& dst_args, const NocOptVals& = {}) const {
        static_assert(!has_flag(opts, NocOptions::TXN_ID), "writes with state have no transaction id");
        noc_async_write_one_packet_set_state(remote_dst(dst, dst_args), bytes, noc_id_);
    }
    template <
        NocOptions opts = NocOptions::DEFAULT,
        uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
        typename Src,
        typename Dst>
    void async_write_with_state(
        const Src& src,
        const Dst& dst,
        uint32_t bytes,
        const src_args_t<Src>& src_args,
        const dst_args_t<Dst>& dst_args,
        const NocOptVals& = {}) const {
        static_assert(!has_flag(opts, NocOptions::TXN_ID), "writes with state have no transaction id");
        const tw::command_buffer& state = tw::write_state(noc_id_);
        const uint64_t to = state.at(static_cast<uint32_t>(remote_dst(dst, dst_args)));
        const uint32_t size = max_page_size <= NOC_MAX_BURST_SIZE ? state.bytes : bytes;
        tw::write(noc_id_, local(src, src_args), to, size, flags<opts>());
    }
    template <VcSelection, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Src>
    void set_async_read_state(
        const Src& src, uint32_t bytes, const src_args_t<Src>& src_args, uint8_t = 0) const {
        set_async_read_state<NocOptions::DEFAULT, max_page_size>(src, bytes, src_args);
    }
    template <
        VcSelection,
        uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
        typename Src,
        typename Dst>
    void async_read_with_state(
        const Src& src,
        const Dst& dst,
        uint32_t bytes,
        const src_args_t<Src>& src_args,
        const dst_args_t<Dst>& dst_args,
        uint8_t = 0) const {
        async_read_with_state<NocOptions::DEFAULT, max_page_size>(src, dst, bytes, src_args, dst_args);
    }
    template <McastMode mode, typename Src, typename Dst>
    void async_write_multicast(
        const Src& src,
        const Dst& dst,
        uint32_t bytes,
        uint32_t cores,
        const src_args_t<Src>& src_args,
        const dst_args_mcast_t<Dst>& dst_args,
        bool linked = false) const {
        constexpr bool itself = mode == McastMode::INCLUDE_SRC;
        constexpr NocOptions opts = itself ? NocOptions::MCAST_INCL_SRC : NocOptions::DEFAULT;
        async_write_multicast<opts>(src, dst, bytes, cores, src_args, dst_args, linked);
    }
    template <NocOptions opts = NocOptions::DEFAULT, typename Dst>
    void inline_dw_write(
        const Dst& dst,
        uint32_t value,
        const dst_args_t<Dst>& dst_args,
        uint8_t bytes = 0xf,
        const NocOptVals& = {}) const {
        static_assert(!has_flag(opts, NocOptions::TXN_ID), "inline writes have no transaction id");
        tw::write_word(noc_id_, remote_dst(dst, dst_args), value, bytes, flags<opts>());
    }

    bool is_read_trid_flushed(uint32_t trid) const {
        return tw_calls->noc_under_way(TW_HERE, noc_id_, TW_BARRIER_READS, trid) == 0;
    }
    template <NocOptions opts = NocOptions::DEFAULT>
    void async_read_barrier(const NocOptVals& values = {}) const {
        tw::barrier(noc_id_, TW_BARRIER_READS, trid_of<opts>(values));
    }
    template <NocOptions opts = NocOptions::DEFAULT>
    void async_write_barrier(const NocOptVals& values = {}) const {
        tw::barrier(noc_id_, TW_BARRIER_WRITES, trid_of<opts>(values));
    }
    template <NocOptions opts = NocOptions::DEFAULT>
    void async_writes_flushed(const NocOptVals& values = {}) const {
        constexpr bool posted = has_flag(opts, NocOptions::POSTED);
        const uint32_t kind = posted ? TW_BARRIER_POSTED_WRITES_DEPARTED : TW_BARRIER_WRITES_DEPARTED;
        tw::barrier(noc_id_, kind, trid_of<opts>(values));
    }
    void async_atomic_barrier() const { noc_async_atomic_barrier(noc_id_); }
    void async_full_barrier() const { noc_async_full_barrier(noc_id_); }

    // Zeros come from a piece of L1 that holds nothing else, as on silicon.
    template <typename Dst>
    void async_write_zeros(const Dst& dst, uint32_t bytes, const dst_args_t<Dst>& args = {}) const {
        const uint64_t zeros = get_noc_addr(MEM_ZEROS_BASE, noc_id_);
        const uint32_t to = local_dst(dst, args);
        for (uint32_t done = 0; done < bytes; done += MEM_ZEROS_SIZE) {
            const uint32_t left = bytes - done;
            tw::read(noc_id_, zeros, to + done, left < MEM_ZEROS_SIZE ? left : MEM_ZEROS_SIZE);
        }
    }
    // The scratch buffer holds the zeros.
    template <typename DSpecT, typename Scratch>
    void async_write_zeros(
        const ::TensorAccessor<DSpecT>& tensor,
        uint32_t bytes,
        const dst_args_t<::TensorAccessor<DSpecT>>& args,
        const Scratch& scratch) const {
        const uint32_t from = local(scratch, src_args_t<Scratch>{});
        const uint64_t to = tensor.get_noc_addr(args.page_id, args.offset_bytes, noc_id_);
        for (uint32_t done = 0; done < bytes; done += NOC_MAX_BURST_SIZE) {
            const uint32_t left = bytes - done;
            tw::write(noc_id_, from, to + done, left < NOC_MAX_BURST_SIZE ? left : NOC_MAX_BURST_SIZE, 0);
        }
    }
    void write_zeros_l1_barrier() const { noc_async_read_barrier(noc_id_); }
    void write_zeros_dram_barrier() const { noc_async_write_barrier(noc_id_); }

private:
    template <NocOptions opts>
    void set_read_trid(const NocOptVals& values) const {
        if constexpr (has_flag(opts, NocOptions::TXN_ID)) {
            tw::read_state(noc_id_).trid = values.trid;
        }
    }
    template <NocOptions opts>
    static uint32_t trid_of(const NocOptVals& values) {
        return has_flag(opts, NocOptions::TXN_ID) ? values.trid : TW_NONE;
    }

    uint8_t noc_id_;
};

namespace tw {

// Arguments and addresses of something that lies in this core's L1.
struct local_args {
    struct src_args_type {
        uint32_t offset_bytes{};
    };
    struct dst_args_type {
        uint32_t offset_bytes{};
    };
    struct dst_args_mcast_type {
        uint32_t noc_x_start{};
        uint32_t noc_y_start{};
        uint32_t noc_x_end{};
        uint32_t noc_y_end{};
        uint32_t offset_bytes{};
    };
    template <Noc::AddressType type>
    static constexpr void must_be_local() {
        static_assert(type == Noc::AddressType::LOCAL_L1, "this is a place in local L1, not on the network");
    }
    static uint64_t on_rectangle(uint32_t address, const dst_args_mcast_type& args) {
        const uint32_t at = address + args.offset_bytes;
        return rectangle(args.noc_x_start, args.noc_y_start, args.noc_x_end, args.noc_y_end, at);
    }
};

// Arguments of something on the network that is told by one number, and bytes from there.
struct remote_args {
    template <Noc::AddressType type>
    static auto as(const Noc& noc, uint64_t address) {
        if constexpr (type == Noc::AddressType::LOCAL_L1) {
            ASSERT(noc.is_local_addr(address));
            return static_cast<uint32_t>(address);
        } else {
            return address;
        }
    }
};

}  // namespace tw
