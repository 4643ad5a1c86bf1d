"""A page that holds a recording in place of a server: every frame of a timeline."""

from __future__ import annotations

import json

from rigcast._validate import bad_argument
from rigcast.viewer._messages import Seek
from rigcast.viewer._stage import Stage
from rigcast.viewer._stored._summed import summed
from rigcast.viewer._stored._view_page import LARGEST, ViewPage, base64_of, whole_page


def recorded(stage: Stage, vertices: int | None = None) -> ViewPage:
    """The recording of a stage: its timeline, or the one pose in which it stands if nothing plays.

    With ``vertices``, of at most so many vertices per figure, in frames that are sums of components. The stage stands
    as before afterwards.

    Raises
    ------
    ValueError
        If the page would have more than 256 MB.
    """
    state, at = stage.state, stage.timeline.at
    try:
        stored = _sent(stage) if vertices is None else base64_of(summed(stage, vertices))
        data = f'<script type="application/json" id="recording">{json.dumps(stored)}</script>'
        return ViewPage(whole_page("main.js", data))
    finally:
        stage.timeline.at = at
        stage.stand(state)


def _sent(stage: Stage) -> list[str]:
    """The scene, and each frame, as the server sends them."""
    size = sum(12 * len(figure.rest_vertices) for figure in stage.figures())
    count = 1 if stage.timeline.is_empty else stage.timeline.frames
    if (count * size * 4) // 3 > LARGEST:
        got = f"{count:,} frames of {size / 2**20:.1f} MB"
        raise bad_argument("record", "poses", got, f"frames of at most {LARGEST // 2**20} MB together")
    frames = (stage.step([Seek(t)], 0.0) for t in range(count))
    return [base64_of(stage.scene(has_images=False)), *map(base64_of, frames)]
