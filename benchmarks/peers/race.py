"""A race: the engine beside the fastest form of each peer, in turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._extras import require
from rigcast._timing import interleaved
from rigcast._timing.engine import in_a_row, row

Floats = NDArray[np.float32]
Calls = Mapping[str, Callable[[], Floats]]


@dataclass(frozen=True)
class Contest:
    """Calls that compute the same vertices (T, V, 3).

    Attributes
    ----------
    ours : mapping from names to calls
        "rigcast" first; others are its variants.
    peers : mapping from names of peers to their forms by name
    kept : (K,) int array, optional
        The vertices that peers compute. Default: all.
    job : str
        What is computed, if it is not the whole model.
    """

    ours: Calls
    peers: Mapping[str, Calls]
    kept: NDArray[np.int64] | None = None
    job: str = ""


Forms = Callable[[Any, Floats, int], Contest]


def race(model: Any, forms: Sequence[Forms], poses: Floats, runs: int) -> list[dict[str, Any]]:
    """Two rows per contest: one pose on one thread, and all poses on all processors.

    Parameters
    ----------
    model : object
        What the forms are made from.
    forms : sequence of functions
        Each makes a contest from the model, some poses and a number of threads, which PyTorch has been set to.
    poses : (T, C) array
    runs : int
        Rounds.

    Returns
    -------
    list of dicts
        As of `rigcast._timing.engine.engine_figures`, and "peers" (name to seconds of the fastest form), "ratios"
        (peer's time over ours), "forms" (all that were tried) and "difference" (largest distance of any form from our
        vertices, in the rig's unit).
    """
    torch = require("torch", extra="training", purpose="comparing with PyTorch")
    before = torch.get_num_threads()
    rows = []
    try:
        for make in forms:
            for some, threads in ((poses[:1], 1), (poses, _core.num_processors())):
                torch.set_num_threads(threads)
                rows.append(_row(make(model, some, threads), some, threads, runs))
    finally:
        torch.set_num_threads(before)
    return rows


@dataclass(frozen=True)
class Fastest:
    """The fastest form of each peer.

    Attributes
    ----------
    names : dict
        From the peer to the name of its form.
    seconds : dict
        Of all forms that were timed, by peer and name; a peer's only form is not.
    difference : float
        The largest distance of any form from the expected vertices.
    """

    names: dict[str, str]
    seconds: dict[str, dict[str, float]]
    difference: float


def fastest(peers: Mapping[str, Calls], exact: Floats, poses: Floats, kept: Any = slice(None)) -> Fastest:
    """Call all forms once, compare them with the expected vertices (T, V, 3), and time those of each peer in turns."""
    repeats = in_a_row(poses)
    difference = max(_distance(exact[:, kept], form()[:, kept]) for forms in peers.values() for form in forms.values())
    seconds = {
        peer: interleaved(forms, 12 if repeats > 1 else 3, repeats, warm_up=2)
        for peer, forms in peers.items()
        if len(forms) > 1
    }
    names = {peer: min(forms, key=lambda name: seconds.get(peer, {}).get(name, 0.0)) for peer, forms in peers.items()}
    return Fastest(names, seconds, difference)


def _row(contest: Contest, poses: Floats, threads: int, runs: int) -> dict[str, Any]:
    exact = contest.ours["rigcast"]().copy()  # the next call writes into the same array
    tried = fastest(contest.peers, exact, poses, slice(None) if contest.kept is None else contest.kept)
    chosen = {peer: contest.peers[peer][name] for peer, name in tried.names.items()}
    times = interleaved({**contest.ours, **chosen}, runs, in_a_row(poses))
    found = row(times, contest.ours, len(poses), threads)
    beside = {peer: times[peer] for peer in contest.peers}
    return found | {
        "job": ", ".join(filter(None, (contest.job, found["job"]))),
        "peers": beside,
        "ratios": {name: seconds / found["seconds"] for name, seconds in beside.items()},
        "forms": {
            name if peer == "PyTorch" else f"{peer}, {name}": seconds
            for peer, forms in tried.seconds.items()
            for name, seconds in forms.items()
        },
        "difference": tried.difference,
    }


def _distance(ours: Floats, theirs: Floats) -> float:
    return float(np.linalg.norm(ours - theirs, axis=-1).max())
