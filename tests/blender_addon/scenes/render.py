"""A patch on one bone, rendered with motion blur and as an animation beside the same motion by a driver."""

import start

start.enable()

import bpy
import character
import numpy as np
from rigcast_blender import binding
from rigcast_blender.runtime import rr

WIDTH, FRAMES = 200, 48
SLOW, FAST = 0.4, 3.0  # units per frame
MODEL = start.ARGUMENTS[0]


def moves(item, speed):
    item.driver_add("location", 0).driver.expression = f"{speed} * (frame - 24.5)"


def glowing(item):
    material = bpy.data.materials.new("Glow")
    material.use_nodes = True
    material.node_tree.nodes.clear()
    light = material.node_tree.nodes.new("ShaderNodeEmission")
    made = material.node_tree.nodes.new("ShaderNodeOutputMaterial")
    material.node_tree.links.new(light.outputs[0], made.inputs["Surface"])
    item.data.materials.append(material)


def set_up(blur):
    scene = bpy.context.scene
    scene.render.engine, scene.cycles.samples = "CYCLES", 64 if blur else 4
    scene.cycles.use_denoising = scene.cycles.use_adaptive_sampling = False
    scene.cycles.device = "CPU"
    scene.render.use_motion_blur, scene.render.motion_blur_shutter = blur, 1.0
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = WIDTH, 20, 100
    scene.render.image_settings.file_format, scene.render.image_settings.color_mode = "PNG", "BW"
    scene.view_settings.view_transform = "Standard"
    scene.world = scene.world or bpy.data.worlds.new("World")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs[1].default_value = 0.0
    eye = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    eye.data.type, eye.data.ortho_scale = "ORTHO", 20.0
    eye.location = (0, 0, 10)
    scene.collection.objects.link(eye)
    scene.camera = eye


def seen(path):
    """Where the light is in an image: first and last lit column, and the center."""
    image = bpy.data.images.load(str(path))
    pixels = np.array(image.pixels[:]).reshape(20, WIDTH, 4)[:, :, 0].mean(axis=0)
    bpy.data.images.remove(image)
    lit = np.flatnonzero(pixels > 0.02 * pixels.max())
    return [int(lit[0]), int(lit[-1]), float((pixels * np.arange(WIDTH)).sum() / pixels.sum())]


def still(frame):
    bpy.context.scene.render.filepath = str(start.FOLDER / "still.png")
    bpy.context.scene.frame_set(frame)
    bpy.ops.render.render(write_still=True)
    return seen(start.FOLDER / "still.png")


def animation(name):
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    scene.render.filepath = str(start.FOLDER / f"{name}_####")
    bpy.ops.render.render(animation=True)
    return [seen(start.FOLDER / f"{name}_{frame:04}.png")[2] for frame in range(1, FRAMES + 1)]


def rendered(build):
    result = {}
    for blur in (True, False):
        character.clear()
        build(FAST if blur else SLOW)
        set_up(blur)
        result["blurred" if blur else "animation"] = still(25) if blur else animation(build.__name__)
    return result


def by_model(speed):
    model = rr.load(MODEL)
    rig = character.armature(model, still=True)
    moves(rig.pose.bones[0], speed)
    skin = character.mesh(model, rig)
    glowing(skin)
    binding.bind(skin, MODEL, rig)


def by_driver(speed):
    skin = character.mesh(rr.load(MODEL))
    glowing(skin)
    moves(skin, speed)


start.tell(model=rendered(by_model), driver=rendered(by_driver))
