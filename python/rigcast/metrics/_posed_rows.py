"""Input of the gate: poses and vertices of a data set, of samples, or of a pair of arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import Skeleton
from rigcast._regression.ridge import spaced
from rigcast._validate import Arguments

Pair = tuple[ArrayLike, ArrayLike]


class PosedVertices(Protocol):
    """Poses with their vertices: a :class:`rigcast.Dataset`, or :class:`rigcast.baselines.Samples`."""

    @property
    def skeleton(self) -> Skeleton | None: ...
    @property
    def rest_vertices(self) -> NDArray[np.float32]: ...
    @property
    def poses(self) -> NDArray[np.float32]: ...


@dataclass(frozen=True)
class PosedRows:
    """Checked rows.

    Attributes
    ----------
    poses : (T, C) float32
    vertices : (T, V, 3) float32
        A copy.
    skeleton : Skeleton or None
    rest : (V, 3) float32 or None
        None for a pair.
    meters_per_unit : float or None
        None: not known.
    clip : (T,) int32 or None
        The clip of each row, -1 for none.
    """

    poses: NDArray[np.float32]
    vertices: NDArray[np.float32]
    skeleton: Skeleton | None = None
    rest: NDArray[np.float32] | None = None
    meters_per_unit: float | None = None
    clip: NDArray[np.int32] | None = None

    @property
    def num_joints(self) -> int:
        return 0 if self.skeleton is None else self.skeleton.num_joints


def posed_rows(check: Arguments, name: str, data: PosedVertices | Pair, most: int | None) -> PosedRows:
    """Rows of an argument, at most ``most``, evenly spaced.

    Raises
    ------
    ValueError
        If it is no data, a shape is wrong or a number not finite, or there are fewer than two poses to ``train`` on.
    """
    if isinstance(data, tuple):
        found = _of_pair(check, name, data, most)
    elif hasattr(data, "poses"):
        found = _of_data(check, name, data, most)
    else:
        raise check.wrong(name, f"a {type(data).__name__}", "a data set, or a pair of inputs and vertices")
    if name == "train" and len(found.poses) < 2:
        raise check.wrong(name, f"{len(found.poses)} pose", "at least two poses")
    return found


def _of_pair(check: Arguments, name: str, data: Pair, most: int | None) -> PosedRows:
    if len(data) != 2:
        raise check.wrong(name, f"a tuple of {len(data)}", "a data set, or a pair of inputs and vertices")
    poses = check.numbers(f"{name}[0]", data[0], f"{name}+ C", dtype=np.float32)
    rows = spaced(len(poses), most or len(poses))
    vertices = check.numbers(f"{name}[1]", data[1], f"{name} V 3", dtype=np.float32)[rows]
    return PosedRows(poses[rows], vertices)


def _of_data(check: Arguments, name: str, data: PosedVertices, most: int | None) -> PosedRows:
    poses = check.numbers(f"{name}.poses", data.poses, f"{name}+ C", dtype=np.float32)
    rows = spaced(len(poses), most or len(poses))
    taken = data.take(rows)[2] if hasattr(data, "take") else np.asarray(getattr(data, "vertices", None))[rows]
    vertices = check.numbers(f"{name}.vertices", taken, "T V 3", dtype=np.float32).copy()
    check.sizes.pop("T")
    rest = check.numbers(f"{name}.rest_vertices", data.rest_vertices, "V 3", dtype=np.float32)
    clip = getattr(data, "clip", None)
    return PosedRows(
        poses[rows],
        vertices,
        data.skeleton,
        rest,
        getattr(data, "meters_per_unit", None),
        None if clip is None else np.asarray(clip, np.int32)[rows],
    )
