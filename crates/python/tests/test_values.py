"""Cores, shapes and tensors: what needs no program."""

import ml_dtypes
import numpy as np
import pytest
from tilewright import ttnn


def cores(group):
    return [((r.start.x, r.start.y), (r.end.x, r.end.y)) for r in group.ranges()]


def test_work_is_split_column_by_column():
    grid = ttnn.CoreCoord(8, 8)
    count, everyone, first, second, more, fewer = ttnn.split_work_to_cores(grid, 100)
    assert (count, more, fewer) == (64, 2, 1)
    assert cores(everyone) == [((0, 0), (7, 7))]
    assert cores(first) == [((0, 0), (3, 7)), ((4, 0), (4, 3))]
    assert cores(second) == [((4, 4), (4, 7)), ((5, 0), (7, 7))]


def test_work_is_split_row_by_row():
    _, everyone, first, second, more, fewer = ttnn.split_work_to_cores(ttnn.CoreCoord(8, 8), 11, True)
    assert (more, fewer) == (1, 0) and second.empty() and first == everyone
    assert cores(everyone) == [((0, 0), (7, 0)), ((0, 1), (2, 1))]


def test_no_work_takes_no_core():
    count, everyone, *_ = ttnn.split_work_to_cores(ttnn.CoreCoord(8, 8), 0)
    assert count == 0 and everyone.empty()


def test_a_group_has_at_most_three_rectangles():
    for units in range(1, 200):
        split = ttnn.split_work_to_cores(ttnn.CoreCoord(8, 7), units)
        assert sum(g.num_cores() * n for g, n in zip(split[2:4], split[4:], strict=True)) == units
        assert max(len(group.ranges()) for group in split[1:4]) <= 3


def test_ranges_may_not_overlap():
    one = ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(2, 2))
    with pytest.raises(RuntimeError, match="overlap"):
        ttnn.CoreRangeSet([one, ttnn.CoreRange(ttnn.CoreCoord(2, 2), ttnn.CoreCoord(3, 3))])


TYPES = {
    ttnn.bfloat16: ml_dtypes.bfloat16,
    ttnn.float32: np.float32,
    ttnn.uint32: np.uint32,
    ttnn.int32: np.int32,
    ttnn.uint16: np.uint16,
}


@pytest.mark.parametrize("layout", [ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT], ids=["tile", "row"])
@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("shape", [(32, 32), (1, 2, 40, 70), (100,), (3, 5, 7)], ids=str)
def test_values_come_back_as_they_went(device, dtype, layout, shape):
    values = np.random.default_rng(1).integers(0, 100, shape).astype(TYPES[dtype])
    tensor = ttnn.from_torch(values, dtype=dtype, layout=layout, device=device)
    assert np.array_equal(tensor.to_numpy(), values)
    assert tensor.buffer_num_pages() * tensor.buffer_page_size() >= values.nbytes


@pytest.mark.parametrize("dtype, bits", [(ttnn.bfloat8_b, 7), (ttnn.bfloat4_b, 3)], ids=str)
def test_block_formats_keep_the_upper_bits(dtype, bits):
    """The largest magnitudes of a block do not round up into the next exponent."""
    values = np.random.default_rng(2).uniform(-1, 1, (64, 64)).astype(np.float32)
    back = ttnn.from_torch(values, dtype=dtype, layout=ttnn.TILE_LAYOUT).to_numpy()
    blocks = np.abs(values.reshape(64, 4, 16)).max(-1, keepdims=True)
    step = 2.0 ** (np.floor(np.log2(blocks)) - (bits - 1))
    assert (np.abs(back - values).reshape(64, 4, 16) <= step).all()
    assert (back != values).any()


@pytest.mark.parametrize("dtype", [ttnn.bfloat8_b, ttnn.bfloat4_b], ids=str)
def test_kernels_read_and_write_blocks(device, dtype):
    """Magnitudes of a block are blocks again, so that nothing is rounded twice."""
    values = np.random.default_rng(3).normal(size=(32, 96)).astype(np.float32)
    x = ttnn.from_torch(values, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)
    y = ttnn.abs(x)
    assert (y.dtype, y.buffer_page_size()) == (dtype, ttnn.tile_size(dtype))
    assert np.array_equal(y.to_numpy(), np.abs(x.to_numpy()))


def test_tiles_are_stored_by_faces(device):
    values = np.arange(1024, dtype=np.float32).reshape(32, 32)
    tensor = ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT, device=device)
    stored = np.frombuffer(tensor._live_buffer().read(), np.float32)
    faces = [values[:16, :16], values[:16, 16:], values[16:, :16], values[16:, 16:]]
    assert np.array_equal(stored, np.concatenate([face.ravel() for face in faces]))


def test_dlpack_and_array():
    tensor = ttnn.from_torch(np.arange(6, dtype=np.float32).reshape(2, 3))
    assert np.array_equal(np.asarray(tensor), np.from_dlpack(tensor))


def test_accessor_words(device):
    x = ttnn.from_torch(np.ones((64, 40), np.float32), dtype=ttnn.bfloat16, device=device)
    assert ttnn.TensorAccessorArgs(x).get_compile_time_args() == [2, 96]
    assert ttnn.TensorAccessorArgs().get_compile_time_args() == [0, 0]


def test_addresses_are_reused(device):
    def address():
        return ttnn.from_torch(np.ones((32, 32), np.float32), device=device).buffer_address()

    assert address() == address()
