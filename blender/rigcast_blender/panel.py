# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panel: what is bound to the mesh, armature or pin that is active, and how far it can be trusted."""

from __future__ import annotations

import os
from typing import Any

import bpy

from . import binding, evaluation
from .colors import draws_colors
from .runtime import rr
from .texts import write_lines


class PanelOfRigcast:
    """A mixin for panels of the sidebar's tab; by default inside of the main one."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Rigcast"
    bl_parent_id = "RIGCAST_PT_main"
    bl_options = {"DEFAULT_CLOSED"}


class RIGCAST_PT_main(bpy.types.Panel):
    """The models of the active object."""

    bl_label = "Rigcast"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Rigcast"

    def draw(self, context: Any) -> None:
        """Draw what is bound, or how to bind."""
        layout, item, found = self.layout, context.active_object, binding.bound_under(context)
        for shown in found:
            if shown != item:
                layout.label(text=shown.name, icon="OUTLINER_OB_MESH")
            _draw_bound(layout, context, shown)
        if not found and item is not None and item.type == "MESH":
            layout.operator("rigcast.bind", icon="LINKED", text="Bind Model ...")
            _draw_message(layout, context, item)
        elif not found:
            write_lines(layout, context, [("INFO", "Select a mesh, or the armature or a pin of a learned one")])
        layout.label(text=f"rigcast {rr.__version__}, {rr.instruction_set()}")


def _draw_bound(layout: Any, context: Any, item: Any) -> None:
    about = item.rigcast
    column = layout.column(align=True)
    column.label(text=os.path.basename(about.model), icon="LINKED")
    row = column.row(align=True)
    row.prop(about, "live", toggle=True, icon="PLAY")
    row.operator("rigcast.unbind", icon="UNLINKED", text="Unbind").item = item.name
    _draw_lamp(layout, context, item)
    _draw_message(layout, context, item)
    column = layout.column(align=True)
    column.prop(about, "blend")
    if _has_detail(item):
        column.prop(about, "detail")
    column.prop(about, "show")
    if about.show != "NONE":
        text = "Draw Materials Again" if draws_colors(context) else "Draw Colors in This View"
        column.operator("rigcast.draw_colors", icon="COLOR", text=text)
    if about.part:
        layout.label(text=f"Part: {about.part}")


def _draw_lamp(layout: Any, context: Any, item: Any) -> None:
    seen = evaluation.LAMP.of(item)
    if seen is None:
        return
    confidence, outside = seen
    inside = confidence >= evaluation.OUTSIDE
    lines = [("CHECKMARK" if inside else "ERROR", f"Confidence {confidence:.2f}")]
    lines += [("BONE_DATA", f"{outside} is outside")] if outside else []
    write_lines(layout, context, lines)


def _has_detail(item: Any) -> bool:
    try:
        return bool(evaluation.model_of(item).num_refinements)
    except binding.BindError:
        return False


def _draw_message(layout: Any, context: Any, item: Any) -> None:
    """Draw what was said of a mesh last, if anything."""
    if item.rigcast.message:
        write_lines(layout, context, [("INFO", item.rigcast.message)])


CLASSES = (RIGCAST_PT_main,)
