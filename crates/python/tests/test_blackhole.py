"""The operations of `test_operations` on a Blackhole card."""

import pytest
import tilewright
from test_operations import (  # noqa: F401
    test_broken_mcast_matmul,
    test_broken_shard_square,
    test_layer_norm_rm,
    test_mcast_matmul,
    test_shard_square,
    test_softmax,
)
from tilewright import ttnn


@pytest.fixture
def device():
    with tilewright.settings(device="p150"):
        device = ttnn.open_device(device_id=0)
        yield device
        ttnn.close_device(device)


def test_the_device_is_the_chosen_one(device):
    grid = device.compute_with_storage_grid_size()
    assert (device.arch(), grid.x, grid.y) == (ttnn.Arch.BLACKHOLE, 13, 10)
    assert ttnn.get_arch_name() == "blackhole" and ttnn.is_blackhole(device)
