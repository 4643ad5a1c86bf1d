"""Solving a shot in parts that are kept as they are done, so that an interruption loses little."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigwright._files import atomic_write
from rigwright._interrupts import held_back
from rigwright._validate import bad_argument
from rigwright.inverse import _problem as problem
from rigwright.inverse._methods.descent import FRAMES_PER_RUN
from rigwright.inverse._solution import Solution
from rigwright.inverse._solve import Solver
from rigwright.progress import Progress, ProgressOption, as_callback

SLOW = {"mm": 16, "mm_cet": 16, "sqp": 1}  # frames of a part where a frame takes long


def solve_in_parts(
    solver: Solver,
    targets: ArrayLike,
    folder: str | os.PathLike[str],
    *,
    method: str = "descent",
    alpha: float = 5.0,
    smoothness: float = 0.0,
    fixed: ArrayLike | None = None,
    priors: tuple[ArrayLike, ArrayLike] | None = None,
    frames: int | None = None,
    resume: bool = False,
    progress: ProgressOption = None,
    **options: Any,
) -> Solution:
    """Solve a shot part by part; parts that ``folder`` holds of the same solve are not solved again.

    The parts do not depend on when a run was interrupted, so that any number of runs gives the same solution. With a
    temporal term the parts are solved without it and are the start of one joint solve. The caller removes the folder
    when the solution is in safety.

    Parameters
    ----------
    solver : Solver
    targets : (T, V, 3), or (T, M, 3) where the solver has ``vertices``
    folder : path
        Takes one file a part; made if it is missing.
    method, alpha, smoothness, **options
        As in :func:`rigwright.inverse.solve`, without ``init``.
    fixed : (K,) or (T, K), optional
        Values of pinned weights, NaN where free.
    priors : pair (c, s), optional
        Each a number, (K,) or (T, K).
    frames : int, optional
        Of a part; by default what takes about a second.
    resume : bool
        Refuse to start over where the folder holds parts of another solve.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigwright.progress.Progress`.

    Returns
    -------
    Solution
        ``seconds`` is the time that solving took, over all runs.

    Raises
    ------
    ValueError
        As ``solve`` does, or with ``resume`` for a folder of another solve.
    KeyboardInterrupt
        After the part in work at the first Ctrl-C, at once at the second; the message says what is kept.
    """
    show = as_callback(progress)
    shot = solver.gram.checked(targets)
    _check_finite(solver, shot)
    whole_shot = _PerFrame(solver, len(shot), fixed, priors, options.get("bounds"))
    settings = {"method": method, "alpha": alpha, **options}
    solver.solve(shot[:1], smoothness=smoothness, **settings | {"max_iterations": 1} | whole_shot.rows(0, 1))
    length = frames or SLOW.get(method, FRAMES_PER_RUN)
    kept = _Kept(Path(folder), _fingerprint(solver, [shot, *whole_shot.arrays], length, settings))
    kept.open(resume)
    parts, solved, began = [], 0, time.monotonic()
    with held_back() as pressed:
        for number, begin in enumerate(range(0, len(shot), length)):
            if pressed():
                raise KeyboardInterrupt(_interrupted(begin, len(shot), kept.folder))
            part = kept.part(number)
            if part is None:
                end = begin + length
                part = solver.solve(shot[begin:end], **settings, **whole_shot.rows(begin, end))
                kept.keep(number, part)
                solved += len(part.weights)
            parts.append(part)
            done = begin + len(part.weights)
            show(Progress("solving", done, len(shot), _rate(solved, time.monotonic() - began)))
        if pressed() and smoothness > 0:
            raise KeyboardInterrupt(_interrupted(len(shot), len(shot), kept.folder))
    whole = Solution.joined(parts)
    if smoothness > 0:
        show(Progress("smoothing", 0, 1, "the whole shot"))
        own = settings | whole_shot.rows(0, len(shot)) | {"init": whole.weights}
        joint = solver.solve(shot, smoothness=smoothness, progress=show, **own)
        joint.seconds += whole.seconds
        return joint
    return whole


def _check_finite(solver: Solver, shot: NDArray[Any]) -> None:
    """What is wrong with a frame is said with its number in the shot, not in its part."""
    wrong = np.argwhere(~np.isfinite(solver.gram.chosen(shot)).all(axis=2))
    if len(wrong):
        frame, vertex = wrong[0]
        got = f"not finite at frame {frame}, vertex {solver.gram.vertices[vertex]}"
        raise bad_argument("solve", "targets", got, "finite everywhere")


class _PerFrame:
    """Pins and priors, checked for the whole shot before its first part, so that frames are named as the shot's own.

    Attributes
    ----------
    arrays : list of arrays
        What was given, for the fingerprint.
    """

    def __init__(self, solver: Solver, frames: int, fixed: Any, priors: Any, bounds: Any) -> None:
        shape = (frames, solver.gram.activations.num_shapes)
        problem.box(solver.gram.rig, bounds, fixed, shape)
        problem.prior_terms(priors, shape)
        self._fixed = None if fixed is None else np.asarray(fixed, np.float64)
        self._priors = None if priors is None else tuple(np.asarray(part, np.float64) for part in priors)
        self.arrays = [self._fixed, *(self._priors or ())]

    def rows(self, begin: int, end: int) -> dict[str, Any]:
        """Arguments of ``solve`` for these frames."""

        def cut(values: NDArray[np.float64]) -> NDArray[np.float64]:
            return values[begin:end] if values.ndim == 2 else values

        own: dict[str, Any] = {} if self._fixed is None else {"fixed": cut(self._fixed)}
        return own if self._priors is None else own | {"priors": tuple(map(cut, self._priors))}


def _rate(frames: int, seconds: float) -> str:
    return f"{frames / seconds:,.0f} frames/s" if frames and seconds > 0 else ""


def _interrupted(done: int, total: int, folder: Path) -> str:
    return (
        f"interrupted with {done:,} of {total:,} frames solved and kept in {folder}; "
        "run the same command again to continue"
    )


def _fingerprint(solver: Solver, per_frame: list[Any], length: int, settings: dict[str, Any]) -> str:
    """Hash of everything that decides the parts."""
    digest = hashlib.blake2b(digest_size=16)
    gram = solver.gram
    structure = gram.activations
    arrays: list[Any] = [gram.columns, gram.neutral, gram.vertices, gram.vertex_weights]
    arrays += [structure.shape, structure.offset, structure.is_tent, structure.knots, gram.rig.bounds]
    arrays += per_frame + [value for value in settings.values() if isinstance(value, np.ndarray)]
    for array in arrays:
        whole = np.ascontiguousarray(np.zeros(0) if array is None else array)
        digest.update(f"{whole.dtype} {whole.shape}".encode())
        digest.update(whole.data if whole.size else b"")
    plain = {name: value for name, value in settings.items() if not isinstance(value, np.ndarray) and name != "threads"}
    digest.update(json.dumps([length, plain], sort_keys=True, default=repr).encode())
    return digest.hexdigest()


@dataclass(frozen=True)
class _Kept:
    """The folder of one solve's parts."""

    folder: Path
    fingerprint: str

    def open(self, resume: bool) -> None:
        """Make the folder, emptied where it holds another solve."""
        stamp = self.folder / "solve.json"
        if self.folder.exists() and _read(stamp) != self.fingerprint:
            if resume:
                got = f"{self.folder}, which holds frames of another solve"
                raise bad_argument("solve", "resume", got, "frames of this rig, shot and settings")
            if stamp.exists() or not any(self.folder.iterdir()):
                shutil.rmtree(self.folder)
            else:
                raise bad_argument("solve", "folder", f"{self.folder}, which holds other files", "absent or empty")
        self.folder.mkdir(parents=True, exist_ok=True)
        if not stamp.exists():
            atomic_write(stamp, json.dumps({"solve": self.fingerprint}).encode())

    def part(self, number: int) -> Solution | None:
        path = self._path(number)
        return Solution.load(path) if path.exists() else None

    def keep(self, number: int, part: Solution) -> None:
        part.save(self._path(number))

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:06d}.npz"


def _read(stamp: Path) -> str:
    try:
        return str(json.loads(stamp.read_text(encoding="utf-8"))["solve"])
    except (OSError, ValueError, LookupError, TypeError):
        return ""
