// The calls by which a host program builds programs.
#pragma once

#include <cassert>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include <hostdevcommon/common_values.hpp>
#include <tilewright/host/site.hpp>
#include <tt-logger/tt-logger.hpp>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/circular_buffer_config.hpp>
#include <tt-metalium/constants.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/device.hpp>
#include <tt-metalium/global_semaphore.hpp>
#include <tt-metalium/hal_types.hpp>
#include <tt-metalium/kernel_types.hpp>
#include <tt-metalium/program.hpp>
#include <tt-metalium/runtime_args_data.hpp>
#include <tt-metalium/tile.hpp>
#include <tt_stl/assert.hpp>
#include <tt_stl/span.hpp>

namespace tt::tt_metal {

std::size_t GetNumAvailableDevices();
std::size_t GetNumPCIeDevices();

// A device by itself; `CloseDevice` gives it back.
IDevice* CreateDevice(
    ChipId device_id, uint8_t num_hw_cqs = 1, std::size_t l1_small_size = DEFAULT_L1_SMALL_SIZE,
    std::size_t trace_region_size = DEFAULT_TRACE_REGION_SIZE,
    const DispatchCoreConfig& dispatch = {}, const std::vector<uint32_t>& l1_bank_remap = {},
    std::size_t worker_l1_size = DEFAULT_WORKER_L1_SIZE,
    std::source_location here = std::source_location::current());
bool CloseDevice(IDevice* device, std::source_location here = std::source_location::current());

inline Program CreateProgram() { return Program(); }

KernelHandle CreateKernel(
    Program& program, const std::string& file_name, const CoreSpec& cores,
    const KernelConfig& config,
    std::source_location here = std::source_location::current());

KernelHandle CreateKernelFromString(
    Program& program, const std::string& source, const CoreSpec& cores,
    const KernelConfig& config,
    std::source_location here = std::source_location::current());

CBHandle CreateCircularBuffer(
    Program& program, const CoreSpec& cores, const CircularBufferConfig& config,
    std::source_location here = std::source_location::current());

const CircularBufferConfig& GetCircularBufferConfig(
    Program& program, CBHandle handle,
    std::source_location here = std::source_location::current());
void UpdateCircularBufferTotalSize(
    Program& program, CBHandle handle, uint32_t total_size,
    std::source_location here = std::source_location::current());
void UpdateCircularBufferPageSize(
    Program& program, CBHandle handle, uint8_t index, uint32_t page_size,
    std::source_location here = std::source_location::current());
void UpdateDynamicCircularBufferAddress(
    Program& program, CBHandle handle, const Buffer& buffer,
    std::source_location here = std::source_location::current());
void UpdateDynamicCircularBufferAddressAndTotalSize(
    Program& program, CBHandle handle, const Buffer& buffer, uint32_t total_size,
    std::source_location here = std::source_location::current());

uint32_t CreateSemaphore(
    Program& program, const std::variant<CoreRange, CoreRangeSet>& cores, uint32_t initial_value,
    std::source_location here = std::source_location::current());

std::shared_ptr<Buffer> CreateBuffer(
    const InterleavedBufferConfig& config,
    std::source_location here = std::source_location::current());
std::shared_ptr<Buffer> CreateBuffer(
    const ShardedBufferConfig& config,
    std::source_location here = std::source_location::current());
inline void DeallocateBuffer(Buffer& buffer) { buffer.deallocate(); }

void SetRuntimeArgs(
    const Program& program, KernelHandle kernel, const CoreSpec& cores,
    ttsl::Span<const uint32_t> args,
    std::source_location here = std::source_location::current());
inline void SetRuntimeArgs(
    const Program& program, KernelHandle kernel, const CoreSpec& cores,
    std::initializer_list<uint32_t> args,
    std::source_location here = std::source_location::current()) {
    SetRuntimeArgs(program, kernel, cores, ttsl::Span<const uint32_t>(args), here);
}
void SetRuntimeArgs(
    const Program& program, KernelHandle kernel, const std::vector<CoreCoord>& cores,
    const std::vector<std::vector<uint32_t>>& args,
    std::source_location here = std::source_location::current());

void SetCommonRuntimeArgs(
    const Program& program, KernelHandle kernel, ttsl::Span<const uint32_t> args,
    std::source_location here = std::source_location::current());
inline void SetCommonRuntimeArgs(
    const Program& program, KernelHandle kernel, std::initializer_list<uint32_t> args,
    std::source_location here = std::source_location::current()) {
    SetCommonRuntimeArgs(program, kernel, ttsl::Span<const uint32_t>(args), here);
}

RuntimeArgsData& GetRuntimeArgs(
    const Program& program, KernelHandle kernel, const CoreCoord& core,
    std::source_location here = std::source_location::current());
std::vector<std::vector<RuntimeArgsData>>& GetRuntimeArgs(
    const Program& program, KernelHandle kernel,
    std::source_location here = std::source_location::current());
RuntimeArgsData& GetCommonRuntimeArgs(
    const Program& program, KernelHandle kernel,
    std::source_location here = std::source_location::current());

enum class ProfilerReadState { NORMAL, ONLY_DISPATCH_CORES, LAST_FD_READ };

// Zones of kernels are in the record of the run; there is no other profile to read.
inline void ReadMeshDeviceProfilerResults(
    distributed::MeshDevice&, ProfilerReadState = ProfilerReadState::NORMAL) {}

}  // namespace tt::tt_metal
