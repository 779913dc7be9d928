// Devices, buffers and queues: what the simulator is asked for.

#include <cstring>
#include <sstream>
#include <string>

#include <tilewright/host/link.hpp>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/hal.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>

namespace tilewright::host {

const Chip& chip() {
    static const Chip known = [] {
        Json json;
        json.open('{').field("call").text("chip").close('}');
        auto all = numbers(ask(json.str(), Location::current()));
        auto word = [&](std::size_t place) { return static_cast<uint32_t>(all.at(place)); };
        return Chip{word(0), word(1), word(2), word(3), word(4), all.at(5), word(6), word(7),
                    word(8), word(9), word(10)};
    }();
    return known;
}

}  // namespace tilewright::host

namespace tt::tt_metal {

using tilewright::host::ask;
using tilewright::host::chip;
using tilewright::host::Json;
using tilewright::host::Location;
using tilewright::host::numbers;
using tilewright::host::refuse;

namespace hal {

ARCH get_arch() { return static_cast<ARCH>(chip().arch); }
std::string get_arch_name() { return arch_to_str(get_arch()); }
uint32_t get_arch_num_circular_buffers() { return chip().circular_buffers; }
uint32_t get_l1_size() { return chip().l1_bytes; }
uint32_t get_l1_alignment() { return chip().l1_alignment; }
uint32_t get_dram_alignment() { return chip().dram_alignment; }
uint32_t get_max_worker_l1_unreserved_size() { return chip().l1_bytes - chip().l1_base; }

}  // namespace hal

std::size_t GetNumAvailableDevices() { return 1; }
std::size_t GetNumPCIeDevices() { return 1; }

uint32_t Allocator::get_alignment(BufferType type) const {
    return type == BufferType::DRAM ? chip().dram_alignment : chip().l1_alignment;
}

DeviceAddr Allocator::get_base_allocator_addr(const HalMemType& memory) const {
    return memory == HalMemType::L1 ? chip().l1_base : 0;
}

uint32_t Allocator::get_num_banks(const BufferType& type) const {
    return type == BufferType::DRAM ? chip().dram_banks : chip().columns * chip().rows;
}

DeviceAddr Allocator::get_bank_size(const BufferType& type) const {
    return type == BufferType::DRAM ? chip().dram_bank_bytes : chip().l1_bytes - chip().l1_base;
}

IDevice::IDevice() : allocator_(std::make_unique<Allocator>(this)) {}

IDevice::~IDevice() = default;

void IDevice::require_open(const Location& here) const {
    if (!is_open()) { refuse("the device is closed", here); }
}

CoreCoord IDevice::worker_core_from_logical_core(
    const CoreCoord& core, std::source_location here) const {
    if (core.x >= chip().columns || core.y >= chip().rows) {
        refuse(fmt::format("core {} is outside the grid of {}x{} cores", core.str(),
                           chip().columns, chip().rows), here);
    }
    return core;
}

std::vector<CoreCoord> IDevice::worker_cores_from_logical_cores(
    const std::vector<CoreCoord>& cores) const {
    return cores;
}

namespace {

void write_shards(Json& json, const ShardSpecBuffer& spec, TensorMemoryLayout layout) {
    // Buffers take any shard with any layout; only blocks follow the rows of the grid.
    const char* name = layout == TensorMemoryLayout::BLOCK_SHARDED ? "block_sharded" : "nd_sharded";
    auto pages = spec.shape_in_pages();
    json.field("shards").open('{').field("layout").text(name);
    json.field("tensor").words({spec.tensor2d_shape_in_pages[0], spec.tensor2d_shape_in_pages[1]});
    json.field("shard").words({pages[0], pages[1]});
    bool is_row_major = spec.orientation() == ShardOrientation::ROW_MAJOR;
    json.field("orientation").text(is_row_major ? "row_major" : "col_major");
    json.field("core_ranges").open('[');
    CoreRangeSet grid = spec.grid();
    for (const CoreRange& range : grid.ranges()) {
        json.open('{').field("start").words({uint32_t(range.start_coord.x),
                                             uint32_t(range.start_coord.y)});
        json.field("end").words({uint32_t(range.end_coord.x), uint32_t(range.end_coord.y)});
        json.close('}');
    }
    json.close(']').close('}');
}

}  // namespace

Buffer::Buffer(IDevice* device, DeviceAddr size, DeviceAddr page_size, BufferType type,
               const BufferShardingArgs& sharding)
    : device_(device),
      size_(size),
      page_size_(page_size),
      buffer_type_(type),
      sharding_(sharding),
      is_device_open_(device->open_flag()) {}

std::shared_ptr<Buffer> Buffer::create(
    IDevice* device, DeviceAddr size, DeviceAddr page_size, BufferType buffer_type,
    const BufferShardingArgs& sharding, std::optional<bool>, std::source_location here) {
    if (device == nullptr) { refuse("a buffer needs a device", here); }
    device->require_open(here);
    if (page_size == 0 || size == 0 || size % page_size != 0) {
        refuse(fmt::format("a buffer of {} bytes is no whole number of pages of {} bytes", size,
                           page_size), here);
    }
    if (buffer_type != BufferType::DRAM && buffer_type != BufferType::L1) {
        refuse(fmt::format("buffers of type {} are not modelled", fmt_name(buffer_type)), here);
    }
    std::shared_ptr<Buffer> made(new Buffer(device, size, page_size, buffer_type, sharding));
    Json json;
    json.open('{').field("call").text("allocate").field("mesh").number(device->mesh_id());
    json.field("bytes").number(size).field("page_bytes").number(page_size);
    json.field("is_l1").boolean(buffer_type == BufferType::L1);
    if (sharding.shard_spec()) {
        write_shards(json, *sharding.shard_spec(), sharding.buffer_layout());
    }
    std::istringstream answer(ask(json.site(here).close('}').str(), here));
    answer >> made->id_ >> made->address_ >> made->aligned_page_size_ >> made->bank_bytes_;
    answer.ignore(1);
    std::getline(answer, made->name_);
    return made;
}

Buffer::~Buffer() {
    if (is_allocated() && tilewright::host::is_linked()) { deallocate(); }
}

bool Buffer::is_allocated() const {
    auto open = is_device_open_.lock();
    return !is_freed_ && open && *open;
}

void Buffer::require_allocated(const Location& here) const {
    auto open = is_device_open_.lock();
    if (!open || !*open) {
        refuse(fmt::format("buffer `{}` belongs to a device that is closed", name_), here);
    }
    if (is_freed_) { refuse(fmt::format("buffer `{}` has been deallocated", name_), here); }
}

void Buffer::deallocate() {
    if (!is_allocated() || id_ == 0) { return; }
    is_freed_ = true;
    Json json;
    json.open('{').field("call").text("free").field("buffer").number(id_).close('}');
    ask(json.str(), Location::current());
}

Allocator* Buffer::allocator() const { return device_->allocator().get(); }

uint32_t Buffer::alignment() const {
    return buffer_type_ == BufferType::DRAM ? chip().dram_alignment : chip().l1_alignment;
}

ShardSpecBuffer Buffer::shard_spec(std::source_location here) const {
    if (!has_shard_spec()) { refuse("the buffer is not sharded", here); }
    return *sharding_.shard_spec();
}

std::optional<uint32_t> Buffer::num_cores() const {
    if (!has_shard_spec()) { return std::nullopt; }
    return sharding_.shard_spec()->tensor_shard_spec.num_cores();
}

std::shared_ptr<Buffer> CreateBuffer(
    const InterleavedBufferConfig& config, std::source_location here) {
    return Buffer::create(config.device, config.size, config.page_size, config.buffer_type,
                          std::nullopt, std::nullopt, here);
}

std::shared_ptr<Buffer> CreateBuffer(
    const ShardedBufferConfig& config, std::source_location here) {
    BufferShardingArgs sharding(config.shard_parameters, config.buffer_layout);
    return Buffer::create(config.device, config.size, config.page_size, config.buffer_type,
                          sharding, std::nullopt, here);
}

TensorAccessorArgs::TensorAccessorArgs(
    const Buffer* buffer, tensor_accessor::ArgsConfig config, std::source_location here) {
    if (buffer == nullptr) { return; }
    buffer->require_allocated(here);
    Json json;
    json.open('{').field("call").text("accessor").field("buffer").number(buffer->unique_id());
    json.field("runtime").number(config.bits).close('}');
    auto all = numbers(ask(json.str(), here));
    std::size_t compile_time = all.at(0);
    words_.assign(all.begin() + 1, all.begin() + 1 + compile_time);
    common_.assign(all.begin() + 1 + compile_time, all.end());
}

namespace distributed {

std::size_t MeshShape::mesh_size() const {
    std::size_t all = 1;
    for (uint32_t size : sizes_) { all *= size; }
    return all;
}

std::size_t MeshCoordinate::to_linear_index(
    const MeshShape& shape, std::source_location here) const {
    std::size_t index = 0;
    bool fits = shape.dims() == dims();
    for (std::size_t dim = 0; fits && dim < dims(); dim++) {
        fits = value_[dim] < shape[dim];
        index = index * shape[dim] + value_[dim];
    }
    if (!fits) { refuse(fmt::format("{} is outside a mesh of {}", *this, shape), here); }
    return index;
}

MeshCoordinateRange::MeshCoordinateRange(
    const MeshCoordinate& start, const MeshCoordinate& end, std::source_location here)
    : start_(start), end_(end) {
    bool is_ordered = start.dims() == end.dims();
    for (std::size_t dim = 0; is_ordered && dim < start.dims(); dim++) {
        is_ordered = start[dim] <= end[dim];
    }
    if (!is_ordered) { refuse(fmt::format("no mesh range goes from {} to {}", start, end), here); }
}

MeshCoordinateRange::MeshCoordinateRange(const MeshShape& shape)
    : start_(MeshCoordinate::zero_coordinate(shape.dims())), end_(start_) {
    for (std::size_t dim = 0; dim < shape.dims(); dim++) { end_[dim] = shape[dim] - 1; }
}

MeshShape MeshCoordinateRange::shape() const {
    std::vector<uint32_t> sizes;
    for (std::size_t dim = 0; dim < dims(); dim++) { sizes.push_back(end_[dim] - start_[dim] + 1); }
    return MeshShape(std::move(sizes));
}

bool MeshCoordinateRange::contains(const MeshCoordinate& coord) const {
    bool is_inside = coord.dims() == dims();
    for (std::size_t dim = 0; is_inside && dim < dims(); dim++) {
        is_inside = coord[dim] >= start_[dim] && coord[dim] <= end_[dim];
    }
    return is_inside;
}

std::optional<MeshCoordinateRange> MeshCoordinateRange::intersection(
    const MeshCoordinateRange& range) const {
    std::vector<uint32_t> start, end;
    for (std::size_t dim = 0; dim < dims(); dim++) {
        start.push_back(std::max(start_[dim], range.start_[dim]));
        end.push_back(std::min(end_[dim], range.end_[dim]));
        if (start.back() > end.back()) { return std::nullopt; }
    }
    return MeshCoordinateRange(MeshCoordinate(start), MeshCoordinate(end));
}

const std::vector<MeshCoordinate>& MeshCoordinateRange::coords() const {
    if (!coords_.empty()) { return coords_; }
    MeshCoordinate at = start_;
    while (true) {
        coords_.push_back(at);
        std::size_t dim = dims();
        while (dim > 0 && at[dim - 1] == end_[dim - 1]) {
            at[dim - 1] = start_[dim - 1];
            dim--;
        }
        if (dim == 0) { return coords_; }
        at[dim - 1]++;
    }
}

std::vector<MeshCoordinate> MeshCoordinateRangeSet::coords() const {
    std::vector<MeshCoordinate> all;
    for (const auto& range : ranges_) {
        all.insert(all.end(), range.coords().begin(), range.coords().end());
    }
    return all;
}

std::ostream& operator<<(std::ostream& to, const MeshShape& shape) {
    return to << "MeshShape(" << fmt::join(shape, ", ") << ")";
}

std::ostream& operator<<(std::ostream& to, const MeshCoordinate& coord) {
    return to << "MeshCoordinate(" << fmt::join(coord.coords(), ", ") << ")";
}

std::ostream& operator<<(std::ostream& to, const MeshCoordinateRange& range) {
    return to << "MeshCoordinateRange(start=" << range.start_coord()
              << ", end=" << range.end_coord() << ")";
}

}  // namespace distributed

}  // namespace tt::tt_metal
