"""Copying one side of a pose to the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast.viewer._figures._figure import State
from rigcast.viewer._sliders import mirror_pairs

Row = NDArray[np.float32]
PROBE = 0.1  # of a channel's range: how far it is moved to see where it moves the skin


def mirrored_row(figure: Any, row: Row, source: str) -> Row:
    """Channels (N,) with those of the ``source`` side (``"left"`` or ``"right"``) copied to the other.

    A channel counts with the sign with which its partner moves the mirrored skin alike.
    """
    result = np.array(row, np.float32)
    pairs = mirror_pairs([slider.name for slider in figure.sliders])
    changed = [pair for pair in pairs if any(row[c] != figure.sliders[c].rest for c in pair)]
    if not changed:
        return result
    signs = _signs(figure, changed)
    for (left, right), sign in zip(changed, signs, strict=True):
        there, here = (left, right) if source == "left" else (right, left)
        rest = figure.sliders[there].rest, figure.sliders[here].rest
        result[here] = rest[1] + sign * (row[there] - rest[0])
    return result


def _signs(figure: Any, pairs: list[tuple[int, int]]) -> list[float]:
    """1 or -1 per pair, from the displacements of both channels' skin with x mirrored."""
    rest = np.array([slider.rest for slider in figure.sliders], np.float32)
    still = figure.vertices(State(rest))
    flipped = still * np.array([-1, 1, 1], np.float32)
    partner = _core.PointTree(still).nearest(flipped, 1)[0][:, 0]

    def displacement(channel: int) -> NDArray[np.float64]:
        slider, moved = figure.sliders[channel], rest.copy()
        step = PROBE * (slider.high - slider.low)
        forward = slider.high - slider.rest >= step
        moved[channel] += step if forward else -step
        change: NDArray[np.float64] = figure.vertices(State(moved)).astype(np.float64) - still
        return change if forward else -change

    found = []
    for left, right in pairs:
        of_left = displacement(left) * np.array([-1.0, 1.0, 1.0])
        found.append(1.0 if float((of_left * displacement(right)[partner]).sum()) >= 0.0 else -1.0)
    return found
