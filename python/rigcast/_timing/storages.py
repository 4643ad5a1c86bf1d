"""What narrower storage of a body's weights costs in accuracy, beside the model's own error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core

ALLOWED_SHARE = 0.1  # of the model's own error
POSES_TO_CHOOSE = 32  # more follow the error more closely, and take longer


@dataclass(frozen=True)
class StorageError:
    """Distances of vertices from those of the model in float32, in the rig's unit.

    Attributes
    ----------
    storage : str
    num_bytes : int
        Of the constants in this storage.
    mean, max : float
        Over vertices and poses.
    own_error : float
        Mean distance of the model in float32 from the truth; NaN if that is not known.
    """

    storage: str
    num_bytes: int
    mean: float
    max: float
    own_error: float

    @property
    def share(self) -> float:
        """The mean as a share of the model's own error."""
        return self.mean / self.own_error if self.own_error else float("nan")

    @property
    def is_small(self) -> bool:
        """Whether it is at most a tenth of the model's own error."""
        return self.mean <= ALLOWED_SHARE * self.own_error

    def figures(self) -> dict[str, Any]:
        """For a report."""
        known = self.own_error == self.own_error
        return {
            "storage": self.storage,
            "bytes": self.num_bytes,
            "mean": self.mean,
            "max": self.max,
            "own_error": self.own_error if known else None,
            "share_of_own_error": self.share if known else None,
            "small": bool(self.is_small) if known else None,
        }


def storage_warning(found: Mapping[str, Any], to_millimeters: float) -> str:
    """A sentence for a storage that costs more than a tenth of the model's own error; empty if it costs less.

    Parameters
    ----------
    found : mapping
        See :meth:`StorageError.figures`.
    to_millimeters : float
        Of one of the rig's units.
    """
    if found["small"] is not False:
        return ""
    mean, own = (f"{to_millimeters * found[name]:.3g} mm" for name in ("mean", "own_error"))
    return (
        f"warning: {found['storage']} weights move vertices by {mean} on average, {found['share_of_own_error']:.0%} of "
        f"the model's own error, {own}; that is more than a tenth of it: keep float32"
    )


def storage_line(found: Mapping[str, Any]) -> str:
    """A sentence for a person, of :meth:`StorageError.figures`."""
    share = found["share_of_own_error"]
    beside = "which is not known" if share is None else f"{share:.2%} of it"
    line = (
        f"{found['storage']} weights move vertices by {found['mean']:.2e} on average, {found['max']:.1e} at most; "
        f"beside the model's own error: {beside}"
    )
    return f"{line}; more than a tenth of it: keep float32" if found["small"] is False else line


def storage_error(
    model: _core.BodyModel, stored: _core.BodyModel, poses: NDArray[np.float32], own_error: float
) -> StorageError:
    """Measure one storage of a model on some poses, beside float32, whatever the model's own storage is."""
    distances = np.linalg.norm(stored.evaluate(poses) - model.stored("float32").evaluate(poses), axis=-1)
    return StorageError(stored.storage, stored.num_bytes, float(distances.mean()), float(distances.max()), own_error)


def own_error_of(model: _core.BodyModel, poses: NDArray[np.float32] | None, truth: NDArray[np.float32] | None) -> float:
    """The model's mean error: on given poses, else the one that its file states, else NaN."""
    if poses is not None and truth is not None:
        return float(np.linalg.norm(model.evaluate(poses) - truth, axis=-1).mean())
    stated = model.tensors().get("error.mean")
    return float("nan") if stated is None else float(stated.mean())


def has_networks(model: _core.Deformer) -> bool:
    """Whether a learned model has a network: weights that can be narrower, or that a peer would compute with."""
    return any(name.endswith((".layer1.weight", ".dense1.weight")) for name in model.tensors())


def narrower(model: _core.BodyModel, poses: NDArray[np.float32] | None, own_error: float) -> dict[str, _core.BodyModel]:
    """The model in 16 bits and, where poses and the model's error are known, in int8."""
    found = {"16-bit": model.stored("16-bit")}
    if poses is not None and own_error > 0:
        some = poses[:: max(1, len(poses) // POSES_TO_CHOOSE)][:POSES_TO_CHOOSE]
        found["int8"] = model.stored("int8", some, ALLOWED_SHARE * own_error)
    return found
