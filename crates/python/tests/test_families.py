"""Families of multicasts, the profiler's figures, and cores of shards: what kernels are told."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright import _sources, ttnn
from tilewright.ttnn import CoreCoord, CoreRange, CoreRangeSet, Mcast1D, Mcast2D, McastConfig

ROW, COLUMN = ttnn.Mcast1DShape.PerRow, ttnn.Mcast1DShape.PerColumn
NONE = 0xFFFFFFFF


def rectangle(x0: int, y0: int, x1: int, y1: int) -> CoreRangeSet:
    return CoreRangeSet([CoreRange(CoreCoord(x0, y0), CoreCoord(x1, y1))])


def ones(device: ttnn.Device, shape: tuple[int, ...], **rest: object) -> ttnn.Tensor:
    values = np.ones(shape, np.float32)
    kind = {"dtype": ttnn.bfloat16, "layout": ttnn.TILE_LAYOUT}
    return ttnn.from_torch(values, device=device, **kind, **rest)


def cores_of(semaphore: ttnn.SemaphoreDescriptor) -> set[tuple[int, int]]:
    return {(core.x, core.y) for part in semaphore.core_ranges.ranges() for core in part}


def test_a_sender_at_the_edge_of_each_row(device):
    family = Mcast1D(device, rectangle(0, 0, 3, 1), ROW, 0, McastConfig(base_sem_id=2))
    assert family.compile_time_args() == [1, 2, 3, 3, 1, 0]
    assert family.compile_time_args(pre_handshake=False) == [1, 2, 3, 3, 0, 0]
    assert family.runtime_args(CoreCoord(0, 1)) == [1, 1, 3, 1]
    assert family.runtime_args(CoreCoord(2, 1)) == [0, 1, 0, 0]
    assert family.is_sender(CoreCoord(0, 1)) and not family.is_sender(CoreCoord(1, 0))
    assert (family.num_receivers(CoreCoord(0, 0)), family.num_receivers(CoreCoord(1, 0))) == (3, 0)
    assert [one.id for one in family.owned_semaphores()] == [2, 3]
    assert family.next_base_sem_id() == 4


def test_a_sender_inside_reaches_its_whole_line_on_either_network(device):
    config = McastConfig(noc=ttnn.NOC.NOC_1, handshake=False)
    family = Mcast1D(device, rectangle(0, 0, 1, 3), COLUMN, sender_index=1, config=config)
    assert family.compile_time_args() == [1, 0, NONE, 3, 0, 0]
    assert family.runtime_args(CoreCoord(1, 1)) == [1, 3, 1, 0]
    assert family.num_semaphores() == 1


def test_diagonal_and_rotating_senders(device):
    diagonal = ttnn.Mcast1DSenderPlacement.Diagonal
    family = Mcast1D(device, rectangle(0, 0, 2, 2), ROW, 1, diagonal)
    assert [family.is_sender(CoreCoord(x, 1)) for x in range(3)] == [False, False, True]
    rotating = McastConfig(rotating_sender=True, data_ready=ttnn.McastDataReady.Counter)
    family = Mcast1D(device, rectangle(0, 0, 1, 1), ROW, 0, rotating)
    assert family.compile_time_args() == [1, 0, 1, 1, 3, 2]
    assert family.runtime_args(CoreCoord(1, 1)) == [0, 1, 1, 1, 0, 1, 1, 1]
    with pytest.raises(RuntimeError, match="diagonal"):
        Mcast1D(device, rectangle(0, 0, 1, 1), ROW, 0, diagonal, rotating)


def test_a_rectangle_with_its_sender_outside(device):
    family = Mcast2D(device, rectangle(1, 0, 2, 1), CoreCoord(0, 0), McastConfig(), num_active=3)
    assert family.compile_time_args() == [1, 0, 1, 3, 1, 0]
    assert family.runtime_args(CoreCoord(0, 0)) == [1, 0, 2, 1]
    assert family.runtime_args(CoreCoord(2, 1)) == [0, 0, 0, 0]
    assert not family.sender_in_rect()
    assert cores_of(family.owned_semaphores()[0]) == {(0, 0), (1, 0), (2, 0), (1, 1), (2, 1)}
    adopted = McastConfig(sem_ids=[5, 6])
    family = Mcast2D(device, rectangle(0, 0, 1, 1), CoreCoord(0, 0), adopted)
    assert family.compile_time_args()[:4] == [1, 5, 6, 3]
    assert family.owned_semaphores() == []
    with pytest.raises(RuntimeError, match="sem_ids"):
        family.next_base_sem_id()
    with pytest.raises(RuntimeError, match="num_active 9"):
        Mcast2D(device, rectangle(0, 0, 1, 1), CoreCoord(0, 0), McastConfig(), 9)


def test_the_words_are_those_of_the_tree_s_header(device, tmp_path, monkeypatch):
    folder = tmp_path / "ttnn" / "cpp" / "ttnn" / "kernel_lib"
    folder.mkdir(parents=True)
    header = folder / "mcast_pipe.hpp"
    monkeypatch.setattr(_sources, "_roots", [tmp_path])
    family = Mcast1D(device, rectangle(0, 0, 0, 3), ROW)
    offset = "static constexpr uint32_t next_compile_time_args_offset() { return CT_BASE + %d; }"
    header.write_text(offset % 5)
    assert family.compile_time_args() == [0, 0, 1, 0, 1]
    assert family.runtime_args(CoreCoord(0, 2)) == [0, 0, 0, 0]
    header.write_text(offset % 6)
    assert family.compile_time_args() == [0, 0, 1, 0, 1, 0]
    assert family.runtime_args(CoreCoord(0, 2)) == [0, 2, 0, 2]
    header.write_text(offset % 7)
    with pytest.raises(NotImplementedError, match="mcast_pipe.hpp"):
        family.compile_time_args()


def test_the_profiler_tells_simulated_cycles(device):
    ttnn.ReadDeviceProfiler(device)
    assert ttnn.get_latest_programs_perf_data()[0] == []
    x = ones(device, (32, 64))
    ttnn.exp(x)
    ttnn.exp(x)
    ttnn.ReadDeviceProfiler(device)
    runs = ttnn.get_latest_programs_perf_data()[0]
    assert len(runs) == 2
    result = runs[0].program_analyses_results["DEVICE KERNEL DURATION [ns]"]
    assert result.duration > 0 and result.end_timestamp > 0
    assert (runs[0].core_count, runs[1].program_execution_uid.runtime_id) == (2, 2)
    ttnn.ReadDeviceProfiler(device)
    assert ttnn.get_latest_programs_perf_data()[0] == []


@pytest.mark.parametrize(
    ("strategy", "shape", "expected"),
    [
        (ttnn.ShardStrategy.HEIGHT, (32, 64), [(0, 0), (1, 0), (0, 1), (1, 1)]),
        (ttnn.ShardStrategy.HEIGHT, (64, 64), [(0, 0), (1, 0)]),
        (ttnn.ShardStrategy.BLOCK, (64, 32), [(0, 0), (1, 0), (0, 1), (1, 1)]),
        (ttnn.ShardStrategy.BLOCK, (128, 32), [(0, 0), (1, 0)]),
    ],
)
def test_cores_of_shards_in_their_order(device, strategy, shape, expected):
    config = ttnn.create_sharded_memory_config(
        shape=shape,
        core_grid=rectangle(0, 0, 1, 1),
        strategy=strategy,
        use_height_and_width_as_shard_shape=True,
    )
    x = ones(device, (128, 64), memory_config=config)
    cores = ttnn.get_optimal_worker_cores_for_sharded_tensor(x)
    assert [(core.x, core.y) for core in cores] == expected


def test_a_tensor_without_shards_has_no_cores_of_shards(device):
    x = ones(device, (32, 32))
    with pytest.raises(RuntimeError, match="no shards"):
        ttnn.get_optimal_worker_cores_for_sharded_tensor(x)


def test_specifications_of_tensors_take_ttnn_s_forms(device):
    shards = ttnn.ShardSpec(rectangle(0, 0, 1, 1), (32, 64), ttnn.ShardOrientation.ROW_MAJOR)
    height, tile = ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.Tile((32, 32))
    kind = (ttnn.Shape([128, 64]), ttnn.bfloat16, ttnn.TILE_LAYOUT)
    legacy = ttnn.TensorSpec(*kind, height, shards, ttnn.BufferType.L1, tile)
    assert legacy.memory_config == ttnn.MemoryConfig(height, ttnn.BufferType.L1, shards)
    assert list(legacy.memory_config.nd_shard_spec.shard_shape) == [32, 64]
    nd = ttnn.TensorSpec(*kind, ttnn.NdShardSpec([32, 64], rectangle(0, 0, 1, 1)), ttnn.BufferType.L1)
    assert nd.memory_config.memory_layout == ttnn.TensorMemoryLayout.ND_SHARDED
    assert ttnn.TensorSpec(*kind, buffer_type=ttnn.BufferType.L1).memory_config == ttnn.L1_MEMORY_CONFIG
    with pytest.raises(TypeError, match="TensorSpec"):
        ttnn.TensorSpec(*kind, "L1")


def test_other_sizes_of_the_same_padded_memory(device):
    x = ones(device, (64, 64))
    y = ttnn.reshape(x, ttnn.Shape([50, 40]), ttnn.Shape([64, 64]))
    assert (list(y.shape), y.buffer_address()) == ([50, 40], x.buffer_address())
    assert (y.to_numpy() == 1).all()
    with pytest.raises(NotImplementedError, match="padding"):
        ttnn.reshape(x, [50, 40], [96, 64])


def with_padding(tensor):
    shown = tensor.to_torch_with_padded_shape()
    return np.asarray(shown.float() if hasattr(shown, "float") else shown, dtype=np.float32)


def test_a_tensor_shows_its_padding(device):
    padded = with_padding(ones(device, (40, 40)))
    assert padded.shape == (64, 64)
    assert (padded[:40, :40] == 1).all() and (padded[40:] == 0).all()


def test_padding_goes_to_the_device_and_back(device):
    x = ttnn.from_torch(
        np.ones((2, 40, 20)), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, pad_value=-3.5
    )
    wanted = np.full((2, 64, 32), -3.5)
    wanted[:, :40, :20] = 1
    on_device = ttnn.to_device(x, device)
    for tensor in (x, on_device, on_device.cpu()):
        assert (with_padding(tensor) == wanted).all()
        assert (tensor.to_numpy() == 1).all() and tensor.to_numpy().shape == (2, 40, 20)


def test_padding_may_be_more_than_whole_tiles_need(device):
    x = ttnn.reshape(ones(device, (64, 128)), [20, 30], [64, 128])
    assert list(x.padded_shape) == [64, 128]
    assert (with_padding(x.cpu()) == np.ones((64, 128))).all()
    again = ttnn.to_device(x.cpu(), device)
    assert (again.buffer_num_pages(), again.to_numpy().shape) == (8, (20, 30))


@pytest.mark.parametrize(
    ("shape", "tiled", "row_major"), [((), [32, 32], [1]), ((40,), [32, 64], [40])]
)
def test_tiles_have_two_sizes(device, shape, tiled, row_major):
    """As `TensorLayout::compute_padded_shape` of tt-metal has it."""
    for layout, wanted in ((ttnn.TILE_LAYOUT, tiled), (ttnn.ROW_MAJOR_LAYOUT, row_major)):
        x = ttnn.from_torch(np.ones(shape), dtype=ttnn.float32, layout=layout, device=device)
        assert list(x.padded_shape) == wanted
        assert x.to_numpy().shape == shape and (x.to_numpy() == 1).all()