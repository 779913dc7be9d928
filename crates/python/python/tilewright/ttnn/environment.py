"""What test suites and their conftests ask of ttnn besides tensors and programs.

There is one device of one kind, no fabric, no tracing and no database.
"""

from __future__ import annotations

import contextlib
import enum
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from .. import _native
from .._settings import current


class Config:
    """ttnn's configuration; its switches have no effect here."""

    def __init__(self, other: Config | None = None) -> None:
        self.enable_fast_runtime_mode = True
        self.enable_logging = False
        self.enable_graph_report = False
        self.enable_detailed_buffer_report = False
        self.enable_detailed_tensor_report = False
        self.enable_comparison_mode = False
        self.enable_model_cache = False
        self.throw_exception_on_fallback = False
        self.comparison_mode_pcc = 0.9999
        self.report_name: str | None = None
        self.report_path: Path | None = None
        if other is not None:
            vars(self).update(vars(other))


CONFIG = Config()
CONFIG_PATH: str | None = None
CONFIG_OVERRIDES: str | None = None


@contextlib.contextmanager
def manage_config(name: str, value: Any) -> Iterator[None]:
    """Sets a switch for a while."""
    before = getattr(CONFIG, name, None)
    setattr(CONFIG, name, value)
    try:
        yield
    finally:
        setattr(CONFIG, name, before)


def load_config_from_dictionary(config: dict[str, Any], from_file: bool = False) -> None:
    vars(CONFIG).update(config)


def load_config_from_json_file(json_path: str) -> None:
    load_config_from_dictionary(json.loads(Path(json_path).read_text()))


def _names(name: str, values: str, start: int = 0) -> Any:
    """An enumeration of which nothing but the names is asked for."""
    return enum.IntEnum(name, values, start=start, module=__name__)


ClusterType = _names("ClusterType", "N150 N300 T3K GALAXY TG P100 P150 BLACKHOLE_GALAXY", 1)
FabricConfig = _names(
    "FabricConfig", "DISABLED FABRIC_1D FABRIC_1D_RING FABRIC_2D FABRIC_2D_DYNAMIC"
)
FabricTensixConfig = _names("FabricTensixConfig", "DISABLED MUX")
FabricUDMMode = _names("FabricUDMMode", "DISABLED ENABLED")
FabricReliabilityMode = _names("FabricReliabilityMode", "STRICT_INIT RELAXED_INIT")
FabricManagerMode = _names("FabricManagerMode", "DEFAULT")
DispatchCoreType = _names("DispatchCoreType", "WORKER ETH")
DispatchCoreAxis = _names("DispatchCoreAxis", "ROW COL")
Topology = _names("Topology", "Ring Linear Mesh")


class DispatchCoreConfig:
    """Accepted and without effect: no core is taken for dispatch."""

    def __init__(
        self, type: DispatchCoreType | None = None, axis: DispatchCoreAxis | None = None
    ) -> None:
        self.type, self.axis = type, axis


class _Sizes(tuple[int, ...]):
    """Numbers that are given one by one or as a sequence."""

    def __new__(cls, *given: Any) -> Any:
        is_sequence = len(given) == 1 and not isinstance(given[0], int)
        return super().__new__(cls, given[0] if is_sequence else given)


class MeshShape(_Sizes):
    """The sizes of a mesh of devices."""


class MeshCoordinate(_Sizes):
    """A device's place in a mesh."""


def nothing(*args: Any, **kwargs: Any) -> None:
    """Does nothing."""


def never(*args: Any, **kwargs: Any) -> bool:
    """Is never the case."""
    return False


def get_pcie_device_ids() -> list[int]:
    return [0]


def _module(name: str, **names: Any) -> ModuleType:
    """A module of ttnn's that suites import and that has nothing to do here."""
    module = ModuleType(f"tilewright.ttnn.{name}")
    vars(module).update(names)
    sys.modules[module.__name__] = module
    return module


cluster = _module("cluster", ClusterType=ClusterType, get_cluster_type=lambda: ClusterType.N150)
graph = _module("graph", reset_comparison_records_data=nothing, is_graph_capture_active=never)
tracer = _module("tracer", disable_tracing=nothing, enable_tracing=nothing, ENABLE_TRACER=False)
operation_tracer = _module(
    "operation_tracer", _ENABLE_TRACE=False, enable_tensor_value_serialization=nothing
)
database = _module(
    "database", SQLITE_CONNECTION=None, DEVICE_IDS_IN_DATABASE=set(), OPERATION_HISTORY=[]
)


def _device_info(device: Any) -> SimpleNamespace:
    """What ttnn's reports tell of a device: its grids and memory."""
    grid, size = device.compute_with_storage_grid_size(), device.l1_size_per_core()
    return SimpleNamespace(
        num_x_cores=grid.x,
        num_y_cores=grid.y,
        num_x_compute_cores=grid.x,
        num_y_compute_cores=grid.y,
        worker_l1_size=size,
        cb_limit=_native.l1_unreserved_bytes(device.product),
    )


_ttnn = SimpleNamespace(
    reports=SimpleNamespace(get_device_info=_device_info),
    device=SimpleNamespace(
        get_max_worker_l1_unreserved_size=lambda: _native.l1_unreserved_bytes(current.device),
        EnableMemoryReports=nothing,
        DisableMemoryReports=nothing,
    )
)
using_distributed_env = distributed_context_is_initialized = never
set_fabric_config = nothing
EnableMemoryReports = DisableMemoryReports = nothing
