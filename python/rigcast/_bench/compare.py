"""The rows of a comparison: the engine beside the fastest form of each peer, in turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from rigcast._bench.timing import interleaved, load_average, machine
from rigcast._extras import require
from rigcast._validate import bad_argument

LEAST_RUNS = 10

Calls = Mapping[str, Callable[[], Any]]
Floats = NDArray[np.float32]


def check_runs(function: str, runs: int) -> None:
    """Refuse too few rounds."""
    if runs < LEAST_RUNS:
        raise bad_argument(function, "runs", runs, f"at least {LEAST_RUNS}: medians of fewer say little")


def torch_peer() -> Any:
    """PyTorch.

    Raises
    ------
    MissingExtra
        It is not installed.
    """
    return require("torch", extra="training", purpose="comparing with PyTorch")


def onnx_peer() -> Any:
    """ONNX Runtime.

    Raises
    ------
    MissingExtra
        It is not installed.
    """
    return require("onnxruntime", extra="test", purpose="comparing with ONNX Runtime")


def about(*peers: Any) -> dict[str, Any]:
    """The machine and the versions on it, those of the peers (modules) among them, and how busy it is."""
    versions = {"rigcast": rc.__version__, **{peer.__name__: peer.__version__ for peer in peers}}
    return {"machine": machine(), "load": load_average(), "versions": versions | {"numpy": np.__version__}}


def batch_of(model: rc.Deformer, poses: Floats | None, count: int, seed: int) -> Floats:
    """So many poses: the given ones repeated, or random ones between the control ranges."""
    if poses is None:
        low, high = model.control_ranges.T
        share = np.random.default_rng(seed).random((count, len(low)))
        between: Floats = (low + share * (high - low)).astype(np.float32)
        return between
    return np.resize(np.asarray(poses, np.float32), (count, np.shape(poses)[1]))


def compared(
    ours: Calls,
    candidates: Mapping[str, Calls],
    exact: Floats,
    threads: int,
    runs: int,
    kept: NDArray[np.int64] | slice = slice(None),
) -> dict[str, Any]:
    """One row: medians of the engine's calls, the first of which is compared, and of each peer's fastest form.

    Parameters
    ----------
    ours : mapping from names to calls
        "rigcast" first; others are its variants.
    candidates : mapping from names of peers to their forms by name
    exact : (T, V, 3) array
        The engine's vertices.
    threads, runs : int
    kept : (K,) int array, optional
        The vertices that peers compute. Default: all.
    """
    # A single pose is short, and depends on warm caches; a batch is long, and does not.
    in_a_row = 5 if len(exact) == 1 else 1
    tried: dict[str, float] = {}
    chosen: dict[str, Callable[[], Any]] = {}
    difference = 0.0
    for peer, forms in candidates.items():
        difference = max([difference, *(_distance(exact[:, kept], form()[:, kept]) for form in forms.values())])
        if len(forms) == 1:
            chosen[peer] = next(iter(forms.values()))
            continue
        times = interleaved(forms, 12 if in_a_row > 1 else 3, in_a_row, warm_up=2)
        tried |= {name if peer == "PyTorch" else f"{peer}, {name}": seconds for name, seconds in times.items()}
        chosen[peer] = forms[min(times, key=times.__getitem__)]
    times = interleaved({**ours, **chosen}, runs, in_a_row)
    seconds = times["rigcast"]
    beside = {peer: times[peer] for peer in candidates}
    return {
        "job": "one pose" if len(exact) == 1 else f"{len(exact)} poses",
        "poses": len(exact),
        "threads": threads,
        "seconds": seconds,
        "variants": {name: times[name] for name in ours if name != "rigcast"},
        "peers": beside,
        "ratios": {name: value / seconds for name, value in beside.items()},
        "forms": tried,
        "difference": difference,
    }


def _distance(ours: Floats, theirs: Floats) -> float:
    return float(np.linalg.norm(ours - theirs, axis=-1).max())
