"""Stage 5: the program factory makes its buffers and kernels."""

from pathlib import Path

import cases
import pytest
import ttnn


@pytest.fixture
def descriptor(device):
    from operation_name import operation, program

    tensors = cases.arguments(device)
    attributes = cases.attributes(tensors)
    output = operation.allocate_output(tensors, attributes)
    return program.create(tensors, output, attributes)


def test_there_are_a_reader_a_compute_kernel_and_a_writer(descriptor):
    names = [Path(kernel.kernel_source).name for kernel in descriptor.kernels]
    assert names == ["reader.cpp", "compute.cpp", "writer.cpp"]
    assert all(Path(kernel.kernel_source).is_file() for kernel in descriptor.kernels)


def test_the_circular_buffers_are_as_specified(descriptor):
    formats = [(ring, ring.format_descriptors[0]) for ring in descriptor.cbs]
    pages = {one.buffer_index: ring.total_size // one.page_size for ring, one in formats}
    assert pages == cases.BUFFER_PAGES
    assert all(ring.total_size % one.page_size == 0 for ring, one in formats)
    assert sum(ring.total_size for ring, _ in formats) <= ttnn.get_max_worker_l1_unreserved_size()


def test_every_unit_of_work_is_done_once(descriptor):
    writer = descriptor.kernels[2]
    shares = sorted((args[1], args[2]) for _, args in writer.runtime_args.to_list())
    ends = [first + units for first, units in shares]
    assert [first for first, _ in shares] == [0, *ends[:-1]]
    assert ends[-1] == cases.UNITS
