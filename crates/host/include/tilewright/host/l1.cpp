// Words in the L1 of single cores: global semaphores, and what a host program reads and writes by
// address.

#include <cstring>
#include <string>
#include <vector>

#include <tilewright/host/link.hpp>
#include <tt-metalium/global_semaphore.hpp>
#include <tt-metalium/tt_metal.hpp>

namespace tt::tt_metal {

using tilewright::host::Json;

GlobalSemaphore::GlobalSemaphore(
    IDevice* device, const CoreRangeSet& cores, uint32_t initial_value, BufferType buffer_type,
    std::source_location here) {
    uint32_t count = cores.num_cores();
    uint32_t page_bytes = tilewright::host::chip().l1_alignment;
    ShardSpecBuffer shards(cores, {1, 1}, ShardOrientation::ROW_MAJOR, {1, 1}, {count, 1});
    BufferShardingArgs sharding(shards, TensorMemoryLayout::HEIGHT_SHARDED);
    words_ = Buffer::create(device, DeviceAddr{count} * page_bytes, page_bytes, buffer_type,
                            sharding, std::nullopt, here);
    reset_semaphore_value(initial_value, here);
}

void GlobalSemaphore::reset_semaphore_value(uint32_t value, std::source_location here) const {
    std::vector<uint32_t> words(words_->size() / sizeof(uint32_t), 0);
    std::size_t words_of_page = words_->page_size() / sizeof(uint32_t);
    for (std::size_t at = 0; at < words.size(); at += words_of_page) { words[at] = value; }
    detail::WriteToBuffer(*words_, words, here);
}

namespace detail {

namespace {

// The request for bytes of one core's L1.
std::string l1_request(const char* call, IDevice* device, const CoreCoord& core, uint32_t address,
                       std::size_t bytes, const tilewright::host::Location& here) {
    device->require_open(here);
    device->worker_core_from_logical_core(core, here);
    Json json;
    json.open('{').field("call").text(call).field("mesh").number(device->mesh_id());
    json.field("core").words({uint32_t(core.x), uint32_t(core.y)});
    return json.field("address").number(address).field("bytes").number(bytes).close('}').str();
}

}  // namespace

bool WriteToDeviceL1(
    IDevice* device, const CoreCoord& core, uint32_t address, ttsl::Span<const uint8_t> bytes,
    CoreType, std::source_location here) {
    auto request = l1_request("write_l1", device, core, address, bytes.size(), here);
    tilewright::host::ask(request, bytes.data(), bytes.size(), here);
    return true;
}

bool ReadFromDeviceL1(
    IDevice* device, const CoreCoord& core, uint32_t address, ttsl::Span<uint8_t> bytes, CoreType,
    std::source_location here) {
    auto request = l1_request("read_l1", device, core, address, bytes.size(), here);
    std::string answer = tilewright::host::ask(request, here);
    std::memcpy(bytes.data(), answer.data(), answer.size());
    return true;
}

}  // namespace detail

}  // namespace tt::tt_metal
