"""What simple regressions reach on the held-out rows of a face: stated in its model beside its own error."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.metrics._difficulty import difficulties
from rigcast.progress import Progress, ProgressCallback

MOST_ROWS, MOST_CHOICE_ROWS = 2000, 300  # of training and of the choice of ridges: a small part of the steps' time


@dataclass(frozen=True)
class _Part:
    """Some rows of a data set, as metrics read them."""

    ds: Any
    rows: NDArray[np.integer[Any]]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.ds, name)

    @property
    def poses(self) -> NDArray[np.float32]:
        poses: NDArray[np.float32] = np.asarray(self.ds.poses)[self.rows]
        return poses

    @property
    def clip(self) -> NDArray[np.int32] | None:
        clip = getattr(self.ds, "clip", None)
        return None if clip is None else np.asarray(clip)[self.rows]

    def take(self, some: NDArray[np.integer[Any]]) -> Any:
        """Channels, poses and vertices of some of the rows."""
        return self.ds.take(self.rows[some])


def simple_methods(
    ds: Any,
    training: NDArray[np.integer[Any]],
    held_out: NDArray[np.integer[Any]],
    threads: int,
    progress: ProgressCallback,
) -> dict[str, Any]:
    """The metadata entry ``simple_methods``: :class:`rigcast.metrics.Difficulty` of the held-out rows, as values."""
    progress(Progress("measuring simple methods", 0, 1))
    parts = _Part(ds, training), [_Part(ds, held_out)]
    found = difficulties(*parts, most_rows=MOST_ROWS, threads=threads, most_choice_rows=MOST_CHOICE_ROWS)
    return {"simple_methods": asdict(found[0])}
