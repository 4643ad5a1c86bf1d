"""Solving many frames in parts that are kept as they are done, so that an interruption loses little."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._atomic_files import npz_content
from rigcast._formats.npz.archive import BROKEN
from rigcast._interrupts import SOON, held_back
from rigcast._resume.fingerprints import fingerprint
from rigcast._resume.parts import PartsFolder
from rigcast.ik._pose_solution import PoseSolution
from rigcast.ik._solver import Solver
from rigcast.progress import Progress, ProgressCallback

FRAMES_PER_PART = 256
ARRAYS = ("poses", "unknowns", "error", "objective", "iterations", "converged", "at_bound")


def solve_in_parts(
    solver: Solver,
    targets: NDArray[np.float64],
    kept: PartsFolder,
    identity: str,
    progress: ProgressCallback,
    *,
    start: NDArray[Any] | None = None,
    resume: bool = False,
    **options: Any,
) -> PoseSolution:
    """Solve frames (T, M, 3) from frame to frame, part by part.

    Any number of interruptions ends in the same poses: a part starts from the last pose of the one before.

    Parameters
    ----------
    identity : str
        Of the model: parts of another one are not used.
    start, **options
        As in :func:`rigcast.ik.solve`.

    Raises
    ------
    ValueError
        As ``solve`` does; with ``resume`` for parts of another solve.
    KeyboardInterrupt
        After the part in work, or half a second after Ctrl-C.
    """
    first = solver.rest[0] if start is None else start
    parts: list[dict[str, NDArray[Any]]] = []

    def kept_frames() -> str:
        done = sum(len(part["poses"]) for part in parts)
        return f"{done:,} of {len(targets):,} frames are kept in {kept.folder}"

    with held_back(SOON, kept_frames) as pressed:
        kept.begin(fingerprint(identity, targets, solver.vertices, first, options), resume)
        for number, begin in enumerate(range(0, len(targets), FRAMES_PER_PART)):
            if pressed():
                raise KeyboardInterrupt(kept_frames())
            content = kept.get(f"{number:06d}")
            part = None if content is None else _from_content(content)
            if part is None:
                before = first if not parts else _last(solver, parts[-1])
                found = solver.solve(targets[begin : begin + FRAMES_PER_PART], before, preferred=first, **options)
                part = {name: getattr(found, name) for name in ARRAYS}
                kept.put(f"{number:06d}", npz_content(part))
            parts.append(part)
            done = begin + len(part["poses"])
            progress(Progress("inverse kinematics", done, len(targets)))
    joined = {name: np.concatenate([part[name] for part in parts]) for name in ARRAYS}
    channels = joined["unknowns"] if solver.engine.are_channels else None
    return PoseSolution(names=list(solver.names), channels=channels, **joined)


def _last(solver: Solver, part: dict[str, NDArray[Any]]) -> NDArray[Any]:
    """The start of the next part: channels, or a pose."""
    last: NDArray[Any] = part["unknowns" if solver.engine.are_channels else "poses"][-1]
    return last


def _from_content(content: bytes) -> dict[str, NDArray[Any]] | None:
    try:
        with np.load(io.BytesIO(content)) as archive:
            return {name: archive[name] for name in ARRAYS}
    except (*BROKEN, KeyError):
        return None
