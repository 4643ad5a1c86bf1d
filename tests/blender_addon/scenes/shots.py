"""Solves shots in which the head moves, from a cache and from Alembic, and transfers keys to another topology."""

import math

import start

start.enable()

import bpy
import face
import numpy as np
from rigcast_blender.faces import solve
from rigcast_blender.moving import at_frame, vertices_of

FINE = 17  # points along a side of the other topology, without the first
MARKS = {"nose": (0.0, 0.0), "left": (-0.5, 0.0), "right": (0.5, 0.0), "chin": (0.0, -0.5), "top": (0.0, 0.5)}
MARKS |= {f"corner {x} {z}": (x, z) for x in (-0.5, 0.5) for z in (-0.5, 0.5)}

for item in list(bpy.data.objects):  # a new file would disable the add-on
    bpy.data.objects.remove(item)


def select(*items):
    for other in bpy.context.view_layer.objects:
        other.select_set(other in items)
    bpy.context.view_layer.objects.active = items[-1]


def played(item, world=True):
    """Vertices (T, V, 3) of all frames."""
    frames = range(1, face.FRAMES + 1)
    return np.array([vertices_of(item, at_frame(frame), world=world) for frame in frames])


def values(item):
    """Values (T, K) of all frames."""
    found = []
    for frame in range(1, face.FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        found.append(values_now(item))
    return np.array(found)


def values_now(item):
    """Values (K,) as the frame is left."""
    return np.array([item.data.shape_keys.key_blocks[name].value for name in face.SHAPES])


def nod(item):
    """Keys of the whole object: it turns and goes aside."""
    for frame in range(1, face.FRAMES + 1):
        share = frame / face.FRAMES
        item.location = (0.2 * share, -0.1 * share, 0.05)
        item.rotation_euler = (0.4 * share, 0.0, 0.6 * math.sin(2.0 * share))
        item.keyframe_insert("location", frame=frame)
        item.keyframe_insert("rotation_euler", frame=frame)


def solved(shot, name, method, **given):
    """Errors of the values and, in the world, of the vertices in millimeters, after solving a shot for a new face."""
    target, settings = face.build(name), bpy.context.scene.rigcast_solve
    settings.method, settings.smoothness = method, "0"
    for key, value in given.items():
        setattr(settings, key, value)
    select(shot, target)
    bpy.context.scene.frame_set(2)
    assert bpy.ops.rigcast.solve() == {"FINISHED"}
    facts["first seen"] = max(facts.get("first seen", 0.0), float(np.abs(values_now(target) - wanted[1]).max()))
    apart = 1000.0 * np.linalg.norm(played(target) - played(shot), axis=2)
    return [float(np.abs(values(target) - wanted).max()), float(apart.max()), target[solve.ERROR]]


def finer():
    """The same place with more points, and landmarks on both."""
    plain = bpy.data.objects.new("Finer", bpy.data.meshes.new("Finer"))
    bpy.context.scene.collection.objects.link(plain)
    points = [(x / FINE - 0.5, 0.0, z / FINE - 0.5) for z in range(FINE + 1) for x in range(FINE + 1)]
    row = FINE + 1
    faces = [(z * row + x, z * row + x + 1, (z + 1) * row + x + 1, (z + 1) * row + x)
             for z in range(FINE) for x in range(FINE)]  # fmt: skip
    plain.data.from_pydata(points, [], faces)
    return plain, points


def mark(item):
    """A vertex group of one vertex at each landmark."""
    points = np.array([tuple(vertex.co) for vertex in item.data.vertices])
    for name, (x, z) in MARKS.items():
        nearest = int(np.linalg.norm(points - [x, 0.0, z], axis=1).argmin())
        item.vertex_groups.new(name=f"landmark_{name}").add([nearest], 1.0, "REPLACE")


actor = face.build("Actor")
face.perform(actor)
nod(actor)
wanted, facts = values(actor), {}
settings = bpy.context.scene.rigcast_bake
select(actor)
settings.kind, settings.path = "PC2", str(start.FOLDER / "actor")
assert bpy.ops.rigcast.bake() == {"FINISHED"}
cache = bpy.context.active_object

facts["head"] = solved(cache, "Nodding", "TRAINER", space="LOCAL", head=True, key_head=True)
shown = facts.pop("first seen")
facts["without head"] = solved(cache, "Held", "TRAINER", space="LOCAL", head=False)

facts["first seen"], facts["alembic"] = shown, None
if "alembic_import" in dir(bpy.ops.wm):  # Debian's Blender has none
    select(actor)
    settings.kind = "ALEMBIC"
    assert bpy.ops.rigcast.bake() == {"FINISHED"}
    known = set(bpy.data.objects)
    bpy.ops.wm.alembic_import(filepath=str(start.FOLDER / "actor.abc"), as_background_job=False)
    shot = next(item for item in set(bpy.data.objects) - known if item.type == "MESH")
    facts["alembic"] = [shot.modifiers[0].type, *solved(shot, "From Alembic", "TRAINER", space="WORLD", head=True)]

target, points = finer()
mark(actor)
mark(target)
select(actor, target)
assert bpy.ops.rigcast.transfer() == {"FINISHED"}
keys, apart = target.data.shape_keys.key_blocks, {}
for name, (x, z) in face.SHAPES.items():
    given = np.array([tuple(p.co) for p in keys[name].data]) - points
    amount = np.array([math.exp(-20.0 * ((a - x) ** 2 + (b - z) ** 2)) for a, _, b in points])
    expected = amount[:, None] * [0.02, -0.1, 0.03]
    apart[name] = float(np.linalg.norm(given - expected, axis=1).max() / np.linalg.norm(expected, axis=1).max())
facts["landmarks"] = apart
start.tell(**facts)
