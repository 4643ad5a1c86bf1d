"""Models of rigcast inside PyTorch: differentiable, so that a rig can stand inside any loss."""

from rigcast.torch._function import function

__all__ = ["function"]
