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
# # A directed minute from a few seconds of clips
#
# Some seconds of animation per label are learned, and a minute follows that no one animated: the face idles, changes its expression when told, and plays an original clip in between. The method is chapter 5 of Bailey's dissertation (2020): Gaussian process latent variable models, and a particle that wanders in their latent spaces.
#
# - `pip install "rigcast[report,notebooks]"`
# - The face: `git clone https://github.com/ICT-VGL/ICT-FaceKit` (MIT; USC Institute for Creative Technologies).
# - Its controls and captured curves: `git clone https://github.com/facebookresearch/compskin` (Apache-2.0; Meta Platforms).
#
# Both lie in the folder `data`, or in the one that the environment variable `RIGCAST_DATA` names. Without them the built-in mask moves by invented curves.
#
# `examples/performances.py` chooses the data: put the repository's folder on `PYTHONPATH`. How-to: [Animate without end](../docs/how-to/animate_without_end.md).

# %% [markdown]
# ## Labelled clips
#
# Clips are rows of weights with a label. compskin's file holds a performance and ranges of motion, which are cut here where the face is near rest. The file states no frame rate: 60 per second is our assumption. Lids are set to zero, since blinks become a layer of their own further down.

# %%
import itertools
import json
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import rigcast as rc
from examples.performances import labelled_face

# %%
face, lids, clips = labelled_face()
strongest = [max((row for clip in own for row in clip.controls), key=np.linalg.norm) for own in clips.values()]
rc.plot.contact_sheet(face, strongest, list(clips), columns=5, width=130)

# %% [markdown]
# ## Learning
#
# Controls are scaled by what they do to the mesh, reduced to principal components, and embedded with priors on dynamics and connectivity. Every fifth block of 12 frames is held out first, to choose the dimensions and to judge: the closest latent point is compared with as many principal components and with the nearest training frame. Where a label says *not worth more*, its clips are so simple, or so short, that components or the clips themselves rebuild held-out frames as well.

# %%
begin = time.perf_counter()
synth = rc.synthesis.fit(clips, fps=24, rig=face)
print(synth, f"in {time.perf_counter() - begin:.0f} s")
print(f"{len(synth.dropped)} controls stay at their mean, such as {next(iter(synth.dropped.items()))}")
for label, space in synth.spaces.items():
    print(f"{label:12} {len(space):3} frames, {space.num_dimensions} of {space.num_components}: ", end="")
    print("too short to hold frames out" if space.held_out is None else space.held_out.summary())

# %% [markdown]
# The latent spaces, seen along their two widest directions. Lines are clips; the background is the predictive variance, through the mean point: dark means far from all clips, where no pose can be trusted.

# %%
shown = list(synth.spaces.values())[:6]
figure, axes = plt.subplots(1, len(shown), figsize=(1.7 * len(shown), 1.9), layout="constrained")
for axis, space in zip(np.atleast_1d(axes), shown, strict=True):
    center = space.points.mean(axis=0)
    rows = np.linalg.svd(space.points - center, full_matrices=False)[2][:2]
    flat = (space.points - center) @ rows.T
    reach = 1.3 * np.abs(flat).max()
    ticks = np.linspace(-reach, reach, 40)
    grid = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
    variance = space.latent.predictive_variance(center + grid @ rows).reshape(40, 40)
    axis.imshow(variance, extent=(-reach, reach, -reach, reach), origin="lower", cmap="Greys", vmin=0)
    for segment in space.segments:
        axis.plot(*flat[segment.begin : segment.end].T, linewidth=1)
    axis.set(title=space.label, xticks=[], yticks=[])

# %% [markdown]
# Labels are bridged where their poses match on the mesh. A label without a match within the threshold is reached through others.

# %%
distances = np.full((len(synth.labels),) * 2, np.nan)
for (a, b), bridge in synth.bridges.items():
    distances[synth.labels.index(a), synth.labels.index(b)] = bridge.distances[0]
figure, axis = plt.subplots(figsize=(4.2, 3.2), layout="constrained")
picture = axis.imshow(distances, cmap="viridis_r", vmin=0)
axis.set_xticks(range(len(synth.labels)), synth.labels, rotation=60)
axis.set_yticks(range(len(synth.labels)), synth.labels)
figure.colorbar(picture, label="closest pair of poses, mm")
direct = sum(bridge.within for bridge in synth.bridges.values())
pairs = list(itertools.permutations(synth.labels, 2))
print(f"{direct} of {len(pairs)} ordered pairs match within {synth.threshold:.2f} mm;", end=" ")
print(f"the longest route has {max(len(synth.route(a, b)) for a, b in pairs)} labels")

# %% [markdown]
# ## Idling
#
# A player is one character. `idle` wanders among the poses of a label, for as long as frames are asked for; with `hold` it rests a moment at each. Nothing repeats: the second row of pictures is the same command with another seed.

# %%
idle_label = "smile" if "smile" in synth.labels else synth.labels[1]
rows = []
for seed in (1, 2):
    player = synth.player(seed=seed, label=idle_label)
    player.idle(idle_label, hold=0.3)
    rows.append(player.step(24 * 12))
titles = [f"{second} s" for _ in rows for second in range(1, 13, 2)]
rc.plot.contact_sheet(face, np.concatenate([row[24::48] for row in rows]), titles, columns=6, width=110)

# %% [markdown]
# ## A directed minute
#
# A script is a list of timed commands. Here each label idles for a while, and one original clip is played exactly. Blinks and a slow sway of the brows lie over it: layers are functions of time and seed alone, and can be left out of what is exported.

# %%
length, labels = 60, [synth.labels[(1 + 2 * n) % len(synth.labels)] for n in range(7)]
commands = [{"at": 8 * n, "command": "idle", "label": label} for n, label in enumerate(labels)]
commands.append({"at": 56, "command": "play", "label": synth.labels[0], "segment": 0})
script = rc.synthesis.Script(commands, seconds=length)
blinks = rc.synthesis.Blinks(controls=dict.fromkeys(lids, 1.0), per_minute=16)

begin = time.perf_counter()
blinking = rc.synthesis.PlaySettings(layers=[blinks])
player = synth.player(seed=11, label=labels[0], script=script, settings=blinking)
minute = player.render()
print(f"{len(minute):,} frames, {1000 * (time.perf_counter() - begin) / len(minute):.2f} ms per frame")
low, high = synth.limits.T
print(f"all controls inside their limits: {bool((minute >= low).all() and (minute <= high).all())}")
again = synth.player(seed=11, label=labels[0], script=script, settings=blinking).render()
print(f"same seed, same bytes: {again.tobytes() == minute.tobytes()}")

times = np.arange(0, length, 3) + 2
rc.plot.contact_sheet(face, minute[24 * times], [f"{second} s" for second in times], columns=10, width=75)

# %% [markdown]
# How far the face moves per frame, with the commands. Transitions must not stick out of what the clips do themselves: the dashed line is the 99th percentile of the clips.

# %%
weights = synth.player(seed=11, label=labels[0], script=script).render()  # without layers, which are faster than clips
millimeters = 1000 * synth.meters_per_unit
speed = millimeters * np.linalg.norm(np.diff(synth.mesh_features(weights), axis=0), axis=1)
own = [synth.mesh_features(space.frames[s.begin : s.end]) for space in synth.spaces.values() for s in space.segments]
usual = millimeters * np.percentile(np.concatenate([np.linalg.norm(np.diff(f, axis=0), axis=1) for f in own]), 99)
axis = rc.plot.lines(np.arange(len(speed)) / 24, speed, xlabel="seconds", ylabel="mm per frame (RMS)")
axis.axhline(usual, linestyle="--", color="gray", linewidth=0.8)
for command in commands:
    axis.axvline(command["at"], color="lightgray", linewidth=0.8)
    axis.text(command["at"] + 0.3, axis.get_ylim()[1], command["label"], fontsize=7, va="bottom")
print(f"largest step {speed.max():.3f} mm; 99 % of the clips' steps are below {usual:.3f} mm")

# %% [markdown]
# Each second can say why it looks as it does: the command, the label, and the nearest frame of a clip.

# %%
for event in [event for event in player.events if event.kind == "second"][4::8]:
    away = millimeters * event.distance
    print(f"{event.seconds:4.0f} s  {event.label:12} nearest: {event.nearest:18} {away:.2f} mm away")

# %% [markdown]
# ## Directing it live
#
# Commands can be given at any moment, between any two frames. A state is plain JSON, and goes on with the same bytes.

# %%
live = synth.player(seed=3, settings=blinking)
live.idle(synth.labels[1])
live.step(48)
live.idle(synth.labels[2])  # a user pressed a button
kept = json.dumps(live.state())
first = live.step(24)
live.restore(json.loads(kept))
print(f"restored and played again, equal: {live.step(24).tobytes() == first.tobytes()}")

# %% [markdown]
# ## Exporting
#
# What is played are weights: every exporter takes them. `rc.viewer.record` makes a page with a player that needs no server; as the last line of a cell, it is part of the notebook. With `vertices=`, the mesh is coarser and frames are sums of a few components, so that it is small. Press *Play*: here the face changes its label.

# %%
rc.exports.write_blendshape_weights("minute.npz", face, minute, fps=synth.fps)
page = rc.viewer.record(face, poses=minute[24 * 6 : 24 * 14], fps=synth.fps, vertices=900)
page.save("directed.html")
synth.save("face_synthesis.safetensors")
for name in ("minute.npz", "directed.html", "face_synthesis.safetensors"):
    print(f"{name:28} {Path(name).stat().st_size / 1e6:6.2f} MB")
page

# %% [markdown]
# ## A crowd
#
# Many characters are stepped together, each with a seed of its own. Blinks fall at different moments.

# %%
crowd = synth.crowd(200, seed=5, settings=blinking)
for label in synth.labels:
    crowd.idle(label, who=[h for h, own in enumerate(crowd.labels) if own == label], hold=0.2)
begin = time.perf_counter()
played = crowd.step(72)
print(f"{1000 * (time.perf_counter() - begin) / 72:.1f} ms per frame for {len(crowd)} characters")
closed = played[:, :, [face.shape_names.index(name) for name in lids]].min(axis=2) > 0.5
print(f"lids closed: at most {closed.sum(axis=0).max()} of {len(crowd)} characters in one frame")

across, deep = 6, 2
wide, high, _ = np.ptp(face.rest_vertices, axis=0)
row, column = np.divmod(np.arange(across * deep), across)
places = np.stack([1.1 * wide * column, 0.8 * high * row, -1.5 * wide * row], axis=1)
rc.plot.group(face, face.evaluate(played[: across * deep, -1]), places, turn=0, rise=5)
