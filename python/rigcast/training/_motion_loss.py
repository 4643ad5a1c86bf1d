"""Motion on the screen as a loss: a soft maximum of what a viewer in front sees a vertex to be off.

With the errors e_v of vertices, the direction n to the viewer, and weights w_v of sum 1, the areas of the rest mesh
that are seen from n,

    L = (sum_v w_v |e_v - n (n . e_v)|^p)^(1/p),

the mean over poses. p = 1 is the mean over the picture, p = inf the largest error that is seen; the power between them
gives the worst places most of the gradient, and every place some. In pixels it is times focal length over distance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._extras import require
from rigcast._hashing import padded_faces
from rigcast._rigs.motions.shot import TO_Y_UP
from rigcast._shown import one_line
from rigcast._validate import Arguments

if TYPE_CHECKING:
    from torch import Tensor

EXPONENT = 8.0
SMALLEST = 1e-24  # of squared lengths: the root has a gradient at 0

Float64 = NDArray[np.float64]


def front_of(up_axis: str) -> Float64:
    """The direction (3,) that figures face: z with y up, -y with z up."""
    return np.asarray(TO_Y_UP[up_axis].T @ np.array([0.0, 0.0, 1.0]))


def seen_areas(rest: Float64, corners: NDArray[np.int64], front: Float64) -> Float64:
    """Weights (V,) of sum 1: areas as they are seen from far away along ``front``; equal ones if nothing is seen."""
    padded = np.where(corners < 0, corners[:, 2:3], corners)
    crosses = 0.5 * np.cross(rest[padded[:, 2]] - rest[padded[:, 0]], rest[padded[:, 3]] - rest[padded[:, 1]])
    triangle = padded[:, 3] == padded[:, 2]
    plain = 0.5 * np.cross(rest[padded[:, 1]] - rest[padded[:, 0]], rest[padded[:, 2]] - rest[padded[:, 0]])
    seen = np.maximum(np.where(triangle[:, None], plain, crosses) @ front, 0.0)
    shares = np.repeat(seen / np.where(triangle, 3.0, 4.0), 4).reshape(-1, 4)
    shares[triangle, 3] = 0.0
    areas = np.bincount(padded.ravel(), shares.ravel(), len(rest))
    total = float(areas.sum())
    return np.asarray(areas / total if total > 0.0 else np.full(len(rest), 1.0 / max(len(rest), 1)))


@one_line
class MotionLoss:
    """A differentiable soft maximum of the motion that a viewer sees, for PyTorch.

    Parameters
    ----------
    rest : (V, 3) array
        The mesh at rest: its areas toward the viewer are the weights. What faces away weighs nothing, so that this loss
        needs another one beside it.
    faces : (F, 3) or (F, 4) integers
        -1 pads triangles.
    up_axis : str
        X, Y or Z: says where the front of the figure is.
    exponent : float
        Of the soft maximum, at least 1: the mean; higher ones are nearer to the maximum.
    device : str
        Of PyTorch.

    Raises
    ------
    ValueError
        If shapes do not fit, or a setting is out of range.
    MissingExtra
        Without PyTorch.

    Examples
    --------
    >>> import torch
    >>> face = rc.faces.example()
    >>> loss = rc.training.MotionLoss(face.rest_vertices, face.faces)
    >>> truth = torch.tensor(face.rest_vertices)[None]
    >>> moved = (truth + 0.1).requires_grad_()
    >>> value = loss(moved, truth)
    >>> value.backward()
    >>> round(float(value.detach()), 3)  # as seen from the front: 0.1 to the right and 0.1 up
    0.141
    """

    def __init__(
        self,
        rest: ArrayLike,
        faces: ArrayLike,
        *,
        up_axis: str = "Y",
        exponent: float = EXPONENT,
        device: str = "cpu",
    ) -> None:
        check = Arguments("MotionLoss")
        vertices = check.numbers("rest", rest, "V+ 3")
        if up_axis not in TO_Y_UP:
            raise check.wrong("up_axis", repr(up_axis), "one of X, Y, Z")
        self.exponent = check.number("exponent", exponent, least=1.0, most=64.0)
        corners = padded_faces(faces, "MotionLoss", len(vertices)).astype(np.int64)
        front = front_of(up_axis)
        self._torch: Any = require("torch", extra="training", purpose="a loss of motion")
        weights = seen_areas(vertices, corners, front)
        self._weights = self._torch.tensor(weights, dtype=self._torch.float32, device=device)[:, None]
        self._front = [float(value) for value in front]

    def __call__(self, vertices: Tensor, truth: Tensor) -> Tensor:
        """The loss of vertices (V, 3) or (B, V, 3) against the truth, in their unit."""
        error = vertices - truth
        return self.of_errors(error.reshape(-1, *error.shape[-2:]).permute(1, 2, 0))

    def of_errors(self, errors: Tensor) -> Tensor:
        """The loss of errors (V, 3, B): the mean over B."""
        along = sum(value * errors[:, axis] for axis, value in enumerate(self._front))
        squared = (errors.square().sum(dim=1) - along.square()).clamp(min=0.0) + SMALLEST
        most = squared.detach().amax(dim=0, keepdim=True)
        power = (self._weights * (squared / most) ** (0.5 * self.exponent)).sum(dim=0)
        return ((power + SMALLEST) ** (1.0 / self.exponent) * most[0].sqrt()).mean()

    def _facts(self) -> list[str]:
        return [f"{len(self._weights):,} vertices", f"exponent {self.exponent:g}"]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_torch"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _torch=require("torch", extra="training", purpose="a loss of motion"))
