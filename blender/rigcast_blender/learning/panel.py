# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of learning: settings, what a check found, progress, the verdict, and the comparison with the original."""

from __future__ import annotations

import json
import time
from typing import Any

import bpy

from ..colors import draws_colors, switch_colors
from ..jobs.running import draw_progress
from ..panel import PanelOfRigcast
from ..texts import write_lines
from .beside import VERDICT
from .checks import lines_of
from .compare import is_compared
from .errors import COLORS, ERROR, WEIGHTS
from .operators import RIGCAST_OT_check, RIGCAST_OT_learn, character_of, plan_of


class RigcastLearn(bpy.types.PropertyGroup):
    """What is wanted of learning."""

    count: bpy.props.IntProperty(
        name="Poses", description="Poses that Blender evaluates to learn from", default=1500, min=20, max=1000000
    )
    minutes: bpy.props.FloatProperty(
        name="Minutes", description="Time of the training, after the poses", default=4.0, min=0.05, max=1440.0
    )
    steps: bpy.props.IntProperty(
        name="Steps",
        description="Steps of the optimizer in place of minutes; 0: as the minutes allow",
        default=0,
        min=0,
    )
    workers: bpy.props.IntProperty(
        name="Processes", description="Blenders that evaluate poses at once", default=1, min=1, max=64
    )
    ranges: bpy.props.EnumProperty(
        name="Ranges",
        items=[
            ("ACTIONS", "Actions", "As far as the file's actions go; without an action as the file says"),
            ("FILE", "File", "Limits of the file; a control rig without any: its actions, or joints of people"),
            ("PEOPLE", "People", "Controls of a control rig as far as joints of people"),
            ("DEGREES", "Degrees", "Bones without limits turn so far either way"),
        ],
        description="How far controls without limits go",
    )
    degrees: bpy.props.FloatProperty(name="Degrees", description="Either way", default=30.0, min=1.0, max=180.0)
    output: bpy.props.StringProperty(
        name="Model", description="Default: beside the .blend, named after the character", subtype="FILE_PATH"
    )


class RIGCAST_OT_show_error(bpy.types.Operator):
    """Show the error of the model as colors in this view: dark blue is none, red the largest"""

    bl_idname = "rigcast.show_error"
    bl_label = "Show Error Colors"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        item = context.active_object
        return item is not None and item.type == "MESH" and COLORS in item.data.color_attributes

    def execute(self, context: Any) -> set[str]:
        colors = context.active_object.data.color_attributes
        active = colors.active_color
        drawn = draws_colors(context) and active is not None and active.name == COLORS
        colors.active_color = colors[COLORS]
        switch_colors(context, not drawn)
        return {"FINISHED"}


class RIGCAST_PT_learn(PanelOfRigcast, bpy.types.Panel):
    bl_label = "Learn a Rig"
    bl_options = set()  # open: the way begins here

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        if any(draw_progress(layout, kind.bl_label) for kind in (RIGCAST_OT_check, RIGCAST_OT_learn)):
            return
        item = context.active_object
        if is_compared(item):
            self._draw_comparison(context, item)
            return
        character = character_of(context)
        if character is None:
            write_lines(layout, context, [("INFO", "Select an armature, or meshes")])
            return
        layout.label(text=character.words, icon="ARMATURE_DATA" if not character.meshes else "MESH_DATA")
        self._draw_settings(context)
        plan = plan_of(character)
        column = layout.column(align=True)
        column.operator(RIGCAST_OT_check.bl_idname, text="Check", icon="VIEWZOOM")
        if plan is not None and plan.unfinished and len(plan.done) > 0 and (plan.folder / "sample.log").exists():
            began = time.strftime("%H:%M", time.localtime(plan.began))
            write_lines(layout, context, [("TIME", f"Stopped while it learned the scene as it was at {began}")])
            row = layout.row(align=True)
            row.operator(RIGCAST_OT_learn.bl_idname, text="Go On", icon="PLAY").fresh = False
            row.operator(RIGCAST_OT_learn.bl_idname, text="Start Over", icon="FILE_REFRESH").fresh = True
        else:
            column.operator(RIGCAST_OT_learn.bl_idname, icon="PLAY")
        if plan is not None and "info" in plan.results:
            write_lines(layout.box(), context, lines_of(plan.results["info"]))

    def _draw_settings(self, context: Any) -> None:
        settings = context.scene.rigcast_learn
        column = self.layout.column()
        column.prop(settings, "count")
        column.prop(settings, "minutes")
        column.prop(settings, "ranges")
        if settings.ranges == "DEGREES":
            column.prop(settings, "degrees")
        column.prop(settings, "workers")
        column.prop(settings, "output")

    def _draw_comparison(self, context: Any, item: Any) -> None:
        layout = self.layout
        column = layout.column()
        column.label(text=f"Learned from {item.rigcast_compare.original.name}", icon="OBJECT_DATA")
        column.prop(item.rigcast_compare, "aside")
        if VERDICT in item:
            write_lines(layout.box(), context, json.loads(item[VERDICT]))
        if ERROR in item:
            mean, most, red = item[ERROR]
            text = f"Over the frames of the scene: mean {mean:.3g} mm, max {most:.3g} mm"
            write_lines(layout, context, [("ANIM", text), *beside_weights(item)])
            layout.operator(RIGCAST_OT_show_error.bl_idname, icon="COLOR")
            if draws_colors(context):
                layout.label(text=f"Dark blue: none, red: {red:.3g} mm")


def beside_weights(item: Any) -> list[tuple[str, str]]:
    """The line about the armature alone, with the weights that the rig has; none where that was not compared."""
    if WEIGHTS not in item:
        return []
    text = f"The armature alone, with the rig's own weights: mean {item[WEIGHTS]:.3g} mm"
    if item[ERROR][0] < item[WEIGHTS]:
        return [("MOD_ARMATURE", text)]
    return [("ERROR", f"{text}; the model does not beat it: give it more poses or minutes")]


CLASSES = (RigcastLearn, RIGCAST_OT_show_error, RIGCAST_PT_learn)


def register() -> None:
    """Settings belong to the scene."""
    bpy.types.Scene.rigcast_learn = bpy.props.PointerProperty(type=RigcastLearn)


def unregister() -> None:
    """Take them off."""
    del bpy.types.Scene.rigcast_learn
