"""Runs inside Blender: opens what was written as an artist would, and saves what it shows. Arguments: FOLDER.

The result is FOLDER/seen.npz: world positions (T, V, 3) for every file, z up, and the rate and unit that Blender has.
"""

import sys
from pathlib import Path

import bpy
import numpy as np

FOLDER = Path(sys.argv[sys.argv.index("--") + 1])
FPS, FRAMES = 48, 9
seen = {}


def empty():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = FPS, 1.0


def mesh_frames(first, skinned=False):
    """World positions of the only mesh, or the only one with weights, at frames first to first + T - 1."""
    (item,) = [item for item in bpy.data.objects if item.type == "MESH" and (item.vertex_groups or not skinned)]
    frames = []
    for frame in range(first, first + FRAMES):
        bpy.context.scene.frame_set(frame)
        evaluated = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
        points = np.empty((len(evaluated.data.vertices), 3), np.float32)
        evaluated.data.vertices.foreach_get("co", points.reshape(-1))
        matrix = np.array(evaluated.matrix_world, np.float64)
        frames.append(points @ matrix[:3, :3].T + matrix[:3, 3])
    return np.array(frames)


def facts():
    scene = bpy.context.scene
    rate = scene.render.fps / scene.render.fps_base
    return [rate, scene.unit_settings.scale_length, scene.frame_start, scene.frame_end]


def play_cache(path):
    """A mesh of the artist's own with the cache as modifier."""
    empty()
    data = bpy.data.meshes.new("own")
    data.from_pydata(np.zeros((5, 3)).tolist(), [], [])
    item = bpy.data.objects.new("own", data)
    bpy.context.scene.collection.objects.link(item)
    cache = item.modifiers.new("Mesh Cache", "MESH_CACHE")
    cache.cache_format = path.suffix[1:].upper()
    cache.filepath = str(path)
    cache.frame_start = 1.0
    by_frame = mesh_frames(1)
    if cache.cache_format == "MDD":
        cache.time_mode, cache.frame_start = "TIME", 1.0 / FPS
        seen["mdd by seconds"] = mesh_frames(1)
    return by_frame


def play_skeleton(path):
    """Of all bones by name: world positions of their heads, and world rotations away from rest."""
    empty()
    bpy.ops.import_anim.bvh(filepath=str(path), update_scene_fps=True)
    (item,) = bpy.data.objects
    seen["bvh facts"] = facts()
    seen["bvh names"] = np.array([bone.name for bone in item.pose.bones])
    heads, turns = [], []
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        heads.append([item.matrix_world @ bone.head for bone in item.pose.bones])
        at_rest = [item.matrix_world @ bone.bone.matrix_local for bone in item.pose.bones]
        posed = [item.matrix_world @ bone.matrix for bone in item.pose.bones]
        turns.append([np.array(p @ r.inverted())[:3, :3] for p, r in zip(posed, at_rest, strict=True)])
    seen["bvh heads"], seen["bvh turns"] = np.array(heads), np.array(turns)


bpy.ops.wm.open_mainfile(filepath=str(FOLDER / "m.blend"))
seen["blend facts"], seen["blend"] = facts(), mesh_frames(1)
for ending in ("pc2", "mdd"):
    seen[ending] = play_cache(FOLDER / f"other.{ending}")
empty()
bpy.ops.import_scene.gltf(filepath=str(FOLDER / "m.glb"))
seen["glb"] = mesh_frames(0)
empty()
bpy.ops.import_scene.gltf(filepath=str(FOLDER / "skinned.glb"))
seen["skinned glb"] = mesh_frames(0, skinned=True)
if (FOLDER / "skinned.usda").exists():
    empty()
    bpy.ops.wm.usd_import(filepath=str(FOLDER / "skinned.usda"))
    seen["skinned usd"] = mesh_frames(1, skinned=True)
empty()
bpy.ops.import_scene.gltf(filepath=str(FOLDER / "shapes.glb"))
seen["shapes glb"] = mesh_frames(0, skinned=True)
if (FOLDER / "shapes.usda").exists():
    empty()
    bpy.ops.wm.usd_import(filepath=str(FOLDER / "shapes.usda"))
    seen["shapes usd"] = mesh_frames(1, skinned=True)
play_skeleton(FOLDER / "m.bvh")
if (FOLDER / "m.abc").exists():
    empty()
    bpy.ops.wm.alembic_import(filepath=str(FOLDER / "m.abc"), set_frame_range=True, as_background_job=False)
    seen["abc facts"], seen["abc"] = facts(), mesh_frames(1)
np.savez(FOLDER / "seen.npz", **seen)
