// Meshes, their buffers, and the workloads that they run.

#include <cstdio>
#include <cstring>
#include <string>

#include <tilewright/host/link.hpp>
#include <tilewright/host/program.hpp>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/tt_metal.hpp>

namespace tt::tt_metal {

using tilewright::host::ask;
using tilewright::host::Json;
using tilewright::host::Location;
using tilewright::host::numbers;
using tilewright::host::print_later;
using tilewright::host::print_now;
using tilewright::host::refuse;

}  // namespace tt::tt_metal

namespace tt::tt_metal::distributed {

std::shared_ptr<MeshDevice> MeshDevice::create(
    const MeshDeviceConfig& config, std::size_t, std::size_t, std::size_t num_queues,
    const DispatchCoreConfig&, std::source_location here) {
    std::shared_ptr<MeshDevice> made(new MeshDevice(config.mesh_shape()));
    Json json;
    json.open('{').field("call").text("open").field("devices").number(made->num_devices());
    made->mesh_ = numbers(ask(json.close('}').str(), here)).at(0);
    made->open_ = std::make_shared<bool>(true);
    made->queues_ = num_queues;
    for (std::size_t id = 0; id < num_queues; id++) {
        made->command_queues_.push_back(std::make_unique<MeshCommandQueue>(made.get(), id));
    }
    return made;
}

std::shared_ptr<MeshDevice> MeshDevice::create_unit_mesh(
    int device_id, std::size_t l1_small_size, std::size_t trace_region_size,
    std::size_t num_queues, const DispatchCoreConfig& dispatch, std::source_location here) {
    if (device_id != 0) {
        refuse(fmt::format("device {}: there is one device, with number 0", device_id), here);
    }
    return create(MeshDeviceConfig(MeshShape(1, 1)), l1_small_size, trace_region_size, num_queues,
                  dispatch, here);
}

MeshDevice::MeshDevice(MeshShape shape) : shape_(std::move(shape)) {}

MeshDevice::~MeshDevice() {
    if (is_open() && tilewright::host::is_linked()) { close(); }
}

bool MeshDevice::close(std::source_location here) {
    if (!is_open()) { return false; }
    print_now();
    *open_ = false;
    Json json;
    json.open('{').field("call").text("close").field("mesh").number(mesh_).close('}');
    ask(json.str(), here);
    return true;
}

MeshCommandQueue& MeshDevice::mesh_command_queue(std::size_t id, std::source_location here) const {
    require_open(here);
    if (id >= command_queues_.size()) {
        refuse(fmt::format("command queue {} of a device with {}", id, command_queues_.size()),
               here);
    }
    return *command_queues_[id];
}

MeshTraceId MeshDevice::begin_mesh_trace(MeshCommandQueue&) {
    recording_ = ++next_trace_;
    traces_[*recording_] = {};
    return *recording_;
}

void MeshDevice::end_mesh_trace(MeshCommandQueue&, const MeshTraceId&) { recording_.reset(); }

void MeshDevice::replay_mesh_trace(
    MeshCommandQueue& queue, const MeshTraceId& id, bool blocking, std::source_location here) {
    auto found = traces_.find(id);
    if (found == traces_.end()) { refuse(fmt::format("there is no trace {}", id), here); }
    for (MeshWorkload& workload : found->second) {
        queue.enqueue_mesh_workload(workload, blocking, here);
    }
}

void MeshDevice::release_mesh_trace(const MeshTraceId& id) { traces_.erase(id); }

MeshTraceId MeshDevice::begin_mesh_trace(uint8_t queue) {
    return begin_mesh_trace(mesh_command_queue(queue));
}

void MeshDevice::end_mesh_trace(uint8_t queue, const MeshTraceId& id) {
    end_mesh_trace(mesh_command_queue(queue), id);
}

void MeshDevice::replay_mesh_trace(
    uint8_t queue, const MeshTraceId& id, bool blocking, std::source_location here) {
    replay_mesh_trace(mesh_command_queue(queue, here), id, blocking, here);
}

SubDeviceManagerId MeshDevice::create_sub_device_manager(
    std::initializer_list<SubDevice> devices, DeviceAddr) {
    TT_FATAL(devices.size() > 0, "a sub-device manager without sub-devices");
    return ++managers_;
}

bool MeshDevice::record(const MeshWorkload& workload) {
    if (!recording_) { return false; }
    traces_[*recording_].push_back(workload);
    return true;
}

MeshWorkload::MeshWorkload() : programs_(std::make_shared<Programs>()) {}

void MeshWorkload::add_program(
    const MeshCoordinateRange& range, Program&& program, std::source_location here) {
    for (const auto& [other, kept] : *programs_) {
        if (other.intersects(range)) {
            refuse(fmt::format("two programs of a workload for the same devices: {} and {}", other,
                               range), here);
        }
    }
    program.impl(here);
    programs_->insert({range, std::move(program)});
}

std::shared_ptr<MeshBuffer> MeshBuffer::create(
    const MeshBufferConfig& config, const DeviceLocalBufferConfig& local, MeshDevice* device,
    std::optional<DeviceAddr> address, std::source_location here) {
    if (address) { refuse("a buffer at an address of choice is not modelled", here); }
    if (device == nullptr) { refuse("a buffer needs a device", here); }
    std::shared_ptr<MeshBuffer> made(new MeshBuffer(config, local, device));
    DeviceAddr bytes = 0;
    if (auto replicated = std::get_if<ReplicatedBufferConfig>(&config)) {
        bytes = replicated->size;
    } else {
        const auto& sharded = std::get<ShardedBufferConfig>(config);
        const Shape2D &all = sharded.global_buffer_shape, &shard = sharded.shard_shape;
        // Shards go to the devices of the mesh in row order, whatever the mesh's own rows are.
        bool divides = shard.height() > 0 && shard.width() > 0 && all.height() % shard.height() == 0 &&
                       all.width() % shard.width() == 0;
        bool is_whole = divides && (all.height() / shard.height()) * (all.width() / shard.width()) ==
                                       device->num_devices();
        if (!is_whole) {
            refuse(fmt::format("shards of {}x{} on {} do not make a buffer of {}x{}",
                               shard.height(), shard.width(), device->shape(), all.height(),
                               all.width()), here);
        }
        bytes = sharded.global_size / device->num_devices();
    }
    made->buffer_ = Buffer::create(device, bytes, local.page_size, local.buffer_type,
                                   local.sharding_args, local.bottom_up, here);
    return made;
}

void MeshBuffer::require_source(
    std::size_t values, std::size_t value_bytes, const Location& here) const {
    if (values * value_bytes < size()) {
        refuse(fmt::format("{} values of {} bytes are written to a buffer of {} bytes: the source "
                           "is too small",
                           values, value_bytes, size()),
               here);
    }
}

DeviceAddr MeshBuffer::size() const {
    if (auto sharded = std::get_if<ShardedBufferConfig>(&config_)) { return sharded->global_size; }
    return std::get<ReplicatedBufferConfig>(config_).size;
}

namespace {

// Copies between a whole matrix and the part of one device, line by line.
template <class Copy>
void each_line(const MeshBuffer& buffer, const MeshCoordinate& at, Copy copy) {
    const auto& sharded = buffer.global_shard_spec();
    std::size_t value = sharded.compute_datum_size_bytes();
    std::size_t line = sharded.shard_shape.width() * value;
    std::size_t pitch = sharded.global_buffer_shape.width() * value;
    std::size_t across = sharded.global_buffer_shape.width() / sharded.shard_shape.width();
    std::size_t number = at[0] * buffer.device()->num_cols() + at[1];
    std::size_t start = number / across * sharded.shard_shape.height() * pitch + number % across * line;
    for (std::size_t row = 0; row < sharded.shard_shape.height(); row++) {
        copy(start + row * pitch, row * line, line);
    }
}

// The call and the buffer on one device.
std::string transfer(const char* call, const Buffer& buffer, std::size_t device) {
    Json json;
    json.open('{').field("call").text(call).field("buffer").number(buffer.unique_id());
    return json.field("device").number(device).close('}').str();
}

}  // namespace

void MeshCommandQueue::write_shard(
    const MeshBuffer& buffer, const MeshCoordinate& at, const void* data, std::size_t bytes,
    const Location& here) {
    buffer.get_backing_buffer()->require_allocated(here);
    std::size_t most = buffer.device_local_size();
    std::size_t device = at.to_linear_index(device_->shape(), here);
    ask(transfer("write", *buffer.get_backing_buffer(), device), data, std::min(bytes, most), here);
}

void MeshCommandQueue::read_shard(
    const MeshBuffer& buffer, const MeshCoordinate& at, void* data, const Location& here) {
    print_now();
    buffer.get_backing_buffer()->require_allocated(here);
    std::size_t device = at.to_linear_index(device_->shape(), here);
    std::string answer = ask(transfer("read", *buffer.get_backing_buffer(), device), here);
    std::memcpy(data, answer.data(), answer.size());
}

void MeshCommandQueue::enqueue_write_mesh_buffer(
    const std::shared_ptr<MeshBuffer>& buffer, const void* data, bool, std::source_location here) {
    MeshCoordinateRange all(device_->shape());
    for (const MeshCoordinate& at : all.coords()) {
        if (buffer->global_layout() == MeshBufferLayout::REPLICATED) {
            write_shard(*buffer, at, data, buffer->size(), here);
            continue;
        }
        std::string part(buffer->device_local_size(), '\0');
        each_line(*buffer, at, [&](std::size_t whole, std::size_t own, std::size_t bytes) {
            std::memcpy(part.data() + own, static_cast<const char*>(data) + whole, bytes);
        });
        write_shard(*buffer, at, part.data(), part.size(), here);
    }
}

void MeshCommandQueue::enqueue_read_mesh_buffer(
    void* data, const std::shared_ptr<MeshBuffer>& buffer, bool, std::source_location here) {
    MeshCoordinateRange all(device_->shape());
    if (buffer->global_layout() == MeshBufferLayout::REPLICATED) {
        return read_shard(*buffer, all.start_coord(), data, here);
    }
    std::string part(buffer->device_local_size(), '\0');
    for (const MeshCoordinate& at : all.coords()) {
        read_shard(*buffer, at, part.data(), here);
        each_line(*buffer, at, [&](std::size_t whole, std::size_t own, std::size_t bytes) {
            std::memcpy(static_cast<char*>(data) + whole, part.data() + own, bytes);
        });
    }
}

namespace {

// Simulates a program on one device of a mesh.
void launch(const MeshDevice& mesh, std::size_t device, const std::string& description,
            bool blocking, const Location& here) {
    Json json;
    json.open('{').field("call").text("launch").field("mesh").number(mesh.mesh_id());
    json.field("device").number(device).site(here).close('}');
    // A launch may never come back.
    print_now();
    print_later(ask(json.str(), description.data(), description.size(), here));
    if (blocking) { print_now(); }
}

// A program as the simulator reads it, with all its memory.
std::string described(Program& program, const Location& here) {
    for (const auto& ring : program.impl(here).rings) {
        if (const Buffer* buffer = ring.config.buffer()) { buffer->require_allocated(here); }
    }
    return program.impl(here).describe();
}

}  // namespace

void MeshCommandQueue::enqueue_mesh_workload(
    MeshWorkload& workload, bool blocking, std::source_location here) {
    device_->require_open(here);
    if (workload.get_programs().empty()) { refuse("the workload has no program", here); }
    if (device_->record(workload)) { return; }
    MeshCoordinateRange mesh(device_->shape());
    for (auto& [range, program] : workload.get_programs()) {
        if (!mesh.contains(range)) {
            refuse(fmt::format("a program for {}, beyond a mesh of {}", range, device_->shape()),
                   here);
        }
        std::string description = described(program, here);
        for (const MeshCoordinate& at : range.coords()) {
            std::size_t device = at.to_linear_index(device_->shape(), here);
            launch(*device_, device, description, blocking, here);
        }
    }
}

void MeshCommandQueue::finish(std::source_location here) {
    device_->require_open(here);
    print_now();
}

}  // namespace tt::tt_metal::distributed

namespace tt::tt_metal {

using distributed::MeshDevice;

namespace {

// Devices that were opened by themselves.
std::map<IDevice*, std::shared_ptr<MeshDevice>>& single_devices() {
    static std::map<IDevice*, std::shared_ptr<MeshDevice>> all;
    return all;
}

MeshDevice& single(IDevice* device, const Location& here) {
    auto mesh = dynamic_cast<MeshDevice*>(device);
    if (mesh == nullptr) { refuse("there is no device", here); }
    mesh->require_open(here);
    return *mesh;
}

}  // namespace

IDevice* CreateDevice(
    ChipId device_id, uint8_t num_hw_cqs, std::size_t l1_small_size,
    std::size_t trace_region_size, const DispatchCoreConfig& dispatch,
    const std::vector<uint32_t>&, std::size_t, std::source_location here) {
    auto made = MeshDevice::create_unit_mesh(
        device_id, l1_small_size, trace_region_size, num_hw_cqs, dispatch, here);
    IDevice* device = made.get();
    single_devices()[device] = std::move(made);
    return device;
}

// The handle stays, so that whoever uses it afterwards is told that the device is closed.
bool CloseDevice(IDevice* device, std::source_location here) {
    return single(device, here).close(here);
}

namespace detail {

void WriteToBuffer(Buffer& buffer, ttsl::Span<const uint8_t> bytes, std::source_location here) {
    buffer.require_allocated(here);
    if (bytes.size() != buffer.size()) {
        refuse(fmt::format("{} bytes are written to a buffer of {} bytes", bytes.size(),
                           buffer.size()), here);
    }
    ask(distributed::transfer("write", buffer, 0), bytes.data(), bytes.size(), here);
}

void ReadFromBuffer(const Buffer& buffer, uint8_t* to, std::source_location here) {
    print_now();
    buffer.require_allocated(here);
    std::string answer = ask(distributed::transfer("read", buffer, 0), here);
    std::memcpy(to, answer.data(), answer.size());
}

void LaunchProgram(
    IDevice* device, Program& program, bool wait_until_cores_done, bool,
    std::source_location here) {
    MeshDevice& mesh = single(device, here);
    distributed::launch(mesh, 0, distributed::described(program, here), wait_until_cores_done,
                        here);
}

}  // namespace detail

}  // namespace tt::tt_metal
