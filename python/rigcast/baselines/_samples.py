"""The samples that baselines are fitted to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import Skeleton
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument

_FRAMES_AT_ONCE = 256


@one_line
@dataclass(frozen=True)
class Samples:
    """Samples in memory, which the baselines take in place of a :class:`rigcast.Dataset`.

    Attributes
    ----------
    skeleton : Skeleton or None
    rest_vertices : (V, 3) float32
    faces : (F, 3) or (F, 4) int32
    poses : (T, C) float32
    vertices : (T, V, 3) float32
    """

    skeleton: Skeleton | None
    rest_vertices: NDArray[np.float32]
    faces: NDArray[np.int32]
    poses: NDArray[np.float32]
    vertices: NDArray[np.float32]


class Data(Protocol):
    """A :class:`rigcast.Dataset` or :class:`Samples`."""

    @property
    def skeleton(self) -> Skeleton | None: ...
    @property
    def rest_vertices(self) -> NDArray[np.float32]: ...
    @property
    def faces(self) -> NDArray[np.int32]: ...
    @property
    def poses(self) -> NDArray[np.float32]: ...


Rows = Callable[[NDArray[np.intp]], tuple[NDArray[np.float32], NDArray[np.float32]]]


@dataclass(frozen=True)
class BaselineExamples:
    """Poses and vertices that a baseline is fitted to, all of them in memory.

    Attributes
    ----------
    data : Dataset or Samples
        Gives mesh, skeleton, names and unit.
    rest : (V, 3) float32
    poses : (T, C) float32
    vertices : (T, V, 3) float32
    ranges : (C, 2) float32
        Of the poses.
    hash : str
        Of the data set that the examples are from; empty for samples in memory.
    protocol : str
        ``"training poses"``, or ``"judged clip"`` if ``fit_on`` was given.
    clip : (T,) int32 or None
        The clip of each pose, -1 for none; None where the data does not know.
    """

    data: Data
    rest: NDArray[np.float32]
    poses: NDArray[np.float32]
    vertices: NDArray[np.float32]
    hash: str
    protocol: str
    clip: NDArray[np.int32] | None = None

    @property
    def ranges(self) -> NDArray[np.float32]:
        return np.stack([self.poses.min(axis=0), self.poses.max(axis=0)], axis=1)

    @property
    def num_joints(self) -> int:
        return 0 if self.data.skeleton is None else self.data.skeleton.num_joints

    @property
    def extent(self) -> float:
        """Diagonal of the rest mesh."""
        return float(np.linalg.norm(np.ptp(self.rest, axis=0)))

    def __len__(self) -> int:
        return len(self.poses)


def examples(
    function: str, data: Data, rows: ArrayLike | None, fit_on: Data | None, least: int = 2, most: int | None = None
) -> BaselineExamples:
    """Rows of ``data``, or of ``fit_on`` if that is given (the second protocol), checked and read.

    Parameters
    ----------
    rows : (T,) integers, optional
        All by default.
    least : int
        Poses that the method needs.
    most : int, optional
        Poses used at most, evenly spaced.

    Raises
    ------
    ValueError
        If there are too few rows, shapes do not fit, a number is not finite, or ``fit_on`` is of another rig.
    """
    check = Arguments(function)
    rest = check.numbers("data.rest_vertices", data.rest_vertices, "V+ 3", dtype=np.float32)
    source, name = (data, "data") if fit_on is None else (fit_on, "fit_on")
    if fit_on is not None and fit_on.poses.shape[1:] != data.poses.shape[1:]:
        raise bad_argument(function, "fit_on", f"with poses {fit_on.poses.shape}", f"(T, {data.poses.shape[1]})")
    poses = check.numbers(f"{name}.poses", source.poses, "T C", dtype=np.float32)
    chosen = check.integers(
        "rows", np.arange(len(poses)) if rows is None else rows, "n", below=len(poses), dtype=np.intp
    )
    if len(chosen) < least:
        raise bad_argument(function, name, f"{len(chosen)} poses", f"at least {least}")
    if most is not None and len(chosen) > most:
        chosen = chosen[np.linspace(0, len(chosen) - 1, most).round().astype(np.intp)]
    taken = source.take(chosen)[2] if hasattr(source, "take") else np.asarray(getattr(source, "vertices", None))[chosen]
    check.sizes["n"] = len(chosen)
    vertices = check.numbers(f"{name}.vertices", taken, "n V 3", dtype=np.float32)
    protocol = "training poses" if fit_on is None else "judged clip"
    clip = getattr(source, "clip", None)
    clips = None if clip is None else np.asarray(clip, np.int32)[chosen]
    return BaselineExamples(data, rest, poses[chosen], vertices, str(getattr(source, "hash", "")), protocol, clips)
