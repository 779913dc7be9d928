"""Bad input: exceptions of ttnn's kinds that say what is wrong, and a device that stays usable."""

import signal
import subprocess
import sys

import numpy as np
import operations
import pytest
import tilewright
from tilewright import ttnn


@pytest.fixture
def x(device):
    values = np.ones((32, 32), np.float32)
    return ttnn.from_torch(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


def test_a_kernel_that_does_not_compile(x):
    io_tensors, program = operations.exponential(x)
    program.kernels[1].source_type = ttnn.KernelDescriptor.SourceType.SOURCE_CODE
    program.kernels[1].kernel_source = "void kernel_main() { no_such_call(); }"
    with pytest.raises(tilewright.ProgramError, match="no_such_call"):
        ttnn.generic_op(io_tensors, program)
    ttnn.generic_op(*operations.exponential(x))


def test_a_missing_file(x):
    io_tensors, program = operations.exponential(x)
    program.kernels[0].kernel_source = "no/such/kernel.cpp"
    with pytest.raises(RuntimeError, match="Kernel file no/such/kernel.cpp doesn't exist"):
        ttnn.generic_op(io_tensors, program)


def test_missing_runtime_arguments(x):
    io_tensors, program = operations.exponential(x)
    program.kernels[0].runtime_args = ttnn.RuntimeArgs()
    with pytest.raises(RuntimeError, match="argument"):
        ttnn.generic_op(io_tensors, program)


def test_cores_outside_the_grid(x):
    io_tensors, program = operations.exponential(x)
    far = ttnn.CoreCoord(9, 0)
    program.kernels[0].core_ranges = ttnn.CoreRangeSet([ttnn.CoreRange(far, far)])
    with pytest.raises(RuntimeError, match=r"\(9,0\)"):
        ttnn.generic_op(io_tensors, program)


def test_a_circular_buffer_that_does_not_fit(x):
    io_tensors, program = operations.exponential(x)
    program.cbs[0].total_size = 2048 * 1024
    with pytest.raises(RuntimeError, match="L1"):
        ttnn.generic_op(io_tensors, program)


def test_a_tensor_on_the_host(x):
    io_tensors, program = operations.exponential(x)
    with pytest.raises(RuntimeError, match="host storage"):
        ttnn.generic_op([ttnn.from_device(x), io_tensors[1]], program)


def test_a_deallocated_tensor(x):
    io_tensors, program = operations.exponential(x)
    ttnn.deallocate(x)
    with pytest.raises(RuntimeError, match="deallocated"):
        ttnn.generic_op(io_tensors, program)


WRONG = {
    "a float for a word": lambda: ttnn.KernelDescriptor(compile_time_args=[1.5]),
    "a negative word": lambda: ttnn.KernelDescriptor(compile_time_args=[-1]),
    "cores as a list": lambda: ttnn.CBDescriptor(1024, [ttnn.CoreCoord(0, 0)], []),
    "no data format": lambda: ttnn.CBFormatDescriptor(0, "bfloat16", 2048),
    "no kernel": lambda: ttnn.ProgramDescriptor(kernels=["reader.cpp"]),
    "no array": lambda: ttnn.from_torch("text"),
    "no grid": lambda: ttnn.ShardSpec(ttnn.CoreCoord(1, 1), (32, 32)),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_types(name):
    with pytest.raises(TypeError):
        WRONG[name]()


def test_block_formats_need_tiles():
    with pytest.raises(RuntimeError, match="TILE_LAYOUT"):
        ttnn.from_torch(
            np.ones((32, 32), np.float32), dtype=ttnn.bfloat8_b, layout=ttnn.ROW_MAJOR_LAYOUT
        )


def test_names_that_are_not_served():
    with pytest.raises(AttributeError, match="does not serve ttnn.no_such_name"):
        ttnn.no_such_name  # noqa: B018


def test_an_interrupted_program_does_not_answer_for_the_next(x):
    def interrupt(*_):
        raise TimeoutError("the suite's own limit")

    earlier = signal.signal(signal.SIGALRM, interrupt)
    try:
        with tilewright.settings(step_budget=1 << 60), pytest.raises(TimeoutError):
            signal.setitimer(signal.ITIMER_REAL, 2.0)
            ttnn.generic_op(*operations.exponential(x, "ENDLESS_CALLS"))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, earlier)
    y = ttnn.generic_op(*operations.exponential(x))
    assert (y.to_numpy() == np.exp(np.float32(1)).astype(y.to_numpy().dtype)).all()


def test_nothing_is_said_when_a_script_ends_with_its_device_open():
    script = (
        "from tilewright import ttnn\n"
        "import numpy as np\n"
        "device = ttnn.open_device(device_id=0)\n"
        "x = ttnn.from_torch(np.ones((32, 32), np.float32), device=device)\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_kernel_that_is_given_as_text_is_named_by_the_line_that_gives_it(x):
    io_tensors, program = operations.exponential(x)
    core = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
    line = sys._getframe().f_lineno + 1
    program.kernels[1] = ttnn.KernelDescriptor(
        kernel_source="void kernel_main() { undeclared(); }",
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=core,
        config=ttnn.ComputeConfigDescriptor(),
    )
    with pytest.raises(tilewright.ProgramError, match="'undeclared' was not declared") as raised:
        ttnn.generic_op(io_tensors, program)
    assert f"is the text of the kernel at {__file__}:{line}" in str(raised.value)
