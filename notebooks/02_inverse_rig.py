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
# # The inverse rig
#
# An artist's rig turns weights into a mesh. This notebook goes the other way: from a moving mesh back to weights that are sparse, smooth and editable.
#
# - `pip install "rigcast[report,notebooks]"`
# - The face: `git clone https://github.com/ICT-VGL/ICT-FaceKit` (MIT; USC Institute for Creative Technologies).
# - Its controls and captured curves: `git clone https://github.com/facebookresearch/compskin` (Apache-2.0; Meta Platforms).
#
# Both lie in the folder `data`, or in the one that the environment variable `RIGCAST_DATA` names. Without them the built-in mask plays invented curves.
#
# `examples/performances.py` chooses the data: put the repository's folder on `PYTHONPATH`. How-to: [Markers and pins](../docs/how-to/markers_and_pins.md).

# %% [markdown]
# ## A rig and a performance
#
# A blendshape rig is a neutral mesh, one shape per weight, and combinations: corrections that act when several weights are on together, and in-betweens that act half-way. The ICT face has 26,719 vertices. Its shapes are mapped to the 72 controls of compskin, whose 215 combinations are constructed, which takes a minute. The first 200 captured frames are a performance.
#
# `rc.sources.load_blendshapes` reads rigs from glTF, Blender or `.npz`; `rc.BlendshapeRig(neutral, deltas, combinations, names)` makes one of your own arrays.

# %%
import textwrap

import numpy as np

import rigcast as rc
from examples.performances import performed_face, scratch_folder

# %%
folder, (rig, truth) = scratch_folder(), performed_face()
names, size = rig.shape_names, 1000 * rig.metadata["meters_per_unit"]  # millimeters per unit
performance = rig.evaluate(truth)
print(f"{len(rig.rest_vertices):,} vertices, {rig.num_shapes} shapes, {len(rig.combinations)} combinations")
print(f"{len(truth)} frames with {(truth > 0.02).sum(axis=1).mean():.0f} weights on at a time")
strip = (np.array([0.1, 0.3, 0.45, 0.6, 0.8, 0.98]) * len(truth)).astype(int)
titles = [f"frame {frame}" for frame in strip]
rc.plot.side_by_side(rig, performance[strip], titles=titles, turn=15, width=160)

# %% [markdown]
# ## The shapes
#
# A contact sheet shows every shape at full weight. Here are the twelve that the performance uses most.

# %%
used = np.argsort(-truth.mean(axis=0))[:12]
rc.plot.contact_sheet(rig, np.eye(len(names))[used], [names[k] for k in used], columns=6, width=130)

# %% [markdown]
# ## Solve
#
# A scanner sees each vertex with noise of 0.2 mm. `solve` minimizes, over the box of the weights,
#
#     Σₜ |f(wₜ) − bₜ|²  +  α Σₜ Σₖ wₜₖ  +  s Σₜ |wₜ₋₁ − 2 wₜ + wₜ₊₁|²
#
# with all combinations in f, and reports for each frame how far it is from an optimum.

# %%
noise = np.random.default_rng(0).normal(0, 0.2 / size, performance.shape).astype(np.float32)
shot = performance + noise
found = rc.inverse.solve(rig, shot, alpha=0.1)
print(f"weights off by {np.abs(found.weights - truth).mean():.4f} on average")
print(f"{found.converged.sum()} of {len(shot)} frames at an optimum, {len(shot) / found.seconds:,.0f} per second")

# %%
axes = rc.plot.curves(found.weights, names, truth=truth, chosen=[names[k] for k in used[:6]], bounds=(0, 1))

# %% [markdown]
# The mesh that the weights make lies within the noise of the true one. Below: the shot, the solved mesh, and its distance from the true mesh.

# %%
solved = rig.evaluate(found.weights)
off = size * np.linalg.norm(solved - performance, axis=2)
print(f"the solved mesh is {off.mean():.3f} mm off on average, {off.max():.2f} mm at most")
rc.plot.side_by_side(
    rig,
    np.concatenate([shot[strip], solved[strip], solved[strip]]),
    values=[None] * 12 + list(off[strip]),
    unit="mm",
    titles=titles + ["solved"] * 6 + [f"mean {off[frame].mean():.3f} mm" for frame in strip],
    columns=6,
    turn=15,
    width=116,
)

# %% [markdown]
# ## Which alpha?
#
# A larger alpha gives fewer weights and more error. `trade_off` measures both on a few frames that are apart, and chooses the elbow of the curve. Its unit is that of a squared length, as the first term's.

# %%
curve = rc.inverse.trade_off(rig, shot, count=6)
print(f"alpha at the elbow: {curve.alpha:g}")
axes = curve.plot()

# %% [markdown]
# ## Markers and smoothness
#
# Eighty tracked points instead of the whole mesh: one in the middle of every shape, so that each shape is seen, the others anywhere. Their noise is that of a camera, 0.5 mm. A smoothness term stands against it, and the whole mesh follows.

# %%
columns = rig.columns()
middles = np.unique(np.linalg.norm(columns[: rig.num_shapes], axis=2).argmax(axis=1))
others = np.setdiff1d(np.flatnonzero(columns[: rig.num_shapes].any(axis=(0, 2))), middles)
rng = np.random.default_rng(1)
markers = np.concatenate([middles, rng.choice(others, 80 - len(middles), replace=False)])
tracked = performance[:, markers] + rng.normal(0, 0.5 / size, (len(truth), len(markers), 3))
solutions = {
    "smooth": rc.inverse.solve(rig, tracked, alpha=0.001, vertices=markers, smoothness=0.5).weights,
    "frame by frame": rc.inverse.solve(rig, tracked, alpha=0.001, vertices=markers).weights,
}
for label, weights in solutions.items():
    away = size * np.linalg.norm(rig.evaluate(weights) - performance, axis=2)
    jitter = np.abs(np.diff(weights, n=2, axis=0)).mean()
    print(f"{label:14} whole mesh {away.mean():.3f} mm off, jitter of the weights {jitter:.4f}")
axes = rc.plot.curves(solutions, names, truth=truth, chosen=[names[k] for k in used[:3]], bounds=(0, 1))

# %% [markdown]
# ## Pinned weights
#
# An artist wants the brows still in the second half of the shot. Pinned weights stay as they are given, and the rest is solved around them.

# %%
half = len(truth) // 2
brows = [k for k, name in enumerate(names) if "brow" in name.lower()]
pins = np.full(truth.shape, np.nan)  # NaN: free
pins[half:, brows] = 0.0
pinned = rc.inverse.solve(rig, shot, alpha=0.1, fixed=pins)
print("brows in the second half:", np.abs(pinned.weights[half:, brows]).max())

frame = half + int(pinned.rmse[half:].argmax())
states = np.stack([shot[frame], *rig.evaluate(np.stack([found.weights[frame], pinned.weights[frame]]))])
apart = size * np.linalg.norm(states[1:] - shot[frame], axis=2)
rc.plot.side_by_side(
    rig,
    states[[0, 1, 2, 1, 2]],
    values=[None] * 3 + list(apart),
    unit="mm",
    titles=["shot", "solved", "pinned", *(f"mean {distance.mean():.2f} mm" for distance in apart)],
    turn=15,
    width=150,
)

# %% [markdown]
# ## Export
#
# A saved solution opens again with everything it says. Other programs get their own formats: `.csv` (the layout of Live Link Face), `.glb` (an animation that any viewer plays), `.py` (a script that keys the shape keys in Blender). Writers return notes on what a format cannot hold.

# %%
found.save(folder / "weights.npz", names=names, fps=30)
again = rc.inverse.Solution.load(folder / "weights.npz")
print("opened again:", np.array_equal(again.weights, found.weights))
for name in ("weights.csv", "face.glb"):
    notes = rc.exports.write_blendshape_weights(folder / name, rig, found.weights, fps=30)
    print(f"{name}: {(folder / name).stat().st_size / 1e6:.1f} MB")
    for note in notes:
        print(" ", textwrap.shorten(note, 110))

# %% [markdown]
# ## The same from the command line
#
# ```
# rigcast info face.safetensors
# rigcast solve face.safetensors take.npy --fps 30 -o weights.npz -o weights.csv   # alpha: the elbow; Ctrl-C loses nothing
# rigcast solve face.safetensors scans/ --fps 30 -o weights.glb --smoothness auto --markers markers.txt --pins pins.npy
# rigcast report face.safetensors --shot take.npy --weights weights.npz -o take.html
# ```
