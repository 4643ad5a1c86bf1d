# SPDX-License-Identifier: GPL-3.0-or-later
"""Learn This Rig: checks, samples and trains a copy of the scene, then binds the model beside the original."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import bpy

from ..jobs import trainer
from ..jobs.running import JobError, Progress, Works
from ..preferences import cache_folder, trainer_path
from . import plan as plans
from .beside import VERDICT, bind_beside, set_aside
from .checks import verdict_of
from .compare import is_compared
from .errors import error_map

STEPS = {"info": "Step 1 of 4, checking", "sample": "Step 2 of 4", "train": "Step 3 of 4"}
LAST = "Step 4 of 4"


class Character(NamedTuple):
    """What is to be learned: names of an armature, and of meshes (empty: all that the armature moves)."""

    armature: str
    meshes: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the one thing that was selected."""
        return self.meshes[0] if self.meshes else self.armature

    @property
    def words(self) -> str:
        """What is to be learned, for the panel."""
        return ", ".join(self.meshes) if self.meshes else f"All that {self.armature} moves"


def character_of(context: Any) -> Character | None:
    """The character that is selected: an armature with all that it moves, or meshes; None if neither is."""
    item = context.active_object
    if item is None or is_compared(item):
        return None
    if item.type == "ARMATURE":
        return Character(item.name, ())
    if item.type != "MESH":
        return None
    meshes = [other for other in context.selected_objects if other.type == "MESH" and not is_compared(other)] or [item]
    movers = {_mover(mesh) for mesh in meshes} - {None}
    return Character(str(movers.pop()) if len(movers) == 1 else "", tuple(sorted(mesh.name for mesh in meshes)))


def _mover(mesh: Any) -> str | None:
    """The armature that deforms a mesh, or on which it hangs."""
    found = next((m.object for m in mesh.modifiers if m.type == "ARMATURE" and m.object is not None), None)
    parent = mesh.parent if mesh.parent is not None and mesh.parent.type == "ARMATURE" else None
    return getattr(found or parent, "name", None)


def plan_of(character: Character) -> plans.Plan | None:
    """What is kept of learning a character."""
    return plans.kept(plans.folder_of(Path(cache_folder()), character.name))


class Learning(Works):
    """What checks and learning share."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.mode in ("OBJECT", "POSE") and character_of(context) is not None

    def stopped(self) -> str:
        """Words after Esc."""
        return "Learn: stopped, nothing is lost; Go On takes it up again"


def run_steps(plan: plans.Plan, names: tuple[str, ...]) -> Generator[Progress, None, None]:
    """Run the steps of a plan that are not done."""
    begin = trainer.program(trainer_path())
    for name, words in plan.steps():
        if name in names and name not in plan.done:
            result = yield from _titled(STEPS[name], trainer.run(begin, words, plan.folder, name))
            plan.finish(name, result)


def _titled(title: str, steps: Generator[Progress, None, Any]) -> Generator[Progress, None, Any]:
    """The same progress under a title."""
    try:
        while True:
            try:
                progress = next(steps)
            except StopIteration as end:
                return end.value
            yield progress._replace(text=f"{title}: {progress.text}")
    finally:
        steps.close()


class RIGCAST_OT_check(Learning, bpy.types.Operator):
    """Say what learning the selected character would take: what moves, what rests, what cannot be reproduced"""

    bl_idname = "rigcast.check"
    bl_label = "Check This Rig"

    def work(self, context: Any) -> Iterator[Progress]:
        """Copy the scene, and ask about it."""
        character = character_of(context)
        yield from run_steps(_fresh(context, character), ("info",))


class RIGCAST_OT_learn(Learning, bpy.types.Operator):
    """Learn the selected character in a process beside Blender, then show the model beside the original. Esc stops; \
nothing is lost"""

    bl_idname = "rigcast.learn"
    bl_label = "Learn This Rig"

    fresh: bpy.props.BoolProperty(
        name="Start Over",
        description="Take the scene as it is now, and leave what an interrupted learning has kept",
        options={"SKIP_SAVE"},
    )

    def work(self, context: Any) -> Iterator[Progress]:
        """Check, sample, train, bind, compare."""
        names = yield from learning(context, self.fresh)
        icon, text = json.loads(bpy.data.objects[names[0]][VERDICT])[0]
        self.report({"WARNING" if icon == "ERROR" else "INFO"}, f"{', '.join(names)}: {text}")
        _select(context, names)


def learning(context: Any, fresh: bool) -> Generator[Progress, None, list[str]]:
    """Learn the selected character, or go on with it; returns the names of the meshes that the model moves."""
    character = character_of(context)
    assert character is not None
    plan = plan_of(character)
    if fresh or plan is None or not plan.unfinished or plan.wish != wish_of(context, character):
        plan = _fresh(context, character)
    yield from run_steps(plan, tuple(STEPS))
    yield Progress(f"{LAST}: binding")
    path = keep_model(plan, context.scene.rigcast_learn.output, character)
    parts = list(plan.results["info"].get("parts") or {}) or list(character.meshes)
    names = bind_beside(_from_blend(path), plan.wish.armature, parts)
    for name in names:
        bpy.data.objects[name][VERDICT] = json.dumps(verdict_of(plan.results["train"]))
    for progress in error_map(names):
        yield progress._replace(text=f"{LAST}: {progress.text}")
    set_aside(names)
    return names


def _from_blend(path: Path) -> str:
    """The path, relative to the .blend if it lies in its folder or below."""
    here = Path(bpy.data.filepath).parent
    inside = bool(bpy.data.filepath) and here in path.parents
    return bpy.path.relpath(str(path)) if inside else str(path)


def _fresh(context: Any, character: Character | None) -> plans.Plan:
    assert character is not None
    folder = plans.folder_of(Path(cache_folder()), character.name)
    return plans.begin(folder, wish_of(context, character))


def wish_of(context: Any, character: Character) -> plans.Wish:
    """The settings of the panel for a character."""
    settings = context.scene.rigcast_learn
    ranges = {"DEGREES": f"{settings.degrees:g}", "FILE": "file"}.get(settings.ranges, settings.ranges.lower())
    if ranges == "actions" and not bpy.data.actions:
        ranges = "file"
    return plans.Wish(
        character.meshes,
        character.armature,
        settings.count,
        round(settings.minutes, 3),
        settings.steps,
        ranges,
        settings.workers,
    )


def keep_model(plan: plans.Plan, chosen: str, character: Character) -> Path:
    """Copy the model beside the .blend, or where the artist wants it: no earlier model is overwritten."""
    name = re.sub(r"[^\w.-]+", "_", character.name)
    if chosen:
        path = Path(bpy.path.abspath(chosen))
    else:
        folder = Path(bpy.data.filepath).parent if bpy.data.filepath else Path(cache_folder()) / "models"
        path = folder / f"{name}.safetensors"
    path = path if path.suffix == ".safetensors" else path.with_name(f"{path.name}.safetensors")
    first, number = path, 1
    while path.exists():
        number += 1
        path = first.with_name(f"{first.stem}-{number}{first.suffix}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(plan.model, path)
    except OSError as error:
        raise JobError(f"the model cannot be written to {path}: {error.strerror}") from None
    return path


def _select(context: Any, names: list[str]) -> None:
    if context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    for other in list(context.selected_objects):
        other.select_set(False)
    for name in names:
        bpy.data.objects[name].select_set(True)
    context.view_layer.objects.active = bpy.data.objects[names[0]]


CLASSES = (RIGCAST_OT_check, RIGCAST_OT_learn)
