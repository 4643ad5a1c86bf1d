"""What models bind to: faces by keys and properties, parts, other axes and units, moved armatures; and refusals."""

import start

start.enable()

import bpy
import character
import numpy as np
from mathutils import Matrix
from rigcast_blender import binding, evaluation, live, points
from rigcast_blender.runtime import rr

TUBE, PARTS, TURNED, FACE = start.ARGUMENTS
told = {}


def refusal(*given):
    try:
        binding.bind(*given)
    except binding.BindError as error:
        return str(error)
    return ""


def seen(item):
    bpy.context.view_layer.update()
    return character.shown(item)


def fresh(path):
    model = rr.load(path)
    character.clear()
    rig = character.armature(rr.load(TUBE))
    bpy.context.scene.frame_set(9)
    return model, rig


# a moved armature carries its mesh; a moved mesh object stays on its armature
model, rig = fresh(TUBE)
skin = character.mesh(model, rig)
binding.bind(skin, TUBE)
still = seen(skin)
place = Matrix.Translation((1.0, 2.0, 3.0)) @ Matrix.Rotation(0.7, 4, "Z") @ Matrix.Scale(2.0, 4)
rig.matrix_world = place
moved = np.array([place @ Matrix.Translation(point).translation for point in still.tolist()])
told["moved armature"] = float(np.abs(seen(skin) - moved).max())
skin.parent = None
skin.location = (5.0, 0.0, 0.0)
told["moved mesh"] = float(np.abs(seen(skin) - moved).max())
told["confidence"] = [skin.rigcast.confidence, skin.rigcast.outside]

# the blend from the original to the model, and live switched off
model, rig = fresh(TUBE)
skin = character.mesh(model, rig)
original = seen(skin).copy()
skin.vertex_groups.new(name=rig.pose.bones[0].name).add(range(len(skin.data.vertices)), 1.0, "REPLACE")
by_armature = seen(skin).copy()
binding.bind(skin, TUBE)
by_model = seen(skin).copy()
skin.rigcast.blend = 0.0
told["blend 0"] = float(np.abs(seen(skin) - by_armature).max())
skin.rigcast.blend = 0.5
told["blend 0.5"] = float(np.abs(seen(skin) - 0.5 * (by_armature + by_model)).max())
skin.rigcast.blend = 1.0
told["blend 1"] = float(np.abs(seen(skin) - by_model).max())
skin.rigcast.live = False
told["not live"] = float(np.abs(seen(skin) - by_armature).max())
told["they differ"] = float(np.abs(by_model - by_armature).max())
skin.rigcast.live = True
skin.rigcast.show = "ERROR_BOUND"
bpy.context.scene.frame_set(10)
told["no bound"] = [skin.rigcast.message, skin.rigcast.live]
subdivided = skin.modifiers.new("Subdivision", "SUBSURF")
told["a subdivision after it"] = len(seen(skin)) > 2 * model.num_vertices

# the same character in centimeters with y up
model, rig = fresh(TURNED)
own = rr.load(TUBE)
skin = character.mesh(own, rig)
binding.bind(skin, TURNED)
other = character.mesh(own, rig, "Other")
binding.bind(other, TUBE)
told["other axes and unit"] = float(np.abs(seen(skin) - seen(other)).max())

# parts as objects; a hidden one is not computed
model, rig = fresh(PARTS)
whole = model.evaluate(model.rest_pose)
items = [character.part(model, rig, name) for name in model.parts]
for item in items:
    binding.bind(item, PARTS)
told["parts"] = [item.rigcast.part for item in items]
row = evaluation.pose_row(items[0], bpy.context.evaluated_depsgraph_get())
made = model.evaluate(row)
rows = [np.flatnonzero(model.vertex_parts == place) for place in range(len(items))]
told["each part"] = max(
    float(np.abs(seen(item) - made[chosen]).max()) for item, chosen in zip(items, rows, strict=True)
)
items[0].hide_viewport = True
bpy.context.scene.frame_set(20)
row = evaluation.pose_row(items[1], bpy.context.evaluated_depsgraph_get())
told["the shown part"] = float(np.abs(seen(items[1]) - model.evaluate(row)[rows[1]]).max())
told["computed"] = [evaluation.character_of(items[1]).session.model.num_vertices, len(rows[1])]
items[0].hide_viewport = False
told["shown again"] = float(np.abs(seen(items[0]) - model.evaluate(row)[rows[0]]).max())

# faces by shape keys, and by properties
model = rr.load(FACE)
character.clear()
names = model.control_names
for kind in ("keys", "properties"):
    face = character.upright(model, kind)
    for name in ["Basis", *names] if kind == "keys" else ():
        face.shape_key_add(name=name, from_mix=False).value = 0.0  # Blender 5.3 makes it 1
    for name in names if kind == "properties" else ():
        face[name] = 0.0
    binding.bind(face, FACE)
    if kind == "keys":
        face.data.shape_keys.key_blocks[names[3]].value = 0.75
    else:
        face.driver_add(f'["{names[3]}"]').driver.expression = "0.25 * frame"
    bpy.context.scene.frame_set(3)
    weights = np.zeros(len(names))
    weights[3] = 0.75
    wanted = character.standing(model.evaluate(weights))
    told[f"face by {kind}"] = float(np.abs(seen(face) - wanted).max())
    told["a face moves"] = float(np.abs(wanted - character.standing(model.rest_vertices)).max())
bare = character.upright(model, "bare")
bare["jawOpn"] = 0.0
told["no control"] = refusal(bare, FACE)

# refusals
model, rig = fresh(TUBE)
skin = character.mesh(model, rig)
told["missing file"] = refusal(skin, "/nowhere/hero.safetensors")
told["other mesh"] = refusal(character.mesh(rr.load(FACE), rig, "Face"), TUBE)
rig.data.bones[1].name = "uper.L"
told["meant"] = refusal(skin, TUBE)
rig.data.bones[1].name = "UPPER_L"
told["by other signs"] = refusal(skin, TUBE)
skin.modifiers.clear()
skin.parent = None
told["no armature"] = refusal(character.mesh(model, None, "Alone"), TUBE)
told["untouched"] = [skin.rigcast.points is not None, len(skin.modifiers)]

# whatever goes wrong in a handler is said once
model, rig = fresh(TUBE)
skin = character.mesh(model, rig)
binding.bind(skin, TUBE)
said, live.print = [], lambda *words, **_: said.append(words)
live.traceback = type("Silent", (), {"print_exc": staticmethod(lambda: None)})


def broken(*_):
    raise RuntimeError("a fault")


written, points.write = points.write, broken
for frame in range(1, 6):
    bpy.context.scene.frame_set(frame)
told["fault"] = [skin.rigcast.message, skin.rigcast.live, len(said)]
points.write = written
bpy.app.handlers.frame_change_post.clear()
bpy.app.handlers.depsgraph_update_post.clear()
start.tell(**told)
