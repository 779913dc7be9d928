// A semaphore as an object.

#pragma once

#include "api/dataflow/noc.h"

template <ProgrammableCoreType core_type = ProgrammableCoreType::TENSIX>
class Semaphore {
    template <ProgrammableCoreType>
    friend class Semaphore;

public:
    explicit Semaphore(uint32_t id, TW_AT) : address_(get_semaphore<core_type>(id, tw_at)) {}

    // Read, add, write: what a processor does, and what a remote increment may come between.
    void up(uint32_t value) { *word() = *word() + value; }
    void up(const Noc& noc, uint32_t x, uint32_t y, uint32_t value, uint8_t vc = NOC_UNICAST_WRITE_VC, TW_AT) {
        noc_semaphore_inc(tw::noc_address(x, y, address_), value, noc.get_noc_id(), vc, tw_at);
    }
    void down(uint32_t value, TW_AT) {
        noc_semaphore_wait_min(word(), value, tw_at);
        *word() = *word() - value;
    }
    void wait(uint32_t value, TW_AT) { noc_semaphore_wait(word(), value, tw_at); }
    void wait_min(uint32_t value, TW_AT) { noc_semaphore_wait_min(word(), value, tw_at); }
    void set(uint32_t value, TW_AT) { noc_semaphore_set(word(), value, tw_at); }

    template <ProgrammableCoreType dst_core_type = core_type>
    void relay_unicast(const Noc& noc, const Semaphore<dst_core_type>& to, uint32_t x, uint32_t y, TW_AT) {
        noc_semaphore_set_remote(address_, tw::noc_address(x, y, to.address_), noc.get_noc_id(), tw_at);
    }
    template <NocOptions opts = NocOptions::DEFAULT>
    void set_multicast(
        const Noc& noc, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, uint32_t, bool = false, TW_AT) {
        tw::write(noc.get_noc_id(), address_, tw::rectangle(x0, y0, x1, y1, address_), 4, flags<opts>(), tw_at);
    }
    template <NocOptions opts = NocOptions::DEFAULT, ProgrammableCoreType dst_core_type = core_type>
    void relay_multicast(
        const Noc& noc,
        const Semaphore<dst_core_type>& to,
        uint32_t x0,
        uint32_t y0,
        uint32_t x1,
        uint32_t y1,
        uint32_t,
        bool = false,
        TW_AT) {
        tw::write(noc.get_noc_id(), address_, tw::rectangle(x0, y0, x1, y1, to.address_), 4, flags<opts>(), tw_at);
    }
    void inc_multicast(
        const Noc& noc, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, uint32_t value, uint32_t dests, TW_AT) {
        const uint64_t to = tw::rectangle(x0, y0, x1, y1, address_);
        noc_semaphore_inc_multicast(to, value, dests, noc.get_noc_id(), NOC_MULTICAST_WRITE_VC, tw_at);
    }

private:
    template <NocOptions opts>
    static constexpr uint32_t flags() {
        return TW_MULTICAST | (has_flag(opts, NocOptions::MCAST_INCL_SRC) ? TW_INCLUDE_SELF : 0);
    }
    volatile uint32_t* word() const { return reinterpret_cast<volatile uint32_t*>(uintptr_t{address_}); }

    uint32_t address_;
};
