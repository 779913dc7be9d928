"""ttnn's names for programs, tensors and devices, on the simulated device.

A name that is not served raises an error that says so. `ttnn.operations` is the user's own
tree: see `tilewright.ttnn._tree`.
"""

from __future__ import annotations

import sys
from typing import Any

from . import _tree
from .cores import (
    CoreCoord,
    CoreGrid,
    CoreRange,
    CoreRangeSet,
    corerange_to_cores,
    grid_to_cores,
    num_cores_to_corerangeset,
    num_cores_to_corerangeset_in_subcoregrids,
    split_work_to_cores,
)
from .types import (
    NOC,
    NOC_MODE,
    Arch,
    CoreType,
    DataMovementProcessor,
    DataType,
    Layout,
    MathFidelity,
    Shape,
    StorageType,
    Tile,
    UnpackToDestMode,
    WormholeComputeKernelConfig,
    element_size,
    init_device_compute_kernel_config,
    tile_size,
)
from .memory import (
    DRAM_MEMORY_CONFIG,
    L1_BLOCK_SHARDED_MEMORY_CONFIG,
    L1_HEIGHT_SHARDED_MEMORY_CONFIG,
    L1_MEMORY_CONFIG,
    L1_WIDTH_SHARDED_MEMORY_CONFIG,
    BufferType,
    MemoryConfig,
    NdShardSpec,
    ShardDistributionStrategy,
    ShardOrientation,
    ShardSpec,
    ShardStrategy,
    TensorMemoryLayout,
    create_sharded_memory_config,
)
from .tensor import (
    Tensor,
    TensorSpec,
    allocate_tensor_on_device,
    deallocate,
    from_device,
    from_torch,
    to_device,
    to_dtype,
    to_layout,
    to_memory_config,
    to_torch,
)
from .movement import (
    clone,
    concat,
    copy,
    fill_implicit_tile_padding,
    full,
    interleaved_to_sharded,
    ones,
    ones_like,
    pad,
    permute,
    repeat,
    reshape,
    sharded_to_interleaved,
    slice,
    squeeze,
    tilize,
    transpose,
    typecast,
    unsqueeze,
    unsqueeze_to_4D,
    untilize,
    zeros,
    zeros_like,
)
from .descriptors import (
    CBDescriptor,
    CBFormatDescriptor,
    ComputeConfigDescriptor,
    DataMovementConfigDescriptor,
    KernelDescriptor,
    ProgramDescriptor,
    ReaderConfigDescriptor,
    RuntimeArgs,
    RuntimeArgsColProxy,
    SemaphoreDescriptor,
    TileDescriptor,
    WriterConfigDescriptor,
    cb_descriptor_from_sharded_tensor,
    get_cb_address,
    merge_program_descriptors,
)
from .device import (
    CloseDevice,
    CreateDevice,
    Device,
    GetDefaultDevice,
    GetNumAvailableDevices,
    GetNumPCIeDevices,
    GetPCIeDeviceID,
    MeshDevice,
    SetDefaultDevice,
    close_device,
    close_mesh_device,
    get_arch_name,
    get_device_ids,
    get_dram_alignment,
    get_l1_alignment,
    get_max_worker_l1_unreserved_size,
    get_num_devices,
    is_blackhole,
    is_wormhole_b0,
    manage_device,
    open_device,
    open_mesh_device,
    synchronize_device,
)
from .mcast import (
    Mcast1D,
    Mcast1DSenderPlacement,
    Mcast1DShape,
    Mcast2D,
    McastConfig,
    McastDataReady,
)
from .profiler import (
    ReadDeviceProfiler,
    get_all_programs_perf_data,
    get_latest_programs_perf_data,
)
from .sharding import get_optimal_worker_cores_for_sharded_tensor
from . import composites, elementwise
from .composites import layer_norm, linear, matmul, softmax
from .environment import (
    CONFIG,
    CONFIG_OVERRIDES,
    CONFIG_PATH,
    Config,
    DispatchCoreAxis,
    DispatchCoreConfig,
    DispatchCoreType,
    FabricConfig,
    FabricManagerMode,
    FabricReliabilityMode,
    FabricTensixConfig,
    FabricUDMMode,
    MeshCoordinate,
    MeshShape,
    Topology,
    _ttnn,
    cluster,
    database,
    distributed_context_is_initialized,
    get_pcie_device_ids,
    graph,
    load_config_from_dictionary,
    load_config_from_json_file,
    manage_config,
    operation_tracer,
    set_fabric_config,
    tracer,
    using_distributed_env,
)
from .program import TensorAccessorArgs, generic_op

bfloat16 = DataType.BFLOAT16
float32 = DataType.FLOAT32
bfloat8_b = DataType.BFLOAT8_B
bfloat4_b = DataType.BFLOAT4_B
uint32 = DataType.UINT32
int32 = DataType.INT32
uint16 = DataType.UINT16
uint8 = DataType.UINT8
int8 = DataType.INT8
fp8_e4m3 = DataType.FP8_E4M3
ROW_MAJOR_LAYOUT = Layout.ROW_MAJOR
TILE_LAYOUT = Layout.TILE
TILE_SIZE = 32
DEVICE_STORAGE_TYPE = StorageType.DEVICE
BlackholeComputeKernelConfig = WormholeComputeKernelConfig
DeviceComputeKernelConfig = WormholeComputeKernelConfig
# ttnn's own native module has the same names in other places.
_ttnn.types = _ttnn.tensor = _ttnn.program_descriptor = _ttnn.mcast_host = sys.modules[__name__]
elementwise.served(globals())
composites.served(globals())


def __getattr__(name: str) -> Any:
    """The user's own operation of that name, or an error that names what is missing."""
    return _tree.attribute(name)
