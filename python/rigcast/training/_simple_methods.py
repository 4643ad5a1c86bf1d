"""The errors of simple regressions on the held-out rows of a face, and the networks that must beat them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._core import Deformer
from rigcast.metrics._difficulty import difficulties
from rigcast.metrics._gate import stated_difficulty
from rigcast.progress import Progress, ProgressCallback

TINY = 1e-30  # in place of an error of 0
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


def without_worse_networks(networks: Deformer, alone: Deformer) -> Deformer:
    """A model, or the same without its networks, by their errors on held-out rows, which both state.

    The one with the lower mean of those that lose to no regression, neither in the mean nor at most; where both lose,
    the one that loses least. Networks that are left out are named in the metadata, ``training.networks``.
    """
    gate = stated_difficulty(networks.metadata)
    assert gate is not None
    errors = [model.metadata["error"] for model in (networks, alone)]
    least = gate.least()
    losses = [max(1.0, *(error[key] / max(bound, TINY) for key, bound in least.items())) for error in errors]
    best = min((loss, error["mean"], number) for number, (loss, error) in enumerate(zip(losses, errors, strict=True)))
    if best[2] == 0:
        return networks
    unit = 1e3 * networks.metadata["meters_per_unit"]
    figures = [f"{unit * error['mean']:.3g} mm, at most {unit * error['max']:.3g} mm" for error in errors]
    words = f"left out: with them held-out rows err by {figures[0]}, by the base alone {figures[1]}"
    metadata = dict(alone.metadata)
    metadata["training"] = metadata["training"] | {"networks": words}
    return _core.model_from_tensors(alone.tensors(), json.dumps(metadata))
