# SPDX-License-Identifier: GPL-3.0-or-later
"""What an object knows of its learned rig: ``object.rigcast``. It is saved, and overridden in linked characters."""

from __future__ import annotations

from typing import Any

import bpy

from .evaluation import LAMP
from .model_paths import OPTIONS, this_folder

OVERRIDABLE = {"LIBRARY_OVERRIDABLE"}
SHOWN = [
    ("NONE", "Nothing", "The materials alone"),
    ("ERROR_BOUND", "Error Bound", "Color attribute Rigcast: the bound on each vertex's error that the model states"),
    ("CONFIDENCE", "Confidence", "Color attribute Rigcast: red where the pose is far outside the training poses"),
]


def _confidence(properties: Any) -> float:
    """The trust in the pose that is shown."""
    return (LAMP.of(properties.id_data) or (1.0, ""))[0]


def _outside(properties: Any) -> str:
    return (LAMP.of(properties.id_data) or (1.0, ""))[1]


def _is_armature(_properties: Any, item: Any) -> bool:
    return bool(item.type == "ARMATURE")


def _is_mesh(_properties: Any, item: Any) -> bool:
    return bool(item.type == "MESH")


def _model_changed(properties: Any, _context: Any) -> None:
    properties.home = this_folder()


def _look_changed(properties: Any, _context: Any) -> None:
    from . import binding

    binding.look_changed(properties.id_data)


def _live_changed(properties: Any, _context: Any) -> None:
    from . import binding

    if properties.live:
        properties.message = ""
    binding.live_changed(properties.id_data)


def _number(name: str, description: str) -> Any:
    return bpy.props.FloatProperty(
        name=name, description=description, min=0.0, max=1.0, default=1.0, subtype="FACTOR", override=OVERRIDABLE,
        update=_look_changed,
    )  # fmt: skip


class RigcastObject(bpy.types.PropertyGroup):
    """The model of an object and how it is shown."""

    model: bpy.props.StringProperty(
        name="Model", description="Model file", subtype="FILE_PATH", options=OPTIONS, override=OVERRIDABLE,
        update=_model_changed,
    )  # fmt: skip
    home: bpy.props.StringProperty(
        name="Home", description="The folder from which a path of a model that begins with // counts",
        override=OVERRIDABLE,
    )  # fmt: skip
    armature: bpy.props.PointerProperty(
        name="Armature", description="What poses the model", type=bpy.types.Object, override=OVERRIDABLE,
        poll=_is_armature,
    )  # fmt: skip
    points: bpy.props.PointerProperty(
        name="Points", description="The local object that holds the vertices", type=bpy.types.Object,
        override=OVERRIDABLE,
    )  # fmt: skip
    part: bpy.props.StringProperty(
        name="Part", description="Part of the model that this mesh is; empty: all of it", override=OVERRIDABLE
    )  # fmt: skip
    live: bpy.props.BoolProperty(
        name="Live", description="Follow the armature and the sliders", default=True, override=OVERRIDABLE,
        update=_live_changed,
    )  # fmt: skip
    show: bpy.props.EnumProperty(
        name="Show", items=SHOWN, description="Colors on the mesh", override=OVERRIDABLE, update=_look_changed
    )
    detail: _number("Detail", "Quality of models with refinement: 0 leaves refinements out")
    blend: _number("Blend", "0: the mesh as its other modifiers make it; 1: the learned model")
    dials: bpy.props.PointerProperty(
        name="Sliders", description="The mesh whose shape keys are the model's controls; empty: found by names",
        type=bpy.types.Object, override=OVERRIDABLE, poll=_is_mesh,
    )  # fmt: skip
    message: bpy.props.StringProperty(
        name="Message", description="What went wrong, or was found missing", override=OVERRIDABLE
    )
    muted: bpy.props.StringProperty(
        name="Muted", description="Modifiers that the model stands for, and how they were shown", override=OVERRIDABLE
    )
    confidence: bpy.props.FloatProperty(
        name="Confidence",
        description="1 among the training poses, 1/2 at a quarter of their radius outside",
        get=_confidence,
    )
    outside: bpy.props.StringProperty(
        name="Outside",
        description="The bone or slider that is outside of what the model has learned from",
        get=_outside,
    )


CLASSES = (RigcastObject,)


def register() -> None:
    """Give every object the properties."""
    bpy.types.Object.rigcast = bpy.props.PointerProperty(type=RigcastObject, override=OVERRIDABLE)


def unregister() -> None:
    """Take them off."""
    del bpy.types.Object.rigcast
