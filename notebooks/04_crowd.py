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
# # A crowd with level of detail
#
# Many faces of one rig play clips at once. Shapes are ordered by importance, and a face that is far away is evaluated with the first few of them only: how few follows from an error in pixels.
#
# - `pip install "rigcast[report,notebooks]"`
# - The face: `git clone https://github.com/ICT-VGL/ICT-FaceKit` (MIT; USC Institute for Creative Technologies).
# - Its controls and captured curves: `git clone https://github.com/facebookresearch/compskin` (Apache-2.0; Meta Platforms).
#
# Both lie in the folder `data`, or in the one that the environment variable `RIGCAST_DATA` names. Without them the built-in mask plays invented curves.
#
# `examples/performances.py` chooses the data: put the repository's folder on `PYTHONPATH`. How-to: [Crowds](../docs/how-to/crowds.md).

# %% [markdown]
# ## A crowd
#
# A `Crowd` holds a rig and clips of weights. A frame takes a clip and a frame index per head; heads that share both are computed once. Here the 200 captured frames of compskin's performance are cut into four clips, and every head starts at a moment of its own.

# %%
import time

import numpy as np

import rigcast as rc
from examples.performances import performed_face

# %%
rig, performance = performed_face(frames=200, end=20.0)
clips = np.array_split(performance, 4)
order = rc.crowd.importance_order(rig)
crowd = rc.crowd.Crowd(rig, clips, order)
print(crowd)

# %%
across, deep = 8, 6
rng = np.random.default_rng(0)
clip = rng.integers(0, len(clips), across * deep)
frame = rng.uniform(0, crowd.num_frames[clip] - 1)
row, column = np.divmod(np.arange(across * deep), across)
wide, high, _ = np.ptp(rig.rest_vertices, axis=0)
places = np.stack([1.1 * wide * column, 0.8 * high * row, -1.5 * wide * row], axis=1)  # a grandstand
rc.plot.group(rig, crowd.evaluate(clip, frame), places, turn=0, rise=5)

# %% [markdown]
# ## The order of importance
#
# `importance_order` ranks shapes by how far each one moves the face (`"rms"`, the default), by other measures of geometry or of pictures, or by scores of your own (Carrigan 2020, chapter 5). A score that knows how much the clips use each shape fits those clips better. The error of a *prefix*, the first n shapes of an order, is measured on every frame.

# %%
use = np.sqrt(np.square(performance).mean(axis=0))
orders = {
    "importance in these clips": rc.crowd.importance_order(rig, use * rc.crowd.importance(rig)),
    "importance": order,
    "as in the file": np.arange(rig.num_shapes),
}
millimeters = 1000 * rig.metadata["meters_per_unit"]
some = performance[::8]
errors = {}
for label, ranking in orders.items():
    measured = rc.crowd.level_of_detail_errors(rig, ranking, some)
    errors[label] = millimeters * np.sqrt(np.square(measured.rms).mean(axis=0))
    print(f"{label:26} half of the shapes: {errors[label][rig.num_shapes // 2]:.2f} mm RMS")
axis = rc.plot.lines(np.arange(rig.num_shapes + 1), errors, xlabel="shapes evaluated", ylabel="RMS error, mm")

# %% [markdown]
# ## Distance decides
#
# A camera turns millimeters into pixels. `LevelOfDetail` chooses the shortest prefix whose largest error stays below a number of pixels. Given clips, errors are *measured* on them; without clips they are *bounds* that hold for all weights, and several times larger.

# %%
camera = rc.crowd.Camera(field_of_view=40, image_height=1080)
detail = rc.crowd.LevelOfDetail(rig, orders["importance in these clips"], some)
bound = rc.crowd.LevelOfDetail(rig, orders["importance in these clips"])
meters = np.geomspace(0.5, 64, 60)
distance = 1000 * meters / millimeters
prefixes = {
    "one pixel": detail.prefix(distance, camera, pixels=1.0),
    "half a pixel": detail.prefix(distance, camera, pixels=0.5),
    "one pixel, any weights": bound.prefix(distance, camera, pixels=1.0),
}
axis = rc.plot.lines(meters, prefixes, xlabel="distance, m", ylabel="shapes needed")
axis.set(xscale="log", xticks=[0.5, 1, 2, 4, 8, 16, 32, 64], xticklabels=["0.5", "1", "2", "4", "8", "16", "32", "64"])
axis.minorticks_off()

# %% [markdown]
# One frame with the prefixes that one pixel allows at four distances: what is left out is small, and where it is.

# %%
liveliest = int(np.linalg.norm(rig.evaluate(performance) - rig.rest_vertices, axis=(1, 2)).argmax())
near = np.array([0.5, 2.0, 8.0, 32.0])
shapes = detail.prefix(1000 * near / millimeters, camera)
one = rc.crowd.Crowd(rig, [performance], detail.order)
states = one.evaluate(0, np.full(4, liveliest), shapes)
full = one.evaluate(0, liveliest)
off = millimeters * np.linalg.norm(states - full, axis=2)
titles = [f"{m:g} m: {n} of {rig.num_shapes}" for m, n in zip(near, shapes, strict=True)]
rc.plot.side_by_side(
    rig,
    np.concatenate([states, states]),
    values=[None] * 4 + list(off),
    unit="mm",
    titles=titles + [f"at most {distance.max():.1f} mm" for distance in off],
    columns=4,
    turn=15,
    width=200,
)

# %% [markdown]
# ## The crowd again
#
# Two hundred heads stand 1 to 40 meters away. Each takes the prefix that one pixel allows at its distance. The picture shows every fourth of them, the nearest in the lowest row; color is the number of shapes that a head takes.

# %%
heads = 200
crowd = rc.crowd.Crowd(rig, clips, detail.order)
clip = rng.integers(0, len(clips), heads)
frame = rng.uniform(0, crowd.num_frames[clip] - 1)
away = np.sort(rng.uniform(1, 40, heads))
prefix = detail.prefix(1000 * away / millimeters, camera)
print(f"shapes per head: {prefix.max()} in front, {prefix.mean():.1f} on average, {prefix.min()} at the back")

shown = np.arange(0, heads, heads // 48)[:48]
rc.plot.group(
    rig,
    crowd.evaluate(clip[shown], frame[shown], prefix[shown]),
    places,
    values=prefix[shown],
    top=rig.num_shapes,
    turn=0,
    rise=5,
)

# %% [markdown]
# ## Time per head
#
# Processor time on one thread: all shapes, the prefixes of the distances, and a crowd that plays only ten different moments. There `instances` evaluates each distinct head once, for a renderer that draws instances.

# %%
out = np.empty((heads, *rig.rest_vertices.shape), np.float32)


def milliseconds(function, *arguments, **options):
    """Per head, in the fastest of twenty calls."""
    seconds = []
    for _ in range(20):
        begin = time.process_time()
        function(*arguments, **options, threads=1)
        seconds.append(time.process_time() - begin)
    return 1000 * min(seconds) / heads


moments = rng.integers(0, 10, heads)
shared = clip[moments], frame[moments], np.full(heads, prefix[0])
print(f"all shapes       {milliseconds(crowd.evaluate, clip, frame, out=out):.3f} ms per head")
print(f"level of detail  {milliseconds(crowd.evaluate, clip, frame, prefix, out=out):.3f} ms per head")
print(f"ten moments      {milliseconds(crowd.instances, *shared):.3f} ms per head")
print(f"{len(crowd.instances(*shared).vertices)} distinct heads for {heads}")

# %% [markdown]
# On a GPU, `crowd.evaluate_on_device(..., device="cuda")` leaves the vertices there, for a renderer.
