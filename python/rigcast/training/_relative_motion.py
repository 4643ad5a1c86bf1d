"""Motion of posed vertices that a viewer sees, as a share of what is left without networks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from rigcast.training._budget import required_torch
from rigcast.training._motion_loss import MotionLoss

ROWS = 64  # poses that are measured at a time, for the size of the loss without networks


class RelativeMotion(ABC):
    """The square of :class:`MotionLoss` over what is left without networks, so that 1 is nothing learned.

    Parameters
    ----------
    ds : Dataset
        Its rest mesh.
    device : str
    """

    def __init__(self, ds: Any, device: str) -> None:
        self._torch, self._device = required_torch(), device
        self._loss = MotionLoss(ds.rest_vertices, ds.faces, up_axis=ds.up_axis, device=device)
        self._whole = 1.0

    def begin(self, targets: Callable[[Any], Any], count: int) -> None:
        """Measure what is left without networks: errors that are the targets of ``count`` rows themselves."""
        total = 0.0
        with self._torch.no_grad():
            for rows in self._torch.arange(count, device=self._device).split(ROWS):
                total += float(self._motion(targets(rows), rows)) * len(rows)
        self._whole = total / count or 1.0

    def __call__(self, errors: Any, rows: Any) -> Any:
        """The loss of errors of scaled targets in training rows (B,)."""
        return (self._motion(errors, rows) / self._whole).square()

    def _motion(self, errors: Any, rows: Any) -> Any:
        return self._loss.of_errors(self._moved(errors, rows))

    @abstractmethod
    def _moved(self, errors: Any, rows: Any) -> Any:
        """Displacements (V, 3, B) that errors of scaled targets cause in the poses of training rows (B,)."""
