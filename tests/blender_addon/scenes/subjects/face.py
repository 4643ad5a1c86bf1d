"""A face made inside Blender: a grid with four shape keys, one of them driven; and a performance of it."""

import math

import bpy

SIDE, FRAMES = 12, 6
SHAPES = {"open": (0.0, -0.3), "smile": (0.35, 0.1), "brow": (-0.3, 0.4)}  # where they act


def build(name="Face", shapes=True, move=(0.0, 0.0, 0.0)):
    """A grid in the plane of X and Z, with shape keys that push parts of it forward."""
    points = [(x / SIDE - 0.5, 0.0, z / SIDE - 0.5) for z in range(SIDE + 1) for x in range(SIDE + 1)]
    row = SIDE + 1
    faces = [(z * row + x, z * row + x + 1, (z + 1) * row + x + 1, (z + 1) * row + x)
             for z in range(SIDE) for x in range(SIDE)]  # fmt: skip
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([tuple(p + m for p, m in zip(point, move, strict=True)) for point in points], [], faces)
    item = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(item)
    if shapes:
        item.shape_key_add(name="Basis", from_mix=False)
        for shape, (x, z) in SHAPES.items():
            push(item.shape_key_add(name=shape, from_mix=False), points, x, z)
        driven = item.shape_key_add(name="both", from_mix=False)
        push(driven, points, 0.2, -0.2)
        curve = driven.driver_add("value").driver
        curve.expression = "0.0"
    return item


def push(key, points, x, z):
    for point, (a, _, b) in zip(key.data, points, strict=True):
        amount = math.exp(-20.0 * ((a - x) ** 2 + (b - z) ** 2))
        point.co = (a + 0.02 * amount, -0.1 * amount, b + 0.03 * amount)


def performance(frame):
    """The values of the shapes in a frame."""
    share = frame / FRAMES
    return {"open": share, "smile": 0.5 * (1.0 - share), "brow": 0.3 + 0.4 * math.sin(3.0 * share)}


def perform(item):
    """Key the performance on a face."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    for frame in range(1, FRAMES + 1):
        for name, value in performance(frame).items():
            key = item.data.shape_keys.key_blocks[name]
            key.value = value
            key.keyframe_insert("value", frame=frame)
