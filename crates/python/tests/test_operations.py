"""Operations in ttnn's style, and their broken twins: each is found by id and line."""

import shutil
from pathlib import Path

import numpy as np
import operations
import pytest
import tilewright
from ml_dtypes import bfloat16
from operations import EXAMPLES, KERNELS
from tilewright import ttnn

RANDOM = np.random.default_rng(7)


def tensor(device, shape, layout=ttnn.TILE_LAYOUT, config=None, low=-1.0, high=1.0):
    """Random values in bf16: what the device has, and the same in float64."""
    values = RANDOM.uniform(low, high, shape).astype(bfloat16)
    x = ttnn.from_torch(
        values, dtype=ttnn.bfloat16, layout=layout, device=device, memory_config=config
    )
    return x, values.astype(np.float64)


def result_of(program):
    io_tensors, descriptor = program
    ttnn.generic_op(io_tensors, descriptor)
    return io_tensors[-1].to_numpy().astype(np.float64)


def assert_near(got, wanted, steps):
    """Within so many steps of bf16 at the largest magnitude of the exact result."""
    step = 2.0 ** (np.floor(np.log2(np.abs(wanted).max())) - 7)
    assert np.abs(got - wanted).max() <= steps * step


@pytest.mark.parametrize("shape", [(32, 32), (1, 3, 64, 96), (50, 70)])
def test_exponential(device, shape):
    x, values = tensor(device, shape)
    assert_near(result_of(operations.exponential(x)), np.exp(values), 1)


@pytest.mark.parametrize("shape", [(32, 64), (2, 40, 70)])
def test_softmax(device, shape):
    x, values = tensor(device, shape, low=-4, high=4)
    wanted = np.exp(values - values.max(-1, keepdims=True))
    wanted /= wanted.sum(-1, keepdims=True)
    assert_near(result_of(operations.softmax(x)), wanted, 4)


def test_layer_norm_rm(device):
    x, values = tensor(device, (64, 96), ttnn.ROW_MAJOR_LAYOUT)
    gamma, scale = tensor(device, (96,), ttnn.ROW_MAJOR_LAYOUT)
    beta, shift = tensor(device, (96,), ttnn.ROW_MAJOR_LAYOUT)
    mean, variance = values.mean(-1, keepdims=True), values.var(-1, keepdims=True)
    wanted = (values - mean) / np.sqrt(variance + 1e-5) * scale + shift
    assert_near(result_of(operations.layer_norm_rm(x, gamma, beta)), wanted, 1)


def test_mcast_matmul(device):
    a, left = tensor(device, (96, 128))
    b, right = tensor(device, (128, 64))
    assert_near(result_of(operations.mcast_matmul(a, b)), left @ right, 4)


SHARDS = {
    "height": (ttnn.ShardStrategy.HEIGHT, ttnn.CoreGrid(x=2, y=2), (128, 64)),
    "width": (ttnn.ShardStrategy.WIDTH, ttnn.CoreGrid(x=4, y=1), (64, 128)),
    "block": (ttnn.ShardStrategy.BLOCK, ttnn.CoreGrid(x=2, y=3), (96, 128)),
}


def sharded(device, kind):
    strategy, grid, shape = SHARDS[kind]
    config = ttnn.create_sharded_memory_config(shape, core_grid=grid, strategy=strategy)
    return tensor(device, shape, config=config)


@pytest.mark.parametrize("kind", SHARDS)
def test_shard_square(device, kind):
    x, values = sharded(device, kind)
    assert_near(result_of(operations.shard_square(x)), values * values, 1)


def broken(program):
    """The first finding of a broken program, by id and kernel line."""
    result = tilewright.run(*program)
    assert result.findings, result.report()
    finding = result.findings[0]
    file, line = finding.location
    return finding.id, Path(file).resolve(), line


def at(file, text):
    """A kernel's file and its only line with a text."""
    lines = file.read_text().splitlines()
    found = [number for number, line in enumerate(lines, 1) if text in line]
    assert len(found) == 1, f"{file} has {len(found)} lines with {text}"
    return file, found[0]


def test_broken_exponential(device):
    x, _ = tensor(device, (64, 64))
    wanted = ("unawaited-read", *at(KERNELS / "read_tiles.cpp", "// unawaited-read"))
    assert broken(operations.exponential(x, "MISSING_READ_BARRIER")) == wanted


def test_broken_softmax(device):
    x, _ = tensor(device, (64, 64))
    wanted = ("unawaited-read", *at(EXAMPLES / "softmax" / "reader.cpp", "ask_for_tiles(cb_x"))
    assert broken(operations.softmax(x, "MISSING_READ_BARRIER")) == wanted


def test_broken_layer_norm_rm(device):
    x, _ = tensor(device, (64, 96), ttnn.ROW_MAJOR_LAYOUT)
    gamma, _ = tensor(device, (96,), ttnn.ROW_MAJOR_LAYOUT)
    beta, _ = tensor(device, (96,), ttnn.ROW_MAJOR_LAYOUT)
    file = EXAMPLES / "layernorm" / "row_major" / "compute.cpp"
    wanted = ("missing-startup", *at(file, "tilize_block(cb_sticks"))
    assert broken(operations.layer_norm_rm(x, gamma, beta, "MISSING_STARTUP")) == wanted


def test_broken_mcast_matmul(device):
    a, _ = tensor(device, (96, 128))
    b, _ = tensor(device, (128, 64))
    file = KERNELS / "mcast_read.cpp"
    wanted = ("lost-update", *at(file, "// lost-update"))
    assert broken(operations.mcast_matmul(a, b, "NO_HANDSHAKE")) == wanted
    wanted = ("read-before-landing", *at(file, "// read-before-landing"))
    assert broken(operations.mcast_matmul(a, b, "MISSING_READ_BARRIER")) == wanted


def test_broken_shard_square(device):
    x, _ = sharded(device, "block")
    wanted = ("missing-startup", *at(KERNELS / "shard_square.cpp", "// missing-startup"))
    assert broken(operations.shard_square(x, "MISSING_STARTUP")) == wanted


def test_a_result_can_be_captured_and_traced(device, tmp_path):
    x, _ = tensor(device, (64, 64))
    result = tilewright.run(*operations.exponential(x))
    assert result.capture(tmp_path / "exp.cap").stat().st_size > 4 * 2048
    trace = result.trace(tmp_path / "exp.pftrace").read_bytes()
    assert b"core (0,0)" in trace and b"writer" in trace
    with pytest.raises(tilewright.RunError) as caught:
        ttnn.generic_op(*operations.exponential(x, "MISSING_READ_BARRIER"))
    with pytest.raises(RuntimeError, match="only results of tilewright.run"):
        caught.value.result.capture(tmp_path / "none.cap")


def test_kernels_in_temporary_folders_are_compiled_once(device, tmp_path, monkeypatch):
    """A copy in another folder is the same kernel; findings in it have the folder's own name."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    x, _ = tensor(device, (64, 64))
    compiled = []
    for name in ("first", "second"):
        folder = shutil.copytree(KERNELS, tmp_path / name)
        tensors, program = operations.exponential(x, "MISSING_READ_BARRIER")
        for kernel in program.kernels:
            kernel.kernel_source = str(folder / Path(kernel.kernel_source).name)
        result = tilewright.run(tensors, program, isolated=False)
        assert result.findings[0].location[0] == str(folder / "read_tiles.cpp")
        assert str(folder) in result.report()
        compiled.append(len(list((tmp_path / "cache" / "tilewright").glob("*.code"))))
    assert compiled == [5, 5]


def test_findings_raise_and_the_device_stays_usable(device):
    x, values = tensor(device, (32, 32))
    io_tensors, program = operations.exponential(x, "MISSING_READ_BARRIER")
    with pytest.raises(tilewright.RunError, match="unawaited-read") as caught:
        ttnn.generic_op(io_tensors, program)
    assert caught.value.result.verdict == "fail"
    assert_near(result_of(operations.exponential(x)), np.exp(values), 1)


@pytest.mark.parametrize(
    ("fault", "finding", "verdict"),
    [
        ("SEGFAULT", "kernel-crash", "fail"),
        ("ENDLESS_LOOP", "endless-loop", "hang"),
        ("DEADLOCK", "starved-wait", "hang"),
    ],
)
@pytest.mark.parametrize("isolated", [True, False], ids=["isolated", "in-process"])
def test_kernels_that_do_not_end_well(device, fault, finding, verdict, isolated):
    x, values = tensor(device, (64, 64))
    result = tilewright.run(*operations.exponential(x, fault), isolated=isolated)
    file = KERNELS / "exponential.cpp"
    assert (result.verdict, result.completed) == (verdict, False), result.report()
    assert result.findings[0].id == finding
    places = [mark.kernel_line for mark in result.findings[0].marks]
    assert at(file, f"// {finding}") in [(Path(one).resolve(), line) for one, line in places]
    assert_near(result_of(operations.exponential(x)), np.exp(values), 1)
