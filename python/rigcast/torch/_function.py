"""A model's vertices as a function that PyTorch differentiates."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rigcast._core import Deformer
from rigcast._extras import require
from rigcast._validate import bad_argument, check_threads

if TYPE_CHECKING:
    import torch


def function(model: Deformer, *, threads: int = 0) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return the differentiable PyTorch function from a model's poses to its vertices.

    Forward is :meth:`rigcast.Deformer.evaluate`, backward is ``vjp``, forward-mode differentiation is ``jvp``. They
    run on the CPU in float32. A float64 tensor is rounded to float32 and the result is given back as float64, so that
    it fits into float64 code, with the precision of float32: about 1e-7 of the largest coordinate. A check by finite
    differences needs steps of about 1e-2 for this reason. There are no second derivatives.

    Parameters
    ----------
    model : Deformer
        A learned or analytic model, or a blendshape rig. It has no parameters that are trained.
    threads : int
        Number of threads; 0 means all processors that this process may use.
        The results have the same bytes for any number.

    Returns
    -------
    callable
        From poses (..., C) to vertices (..., V, 3), any leading shape; a blendshape rig's poses are its weights. It
        raises ValueError if the tensor is no float32 or float64 tensor on the CPU or has another last dimension, and
        if values are not finite.

    Raises
    ------
    ValueError
        If ``model`` is no model.
    rigcast._extras.MissingExtra
        Without PyTorch.

    Examples
    --------
    >>> import torch
    >>> rig = rc.faces.example()
    >>> vertices_of = rc.torch.function(rig)
    >>> weights = torch.full((1, rig.num_shapes), 0.5, requires_grad=True)
    >>> vertices_of(weights).square().sum().backward()
    >>> tuple(weights.grad.shape)
    (1, 22)
    """
    if not isinstance(model, Deformer):
        raise bad_argument("function", "model", f"a {type(model).__name__}", "a model or a blendshape rig")
    check_threads("function", threads)
    evaluation = _evaluation()
    width = len(model.control_names)

    def vertices_of(poses: torch.Tensor) -> torch.Tensor:
        _check(poses, width)
        result: torch.Tensor = evaluation.apply(poses, model, threads)
        return result

    return vertices_of


def _check(poses: Any, width: int) -> None:
    torch = require("torch", extra="training", purpose="a PyTorch function of a model")
    expected = f"a float32 or float64 tensor (..., {width}) on the CPU"
    if not isinstance(poses, torch.Tensor):
        raise bad_argument("function", "poses", f"a {type(poses).__name__}", expected)
    if poses.dtype not in (torch.float32, torch.float64) or poses.device.type != "cpu":
        raise bad_argument("function", "poses", f"{poses.dtype} on {poses.device}", expected)
    if poses.ndim == 0 or poses.shape[-1] != width:
        raise bad_argument("function", "poses", f"of shape {tuple(poses.shape)}", expected)


@functools.cache
def _evaluation() -> Any:
    """The ``torch.autograd.Function``; made on first use, as its base class is PyTorch's."""
    torch = require("torch", extra="training", purpose="a PyTorch function of a model")

    def rows(tensor: Any, *shape: int) -> Any:
        """A tensor (..., *shape) as float32 NumPy rows (T, *shape)."""
        return tensor.detach().to(torch.float32).reshape(-1, *shape).contiguous().numpy()

    def tensor(array: Any, like: Any, *shape: int) -> Any:
        """An array as a tensor with the leading shape and the type of poses ``like``."""
        return torch.from_numpy(array).to(like.dtype).reshape(*like.shape[:-1], *shape)

    class Evaluation(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(poses: Any, model: Deformer, threads: int) -> Any:
            vertices = model.evaluate(rows(poses, poses.shape[-1]), threads=threads)
            return tensor(vertices, poses, len(model.rest_vertices), 3)

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, Deformer, int], output: Any) -> None:
            poses, ctx.model, ctx.threads = inputs
            ctx.save_for_backward(poses)
            ctx.save_for_forward(poses)

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
        def backward(ctx: Any, cotangents: Any) -> tuple[Any, None, None]:
            (poses,) = ctx.saved_tensors
            pulled = rows(cotangents, len(ctx.model.rest_vertices), 3)
            gradient = ctx.model.vjp(rows(poses, poses.shape[-1]), pulled, threads=ctx.threads)
            return tensor(gradient, poses, poses.shape[-1]), None, None

        @staticmethod
        def jvp(ctx: Any, tangents: Any, *_: None) -> Any:
            (poses,) = ctx.saved_tensors
            width = poses.shape[-1]
            pushed = ctx.model.jvp(rows(poses, width), rows(tangents, width), threads=ctx.threads)
            return tensor(pushed, poses, len(ctx.model.rest_vertices), 3)

    return Evaluation
