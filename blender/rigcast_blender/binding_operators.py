# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons: bind a model to the active mesh, take it off, and draw its colors."""

from __future__ import annotations

from typing import Any

import bpy

from . import binding
from .colors import draws_colors, switch_colors


class RIGCAST_OT_bind(bpy.types.Operator):
    """Let a learned model move the active mesh, by the armature or the shape keys that it has"""

    bl_idname = "rigcast.bind"
    bl_label = "Bind Model"
    bl_options = {"REGISTER", "UNDO"}

    filepath: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="Model", description="A file that rigcast has learned", subtype="FILE_PATH"
    )
    filter_glob: bpy.props.StringProperty(default="*.safetensors", options={"HIDDEN"})  # type: ignore[valid-type]
    armature: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="Armature", description="Whose pose the model takes; empty: the one that moves the mesh"
    )
    part: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="Part", description="The part of the model that this mesh is; empty: found by vertices and name"
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.active_object is not None and context.active_object.type == "MESH"

    def invoke(self, context: Any, _event: Any) -> set[str]:
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: Any) -> set[str]:
        armature = bpy.data.objects.get(self.armature) if self.armature else None
        if self.armature and (armature is None or armature.type != "ARMATURE"):
            self.report({"ERROR"}, f"{self.armature} is no armature of this file")
            return {"CANCELLED"}
        try:
            note = binding.bind(context.active_object, self.filepath, armature, self.part or None)
        except binding.BindError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"WARNING"} if note else {"INFO"}, note or f"{context.active_object.name} is bound")
        return {"FINISHED"}


class RIGCAST_OT_unbind(bpy.types.Operator):
    """Take the model off a mesh, which is then as it was before"""

    bl_idname = "rigcast.unbind"
    bl_label = "Unbind Model"
    bl_options = {"REGISTER", "UNDO"}

    item: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="Mesh", description="Which of several; empty: the one that is meant, or all of them", options={"SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        return bool(binding.bound_under(context))

    def execute(self, context: Any) -> set[str]:
        for item in binding.bound_under(context):
            if self.item in ("", item.name):
                binding.unbind(item)
        return {"FINISHED"}


class RIGCAST_OT_draw_colors(bpy.types.Operator):
    """Draw the colors that bound meshes show in this view, or their materials again"""

    bl_idname = "rigcast.draw_colors"
    bl_label = "Draw Colors"
    bl_options = {"INTERNAL"}

    def execute(self, context: Any) -> set[str]:
        switch_colors(context, not draws_colors(context))
        return {"FINISHED"}


CLASSES = (RIGCAST_OT_bind, RIGCAST_OT_unbind, RIGCAST_OT_draw_colors)
