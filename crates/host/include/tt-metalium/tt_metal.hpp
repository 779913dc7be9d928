// Programs and buffers of a device without a queue.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <tt-metalium/host_api.hpp>

namespace tt::tt_metal::detail {

void WriteToBuffer(
    Buffer& buffer, ttsl::Span<const uint8_t> bytes,
    std::source_location here = std::source_location::current());
template <class T>
void WriteToBuffer(
    Buffer& buffer, const std::vector<T>& values,
    std::source_location here = std::source_location::current()) {
    auto first = reinterpret_cast<const uint8_t*>(values.data());
    WriteToBuffer(buffer, ttsl::Span<const uint8_t>(first, values.size() * sizeof(T)), here);
}
template <class T>
void WriteToBuffer(
    const std::shared_ptr<Buffer>& buffer, const std::vector<T>& values,
    std::source_location here = std::source_location::current()) {
    WriteToBuffer(*buffer, values, here);
}

void ReadFromBuffer(
    const Buffer& buffer, uint8_t* to,
    std::source_location here = std::source_location::current());
template <class T>
void ReadFromBuffer(
    const Buffer& buffer, std::vector<T>& values,
    std::source_location here = std::source_location::current()) {
    values.resize(buffer.size() / sizeof(T));
    ReadFromBuffer(buffer, reinterpret_cast<uint8_t*>(values.data()), here);
}
template <class T>
void ReadFromBuffer(
    const std::shared_ptr<Buffer>& buffer, std::vector<T>& values,
    std::source_location here = std::source_location::current()) {
    ReadFromBuffer(*buffer, values, here);
}

// Bytes of one core's L1, by address; they must be in a buffer there.
bool WriteToDeviceL1(
    IDevice* device, const CoreCoord& core, uint32_t address, ttsl::Span<const uint8_t> bytes,
    CoreType = CoreType::WORKER, std::source_location here = std::source_location::current());
inline bool WriteToDeviceL1(
    IDevice* device, const CoreCoord& core, uint32_t address, std::vector<uint32_t>& words,
    CoreType type = CoreType::WORKER,
    std::source_location here = std::source_location::current()) {
    auto first = reinterpret_cast<const uint8_t*>(words.data());
    return WriteToDeviceL1(device, core, address,
                           ttsl::Span<const uint8_t>(first, words.size() * sizeof(uint32_t)), type,
                           here);
}
bool ReadFromDeviceL1(
    IDevice* device, const CoreCoord& core, uint32_t address, ttsl::Span<uint8_t> bytes,
    CoreType = CoreType::WORKER, std::source_location here = std::source_location::current());
inline bool ReadFromDeviceL1(
    IDevice* device, const CoreCoord& core, uint32_t address, uint32_t size,
    std::vector<uint32_t>& words, CoreType type = CoreType::WORKER,
    std::source_location here = std::source_location::current()) {
    words.resize((size + sizeof(uint32_t) - 1) / sizeof(uint32_t));
    return ReadFromDeviceL1(device, core, address,
                            ttsl::Span<uint8_t>(reinterpret_cast<uint8_t*>(words.data()), size),
                            type, here);
}

void LaunchProgram(
    IDevice* device, Program& program, bool wait_until_cores_done = true,
    bool force_slow_dispatch = false,
    std::source_location here = std::source_location::current());
inline void LaunchProgram(
    IDevice* device, const std::shared_ptr<Program>& program, bool wait = true,
    bool force_slow_dispatch = false,
    std::source_location here = std::source_location::current()) {
    LaunchProgram(device, *program, wait, force_slow_dispatch, here);
}
inline void WaitProgramDone(IDevice*, Program&, bool = true) { tilewright::host::print_now(); }

// Kernels are compiled when they are launched, and arguments sent with them.
inline void CompileProgram(IDevice*, Program&, bool = false) {}
inline void WriteRuntimeArgsToDevice(IDevice*, Program&, bool = false) {}
inline bool ConfigureDeviceWithProgram(IDevice*, Program&, bool = false) { return false; }

}  // namespace tt::tt_metal::detail
