"""The character of a report, which its readers move: the view's page inside the report's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.viewer import embed

LARGEST = 40 * 2**20  # bytes of the page: a report that is larger cannot be mailed


@dataclass(frozen=True)
class PlayedFrame:
    """A frame of what a synthesizer plays: that of a seed, so many frames after it began to idle at a label."""

    label: str
    seed: int
    frame: int


@dataclass(frozen=True)
class LiveCharacter:
    """A page of the view for an iframe of a report.

    Attributes
    ----------
    page : str
        Its HTML.
    stops : dict of str to str
        What buttons say, and the messages, JSON, that they post to the page.
    notes : list of str
        What it shows otherwise than the model.
    """

    page: str
    stops: dict[str, str]
    notes: list[str]


def frame_stops(order: NDArray[np.integer[Any]], *names: str) -> dict[str, int]:
    """Buttons of frames that are ordered from the best to the worst: "best", "median" or "typical", and "worst"."""
    if not len(order):
        return {}
    middle = len(order) // 2
    places = {"best": 0, "median": middle, "typical": middle, "worst": -1}
    return {f"{name} frame: {order[places[name]]:,}": int(order[places[name]]) for name in names}


def live_character(
    stops: Mapping[str, int | PlayedFrame], model: Any, beside: Any = None, **clip: Any
) -> LiveCharacter | str:
    """A model of a report, live; or why it is not there.

    Parameters
    ----------
    stops : mapping of str to int or PlayedFrame
        What buttons say, and the frames of the clip, or of a synthesizer, that they show.
    model, beside
        As for :func:`rigcast.viewer.embed`.
    **clip
        Its ``poses`` or ``channels``, and ``fps``.
    """
    try:
        page = embed(model, beside, **clip)
    except (FileNotFoundError, ValueError) as error:
        return f"The character cannot be moved here: {error}."
    if len(page.page) > LARGEST:
        return f"The character cannot be moved here: with it this file would have {len(page.page) / 2**20:.0f} MB more."
    messages = {
        name: json.dumps({"moment": vars(stop)} if isinstance(stop, PlayedFrame) else {"seek": int(stop)})
        for name, stop in stops.items()
    }
    return LiveCharacter(page.page, messages, page.notes)
