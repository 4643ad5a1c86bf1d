# SPDX-License-Identifier: GPL-3.0-or-later
"""When bound meshes are brought up to date: after each frame and each change of the scene, by the evaluated rig."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.handlers import persistent

from . import evaluation, live
from .model_paths import settle


@persistent
def after_frame(scene: Any, depsgraph: Any = None) -> None:
    """A frame, or a part of one for motion blur, was evaluated."""
    live.update_scene(scene, depsgraph)


@persistent
def after_change(scene: Any, depsgraph: Any = None) -> None:
    """Something was changed by hand."""
    live.update_scene(scene, depsgraph)


@persistent
def after_jump(*_: Any) -> None:
    """Undo, redo or another file: nothing that was known holds."""
    live.update_scene(force=True)
    evaluation.release_unused()


@persistent
def after_opening(*_: Any) -> None:
    """Another file is open."""
    settle(bpy.data.objects, opened=True)
    after_jump()


@persistent
def after_saving(*_: Any) -> None:
    """The file may lie in another folder now."""
    settle(bpy.data.objects)


HANDLERS = (
    ("frame_change_post", after_frame),
    ("depsgraph_update_post", after_change),
    ("undo_post", after_jump),
    ("redo_post", after_jump),
    ("load_post", after_opening),
    ("save_post", after_saving),
)


def unregister() -> None:
    """Free the models."""
    live.forget()
    evaluation.forget_models()
