"""A comparison of channels with what Blender plays: the saved pose and some frames of each action, evaluated both
ways."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ..describe.actions import frames_of
from ..describe.curves import curves_of
from .playing import action_channels, owners_of, play_frames
from .scene import Scene

Array = np.ndarray[Any, Any]
ALLOWED = 1e-5  # meters
MOST_ACTIONS = 40  # that are evaluated when a file is opened
MOST_CAUSES = 8  # that are named
SAVED = "the pose in which the file was saved"
TURNED = 1e-5  # of a bone's own transform, in its unit


def differences(scene: Scene, meters_per_unit: float) -> tuple[list[str], int]:
    """The differences that channels do not reach, of the saved pose and of the first, middle and last frame of each
    action.

    Returns
    -------
    lines : list of str
        How far channels stay from what Blender shows, and the bones and properties that they do not set.
    left_out : int
        Actions that move the character and are not compared: those after the first :data:`MOST_ACTIONS`.
    """
    frame = bpy.context.scene.frame_current
    actions = _moving(scene)
    try:
        shown = _shown(scene, actions[:MOST_ACTIONS])
        lines = [line for item in shown for line in _compare(scene, item, meters_per_unit)]
    finally:
        bpy.context.scene.frame_set(frame)
        scene.resume()
    return lines, max(0, len(actions) - MOST_ACTIONS)


@dataclass
class _Shown:
    """The vertices and settings that Blender shows in some frames, their channels, and what else an action moves."""

    what: str
    vertices: list[Array]
    settings: list[dict[str, Array]]
    rows: Array
    missed: list[str]


def _shown(scene: Scene, actions: list[Any]) -> Iterator[_Shown]:
    """The saved pose, and each action."""
    scene.as_saved()
    saved = np.array([[channel.saved for channel in scene.channels]])
    yield _Shown(SAVED, [scene.vertices()], [scene.settings()], saved, [])
    for action in actions:
        whole = frames_of(action)
        frames = sorted({whole[0], whole[len(whole) // 2], whole[-1]})
        scene.resume()
        rows, missed = action_channels(scene, action.name, frames)
        vertices, settings = [], []
        for _ in play_frames(scene, action.name, frames):
            vertices.append(scene.vertices())
            settings.append(scene.settings())
        yield _Shown(f"action {action.name!r}", vertices, settings, rows, missed)


def _moving(scene: Scene) -> list[Any]:
    return [action for action in bpy.data.actions if any(_moves(owner, action) for owner in owners_of(scene, action))]


def _moves(owner: Any, action: Any) -> bool:
    """Return True if any of its curves is of something that the owner has."""
    for path in {curve.data_path for curve in curves_of(action)}:
        try:
            owner.path_resolve(path)
        except ValueError:
            continue
        return True
    return False


def _compare(scene: Scene, shown: _Shown, meters_per_unit: float) -> list[str]:
    scene.resume()
    largest, causes = 0.0, dict[str, float]()
    for vertices, settings, row in zip(shown.vertices, shown.settings, shown.rows):  # noqa: B905
        _, reached = scene.evaluate(row)
        apart = meters_per_unit * float(np.linalg.norm(reached - vertices, axis=1).max())
        if apart > ALLOWED:
            _add_causes(causes, settings, scene.settings())
        largest = max(largest, apart)
    if largest <= ALLOWED:
        return []
    named = sorted(causes, key=lambda name: -causes[name])
    named += [name for name in shown.missed if not any(name.startswith(f"{known}.") for known in named)]
    listed = ", ".join(named[:MOST_CAUSES]) + (f" and {more} more" if (more := len(named) - MOST_CAUSES) > 0 else "")
    reason = f": channels do not set {listed}" if listed else ""
    return [f"{shown.what} differs by up to {1000 * largest:.3g} mm from what the channels reach{reason}"]


def _add_causes(causes: dict[str, float], shown: dict[str, Array], reached: dict[str, Array]) -> None:
    for name, value in shown.items():
        apart = float(np.abs(value - reached[name]).max())
        if apart > TURNED:
            causes[name] = max(causes.get(name, 0.0), apart)
