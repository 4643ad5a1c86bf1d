"""The loss of accuracy by narrower storage of a body's weights, compared with the model's own error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core

ALLOWED_SHARE = 0.1  # of the model's own error
VISIBLE = 1e-6  # meters of mean movement, below which no storage is worth a word
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
    meters_per_unit : float
        Of the rig.
    """

    storage: str
    num_bytes: int
    mean: float
    max: float
    own_error: float
    meters_per_unit: float = 1.0

    @property
    def share(self) -> float:
        """The mean as a share of the model's own error."""
        return self.mean / self.own_error if self.own_error else float("nan")

    @property
    def is_small(self) -> bool:
        """True if the loss is at most a tenth of the model's own error."""
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
            "meters_per_unit": self.meters_per_unit,
        }


def is_visible(found: Mapping[str, Any]) -> bool:
    """True if a storage moves vertices by a micrometer or more on average.

    Below, its share of the model's own error says nothing: that of an exact model is as small.

    Parameters
    ----------
    found : mapping
        See :meth:`StorageError.figures`.
    """
    return bool(found["mean"] * found["meters_per_unit"] >= VISIBLE)


def storage_warning(found: Mapping[str, Any]) -> str:
    """A sentence for a storage that costs more than a tenth of the model's own error; empty if it costs less, or if
    nobody sees it (:func:`is_visible`)."""
    if found["small"] is not False or not is_visible(found):
        return ""
    return (
        f"warning: {found['storage']} weights move vertices by {_millimeters(found, 'mean')} on average, "
        f"{found['share_of_own_error']:.0%} of the model's own error, {_millimeters(found, 'own_error')}; that is more "
        "than a tenth of it: keep float32"
    )


def storage_line(found: Mapping[str, Any]) -> str:
    """A sentence for a person, of :meth:`StorageError.figures`."""
    start = f"{found['storage']} weights move vertices by"
    if not is_visible(found):
        return f"{start} less than {1e3 * VISIBLE:g} mm on average"
    share = found["share_of_own_error"]
    compared = "which is not known" if share is None else f"{_millimeters(found, 'own_error')}: {share:.2%} of it"
    line = (
        f"{start} {_millimeters(found, 'mean')} on average, {_millimeters(found, 'max')} at most; beside the model's "
        f"own error, {compared}"
    )
    return f"{line}; more than a tenth of it: keep float32" if found["small"] is False else line


def _millimeters(found: Mapping[str, Any], name: str) -> str:
    return f"{1e3 * found['meters_per_unit'] * found[name]:.3g} mm"


def storage_error(
    model: _core.BodyModel, stored: _core.BodyModel, poses: NDArray[np.float32], own_error: float
) -> StorageError:
    """Measure one storage of a model on some poses, compared with float32, whatever the model's own storage is."""
    distances = np.linalg.norm(stored.evaluate(poses) - model.stored("float32").evaluate(poses), axis=-1)
    mean, most = float(distances.mean()), float(distances.max())
    return StorageError(stored.storage, stored.num_bytes, mean, most, own_error, model.meters_per_unit)


def own_error_of(model: _core.BodyModel, poses: NDArray[np.float32] | None, truth: NDArray[np.float32] | None) -> float:
    """The model's mean error: on given poses, else the one that its file states, else NaN."""
    if poses is not None and truth is not None:
        return float(np.linalg.norm(model.evaluate(poses) - truth, axis=-1).mean())
    stated = model.tensors().get("error.mean")
    return float("nan") if stated is None else float(stated.mean())


def has_networks(model: _core.Deformer) -> bool:
    """True if a learned model has a network: weights that can be narrower, or that a peer would compute with."""
    return any(name.endswith((".layer1.weight", ".dense1.weight")) for name in model.tensors())


def narrower(model: _core.BodyModel, poses: NDArray[np.float32] | None, own_error: float) -> dict[str, _core.BodyModel]:
    """The model in 16 bits and, where poses and the model's error are known, in int8."""
    found = {"16-bit": model.stored("16-bit")}
    if poses is not None and own_error > 0:
        some = poses[:: max(1, len(poses) // POSES_TO_CHOOSE)][:POSES_TO_CHOOSE]
        found["int8"] = model.stored("int8", some, ALLOWED_SHARE * own_error)
    return found
