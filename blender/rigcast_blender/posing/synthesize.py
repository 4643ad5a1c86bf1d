# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion without end: a label of a synthesizer played onto the rig's controls, as keys."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from functools import lru_cache
from typing import Any

import bpy
import numpy as np

from ..evaluation import follows
from ..jobs.running import JobError, Progress, Works, draw_progress
from ..model_paths import OPTIONS
from ..panel import PanelOfRigcast
from ..preferences import threads
from ..runtime import rr
from ..texts import write_lines
from .controls import Controls

Array = np.ndarray[Any, Any]
AT_ONCE = 48  # frames between two turns of the work
FITTED = "as rigcast synth fit writes it"


@lru_cache(maxsize=4)
def _loaded(path: str, _changed: int) -> Any:
    return rr.load(path)


def synthesizer_of(path: str) -> Any:
    """The synthesizer of a file, from memory if the file is the same.

    Raises
    ------
    JobError
        If the file is not there, or holds something else.
    """
    full = bpy.path.abspath(path) if path else ""
    if not os.path.isfile(full):
        raise JobError(f"name the file of a synthesizer, {FITTED}")
    try:
        found = _loaded(full, os.stat(full).st_mtime_ns)
    except (OSError, ValueError) as error:
        raise JobError(str(error)) from None
    if not hasattr(found, "player"):
        raise JobError(f"{os.path.basename(full)} moves vertices: name the file of a synthesizer, {FITTED}")
    return found


def labels_of(path: str) -> tuple[str, ...]:
    """Labels of a synthesizer; none if the file cannot be read."""
    try:
        return tuple(synthesizer_of(path).labels)
    except JobError:
        return ()


class RIGCAST_OT_synthesize(Works, bpy.types.Operator):
    """Play a label of a synthesizer from the current frame on: keys of the rig's controls, or of a face's shape keys"""

    bl_idname = "rigcast.synthesize"
    bl_label = "Synthesize"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        item = context.active_object
        return item is not None and (item.type == "ARMATURE" or _is_face(item))

    def stopped(self) -> str:
        """Words after Esc."""
        return "Synthesize: stopped, nothing was keyed"

    def work(self, context: Any) -> Iterator[Progress]:
        """Play, then key."""
        settings, scene, name = context.scene.rigcast_synthesize, context.scene, context.active_object.name
        synth = synthesizer_of(settings.path)
        names = list(synth.control_names)
        controls = _controls(bpy.data.objects[name], names)
        if len(controls.missing) == len(names):
            raise JobError(f"{name} has none of the controls of the synthesizer: {', '.join(names[:4])}, ...")
        played = yield from _played(synth, settings)
        frames, rows = _at_rate(played, synth.fps, scene)
        controls = _controls(bpy.data.objects[name], names)  # undo may have replaced what they held
        chosen = [index for index, control in enumerate(controls.controls) if control is not None]
        for place, (frame, row) in enumerate(zip(frames, rows, strict=True)):
            controls.write(row, chosen)
            controls.key(frame, chosen)
            yield Progress(f"keying frame {frame}", (place + 1) / len(frames))
        scene = bpy.context.scene
        scene.frame_end = max(scene.frame_end, frames[-1])
        scene.frame_set(scene.frame_current)
        left = f"; without {', '.join(controls.missing[:4])}" if controls.missing else ""
        self.report({"INFO"}, f"{len(chosen)} controls of {name} keyed, frames {frames[0]} to {frames[-1]}{left}")


def _played(synth: Any, settings: Any) -> Generator[Progress, None, Array]:
    """Controls (T, N) at the synthesizer's own rate: a label, or what a script says."""
    try:
        script = rr.Script.load(bpy.path.abspath(settings.script)) if settings.script else None
        about = rr.PlaySettings(threads=threads())
        player = synth.player(settings.seed, script, label=settings.label or None, settings=about)
        if script is None:
            player.idle(player.label)
        total = max(round(settings.seconds * synth.fps), 1)
        rows = []
        for begin in range(0, total, AT_ONCE):
            rows.append(player.step(min(AT_ONCE, total - begin)))
            yield Progress("playing", begin / total)
    except (OSError, ValueError) as error:
        raise JobError(str(error)) from None
    return np.concatenate(rows)


def _is_face(item: Any) -> bool:
    return item.type == "MESH" and item.data.shape_keys is not None


def _controls(item: Any, names: list[str]) -> Controls:
    """Controls of a rig, or those of a face."""
    if item.type == "ARMATURE":
        meshes = [other for other in bpy.context.scene.objects if other.type == "MESH" and follows(other, item)]
        return Controls(names, item, meshes)
    return Controls(names, None, [item])


def _at_rate(rows: Array, rate: float, scene: Any) -> tuple[list[int], Array]:
    """Frames of the scene from the current one on, and rows for them."""
    own = scene.render.fps / scene.render.fps_base
    count = max(1, int((len(rows) - 1) * own / rate) + 1)
    places = np.arange(count) * rate / own
    columns = [np.interp(places, np.arange(len(rows)), column) for column in rows.T]
    return [scene.frame_current + frame for frame in range(count)], np.stack(columns, axis=1)


class RigcastSynthesize(bpy.types.PropertyGroup):
    """What is played."""

    path: bpy.props.StringProperty(
        name="File", description="A synthesizer, as rigcast synth fit writes it", subtype="FILE_PATH", options=OPTIONS
    )
    label: bpy.props.StringProperty(name="Label", description="Default: the first")
    script: bpy.props.StringProperty(
        name="Script",
        description="Timed commands (JSON): labels one after another, with transitions. Empty: one label",
        subtype="FILE_PATH",
        options=OPTIONS,
    )
    seconds: bpy.props.FloatProperty(name="Seconds", description="How long", default=10.0, min=0.1, soft_max=600.0)
    seed: bpy.props.IntProperty(name="Seed", description="Another seed, another performance", min=0)


class RIGCAST_PT_synthesize(PanelOfRigcast, bpy.types.Panel):
    bl_label = "Synthesize"

    def draw(self, context: Any) -> None:
        layout, settings = self.layout, context.scene.rigcast_synthesize
        layout.use_property_split = True
        if draw_progress(layout, RIGCAST_OT_synthesize.bl_label):
            return
        layout.prop(settings, "path")
        labels = labels_of(settings.path)
        layout.prop(settings, "label")
        if labels:
            write_lines(layout, context, [("ACTION", ", ".join(labels))])
        layout.prop(settings, "script")
        layout.prop(settings, "seconds")
        layout.prop(settings, "seed")
        if not RIGCAST_OT_synthesize.poll(context):
            write_lines(layout, context, [("INFO", "Select an armature, or a face with shape keys")])
            return
        text = f"Play from Frame {context.scene.frame_current}"
        layout.operator(RIGCAST_OT_synthesize.bl_idname, text=text, icon="PLAY")


CLASSES = (RigcastSynthesize, RIGCAST_OT_synthesize, RIGCAST_PT_synthesize)


def register() -> None:
    """Settings belong to the scene."""
    bpy.types.Scene.rigcast_synthesize = bpy.props.PointerProperty(type=RigcastSynthesize)


def unregister() -> None:
    """Take them off."""
    del bpy.types.Scene.rigcast_synthesize
