# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Inverse kinematics
#
# Points of a character go where they are wanted, and the rig follows: a face by its control points, tracked landmarks on another face, legs whose feet stand. Everything here is built in; `pip install "rigcast[report,notebooks,training]"` is all that it needs.
#
# `examples/performances.py` has a helper: put the repository's folder on `PYTHONPATH`. How-to: [Pose a character](../docs/how-to/pose_a_character.md), [feet that stand](../docs/how-to/clean_feet.md), [landmarks](../docs/how-to/landmarks.md).

# %% [markdown]
# ## Drag points of a face
#
# `rc.ik.Solver` keeps warm what depends on the model alone. Seven points are held where the jaw does not move them; the chin is dragged, frame after frame, to where an open jaw has it and farther to the side than the rig allows. The rig here is a mask of 22 shapes; any model will do: a learned body, skinning, blendshapes.

# %%
import time

import matplotlib.pyplot as plt
import numpy as np

import rigcast as rc
from examples.performances import far_apart

# %%
rig = rc.faces.example()
size = 1000 * rig.meters_per_unit  # millimeters per unit
shapes = rig.evaluate(np.eye(rig.num_shapes)) - rig.rest_vertices
travel = np.linalg.norm(shapes, axis=2).max(axis=0)
mobile = np.flatnonzero(travel > 0.2 * travel.max())

# %%
opening, aside = (shapes[rig.shape_names.index(name)] for name in ("jawOpen", "jawLeft"))
jaw = np.linalg.norm(opening, axis=1)
chin = int(jaw.argmax())
held = far_apart(rig, mobile[jaw[mobile] < 0.05 * jaw.max()], 7)
solver = rc.ik.Solver(rig, np.append(held, chin))
targets = np.repeat(rig.rest_vertices[None, solver.vertices].astype(float), 24, axis=0)
targets[:, -1] += np.linspace(0, 1, 24)[:, None] * (0.9 * opening[chin] + 1.6 * aside[chin])
drag = solver.solve(targets)
missed = size * drag.error[-1]
print(
    f"at the end the chin is {missed[-1]:.1f} mm from its target, held points {missed[:-1].mean():.2f} mm from theirs"
)
print("at their highest values:", ", ".join(k for k, side in drag.bounds_reached(-1).items() if side == "highest"))
shown = [0, 8, 16, 23]
rc.plot.side_by_side(rig, rig.evaluate(drag.poses[shown]), titles=[f"frame {t}" for t in shown], turn=20, width=200)

# %% [markdown]
# ## Networks that have learned the answers
#
# `rc.training.face_ik` trains a network per region, through the rig and without examples of answers. The answer is a continuous function of the points, at a constant cost; `polish` adds iterative steps over all regions. Errors are those of the rig, beside the best that any weights can do.

# %% tags=["parameters"]
steps = 400

# %%
points = far_apart(rig, mobile, 40)
settings = rc.training.FaceIkSettings(hidden=48, rows=2000, batch=64, bins=1, noise=1e-3)
networks = rc.training.face_ik(rig, points, steps=steps, settings=settings, threads=1)
rng = np.random.default_rng(1)
truth = rng.random((200, rig.num_shapes)) * (rng.random((200, rig.num_shapes)) < 0.5)
expressions = rig.evaluate(truth)
goals = expressions[:, points]


def on_the_rig(channels):
    return size * np.linalg.norm(rig.evaluate(channels)[:, points] - goals, axis=2).mean()


learned, polished = networks.solve(goals), networks.solve(goals, polish=5)
print(f"{len(networks.regions)} regions")
print(f"points off by {on_the_rig(learned.channels):.2f} mm, polished {on_the_rig(polished.channels):.3f} mm")
begin = time.perf_counter()
for goal in goals[:50]:
    networks.solve(goal, threads=1)
print(f"{1e6 * (time.perf_counter() - begin) / 50:.0f} us per answer")
some = [3, 11, 42]
pictures = np.concatenate([expressions[some], rig.evaluate(learned.channels[some])])
rc.plot.side_by_side(rig, pictures, titles=["wanted"] * 3 + ["found"] * 3, columns=3, turn=20, width=200)

# %% [markdown]
# ## Another actor's landmarks
#
# Tracked landmarks are in the actor's proportions and move with the head. `retarget_landmarks` takes out the motion of the head, as landmarks show it that expressions hardly move, and carries what is left to the character's own neutral. The actor here is half as large, wider, and nods.

# %%
actor_neutral = 0.5 * rig.rest_vertices[points] * [1.15, 1.0, 1.0]
still = np.flatnonzero(travel < 0.01 * travel.max())
still = still[np.linspace(0, len(still) - 1, 12).astype(int)]
play = np.clip(np.sin(np.linspace(0, 9, 60)[:, None] * rng.uniform(0.6, 1.4, rig.num_shapes)), 0, 1) * 0.7
moved = 0.5 * rig.evaluate(play)[:, np.concatenate([points, still])] * [1.15, 1.0, 1.0]
neutral = 0.5 * rig.rest_vertices[np.concatenate([points, still])] * [1.15, 1.0, 1.0]
nod = 0.3 * np.sin(np.linspace(0, 6, 60))
turns = np.stack([[[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]] for a in nod])
tracked = np.einsum("tij,tmj->tmi", turns, moved)

both = rig.rest_vertices[np.concatenate([points, still])]
steady = np.arange(len(points), len(points) + len(still))
carried = rc.ik.retarget_landmarks(tracked, neutral, both, steady=steady)[:, : len(points)]
performance = rc.ik.solve(rig, carried, points)
lost = size * np.linalg.norm(rig.evaluate(performance.channels) - rig.evaluate(play), axis=2).mean()
nodding = size * np.linalg.norm(2 * tracked[:, : len(points)] - 2 * moved[:, : len(points)], axis=2).mean()
print(f"the nod alone moves landmarks by {nodding:.0f} mm; the character's face is {lost:.2f} mm from the performance")
axes = rc.plot.curves({"found": performance.channels, "performed": play}, rig.shape_names, bounds=[0, 1])

# %% [markdown]
# ## Feet that stand
#
# A pelvis and two legs walk on the spot, then the pelvis is shaken as retargeting does. `foot_lock` finds when a toe stands and holds it; the knee follows in closed form (`rc.ik.Limb`).


# %%
def at(x, y, z):
    return [[1, 0, 0, x], [0, 1, 0, y], [0, 0, 1, z]]


feet = [[f"{joint}.{side}" for joint in ("hip", "knee", "ankle", "toe")] for side in "LR"]
leg = [at(0, -0.45, 0), at(0, -0.45, 0), at(0, -0.1, 0.12)]
parents = [-1, 0, 1, 2, 3, 0, 5, 6, 7]
skeleton = rc.Skeleton(
    ["pelvis", *feet[0], *feet[1]], parents, [at(0, 0.92, 0), at(0.1, 0, 0), *leg, at(-0.1, 0, 0), *leg]
)
fps, frames = 30, 90
phase = np.arange(frames) / fps
clip = np.tile(skeleton.rest.reshape(-1), (frames, 1))
for foot, x, start in zip(feet, [0.1, -0.1], [0.0, 0.5], strict=True):
    lift = 0.12 * np.maximum(np.sin(2 * np.pi * (phase + start)), 0) ** 2
    ankles = np.stack([np.full(frames, x), 0.1 + lift, np.zeros(frames)], axis=1)
    clip = rc.ik.Limb(skeleton, foot[:3], hinge=[1, 0, 0]).solve(clip, ankles).poses
clip[:, 3] += 0.05 * np.sin(2 * phase)
clip[:, 11] += 0.05 * np.cos(2 * phase)

clean = rc.ik.foot_lock(skeleton, clip, feet, fps=fps)
print(f"feet slide by up to {1000 * clean.slide_before.max():.0f} mm, then by {1000 * clean.slide_after.max():.4f} mm")
toe = skeleton.names.index("toe.L")
figure, chart = plt.subplots(figsize=(8, 2.6))
for label, poses in [("clip", clip), ("locked", clean.poses)]:
    chart.plot(phase, 1000 * skeleton.globals(poses)[:, toe, 2, 3], label=label)
chart.fill_between(phase, *chart.get_ylim(), where=clean.contacts[:, 0], alpha=0.12, label="stands")
chart.set(xlabel="seconds", ylabel="left toe along z, mm")
legend = chart.legend()

# %% [markdown]
# ## Inside joint limits
#
# A lock turns knees as far as it needs; a rig's knees have limits. `solve_motion` follows the same clip inside the ranges of the channels and holds the feet, too; what a knee may not do, hips and pelvis take over. `bake` gives keys.

# %%
channels = [rc.sources.RigChannel(f"pelvis.t{axis}", f"translate_{axis}", 0, -2.0, 2.0) for axis in "xyz"]
for joint, name in enumerate(skeleton.names):
    if joint == 0:
        continue
    low, high = {"hip": (-80, 60), "knee": (-2, 60), "ankle": (-40, 40), "toe": (-5, 5)}[name[:-2]]
    channels.append(rc.sources.RigChannel(f"{name}.rx", "rotate_x", joint, low, high))
    if name.startswith("hip"):
        channels.append(rc.sources.RigChannel(f"{name}.rz", "rotate_z", joint, -15, 15))
joints = rc.sources.Joints(list(skeleton.names), np.array(parents), skeleton.rest.astype(float))
skin = rc.sources.Skin(np.arange(9)[:, None], np.ones((9, 1)))
legs = rc.sources.SkinnedRig(
    skeleton.rest_globals[:, :, 3], [[1, 2, 3], [5, 6, 7]], joints, skin=skin, channels=channels
)

wanted = skeleton.globals(clip)[..., 3]
inside = rc.ik.solve_motion(legs, wanted, skeleton.names, fps=fps, feet=feet, lock={"hinge": [1, 0, 0]})
locked = rc.ik.bake(legs, clean.poses)
knee = legs.channel_names.index("knee.L.rx")
print(f"after the lock, a channel is up to {locked.beyond.max():.1f} degrees beyond its range; solved inside, 0")
print(f"feet slide by {1000 * inside.slide_after.max():.3f} mm; joints are {1000 * inside.error.mean():.0f} mm off")
print(rc.ik.bake(legs, inside.poses, tolerance=0.2))
figure, chart = plt.subplots(figsize=(8, 2.6))
chart.plot(phase, locked.channels[:, knee], label="locked")
chart.plot(phase, inside.channels[:, knee], label="solved inside the limits")
chart.axhline(legs.channel_ranges[knee, 1], color="gray", linestyle=":", label="limit")
chart.set(xlabel="seconds", ylabel="left knee, degrees")
legend = chart.legend()

# %% [markdown]
# ## The same from the command line
#
# ```
# rigcast ik hero.safetensors goals.npz -o poses.npz -o channels.csv
# ```
#
# `rc.ik` has more: viewing rays, orientations, distances, hard targets, eyes that look at points.
