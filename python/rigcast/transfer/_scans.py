"""Scans that cannot be meant: in another unit, mirrored, elsewhere than the neutral, or in another order than weights.

Expressions hardly change the size of a head. What the best similarity between a scan and the transferred shapes, mixed
by its weights, says otherwise, is no expression. Mixtures of the transferred shapes find the order: a scan points
the way of its own weights' mixture, not of another's that is not met better by a scan of its own.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rigcast._similarity import BETTER, is_mirrored
from rigcast.errors import ScansWarning
from rigcast.transfer._matching.fitting import similarity

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

ALIKE = 1.6  # an expression is not so much larger than what its weights say; inches are 2.54 cm
ALIEN = 0.05  # mean cosine between scans and what their weights say
ELSEWHERE = 0.1  # of a head's rms extent: what moved by less as a whole may be the expression
FEW = 5  # scans named

MIRRORED = "mirrored: a reflection takes the target there far better than any rotation; change the sign of one axis"
UNIT = "times as large as the target, in the median: the unit is another one"
MOVED = "turned or moved beside the target as a whole: register them to its neutral, up axis and head motion too"


def scan_notes(neutral: Float32, scans: Float32, transferred: Float32, weights: Float64) -> list[str]:
    """Sentences about scans (J, V, 3) that are no expressions of a neutral (V, 3) with these weights (J, K).

    ``transferred`` (K, V, 3) are the shapes without scans.
    """
    said = (neutral + np.tensordot(weights, transferred.astype(np.float64) - neutral, 1)).astype(np.float32)
    faults = np.array([_fault(own, scan) for own, scan in zip(said, scans, strict=True)], dtype=object).reshape(-1)
    notes = []
    for fault in dict.fromkeys(fault for fault in faults if fault):
        rows = np.flatnonzero(faults == fault)
        text = fault
        if fault == UNIT:
            text = f"{np.median([similarity(said[j], scans[j]).scale for j in rows]):.3g} {UNIT}"
        notes.append(f"{_scans(rows.tolist(), len(scans))} {text}")
    return notes + _mismatched(neutral, scans, transferred, weights, np.flatnonzero(faults == ""))


def warn_of_scans(function: str, notes: Sequence[str]) -> None:
    """A warning to the caller of a public function for each note."""
    for note in notes:
        warnings.warn(f"{function}: {note}", ScansWarning, stacklevel=3)


def _fault(said: Float32, scan: Float32) -> str:
    """The fault that keeps a scan from matching its weights, (V, 3), in whatever expression; empty if there is none."""
    if is_mirrored(said, scan[None]):
        return MIRRORED
    best = similarity(said, scan)
    if not 1.0 / ALIKE <= best.scale <= ALIKE:
        return UNIT
    before, after = _off(said, scan), _off(best.apply(said), scan)
    size = _off(said, np.broadcast_to(said.mean(axis=0), said.shape))
    return MOVED if before > ELSEWHERE * size and after < BETTER * before else ""


def _mismatched(
    neutral: Float32, scans: Float32, transferred: Float32, weights: Float64, rows: NDArray[np.int64]
) -> list[str]:
    """Notes on the order of the weights, from the scans that are sound."""
    if not len(rows) or not len(transferred):
        return []
    shapes = (transferred - neutral).reshape(len(transferred), -1).astype(np.float64)
    offsets = (scans[rows] - neutral).reshape(len(rows), -1).astype(np.float64)
    # Cosines between scans and mixtures, from products alone: rows are as long as the mesh. Sizes do not count.
    gram, mixed = shapes @ shapes.T, weights[rows]
    lengths = np.sqrt(np.square(offsets).sum(axis=1)), np.sqrt(np.einsum("ik,kl,il->i", mixed, gram, mixed))
    power = np.outer(*lengths)
    cosine = np.divide(offsets @ shapes.T @ mixed.T, power, out=np.zeros_like(power), where=power > 0.0)
    own, best = np.diag(cosine), cosine.argmax(axis=1)
    mutual = (cosine.argmax(axis=0)[best] == np.arange(len(rows))) & (best != np.arange(len(rows)))
    left = 1.0 - np.square(np.clip(np.stack([cosine[np.arange(len(rows)), best], own]), 0.0, 1.0))
    pairs = np.flatnonzero(mutual & (left[0] < BETTER * left[1]))
    if len(pairs) >= 2:
        pairing = ", ".join(f"{rows[j] + 1} by row {rows[best[j]] + 1}" for j in pairs[:FEW])
        more = ", ..." if len(pairs) > FEW else ""
        return [f"scans look to be in another order than their weights: met far better are scan {pairing}{more}"]
    if (own * np.diag(power)).sum() < ALIEN * np.diag(power).sum():
        return [
            "scans show nothing of what their weights make of the transferred shapes: they look to be weights of others"
        ]
    return []


def _scans(which: list[int], count: int) -> str:
    if len(which) == count:
        return "the scan is" if count == 1 else "all scans are"
    numbers = ", ".join(str(j + 1) for j in which[:FEW]) + (", ..." if len(which) > FEW else "")
    return f"scan {numbers} is" if len(which) == 1 else f"scans {numbers} are"


def _off(a: Float32, b: Float32) -> float:
    return float(np.sqrt(np.square(np.subtract(a, b, dtype=np.float64)).sum(axis=1).mean()))
