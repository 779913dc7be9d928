// A semaphore as an object.

#pragma once

#include "api/dataflow/noc.h"

template <ProgrammableCoreType core_type = ProgrammableCoreType::TENSIX>
class Semaphore {
    template <ProgrammableCoreType>
    friend class Semaphore;

public:
    explicit Semaphore(uint32_t id) : address_(get_semaphore<core_type>(id)) {}

    // Read, add, write: what a processor does, and what a remote increment may come between.
    void up(uint32_t value) { *word() = *word() + value; }
    void up(const Noc& noc, uint32_t x, uint32_t y, uint32_t value, uint8_t vc = NOC_UNICAST_WRITE_VC) {
        noc_semaphore_inc(tw::noc_address(x, y, address_), value, noc.get_noc_id(), vc);
    }
    void down(uint32_t value) {
        noc_semaphore_wait_min(word(), value);
        *word() = *word() - value;
    }
    void wait(uint32_t value) { noc_semaphore_wait(word(), value); }
    void wait_min(uint32_t value) { noc_semaphore_wait_min(word(), value); }
    void set(uint32_t value) { noc_semaphore_set(word(), value); }

    template <ProgrammableCoreType dst_core_type = core_type>
    void relay_unicast(const Noc& noc, const Semaphore<dst_core_type>& to, uint32_t x, uint32_t y) {
        noc_semaphore_set_remote(address_, tw::noc_address(x, y, to.address_), noc.get_noc_id());
    }
    template <NocOptions opts = NocOptions::DEFAULT>
    void set_multicast(
        const Noc& noc, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, uint32_t cores, bool = false) {
        const uint64_t to = tw::rectangle(x0, y0, x1, y1, address_);
        tw::write(noc.get_noc_id(), address_, to, 4, flags<opts>(cores));
    }
    template <NocOptions opts = NocOptions::DEFAULT, ProgrammableCoreType dst_core_type = core_type>
    void relay_multicast(
        const Noc& noc,
        const Semaphore<dst_core_type>& to,
        uint32_t x0,
        uint32_t y0,
        uint32_t x1,
        uint32_t y1,
        uint32_t cores,
        bool = false) {
        const uint64_t there = tw::rectangle(x0, y0, x1, y1, to.address_);
        tw::write(noc.get_noc_id(), address_, there, 4, flags<opts>(cores));
    }
    void inc_multicast(
        const Noc& noc, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, uint32_t value, uint32_t dests) {
        const uint64_t to = tw::rectangle(x0, y0, x1, y1, address_);
        noc_semaphore_inc_multicast(to, value, dests, noc.get_noc_id(), NOC_MULTICAST_WRITE_VC);
    }

private:
    template <NocOptions opts>
    static constexpr uint32_t flags(uint32_t cores) {
        return TW_TO_CORES(cores) | (has_flag(opts, NocOptions::MCAST_INCL_SRC) ? TW_INCLUDE_SELF : 0);
    }
    volatile uint32_t* word() const { return reinterpret_cast<volatile uint32_t*>(uintptr_t{address_}); }

    uint32_t address_;
};
