# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins: empties that points of a learned character's skin follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from ..binding import bound_under
from ..moving import vertices_of

MOST = 64  # pins that one command makes
SIZE = 0.02  # of a pin, as a share of the character


class RigcastPin(bpy.types.PropertyGroup):
    """What an empty pins."""

    item: bpy.props.PointerProperty(
        name="Character", description="The bound mesh whose skin follows this empty", type=bpy.types.Object
    )
    vertex: bpy.props.IntProperty(name="Vertex", description="The point of the skin", min=0)
    weight: bpy.props.FloatProperty(
        name="Weight", description="How much this pin counts beside others", min=0.0, soft_max=10.0, default=1.0
    )


class RigcastPins(bpy.types.PropertyGroup):
    """How the pins of a character act."""

    follow: bpy.props.BoolProperty(
        name="Follow While Dragging", description="Pose the rig while a pin is moved", default=True
    )
    miss: bpy.props.FloatProperty(
        name="Miss", description="How far the skin stays from the farthest pin, in millimeters"
    )


def pins_of(item: Any) -> list[Any]:
    """The pins of a bound mesh in this scene, by name."""
    found = [other for other in bpy.context.scene.objects if other.type == "EMPTY" and other.rigcast_pin.item == item]
    return sorted(found, key=lambda pin: pin.name)


def character_under(context: Any) -> Any | None:
    """The bound mesh that is meant, the first of several."""
    return next(iter(bound_under(context)), None)


def add_pins(item: Any, vertices: Sequence[int], depsgraph: Any) -> list[Any]:
    """Add a pin at each vertex, where the skin is now."""
    points = vertices_of(item, depsgraph, world=True)
    size = SIZE * float(np.linalg.norm(np.ptp(points, axis=0)))
    made = []
    for vertex in vertices:
        pin = bpy.data.objects.new(f"Pin {vertex}", None)
        pin.empty_display_type, pin.empty_display_size, pin.show_in_front = "SPHERE", size, True
        pin.location = points[vertex].tolist()
        pin.rigcast_pin.item, pin.rigcast_pin.vertex = item, int(vertex)
        for collection in item.users_collection or (bpy.context.scene.collection,):
            collection.objects.link(pin)
        made.append(pin)
    return made


class RIGCAST_OT_add_pin(bpy.types.Operator):
    """Pin a point of the skin: the selected vertices in edit mode, else the one nearest to the 3D cursor"""

    bl_idname = "rigcast.add_pin"
    bl_label = "Pin"
    bl_options = {"REGISTER", "UNDO"}

    vertex: bpy.props.IntProperty(
        name="Vertex", description="-1: nearest to the 3D cursor", default=-1, min=-1, options={"SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        return character_under(context) is not None

    def execute(self, context: Any) -> set[str]:
        item = character_under(context)
        chosen = [self.vertex] if self.vertex >= 0 else _selected(context, item)
        depsgraph = context.evaluated_depsgraph_get()
        if not chosen:
            points = vertices_of(item, depsgraph, world=True)
            chosen = [int(np.linalg.norm(points - np.array(context.scene.cursor.location), axis=1).argmin())]
        if len(chosen) > MOST or max(chosen) >= len(item.data.vertices):
            few = (
                f"{item.name} has no vertex {max(chosen)}" if len(chosen) <= MOST else f"select {MOST} vertices at most"
            )
            self.report({"ERROR"}, few)
            return {"CANCELLED"}
        taken = {pin.rigcast_pin.vertex for pin in pins_of(item)}
        made = add_pins(item, [vertex for vertex in chosen if vertex not in taken], depsgraph)
        if not made:
            self.report({"WARNING"}, "pinned already")
            return {"CANCELLED"}
        if context.mode in ("EDIT_MESH", "POSE"):
            bpy.ops.object.mode_set(mode="OBJECT")
        for other in list(context.selected_objects):
            other.select_set(False)
        for pin in made:
            pin.select_set(True)
        context.view_layer.objects.active = made[-1]
        self.report({"INFO"}, f"{len(made)} pinned: move the empty (G)")
        return {"FINISHED"}


def _selected(context: Any, item: Any) -> list[int]:
    """The vertices that are selected in edit mode."""
    if context.mode != "EDIT_MESH" or context.active_object != item:
        return []
    item.update_from_editmode()
    return [vertex.index for vertex in item.data.vertices if vertex.select]


class OnPins:
    """A mixin for operators on the pins of the character that is meant."""

    @classmethod
    def poll(cls, context: Any) -> bool:
        item = character_under(context)
        return item is not None and bool(pins_of(item))


class RIGCAST_OT_snap_pins(OnPins, bpy.types.Operator):
    """Put the pins where the skin is now, after the rig was posed by its controls"""

    bl_idname = "rigcast.snap_pins"
    bl_label = "Snap Pins to Skin"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: Any) -> set[str]:
        item = character_under(context)
        points = vertices_of(item, context.evaluated_depsgraph_get(), world=True)
        for pin in pins_of(item):
            matrix = pin.matrix_world.copy()
            matrix.translation = Vector(points[pin.rigcast_pin.vertex].tolist())
            pin.matrix_world = matrix
        return {"FINISHED"}


class RIGCAST_OT_remove_pins(OnPins, bpy.types.Operator):
    """Remove the selected pins, or all pins of the character; the pose stays"""

    bl_idname = "rigcast.remove_pins"
    bl_label = "Remove Pins"
    bl_options = {"REGISTER", "UNDO"}

    every: bpy.props.BoolProperty(name="All", description="All pins of the character", options={"SKIP_SAVE"})

    def execute(self, context: Any) -> set[str]:
        item = character_under(context)
        for pin in pins_of(item):
            if self.every or pin.select_get():
                bpy.data.objects.remove(pin)
        context.view_layer.objects.active = item
        return {"FINISHED"}


CLASSES = (RigcastPin, RigcastPins, RIGCAST_OT_add_pin, RIGCAST_OT_snap_pins, RIGCAST_OT_remove_pins)


def register() -> None:
    """Empties may be pins, meshes may have them."""
    bpy.types.Object.rigcast_pin = bpy.props.PointerProperty(type=RigcastPin)
    bpy.types.Object.rigcast_pins = bpy.props.PointerProperty(type=RigcastPins)


def unregister() -> None:
    """Take them off."""
    del bpy.types.Object.rigcast_pins
    del bpy.types.Object.rigcast_pin
