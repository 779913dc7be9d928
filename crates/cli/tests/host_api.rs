//! Names of the host API beyond those that our examples use, and what they do.

#![cfg(target_os = "linux")]

use std::fs;

use crate::host::{exec, json, small};

/// A program that passes or says nothing wrong, and what it prints.
#[track_caller]
fn check_prints(name: &str, body: &str, (verdict, printed): (&str, &str)) {
    let file = small(name, body);
    let Some((record, _)) = json(&["--json", &file]) else { return };
    assert_eq!(record["verdict"].as_str(), Some(verdict), "{record}");
    assert_eq!(record["printed"][0]["text"].as_str(), Some(printed), "{record}");
}

/// A program that includes one header more.
fn with_header(header: &str, file: &str) -> String {
    let text = fs::read_to_string(file).expect("a file");
    fs::write(file, format!("#include <{header}>\n{text}")).expect("a file");
    file.to_owned()
}

/// What kernels print comes when the host waits, as from a card's print server.
#[test]
fn kernels_print_when_the_host_waits() {
    let body = "auto device = distributed::MeshDevice::create_unit_mesh(0);\nProgram program;\n\
        CreateKernelFromString(program, \"#include \\\"api/debug/dprint.h\\\"\\n\
        void kernel_main() { DPRINT(\\\"kernel\\\\n\\\"); }\", CoreCoord{0, 0}, \
        DataMovementConfig{});\n\
        distributed::MeshWorkload workload;\n\
        workload.add_program(distributed::MeshCoordinateRange(device->shape()), \
        std::move(program));\nauto& queue = device->mesh_command_queue();\n\
        EnqueueMeshWorkload(queue, workload, false);\nstd::puts(\"launched\");\n\
        Finish(queue);\nstd::puts(\"finished\");";
    let Some(answer) = exec(&[&small("prints", body)]) else { return };
    let expected = "launched\n0:(x=0,y=0):BR: kernel\nfinished\n";
    assert!(answer.stdout.starts_with(expected), "{}{}", answer.stdout, answer.stderr);
}

#[test]
fn tensors_keep_their_values_whatever_their_shape() {
    let body = "auto device = distributed::MeshDevice::create_unit_mesh(0);\n\
        TensorLayout layout(DataType::BFLOAT16, PageConfig(Layout::TILE), \
        MemoryConfig(BufferType::DRAM));\n\
        TensorSpec spec(Shape({2, 1, 3, 40}), layout);\nstd::vector<float> values(240);\n\
        for (int at = 0; at < 240; at++) { values[at] = at; }\n\
        auto tensor = Tensor::from_vector<float>(values, spec, device.get());\n\
        std::printf(\"%d %u %d\\n\", tensor.to_vector<float>() == values, \
        tensor.padded_shape()[-1], int(tensor.buffer()->num_pages()));";
    let file = with_header("ttnn/tensor/tensor.hpp", &small("tensor", body));
    let Some((record, _)) = json(&["--json", &file]) else { return };
    assert_eq!(record["printed"][0]["text"].as_str(), Some("1 64 4\n"), "{record}");
}

#[test]
fn tensors_of_operations_are_sharded() {
    let body = "auto device = distributed::MeshDevice::create_unit_mesh(0);\n\
        std::vector<float> values(128 * 64);\n\
        for (int at = 0; at < 128 * 64; at++) { values[at] = at % 251; }\n\
        for (auto layout : {Layout::TILE, Layout::ROW_MAJOR}) {\n\
        CoreRangeSet grid(CoreRange({0, 0}, {1, 1}));\n\
        MemoryConfig memory(TensorMemoryLayout::BLOCK_SHARDED, BufferType::L1, \
        ShardSpec(grid, {64, 32}));\n\
        TensorSpec spec(Shape({1, 1, 128, 64}), \
        TensorLayout(DataType::BFLOAT16, PageConfig(layout), memory));\n\
        auto tensor = Tensor::from_vector<float>(values, spec, device.get());\n\
        std::vector<uint32_t> words;\n\
        detail::ReadFromDeviceL1(device.get(), CoreCoord{1, 1}, tensor.buffer()->address(), 4, \
        words);\n\
        std::printf(\"%d %d %g\\n\", tensor.to_vector<float>() == values, \
        int(tensor.buffer()->num_pages()), float(std::bit_cast<bfloat16>(uint16_t(words[0]))));}\n\
        MemoryConfig odd(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1, \
        ShardSpec(CoreRangeSet(CoreRange({0, 0}, {0, 3})), {30, 64}));\n\
        try { create_device_tensor(TensorSpec(Shape({128, 64}), \
        TensorLayout(DataType::BFLOAT16, PageConfig(Layout::TILE), odd)), device.get()); }\n\
        catch (const std::exception& error) { \
        std::puts(std::strstr(error.what(), \"whole tiles\") ? \"refused\" : error.what()); }";
    let file = with_header("tt-metalium/tt_metal.hpp", &small("shards", body));
    let file = with_header("ttnn/tensor/tensor.hpp", &file);
    let Some((record, _)) = json(&["--json", &file]) else { return };
    // The first value of the lower right shard is in row 64 and column 32.
    let value = (64 * 64 + 32) % 251;
    let expected = format!("1 8 {value}\n1 256 {value}\nrefused\n");
    assert_eq!(record["printed"][0]["text"].as_str(), Some(&*expected), "{record}");
}

#[test]
fn a_group_of_no_cores_has_a_kernel_that_is_nowhere() {
    let body = "auto device = distributed::MeshDevice::create_unit_mesh(0);\nProgram program;\n\
        CoreRangeSet none;\nauto kernel = CreateKernelFromString(program, \
        \"void kernel_main() { while (true) {} }\", none, DataMovementConfig{});\n\
        CreateKernelFromString(program, \"void kernel_main() {}\", CoreCoord{1, 1}, \
        DataMovementConfig{});\n\
        detail::LaunchProgram(device.get(), program);\nstd::printf(\"%u\\n\", kernel);";
    let file = with_header("tt-metalium/tt_metal.hpp", &small("no_cores", body));
    let Some((record, _)) = json(&["--json", &file]) else { return };
    assert_eq!(record["verdict"].as_str(), Some("unjudged"), "{record}");
    assert_eq!(record["printed"][0]["text"].as_str(), Some("0\n"), "{record}");
}

#[test]
fn information_is_logged_and_details_are_not() {
    let body = "log_info(tt::LogTest, \"{} values\", 3);\nlog_debug(tt::LogTest, \"hidden\");";
    check_prints("logs", body, ("unjudged", "info: 3 values\n"));
}

/// Sizes of tiles and formats are known when a program is compiled.
#[test]
fn sizes_are_constants() {
    let body = "constexpr auto bytes = tt::tile_size(tt::DataFormat::Bfp8_b);\n\
        static_assert(bytes == 1088 && tt::datum_size(tt::DataFormat::Float32) == 4);\n\
        static_assert(tt::CB::c_out0 == tt::CBIndex::c_16);\nstd::puts(\"constant\");";
    check_prints("constants", body, ("unjudged", "constant\n"));
}

#[test]
fn programs_may_be_plain_data() {
    let body = "auto device = distributed::MeshDevice::create_unit_mesh(0);\n\
        CoreRangeSet cores(CoreRange({0, 0}, {1, 0}));\n\
        KernelDescriptor kernel{.kernel_source = \"#include \\\"api/debug/dprint.h\\\"\\n\
        void kernel_main() { DPRINT(\\\"{} {} {}\\\\n\\\", get_arg_val<uint32_t>(0), \
        get_compile_time_arg_val(0), get_common_arg_val<uint32_t>(0)); }\", \
        .source_type = KernelDescriptor::SourceType::SOURCE_CODE, .core_ranges = cores, \
        .compile_time_args = {7}, .config = WriterConfigDescriptor{}};\n\
        kernel.emplace_runtime_args({0, 0}, {1});\nkernel.emplace_runtime_args({1, 0}, {2});\n\
        kernel.emplace_common_runtime_args({9});\nProgramDescriptor all;\n\
        // A group of no cores.\n\
        all.cbs.push_back(CBDescriptor{.format_descriptors = {{{.buffer_index = 3}}}});\n\
        all.kernels = {kernel};\nProgram program(all);\n\
        detail::LaunchProgram(device.get(), program);";
    let file = small("plain_data", body);
    let file = with_header("tt-metalium/program_descriptors.hpp", &file);
    let Some(answer) = exec(&[&with_header("tt-metalium/tt_metal.hpp", &file)]) else { return };
    let expected = "0:(x=0,y=0):BR: 1 7 9\n0:(x=1,y=0):BR: 2 7 9\n";
    assert!(answer.stdout.starts_with(expected), "{}{}", answer.stdout, answer.stderr);
}

/// A buffer stands for its address, one that is not there for zero.
#[test]
fn arguments_of_plain_data_may_be_buffers() {
    let body = "auto device = distributed::MeshDevice::create_unit_mesh(0);\n\
        auto buffer = CreateBuffer(InterleavedBufferConfig{.device = device.get(), \
        .size = 2048, .page_size = 2048, .buffer_type = BufferType::DRAM});\n\
        Buffer* absent = nullptr;\nKernelDescriptor kernel;\n\
        kernel.emplace_runtime_args({0, 0}, {buffer.get(), 2u});\n\
        KernelDescriptor::RTArgList list;\nlist.push_back(absent);\n\
        list.push_back(buffer.get());\nlist.append({3, 4});\n\
        kernel.emplace_runtime_args({1, 0}, list);\n\
        kernel.emplace_common_runtime_args({9u, buffer.get()});\n\
        using Words = KernelDescriptor::CoreRuntimeArgs;\nuint32_t at = buffer->address();\n\
        std::printf(\"%d %d %d\\n\", kernel.runtime_args[0].second == Words{at, 2}, \
        kernel.runtime_args[1].second == Words{0, at, 3, 4}, \
        kernel.common_runtime_args == Words{9, at});";
    let file = small("plain_arguments", body);
    let file = with_header("tt-metalium/program_descriptors.hpp", &file);
    let Some((record, _)) = json(&["--json", &file]) else { return };
    assert_eq!(record["printed"][0]["text"].as_str(), Some("1 1 1\n"), "{record}");
}

/// A word of L1 that kernels of one launch leave to those of the next.
#[test]
fn global_semaphores_outlive_a_program() {
    let body = "auto device = distributed::MeshDevice::create_unit_mesh(0);\n\
        CoreRangeSet cores(CoreRange({0, 0}, {1, 0}));\n\
        auto semaphore = CreateGlobalSemaphore(*device, cores, 5);\n\
        for (int launch = 0; launch < 2; launch++) {\nProgram program;\n\
        auto kernel = CreateKernelFromString(program, \
        \"#include \\\"api/dataflow/dataflow_api.h\\\"\\n\
        void kernel_main() { auto at = get_arg_val<uint32_t>(0); \
        noc_semaphore_inc(get_noc_addr(1, 0, at), 2); noc_async_atomic_barrier(); }\", \
        CoreCoord{0, 0}, DataMovementConfig{});\n\
        SetRuntimeArgs(program, kernel, CoreCoord{0, 0}, {uint32_t(semaphore.address())});\n\
        detail::LaunchProgram(device.get(), program);\n}\n\
        std::vector<uint32_t> first, second, reset;\n\
        detail::ReadFromDeviceL1(device.get(), {0, 0}, semaphore.address(), 4, first);\n\
        detail::ReadFromDeviceL1(device.get(), {1, 0}, semaphore.address(), 4, second);\n\
        semaphore.reset_semaphore_value(1);\n\
        detail::ReadFromDeviceL1(device.get(), {1, 0}, semaphore.address(), 4, reset);\n\
        std::printf(\"%u %u %u\\n\", first[0], second[0], reset[0]);";
    let file = with_header("tt-metalium/tt_metal.hpp", &small("global_semaphore", body));
    let Some((record, _)) = json(&["--json", &file]) else { return };
    assert_eq!(record["verdict"].as_str(), Some("pass"), "{record}");
    assert_eq!(record["printed"][0]["text"].as_str(), Some("5 9 1\n"), "{record}");
}

/// What the host writes by address is in the buffer; L1 that no buffer has is not kept.
#[test]
fn l1_is_read_and_written_by_address() {
    let body = "auto device = distributed::MeshDevice::create_unit_mesh(0);\n\
        auto buffer = distributed::MeshBuffer::create(distributed::ReplicatedBufferConfig{.size = \
        128}, {.page_size = 64, .buffer_type = BufferType::L1}, device.get());\n\
        std::vector<uint32_t> words = {7, 8}, all;\n\
        detail::WriteToDeviceL1(device.get(), {1, 0}, buffer->address() + 4, words);\n\
        EnqueueReadMeshBuffer(device->mesh_command_queue(), all, buffer, true);\n\
        std::printf(\"%u %u\\n\", all[17], all[18]);\n\
        try { detail::WriteToDeviceL1(device.get(), {1, 0}, buffer->address() + 60, words); }\n\
        catch (const std::exception& error) { std::puts(\"refused\"); }";
    let file = with_header("tt-metalium/tt_metal.hpp", &small("raw_l1", body));
    let Some((record, _)) = json(&["--json", &file]) else { return };
    assert_eq!(record["printed"][0]["text"].as_str(), Some("7 8\nrefused\n"), "{record}");
}

/// A header that needs others includes them.
#[test]
fn a_header_may_be_the_only_one() {
    let file = small("alone", "");
    let text = "#include <tt-metalium/mesh_device.hpp>\n\
        int main() { tt::tt_metal::distributed::MeshDevice::create_unit_mesh(0); }\n";
    fs::write(&file, text).expect("a file");
    let Some((record, _)) = json(&["--json", &file]) else { return };
    assert_eq!(record["verdict"].as_str(), Some("unjudged"), "{record}");
}
