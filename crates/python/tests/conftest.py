"""What the tests of the package share."""

import sys
from pathlib import Path

import pytest

from tilewright import ttnn

sys.path.insert(0, str(Path(__file__).parent))
pytest_plugins = ["pytester"]


@pytest.fixture
def device():
    device = ttnn.open_device(device_id=0)
    yield device
    ttnn.close_device(device)


@pytest.fixture(autouse=True)
def outside_of_workers(monkeypatch):
    """A pytest that a test starts is the user's own, not part of these tests' processes."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
