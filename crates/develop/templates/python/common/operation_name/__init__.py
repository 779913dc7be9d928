"""The operation `operation_name`, for ttnn tensors."""

from .operation import operation_name

__all__ = ["operation_name"]
