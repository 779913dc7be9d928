"""Exact results that a program's outputs are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .ttnn.tensor import Tensor


@dataclass(frozen=True)
class Reference:
    """What a program's outputs must be: a name of `tilewright list`, and which tensor is which of
    its inputs and outputs. With it a result is `pass` or `fail`, and has judgements.

    `choices` are the reference's own, such as the call that a kernel makes:
    `Reference("sfpu-unary", {"first": x}, {"y": y}, {"call": "clamp_tile(-1, 1)"})`.
    """

    operation: str
    inputs: Mapping[str, Tensor]
    outputs: Mapping[str, Tensor]
    choices: Mapping[str, str] | None = None

    def _request(self, names: Mapping[int, str]) -> dict[str, object]:
        """The reference with the names of its tensors, which are given by their buffers."""

        def named(tensors: Mapping[str, Tensor]) -> dict[str, str]:
            found = {role: names.get(id(one._live_buffer())) for role, one in tensors.items()}
            for role, name in found.items():
                if name is None:
                    raise ValueError(f"reference: `{role}` is no tensor of the program's")
            return {role: name for role, name in found.items() if name is not None}

        return {
            "operation": self.operation,
            "choices": {name: str(value) for name, value in (self.choices or {}).items()},
            "inputs": named(self.inputs),
            "outputs": named(self.outputs),
        }
