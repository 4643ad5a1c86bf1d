"""Checks the arm, begins to learn it, stops in the middle, goes on, and says what is in the scene then."""

import start

start.enable()

import arm
import bpy
import numpy as np
from rigcast_blender.jobs.running import CURRENT
from rigcast_blender.learning import beside, checks, errors, operators
from rigcast_blender.learning import plan as plans
from rigcast_blender.moving import vertices_of


def vertices(item):
    bpy.context.view_layer.update()  # the handlers see what was changed
    return vertices_of(item, bpy.context.evaluated_depsgraph_get(), world=True)


def original_state():
    skin = bpy.data.objects["Skin"]
    keys = {key.name: key.value for key in skin.data.shape_keys.key_blocks}
    attributes = sorted(item.name for item in skin.data.attributes if not item.name.startswith("."))  # . are selections
    return [len(skin.data.vertices), [m.name for m in skin.modifiers], keys, attributes]


def stop_at(part):
    """Begin to learn and stop once a step has come so far; what the panel shows then."""
    CURRENT.begin("Learn This Rig", operators.learning(bpy.context, fresh=False))
    while not (CURRENT.progress.text.startswith(operators.STEPS["sample"]) and (CURRENT.progress.fraction or 0) > part):
        assert not CURRENT.advance(0.05)
    text = CURRENT.progress.text
    CURRENT.end()
    return text


rig, skin = arm.build()
bpy.ops.wm.save_as_mainfile(filepath=str(start.FOLDER / "arm.blend"), check_existing=False)
bpy.context.view_layer.objects.active = rig
settings = bpy.context.scene.rigcast_learn
settings.count, settings.steps = 80, 10
before, points = original_state(), vertices(skin)

stopped_text = stop_at(0.0)
kept = operators.plan_of(operators.character_of(bpy.context))
began, done = kept.began, list(kept.done)
shards = sorted(path.name for path in (kept.folder / plans.DATA).iterdir())
assert bpy.ops.rigcast.learn() == {"FINISHED"}

plan = operators.plan_of(operators.Character("Rig", ()))
learned = bpy.context.active_object
shown_aside = learned.rigcast_compare.aside
learned.rigcast_compare.aside = 0.0
bpy.context.scene.frame_set(5)
own, truth = vertices(learned), vertices(skin)
learned.rigcast.blend = 0.0
as_original = vertices(learned)
learned.rigcast.blend = 0.5
halfway = vertices(learned)
learned.rigcast.blend, learned.rigcast_compare.aside = 1.0, 2.0
aside = vertices(learned)
skin.data.shape_keys.key_blocks["bulge"].value = 0.7
bulged, true_bulge = vertices(learned), vertices(skin)
skin.data.shape_keys.key_blocks["bulge"].value = 0.0
kept_errors = np.empty(len(own), np.float32)
learned.data.attributes[errors.MEAN].data.foreach_get("value", kept_errors)
bpy.context.scene.frame_set(1)
start.tell(
    stopped_text=stopped_text,
    kept_steps=done,
    kept_files=len(shards),
    same_beginning=plan.began == began,
    steps=plan.done,
    lines=checks.lines_of(plan.results["info"]),
    verdict=learned[beside.VERDICT],
    original_is_untouched=[before == original_state(), float(np.abs(points - vertices(skin)).max())],
    learned=[learned.name, len(learned.data.vertices), learned.rigcast_compare.original.name],
    mean_error=float(np.linalg.norm(own - truth, axis=1).mean()),
    moved=float(np.linalg.norm(truth - points, axis=1).max()),
    original_by_blend=float(np.abs(as_original - truth).max()),
    halfway=float(np.abs(halfway - 0.5 * (own + truth)).max()),
    aside=float(np.abs(aside - own - [2.0, 0.0, 0.0]).max()),
    shown_aside=shown_aside,
    bulge=[float(np.abs(true_bulge - truth).max()), float(np.abs(bulged - [2.0, 0.0, 0.0] - true_bulge).max())],
    path=learned.rigcast.model,
    colors=errors.COLORS in learned.data.color_attributes,
    map_mean=float(kept_errors.mean()),
    stated_mean=learned[errors.ERROR][0],
    model=[path.name for path in start.FOLDER.glob("*.safetensors")],
)
bpy.ops.wm.save_as_mainfile(filepath=str(start.FOLDER / "learned.blend"), check_existing=False)
