"""Bakes a face's performance, solves the cache for a copy in Blender and by the trainer, and transfers the keys."""

import start

start.enable()

import bpy
import face
import numpy as np
from rigcast_blender import bake
from rigcast_blender.faces import solve
from rigcast_blender.jobs.running import CURRENT
from rigcast_blender.moving import vertices_of

for item in list(bpy.data.objects):  # a new file would disable the add-on
    bpy.data.objects.remove(item)


def select(*items):
    for other in bpy.context.view_layer.objects:
        other.select_set(other in items)
    bpy.context.view_layer.objects.active = items[-1]


def played(item):
    """Vertices (T, V, 3) of all frames."""
    found = []
    for frame in range(1, face.FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        found.append(vertices_of(item, bpy.context.evaluated_depsgraph_get(), world=True))
    return np.array(found)


def values(item):
    """Values (T, K) of all frames."""
    found = []
    for frame in range(1, face.FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        found.append([item.data.shape_keys.key_blocks[name].value for name in face.SHAPES])
    return np.array(found)


def error(call):
    try:
        call()
    except RuntimeError as wrong:
        return str(wrong)
    return ""


actor = face.build("Actor")
face.perform(actor)
truth, wanted = played(actor), values(actor)
settings, facts = bpy.context.scene.rigcast_bake, {}

# Bakes.
select(actor)
settings.kind, settings.path = "PC2", str(start.FOLDER / "actor")
assert bpy.ops.rigcast.bake() == {"FINISHED"}
cache = bpy.context.active_object
facts["cache"] = [cache.name, cache.modifiers[0].cache_format, float(np.abs(played(cache) - truth).max())]
select(actor)
settings.kind = "SHAPES"
assert bpy.ops.rigcast.bake() == {"FINISHED"}
shapes = bpy.context.active_object
facts["shapes"] = [shapes.name, float(np.abs(played(shapes) - truth).max())]
select(actor)
settings.kind = "ALEMBIC"
said = error(bpy.ops.rigcast.bake)
written = start.FOLDER / "actor.abc"
facts["alembic"] = ["alembic_export" in dir(bpy.ops.wm), said, written.stat().st_size if written.exists() else 0]
bpy.context.scene.frame_set(3)
settings.kind, settings.path = "PC2", str(start.FOLDER / "stopped")
CURRENT.begin("Bake", bake.baked(bpy.context))
CURRENT.advance(0.0)
part = (start.FOLDER / "stopped.pc2.part").exists()
CURRENT.end()
facts["stopped"] = [part, sorted(path.name for path in start.FOLDER.glob("stopped*")), bpy.context.scene.frame_current]
settings.path = ""
facts["unsaved"] = error(bpy.ops.rigcast.bake)

# Solves.
double = face.build("Double")
cache.location = (0.0, 3.0, 0.0)  # beside: its own coordinates count
select(cache, double)
assert bpy.ops.rigcast.solve() == {"FINISHED"}
facts["here"] = [float(np.abs(values(double) - wanted).max()), double[solve.ERROR], double["rigcast_solved"]]
turned = face.build("Turned")
select(cache, turned)
bpy.context.scene.rigcast_solve.method = "TRAINER"
bpy.context.scene.rigcast_solve.smoothness = "0"
assert bpy.ops.rigcast.solve() == {"FINISHED"}
facts["by_trainer"] = float(np.abs(values(turned) - wanted).max())
plain = face.build("Plain", shapes=False)
facts["no_shot"] = error(lambda: (select(double), bpy.ops.rigcast.solve()))
other = bpy.data.objects.new("Other", bpy.data.meshes.new("Other"))
bpy.context.scene.collection.objects.link(other)
facts["other_mesh"] = error(lambda: (select(other, double), bpy.ops.rigcast.solve()))

# Transfer.
select(actor, plain)
assert bpy.ops.rigcast.transfer() == {"FINISHED"}
keys = plain.data.shape_keys.key_blocks
given = {name: np.array([tuple(p.co) for p in keys[name].data]) for name in face.SHAPES}
own = {name: np.array([tuple(p.co) for p in actor.data.shape_keys.key_blocks[name].data]) for name in face.SHAPES}
facts["transfer"] = [[key.name for key in keys], max(float(np.abs(given[name] - own[name]).max()) for name in given)]
small = face.build("Small", shapes=False)
small.data.clear_geometry()
small.data.from_pydata([(0, 0, 0), (1, 0, 0), (1, 0, 1)], [], [(0, 1, 2)])
facts["no_landmarks"] = error(lambda: (select(actor, small), bpy.ops.rigcast.transfer()))
start.tell(**facts)
