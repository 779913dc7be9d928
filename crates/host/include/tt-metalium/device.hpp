// A device as host programs see it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <tilewright/host/site.hpp>
#include <tt-metalium/allocator.hpp>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/hal_types.hpp>
#include <tt-metalium/tt_backend_api_types.hpp>

namespace tilewright::host {

// The chip's table, as the simulator gives it.
struct Chip {
    uint32_t columns = 0;
    uint32_t rows = 0;
    uint32_t l1_bytes = 0;
    uint32_t l1_base = 0;
    uint32_t dram_banks = 0;
    uint64_t dram_bank_bytes = 0;
    uint32_t l1_alignment = 0;
    uint32_t dram_alignment = 0;
    uint32_t semaphores = 0;
    uint32_t circular_buffers = 0;
    // Its number in tt::ARCH.
    uint32_t arch = 0;
};

// The chip that programs run on.
const Chip& chip();

}  // namespace tilewright::host

namespace tt::tt_metal {

namespace distributed {
class MeshCommandQueue;
class MeshDevice;
}

constexpr std::size_t DEFAULT_L1_SMALL_SIZE = 0;
constexpr std::size_t DEFAULT_TRACE_REGION_SIZE = 0;
constexpr std::size_t DEFAULT_WORKER_L1_SIZE = 0;

enum class DispatchCoreType : uint32_t { WORKER, ETH, COUNT };

struct DispatchCoreConfig {
    DispatchCoreConfig() = default;
    DispatchCoreConfig(DispatchCoreType) {}
};

class IDevice {
public:
    virtual ~IDevice();

    ARCH arch() const { return static_cast<ARCH>(tilewright::host::chip().arch); }
    ChipId id() const { return id_; }
    ChipId build_id() const { return id_; }
    uint8_t num_hw_cqs() const { return queues_; }
    int num_dram_channels() const { return tilewright::host::chip().dram_banks; }
    uint32_t l1_size_per_core() const { return tilewright::host::chip().l1_bytes; }
    uint32_t dram_size_per_channel() const { return tilewright::host::chip().dram_bank_bytes; }
    CoreCoord grid_size() const { return compute_with_storage_grid_size(); }
    CoreCoord logical_grid_size() const { return compute_with_storage_grid_size(); }
    CoreCoord compute_with_storage_grid_size() const {
        return {tilewright::host::chip().columns, tilewright::host::chip().rows};
    }
    CoreCoord dram_grid_size() const { return {tilewright::host::chip().dram_banks, 1}; }
    // Kernels address cores by their logical coordinates.
    CoreCoord worker_core_from_logical_core(
        const CoreCoord& core,
        std::source_location here = std::source_location::current()) const;
    std::vector<CoreCoord> worker_cores_from_logical_cores(
        const std::vector<CoreCoord>& cores) const;
    CoreRangeSet worker_cores(HalProgrammableCoreType, uint32_t = 0) const {
        auto grid = compute_with_storage_grid_size();
        return CoreRange({0, 0}, {grid.x - 1, grid.y - 1});
    }
    const std::unique_ptr<Allocator>& allocator() const { return allocator_; }
    bool is_initialized() const { return is_open(); }
    bool is_open() const { return open_ && *open_; }
    // The queue of a device that is older than meshes.
    virtual distributed::MeshCommandQueue& command_queue(std::size_t id = 0) = 0;
    // Every program is compiled once and kept by its content.
    void enable_program_cache() {}
    void clear_program_cache() {}
    void disable_and_clear_program_cache() {}

    // Refuses a device that is closed.
    void require_open(const tilewright::host::Location& here) const;
    // Shared by whoever must know when the device is closed.
    const std::shared_ptr<bool>& open_flag() const { return open_; }
    // Its number at the simulator.
    uint64_t mesh_id() const { return mesh_; }

protected:
    IDevice();

    ChipId id_ = 0;
    uint8_t queues_ = 1;
    uint64_t mesh_ = 0;
    std::shared_ptr<bool> open_;
    std::unique_ptr<Allocator> allocator_;
};

}  // namespace tt::tt_metal
