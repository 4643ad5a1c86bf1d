"""The character of a report, which its readers move: the view's page inside the report's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._core import Deformer
from rigcast._validate import FPS
from rigcast.synthesis import Synthesizer
from rigcast.viewer import embed, record

LARGEST = 40 * 2**20  # bytes of the page: a report that is larger cannot be mailed
RECORDED, VERTICES = 96, 1500  # most frames of a recording, and most vertices: it is seen in a window


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
    recorded : bool
        True if it only plays: the page has no engine.
    """

    page: str
    stops: dict[str, str]
    notes: list[str]
    recorded: bool = False


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
    """A model of a report, live; recorded if this installation has no engine for pages; or why it is not there.

    Parameters
    ----------
    stops : mapping of str to int or PlayedFrame
        What buttons say, and the frames of the clip, or of a synthesizer, that they show.
    model, beside
        As for :func:`rigcast.viewer.embed`.
    **clip
        Its ``poses``, and ``fps``.
    """
    try:
        page = embed(model, beside, **clip)
    except FileNotFoundError:
        return _recorded(model, beside, clip, "where this was made, rigcast has no engine for pages (./run web)")
    except ValueError as error:
        return f"The character cannot be moved here: {error}."
    if len(page.page) > LARGEST:
        return _recorded(model, beside, clip, f"with it this file would have {len(page.page) / 2**20:.0f} MB more")
    messages = {
        name: json.dumps({"moment": vars(stop)} if isinstance(stop, PlayedFrame) else {"seek": int(stop)})
        for name, stop in stops.items()
    }
    return LiveCharacter(page.page, messages, page.notes)


def _recorded(model: Any, beside: Any, clip: Mapping[str, Any], why: str) -> LiveCharacter | str:
    """The clip as a page that plays, at most 96 frames of it."""
    rig: Any
    shown: dict[str, Any]
    if isinstance(model, Synthesizer):
        player = model.player(0, label=model.labels[0])
        player.idle(model.labels[0])
        controls = player.render(RECORDED / model.fps)
        rig, fps = model.rig, float(model.fps)
        shown = {"poses": model.poses(controls)} if isinstance(rig, Deformer) else {"channels": controls}
    else:
        rig, fps, shown = model, float(clip.get("fps", FPS)), {"poses": np.asarray(clip["poses"], np.float32)}
    name, rows = next(iter(shown.items()))
    kept = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), RECORDED)).round().astype(int))
    rate = fps * (len(kept) - 1) / (len(rows) - 1) if len(rows) > 1 else fps
    try:
        page = record(rig, beside, fps=rate, vertices=VERTICES, **{name: rows[kept]})
    except ValueError as error:
        return f"The character cannot be moved here: {error}."
    return LiveCharacter(page.page, {}, [f"Its skin cannot be dragged: {why}"], recorded=True)
