"""Models of rigwright inside PyTorch: differentiable, so that a rig can stand inside any loss."""

from rigwright.torch._function import function

__all__ = ["function"]
