"""Motion of posed vertices that a viewer sees, as a loss of both groups of networks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._regression.bind_pose import skinning
from rigcast.training._differential._labels import responses
from rigcast.training._differential._networks import SubspaceProblem
from rigcast.training._motion_loss import MotionLoss

ROWS = 64  # poses that are measured at a time, for the size of the loss without networks


class SeenMotion:
    """:class:`MotionLoss` of the vertices that errors of scaled targets move.

    Displacements after the solve are linear in coefficients and anchors; the transform of each vertex turns them. The
    loss is the square of that motion over what is left without networks, so that 1 is nothing learned.

    Parameters
    ----------
    ds : Dataset
    problem : SubspaceProblem
    torch, device
        PyTorch, and where it computes.
    threads : int
    """

    def __init__(self, ds: Any, problem: SubspaceProblem, torch: Any, device: str, threads: int) -> None:
        self._torch, self._device, labels = torch, device, problem.labels
        self._loss = MotionLoss(ds.rest_vertices, ds.faces, up_axis=ds.up_axis, device=device)
        caused, anchored = responses(labels.reconstructor, labels.basis, len(labels.anchors), threads)
        scale = problem.network.scale[0]
        back = np.linalg.inv(labels.metric) if problem.settings.loss == "displacement" else np.eye(len(caused))
        self._network = self._tensor(scale * back @ caused)
        one = problem.settings.anchor_networks == "one"
        self._anchors = {
            group.name: self._tensor(group.scale[0] * anchored if one else group.scale[:, None] * anchored[members])
            for group, members in zip(problem.anchors, problem.trained, strict=True)
        }
        self._turns: Any = None
        if labels.transforms.origin != "identity":
            turns = skinning(ds.skeleton, np.asarray(ds.poses)[problem.training])[..., :3]
            self._turns, self._weight = self._tensor(turns), self._tensor(labels.transforms.weight)
            self._joint = torch.tensor(labels.transforms.joint.astype(np.int64), device=device)
        self._whole = 1.0

    def _tensor(self, array: NDArray[Any]) -> Any:
        return self._torch.tensor(np.ascontiguousarray(array, np.float32), device=self._device)

    def begin(self, targets: Mapping[str, Any]) -> None:
        """Measure what is left without networks: errors that are the targets (S, T, r) of the groups themselves."""
        count = targets["network"].shape[1]
        total = 0.0
        with self._torch.no_grad():
            for rows in self._torch.arange(count, device=self._device).split(ROWS):
                part = {name: target[:, rows] for name, target in targets.items()}
                total += float(self._motion(part, rows)) * len(rows)
        self._whole = total / count or 1.0

    def __call__(self, errors: Mapping[str, Any], rows: Any) -> Any:
        """The loss of errors (S, B, r) of the groups' scaled targets in training rows (B,)."""
        return (self._motion(errors, rows) / self._whole).square()

    def _motion(self, errors: Mapping[str, Any], rows: Any) -> Any:
        moved = (errors["network"][0] @ self._network).view(len(rows), -1, 3)
        for name, response in self._anchors.items():
            error = errors[name]
            if len(error) != len(response):  # one network for all anchors
                error = error.view(len(rows), -1, 3).transpose(0, 1)
            moved = moved + self._torch.einsum("abx,av->bvx", error, response)
        return self._loss.of_errors(self._turned(moved, rows).permute(1, 2, 0))

    def _turned(self, moved: Any, rows: Any) -> Any:
        """Displacements (B, V, 3) of rest space in the poses of rows."""
        if self._turns is None:
            return moved
        turns = self._turns[rows]
        return sum(
            self._weight[:, k, None] * self._torch.einsum("bvxy,bvy->bvx", turns[:, self._joint[:, k]], moved)
            for k in range(self._joint.shape[1])
        )
