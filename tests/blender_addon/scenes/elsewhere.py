"""A character whose model lies beside its .blend, in files of other folders; each of these has another model there."""

import shutil

import start

start.enable()

import bpy
import character
import numpy as np
from rigcast_blender import binding, evaluation, model_paths
from rigcast_blender.runtime import rr

MODEL, OTHER = start.ARGUMENTS
model = rr.load(MODEL)
project = start.FOLDER / "project"
told = {}


def saved(name):
    path = project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if not (path.parent / "hero.safetensors").exists():
        shutil.copy(MODEL if path.parent.name == "hero" else OTHER, path.parent / "hero.safetensors")
    bpy.ops.wm.save_as_mainfile(filepath=str(path), check_existing=False)


def told_of(item):
    """The largest difference from the model, the path, and what is said; the mesh moves."""
    worst, seen = 0.0, []
    for frame in (7, 40):
        bpy.context.scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        seen.append(character.shown(item, depsgraph))
        row = evaluation.pose_row(item, depsgraph)
        worst = max(worst, float(np.abs(seen[-1] - model.evaluate(row)).max()))
    assert np.ptp(seen, axis=0).max() > 0.05, "nothing moves"
    return [worst, item.rigcast.model, item.rigcast.message]


def brought(link):
    """The rig and the skin of the character's file."""
    with bpy.data.libraries.load(str(project / "hero" / "hero.blend"), link=link, relative=True) as (_, into):
        into.objects = ["Rig", "Skin"]
    for item in into.objects:
        bpy.context.scene.collection.objects.link(item)
    return into.objects


def overridden():
    rig, skin = (item.override_create(remap_local_usages=True) for item in brought(link=True))
    skin.parent = skin.modifiers["Armature"].object = skin.rigcast.armature = rig
    for item in (rig, skin):
        if item.name not in bpy.context.scene.collection.objects:
            bpy.context.scene.collection.objects.link(item)
    return skin


def of_override():
    return next(item for item in bpy.data.objects if item.type == "MESH" and item.override_library)


def empty(name):
    character.clear()
    for library in list(bpy.data.libraries):
        bpy.data.libraries.remove(library)
    saved(name)


saved("hero/hero.blend")
character.clear()
rig = character.armature(model)
skin = character.mesh(model, rig)
binding.bind(skin, "//hero.safetensors", rig)
saved("hero/hero.blend")
told["beside"] = told_of(skin)

empty("shots/appended.blend")
told["appended"] = told_of(brought(link=False)[1])
saved("shots/appended.blend")
bpy.ops.wm.open_mainfile(filepath=str(project / "shots" / "appended.blend"))
told["appended, reopened"] = told_of(bpy.data.objects["Skin"])
saved("deep/er/elsewhere.blend")
told["saved elsewhere"] = told_of(bpy.data.objects["Skin"])
bpy.ops.wm.open_mainfile(filepath=str(project / "deep" / "er" / "elsewhere.blend"))
told["saved elsewhere, reopened"] = told_of(bpy.data.objects["Skin"])

empty("shots/overridden.blend")
told["overridden"] = told_of(overridden())
saved("shots/overridden.blend")
bpy.ops.wm.open_mainfile(filepath=str(project / "shots" / "overridden.blend"))
told["overridden, reopened"] = told_of(of_override())

# all of it in another place
bpy.ops.wm.read_homefile(app_template="")
start.enable()
project = project.rename(start.FOLDER / "moved")
for name in ("hero/hero", "shots/appended"):
    bpy.ops.wm.open_mainfile(filepath=str(project / f"{name}.blend"))
    told[f"{name} moved"] = told_of(bpy.data.objects["Skin"])
bpy.ops.wm.open_mainfile(filepath=str(project / "shots" / "overridden.blend"))
told["overridden moved"] = told_of(of_override())
empty("shots/again.blend")
told["appended from there"] = told_of(brought(link=False)[1])
told["of the other model"] = float(np.abs(rr.load(OTHER).rest_vertices - model.rest_vertices).max())
told["absolute"] = model_paths.path_of(bpy.data.objects["Skin"]) == str(project / "hero" / "hero.safetensors")
start.tell(**told)
