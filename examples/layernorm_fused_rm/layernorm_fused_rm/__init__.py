"""The operation `layernorm_fused_rm`, for ttnn tensors."""

from .operation import layernorm_fused_rm

__all__ = ["layernorm_fused_rm"]
