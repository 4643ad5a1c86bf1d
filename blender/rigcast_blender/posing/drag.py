# SPDX-License-Identifier: GPL-3.0-or-later
"""Dragging pins: the rig's own controls follow while an empty is moved, and are keyed over frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np
from bpy.app.handlers import persistent

from ..jobs.running import CURRENT, JobError, Progress, Works, draw_progress
from ..moving import at_frame
from ..panel import PanelOfRigcast
from ..texts import write_lines
from .pins import OnPins, character_under, pins_of
from .reaching import controls_of, forget, reach

_seen: dict[str, bytes] = {}  # places of the pins of a character that its pose is for
_failed: dict[str, str] = {}  # what went wrong, by character, until its pins change


def _places(item: Any) -> bytes:
    return np.array([(pin.rigcast_pin.vertex, *pin.matrix_world.translation) for pin in pins_of(item)]).tobytes()


def pose(item: Any, depsgraph: Any) -> None:
    """Set the controls of a character so that its skin reaches the pins."""
    controls = controls_of(item)
    found = reach(item, depsgraph, controls)
    controls.write(found.row, found.changed)
    item.rigcast_pins.miss = found.miss


@persistent
def follow(_scene: Any, depsgraph: Any) -> None:
    """After an update: pose the characters whose pins have moved."""
    if CURRENT.runs:
        return
    moved = [update.id.original for update in depsgraph.updates if isinstance(update.id, bpy.types.Object)]
    pins = [item for item in moved if item.type == "EMPTY" and item.rigcast_pin.item is not None]
    for item in {pin.rigcast_pin.item for pin in pins}:
        places = _places(item)
        if not item.rigcast_pins.follow or _seen.get(item.name) == places:
            continue
        _seen[item.name] = places
        try:
            pose(item, depsgraph)
            _failed.pop(item.name, None)
        except (JobError, ValueError, KeyError) as error:  # shown in the panel, once per place of the pins
            _failed[item.name] = str(error)


@persistent
def accept_places(*_: Any) -> None:
    """After undo, redo and loading: poses and pins are what they are, and nothing is solved for them."""
    forget()
    _failed.clear()
    _seen.clear()
    for scene in bpy.data.scenes:
        for pin in scene.objects:
            item = pin.rigcast_pin.item if pin.type == "EMPTY" else None
            if item is not None and item.name not in _seen:
                _seen[item.name] = _places(item)


class RIGCAST_OT_pose_pins(OnPins, bpy.types.Operator):
    """Pose the rig by its controls so that the skin reaches the pins"""

    bl_idname = "rigcast.pose_pins"
    bl_label = "Pose to Pins"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: Any) -> set[str]:
        item = character_under(context)
        try:
            pose(item, context.evaluated_depsgraph_get())
        except (JobError, ValueError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class RIGCAST_OT_key_pins(OnPins, Works, bpy.types.Operator):
    """Key the controls of the rig so that the skin follows the pins, in this frame or in all frames of the scene"""

    bl_idname = "rigcast.key_pins"
    bl_label = "Key Controls"
    bl_options = {"REGISTER", "UNDO"}

    scope: bpy.props.EnumProperty(
        name="Frames",
        items=[("FRAME", "This Frame", "The current frame"), ("RANGE", "Range", "All frames of the scene")],
        description="What is keyed",
    )

    def stopped(self) -> str:
        """Words after Esc."""
        return "Key Controls: stopped, nothing was keyed"

    def work(self, context: Any) -> Iterator[Progress]:
        """Solve all frames, then key the controls that move in any of them."""
        scene, name = context.scene, character_under(context).name
        before = scene.frame_current
        frames = list(range(scene.frame_start, scene.frame_end + 1)) if self.scope == "RANGE" else [before]
        rows, moved, worst, start = [], set[int](), (0.0, before), None
        try:
            for place, frame in enumerate(frames):
                depsgraph = at_frame(frame)
                item = bpy.data.objects[name]
                try:
                    found = reach(item, depsgraph, controls_of(item), start=start)
                except ValueError as error:
                    raise JobError(f"frame {frame}: {error}") from None
                start = found.pose
                rows.append(found.row)
                moved |= set(found.changed)
                worst = max(worst, (found.miss, frame))
                text = f"frame {frame} of {frames[-1]}\nmisses by {found.miss:.2g} mm"
                yield Progress(text, (place + 1) / len(frames))
        finally:
            bpy.context.scene.frame_set(before)
        controls = controls_of(bpy.data.objects[name])
        chosen = sorted(moved) or list(range(len(rows[0])))
        for frame, row in zip(frames, rows, strict=True):
            controls.write(row, chosen)
            controls.key(frame, chosen)
        bpy.context.scene.frame_set(before)
        self.report(
            {"INFO"},
            f"{len(chosen)} controls keyed in {len(frames)} frames; farthest pin {worst[0]:.2g} mm in {worst[1]}",
        )


class RIGCAST_PT_pins(PanelOfRigcast, bpy.types.Panel):
    bl_label = "Pin and Drag"

    def draw(self, context: Any) -> None:
        layout = self.layout
        if draw_progress(layout, RIGCAST_OT_key_pins.bl_label):
            return
        item = character_under(context)
        if item is None:
            write_lines(layout, context, [("INFO", "Select a learned mesh, its armature or a pin")])
            return
        layout.operator("rigcast.add_pin", text=_where(context, item), icon="PINNED")
        pins = pins_of(item)
        if not pins:
            return
        layout.prop(item.rigcast_pins, "follow")
        missed = f"{len(pins)} pin{'s' * (len(pins) > 1)}, missed by {item.rigcast_pins.miss:.2g} mm"
        failed = _failed.get(item.name)
        write_lines(layout, context, [("ERROR", failed) if failed else ("EMPTY_AXIS", missed)])
        if context.active_object.type == "EMPTY":
            layout.prop(context.active_object.rigcast_pin, "weight")
        column = layout.column(align=True)
        column.operator(RIGCAST_OT_pose_pins.bl_idname, icon="CON_KINEMATIC")
        column.operator("rigcast.snap_pins", icon="SNAP_ON")
        column, scene = layout.column(align=True), context.scene
        column.operator(RIGCAST_OT_key_pins.bl_idname, text="Key This Frame", icon="KEY_HLT").scope = "FRAME"
        text = f"Key Frames {scene.frame_start} to {scene.frame_end}"
        column.operator(RIGCAST_OT_key_pins.bl_idname, text=text, icon="KEYINGSET").scope = "RANGE"
        column = layout.column(align=True)
        column.operator("rigcast.remove_pins", text="Remove Selected Pins", icon="X").every = False
        column.operator("rigcast.remove_pins", text="Remove All Pins", icon="TRASH").every = True


def _where(context: Any, item: Any) -> str:
    if context.mode == "EDIT_MESH" and context.active_object == item:
        return "Pin Selected Vertices"
    return "Pin at 3D Cursor"


HANDLERS = (
    ("depsgraph_update_post", follow),
    ("undo_post", accept_places),
    ("redo_post", accept_places),
    ("load_post", accept_places),
)
CLASSES = (RIGCAST_OT_pose_pins, RIGCAST_OT_key_pins, RIGCAST_PT_pins)


def unregister() -> None:
    """Drop what is kept."""
    forget()
