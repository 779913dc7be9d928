// A mesh of devices that are driven together. Devices of a mesh share nothing: every one runs its
// programs alone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <tt-metalium/device.hpp>
#include <tt-metalium/mesh_config.hpp>
#include <tt-metalium/mesh_coord.hpp>
#include <tt-metalium/sub_device.hpp>

namespace tt::tt_metal::distributed {

class MeshCommandQueue;
class MeshWorkload;
using MeshTraceId = uint32_t;

class MeshDevice : public IDevice, public std::enable_shared_from_this<MeshDevice> {
public:
    static std::shared_ptr<MeshDevice> create(
        const MeshDeviceConfig& config, std::size_t l1_small_size = DEFAULT_L1_SMALL_SIZE,
        std::size_t trace_region_size = DEFAULT_TRACE_REGION_SIZE, std::size_t num_queues = 1,
        const DispatchCoreConfig& dispatch = {},
        std::source_location here = std::source_location::current());
    static std::shared_ptr<MeshDevice> create_unit_mesh(
        int device_id, std::size_t l1_small_size = DEFAULT_L1_SMALL_SIZE,
        std::size_t trace_region_size = DEFAULT_TRACE_REGION_SIZE, std::size_t num_queues = 1,
        const DispatchCoreConfig& dispatch = {},
        std::source_location here = std::source_location::current());
    ~MeshDevice() override;
    MeshDevice(const MeshDevice&) = delete;
    MeshDevice& operator=(const MeshDevice&) = delete;

    const MeshShape& shape() const { return shape_; }
    std::size_t num_devices() const { return shape_.mesh_size(); }
    std::size_t num_rows() const { return shape_[0]; }
    std::size_t num_cols() const { return shape_[1]; }
    MeshCommandQueue& mesh_command_queue(
        std::size_t id = 0, std::source_location here = std::source_location::current()) const;
    MeshCommandQueue& command_queue(std::size_t id = 0) override {
        return mesh_command_queue(id);
    }
    bool close(std::source_location here = std::source_location::current());
    std::vector<IDevice*> get_devices() const {
        return {const_cast<MeshDevice*>(this)};
    }

    // A trace keeps workloads instead of running them, to be run again and again.
    MeshTraceId begin_mesh_trace(MeshCommandQueue& queue);
    void end_mesh_trace(MeshCommandQueue& queue, const MeshTraceId& id);
    void replay_mesh_trace(MeshCommandQueue& queue, const MeshTraceId& id, bool blocking,
                           std::source_location here = std::source_location::current());
    void release_mesh_trace(const MeshTraceId& id);
    MeshTraceId begin_mesh_trace(uint8_t queue);
    void end_mesh_trace(uint8_t queue, const MeshTraceId& id);
    void replay_mesh_trace(uint8_t queue, const MeshTraceId& id, bool blocking,
                           std::source_location here = std::source_location::current());

    // Sub-devices name cores; workloads are run in the order in which they were enqueued.
    SubDeviceManagerId create_sub_device_manager(
        std::initializer_list<SubDevice> devices, DeviceAddr local_l1_size);
    void load_sub_device_manager(SubDeviceManagerId) {}
    void clear_loaded_sub_device_manager() {}
    void set_sub_device_stall_group(ttsl::Span<const SubDeviceId>) {}
    void set_sub_device_stall_group(std::initializer_list<SubDeviceId>) {}
    void reset_sub_device_stall_group() {}

    // Nothing is under way when a call has returned.
    void quiesce_devices() { tilewright::host::print_now(); }
    void synchronize() { tilewright::host::print_now(); }

    // Keeps a workload for the trace that is being made; false if there is none.
    bool record(const MeshWorkload& workload);

private:
    explicit MeshDevice(MeshShape shape);

    MeshShape shape_;
    std::vector<std::unique_ptr<MeshCommandQueue>> command_queues_;
    std::map<MeshTraceId, std::vector<MeshWorkload>> traces_;
    std::optional<MeshTraceId> recording_;
    SubDeviceManagerId managers_ = 0;
    MeshTraceId next_trace_ = 0;
};

}  // namespace tt::tt_metal::distributed
