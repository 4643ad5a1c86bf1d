"""Motion of posed vertices that a viewer sees, as a loss of the coefficients that networks predict."""

from __future__ import annotations

from typing import Any

import numpy as np

from rigcast.training._body.networks import Normalization
from rigcast.training._body.preparation import BodyPreparation
from rigcast.training._motion_loss import MotionLoss

ROWS = 64  # poses that are measured at a time, for the size of the loss without networks


class PosedMotion:
    """:class:`MotionLoss` of the vertices that errors of scaled coefficients move.

    With the components B_i of set i, the scale s_i of its coefficients and the weights a_ki of its members, an error y
    of its network moves vertex k of a pose by ``sqrt(a_ki) X_i (B_i s_i y)_k``, with the linear part X_i of its joint.
    The loss is the square of that motion over what is left without networks, so that 1 is nothing learned.

    Parameters
    ----------
    ds : Dataset
    ready : BodyPreparation
    active : list of int
        The sets that have networks.
    maps : list of Normalization
        Of these sets.
    training : (T,) bool array
        The rows that are learned from.
    torch, device
        PyTorch, and where it computes.
    """

    def __init__(
        self,
        ds: Any,
        ready: BodyPreparation,
        active: list[int],
        maps: list[Normalization],
        training: np.ndarray[Any, np.dtype[np.bool_]],
        torch: Any,
        device: str,
    ) -> None:
        self._torch, sets = torch, ready.sets
        self._loss = MotionLoss(ds.rest_vertices, ds.faces, up_axis=ds.up_axis, device=device)
        self._count, self._sets = len(ds.rest_vertices), []
        joints = np.unique(sets.joint[active])
        world = ds.skeleton.globals(ready.poses[training])[:, joints, :, :3]
        self._turns = torch.tensor(np.ascontiguousarray(world, np.float32), device=device)
        for i, scaling in zip(active, maps, strict=True):
            members = sets.members(i)
            share = np.repeat(np.sqrt(sets.weight[members].astype(np.float64)), 3)
            moves = share[:, None] * ready.bases[i].components * scaling.scale
            slot = int(np.searchsorted(joints, sets.joint[i]))
            rows = torch.tensor(sets.vertex[members].astype(np.int64), device=device)
            self._sets.append((slot, rows, torch.tensor(moves.astype(np.float32), device=device)))
        self._whole = 1.0

    def begin(self, targets: Any) -> None:
        """Measure what is left without networks: errors that are the targets (S, T, r) themselves."""
        with self._torch.no_grad():
            count = targets.shape[1]
            parts = [
                (float(self._motion(targets[:, rows], rows)), len(rows))
                for rows in self._torch.arange(count, device=targets.device).split(ROWS)
            ]
        self._whole = sum(value * rows for value, rows in parts) / count or 1.0

    def __call__(self, error: Any, rows: Any) -> Any:
        """The loss of errors (S, B, r) of scaled coefficients in training rows (B,)."""
        return (self._motion(error, rows) / self._whole).square()

    def _motion(self, error: Any, rows: Any) -> Any:
        moved = error.new_zeros(self._count, 3, len(rows))
        for s, (slot, vertices, moves) in enumerate(self._sets):
            offsets = (error[s, :, : moves.shape[1]] @ moves.T).view(len(rows), -1, 3)
            turned = self._torch.einsum("bxy,bmy->mxb", self._turns[rows, slot], offsets)
            moved = moved.index_add(0, vertices, turned)
        return self._loss.of_errors(moved)
