"""`tilewright.ops`, and ttnn operations that run the same kernels."""

import importlib
import importlib.util
import sys
from types import ModuleType

import numpy as np
import pytest
import tilewright
from ml_dtypes import bfloat16
from tilewright import ops, ttnn

RANDOM = np.random.default_rng(11)


def values(*shape, dtype=np.float32):
    return RANDOM.uniform(-1, 1, shape).astype(dtype)


def normalised(x, gamma, beta, epsilon):
    x = x.astype(np.float64)
    variance = x.var(-1, keepdims=True)
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(variance + epsilon) * gamma + beta


def assert_judged(result, name, wanted):
    """The output is inside its bounds, and the exact values are what the bounds are about."""
    judgement, got = result.judgements[name], result.outputs[name]
    assert result.verdict == "pass", result.report()
    assert judgement.in_bound and judgement.judged == got.size and judgement.unjudged == 0
    assert got.shape == wanted.shape
    error = np.abs(got.astype(np.float64) - wanted).max()
    assert error == pytest.approx(judgement.max_abs_error, rel=1e-3, abs=1e-7)


@pytest.mark.parametrize("dtype", [np.float32, bfloat16])
@pytest.mark.parametrize("epsilon", [1e-6, 0.25])
def test_layernorm_fw(dtype, epsilon):
    x, gamma, beta = values(50, 70, dtype=dtype), values(70, dtype=dtype), values(70, dtype=dtype)
    result = ops.layernorm_fw(x, gamma, beta, epsilon=epsilon)
    wanted = normalised(x, gamma.astype(np.float64), beta.astype(np.float64), epsilon)
    assert result.outputs["y"].dtype == dtype
    assert_judged(result, "y", wanted)
    assert set(result.outputs) == {"y", "mean", "rstd"}


def test_layernorm_bw():
    x, gamma, dy = values(64, 96), values(96), values(64, 96)
    result = ops.layernorm_bw(x, gamma, dy)
    assert_judged(result, "dbeta", dy.astype(np.float64).sum(0, keepdims=True))
    mean = x.mean(-1, keepdims=True)
    rstd = 1 / np.sqrt(x.var(-1, keepdims=True) + 1e-6)
    given = ops.layernorm_bw(x, gamma, dy, mean=mean, rstd=rstd)
    assert np.abs(given.outputs["dx"] - result.outputs["dx"]).max() < 1e-5


def test_layernorm_rm():
    x, gamma, beta = values(64, 96, dtype=bfloat16), values(96), values(96)
    gamma, beta = gamma.astype(bfloat16), beta.astype(bfloat16)
    wanted = normalised(x, gamma.astype(np.float64), beta.astype(np.float64), 1e-5)
    assert_judged(ops.layernorm_rm(x, gamma, beta), "y", wanted)


class Tensor:
    """What the package asks of a torch tensor, about a numpy array. As torch's, it gives bf16 to
    nobody: neither by `numpy` nor as an array."""

    __array__ = None

    def __init__(self, values):
        self._values = values
        self.dtype = values.dtype

    def detach(self):
        return self

    cpu = contiguous = detach

    def view(self, dtype):
        return Tensor(self._values.view(dtype))

    def numpy(self):
        if self.dtype == bfloat16:
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self._values


@pytest.fixture
def torch(monkeypatch):
    """torch where it is installed; otherwise a module with what the package uses of it."""
    if importlib.util.find_spec("torch") is not None:
        return importlib.import_module("torch")
    module = ModuleType("torch")
    module.Tensor = Tensor
    module.bfloat16, module.int16 = np.dtype(bfloat16), np.dtype(np.int16)
    module.float32 = np.dtype(np.float32)
    module.from_numpy = Tensor
    monkeypatch.setitem(sys.modules, "torch", module)
    return module


@pytest.mark.parametrize("dtype", [bfloat16, np.float32])
def test_torch_in_torch_out(torch, dtype):
    arrays = [values(32, 64, dtype=dtype), values(64), values(64)]
    wanted = ops.layernorm_fw(*arrays).outputs
    # torch takes and gives bf16 as 16-bit numbers.
    name, bits = ("bfloat16", "int16") if dtype == bfloat16 else ("float32", "float32")
    x = torch.from_numpy(arrays[0].view(bits)).view(getattr(torch, name))
    got = ops.layernorm_fw(x, *map(torch.from_numpy, arrays[1:])).outputs
    assert got.keys() == wanted.keys()
    assert all(isinstance(output, torch.Tensor) for output in got.values())
    assert got["y"].dtype == getattr(torch, name)
    assert (got["y"].view(getattr(torch, bits)).numpy() == wanted["y"].view(bits)).all()


def test_wrong_sizes_are_refused():
    with pytest.raises(tilewright.ProgramError, match="`gamma` has 5 values"):
        ops.layernorm_fw(values(32, 64), values(5), values(64))
    with pytest.raises(tilewright.ProgramError, match="multiple of 32"):
        ops.layernorm_rm(values(30, 64), values(64), values(64))


def placed(device, array, dtype=ttnn.float32):
    return ttnn.from_torch(array, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


COMPOSITES = {
    "softmax": (ttnn.softmax, softmax),
    "layer_norm": (
        lambda x: ttnn.layer_norm(x, epsilon=1e-5),
        lambda x: normalised(x, 1.0, 0.0, 1e-5),
    ),
    "sum": (lambda x: ttnn.sum(x, dim=-1), lambda x: x.sum(-1)),
    "mean": (lambda x: ttnn.mean(x, dim=-2, keepdim=True), lambda x: x.mean(-2, keepdims=True)),
    "max": (lambda x: ttnn.max(x, dim=(-2, -1)), lambda x: x.max((-2, -1))),
}


@pytest.mark.parametrize("name", COMPOSITES)
def test_composites(device, name):
    """The kernels judge themselves; here only what is computed, to six bits."""
    operation, reference = COMPOSITES[name]
    x = values(2, 64, 96)
    got, wanted = operation(placed(device, x)).to_numpy(), reference(x.astype(np.float64))
    assert got.shape == wanted.shape
    assert np.abs(got - wanted).max() <= np.abs(wanted).max() / 64


def test_matmul_and_linear(device):
    a, b, bias = values(2, 64, 96), values(96, 32), values(32)
    product = ttnn.matmul(placed(device, a), placed(device, b))
    wanted = a.astype(np.float64) @ b
    assert np.abs(product.to_numpy() - wanted).max() <= np.abs(wanted).max() / 64
    transposed = placed(device, np.ascontiguousarray(b.T))
    same = ttnn.matmul(placed(device, a), transposed, transpose_b=True)
    assert (same.to_numpy() == product.to_numpy()).all()
    sum = ttnn.linear(placed(device, a), placed(device, b), bias=placed(device, bias))
    assert np.abs(sum.to_numpy() - (wanted + bias)).max() <= np.abs(wanted).max() / 32


def test_what_composites_do_not_serve(device):
    x = placed(device, values(64, 96))
    with pytest.raises(NotImplementedError, match="ttnn.softmax along the last dimension"):
        ttnn.softmax(x, dim=0)
    with pytest.raises(NotImplementedError, match="ttnn.sum of the last two dimensions"):
        ttnn.sum(placed(device, values(2, 32, 32)), dim=0)
    with pytest.raises(RuntimeError, match="got 96 and 64"):
        ttnn.matmul(x, x)


def test_movement(device):
    array = values(1, 3, 40)
    x = ttnn.from_torch(array, device=device)
    padded = np.pad(array, [(0, 0), (0, 1), (0, 24)], constant_values=2)
    checks = {
        "pad": (ttnn.pad(x, [(0, 1), (0, 24)], 2.0), padded),
        "slice": (ttnn.slice(x, [0, 1, 8], [1, 3, 16]), array[0:1, 1:3, 8:16]),
        "repeat": (ttnn.repeat(x, [2, 1, 1]), np.tile(array, (2, 1, 1))),
        "permute": (ttnn.permute(x, (2, 0, 1)), array.transpose(2, 0, 1)),
        "transpose": (ttnn.transpose(x, -1, -2), array.swapaxes(-1, -2)),
        "squeeze": (ttnn.squeeze(x, 0), array[0]),
        "unsqueeze": (ttnn.unsqueeze(x, -1), array[..., None]),
        "concat": (ttnn.concat([x, x], dim=1), np.concatenate([array, array], 1)),
        "clone": (ttnn.clone(x), array),
        "tilize": (ttnn.untilize(ttnn.tilize(x)), array),
    }
    for name, (got, wanted) in checks.items():
        assert (got.to_numpy() == wanted).all(), name
    assert ttnn.typecast(x, ttnn.bfloat16).dtype == ttnn.bfloat16
    target = ttnn.zeros((1, 3, 40), dtype=ttnn.float32, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
    assert (ttnn.copy(x, target).to_numpy() == array).all()
