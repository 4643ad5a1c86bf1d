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
# # From a video of an actor to a character
#
# **No figure of this notebook was measured on footage of a face: the actor is rendered, and his albedo, his light and his motion are constructed.** In return every label is exact, so that each step says how far it is from the truth.
#
# The points that a face detector finds become weights of a character, the head's motion and the camera; the pictures refine them; and a few frames that an artist corrects teach the solver how this actor moves. After chapter 6 of Bailey's dissertation (2020).
#
# - `pip install "rigcast[report,notebooks]"`
# - Better with the ICT face: `git clone https://github.com/ICT-VGL/ICT-FaceKit` (MIT; USC Institute for Creative Technologies) into the folder `data`, or the one that the environment variable `RIGCAST_DATA` names. Without it the built-in mask acts.
#
# `examples/performances.py` chooses the data: put the repository's folder on `PYTHONPATH`. How-to: [Capture with a learned network](../docs/how-to/programs/learned_capture.md), [landmarks of your own](../docs/how-to/landmarks.md).

# %%
import matplotlib.pyplot as plt
import numpy as np

import rigcast as rc
from examples.performances import actors_cast

# %%
cast, is_ict = actors_cast()
character = cast.character
print(cast.note)
faces = [character.rest_vertices, *(cast.actor(seed).rig.rest_vertices for seed in (3, 4))]
rc.plot.side_by_side(character, np.stack(faces), titles=["character", "an actor", "another actor"], width=220)

# %% [markdown]
# ## An actor, filmed
#
# An actor has a face and shapes of his own: the character's shapes follow the form of his head, each has another strength, and each has a share of its neighbors. With the character's own shapes everything below would be easy, and would mean nothing.

# %%
acts = [
    "jawOpen",
    "mouthSmile",
    "browInnerUp",
    "mouthPucker",
    "eyeBlink",
    "mouthFrown",
    "browDown",
    "noseSneer",
    "cheekPuff",
    "mouthUpperUp",
]
time, weights = np.arange(1, 80), np.zeros((79, character.num_shapes))
for k, name in enumerate(character.shape_names):
    for order, act in enumerate(acts):
        if name.startswith(act):  # each comes twice, the second time weaker and beside others
            first, second = (
                np.cos(np.pi * np.clip((time - at) / 12, -0.5, 0.5)) ** 2 for at in (5 + 5 * order, 72 - 7 * order)
            )
            weights[:, k] = np.clip(0.8 * first + 0.5 * second, 0, 1)

actor = cast.actor(3)
size, noise = 256, 1.0  # pixels
shot = rc.capture.film(actor, rc.capture.ShotPlan(frames=80, size=size), weights)
truth = np.asarray(shot.labels["weights"], float)
exact = np.asarray(shot.labels["landmarks_2d"], float)
points = exact + noise * np.random.default_rng(0).normal(size=exact.shape)  # a detector's noise

shown = [0, 12, 35, 60]
figure, axes = plt.subplots(1, 4, figsize=(10, 2.8), layout="constrained")
for axis, t in zip(axes, shown, strict=True):
    axis.imshow(shot.color[t])
    axis.plot(*points[t].T, ".", color="white", markersize=2)
    axis.set(title=f"frame {t}", xticks=[], yticks=[])
plt.show()

# %% [markdown]
# ## Solve from points
#
# The first frame shows the face at rest. Each frame minimizes the distance of the points, a smoothing that gives way to motion, and the sum of the weights. Errors are on the character's face, where its shapes move it; the neutral and the mean of the clip stand beside them, since a method that does not beat these knows nothing.

# %%
moved = np.linalg.norm(character.columns()[: character.num_shapes], axis=2).max(axis=0)
front = (moved > 0.1 * moved.max()) & (cast.parts == 0)  # without eyes and the inside of the mouth
to_millimeters = 1000 * character.meters_per_unit


def millimeters(weights):
    """Mean error (T - 1,) on the character, frames after the neutral."""
    pair = [character.evaluate(np.asarray(w, np.float32))[1:, front] for w in (weights, truth)]
    return to_millimeters * np.linalg.norm(pair[0] - pair[1], axis=2).mean(axis=1)


# The actor's neutral, as a scan would give it, with the character's shapes on it: his own are not known.
scan = cast.actor(3, rc.capture.ActorVariation(strength=0.0, mix=0.0)).rig
given = {"size": (size, size), "neutral": 0, "focal": float(shot.labels["focal"])}
gaze = np.array(["Look" in name or "Pupil" in name for name in character.shape_names])  # no point tells these
still = np.where(gaze, 0.0, np.nan) * np.ones_like(truth)
settings = rc.capture.CaptureSettings(noise=noise)
found = rc.capture.solve(scan, points, cast.landmarks, fixed=still, settings=settings, **given)
errors = {
    "neutral": millimeters(0 * truth),
    "mean of the clip": millimeters(0 * truth + truth.mean(axis=0)),
    "points": millimeters(found.weights),
}
for name, error in errors.items():
    print(f"{name:20s} {error.mean():.2f} mm")
for note in found.notes:
    print("note:", note)

# %% [markdown]
# ## Read the pictures with a network
#
# A network sees each picture beside the neutral, and gives weights and landmarks with their certainties. It was trained on other synthetic actors: this one it has never seen, and of real faces it knows nothing. What it reads becomes a prior of the solve, as strong as its error on unseen actors allows. The ICT face has a network in the package; for the built-in face a small one learns here for half a minute, which is too little to help much, and is trusted less (`rigcast capture train` takes the time that it is given).

# %%
if is_ict:
    network = rc.capture.load_network()
else:
    few = rc.training.CaptureNetworkSettings(
        actors=16, poses=16, size=32, film_size=96, width=8, hidden=48, batch=32, learning_rate=4e-3
    )
    network = rc.training.capture_network(cast, few, steps=250)
reading = network.read(shot.color, points)
use = rc.capture.ReadingUse(prior=0.1 if is_ict else 0.02, landmarks="none")
read = rc.capture.solve_read(scan, found, reading, points=points, use=use, fixed=still, settings=settings)
errors["read by a network"] = millimeters(read.priors[0])
errors["points and read"] = millimeters(read.found.weights)
for name in ("read by a network", "points and read"):
    print(f"{name:20s} {errors[name].mean():.2f} mm")
for note in read.found.notes[len(found.notes) :]:
    print("note:", note)

# %%
figure, axis = plt.subplots(figsize=(6, 2.6), layout="constrained")
axis.barh(list(errors), [e.mean() for e in errors.values()], xerr=[e.std() for e in errors.values()], capsize=3)
axis.invert_yaxis()
axis.set(xlabel="error, mm: mean and standard deviation over frames")
plt.show()

# %% [markdown]
# ## Refine by the pictures
#
# The character is lit as the actor is, and its colors are compared with the pictures at a thousand places. Neither albedo nor light is told: the neutral frame gives the former, each frame its own 27 coefficients of the latter.

# %%
same = rc.capture.RefineSettings(offsets=False)  # the scan is the actor's own face: points lie on it
refined = rc.capture.refine(scan, found, shot.color, points=points, fixed=still, settings=same)
errors["points and pictures"] = millimeters(refined.weights)
print(f"refined by pictures: {errors['points and pictures'].mean():.2f} mm")
print(f"{refined.pictures.used.mean():.0f} places compared, {len(truth) / refined.seconds:.0f} frames per second")

# %% [markdown]
# ## Frames that an artist corrects
#
# The rest is no fault of points or pictures: the actor's shapes are not the character's. `frames_to_correct` names frames that tell most about them. An artist sets their weights (here: the truth does), and since weights times shapes is linear, the shapes follow by least squares. The shot is solved again on them; the corrected frames stay as they are.

# %%
frames = rc.capture.frames_to_correct(refined, 8)
pins = still.copy()
pins[frames] = truth[frames]
personal = rc.capture.personalize(scan, found, points, corrected=pins)
again = rc.capture.solve(personal.rig, points, cast.landmarks, fixed=pins, settings=settings, **given)
better = rc.capture.refine(personal.rig, again, shot.color, points=points, fixed=pins, settings=same)
others = np.setdiff1d(np.arange(1, len(truth)), frames) - 1
errors["corrected frames"] = millimeters(better.weights)
print(f"corrected: frames {', '.join(map(str, frames))}")
print(f"strengths of the actor's shapes from {personal.strength.min():.2f} to {personal.strength.max():.2f}")
print(
    f"frames that nobody corrected: {errors['points and pictures'][others].mean():.2f} mm before, "
    f"{errors['corrected frames'][others].mean():.2f} mm after"
)

# %%
figure, axis = plt.subplots(figsize=(10, 3), layout="constrained")
for name in ("neutral", "points", "points and pictures", "corrected frames"):
    axis.plot(np.arange(1, len(truth)), errors[name], label=name)
axis.plot(frames, 0 * frames, "k^", clip_on=False)
axis.set(xlabel="frame", ylabel="error, mm", ylim=(0, None))
axis.legend(ncols=4, loc="upper right")
plt.show()

# %% [markdown]
# ## A key is changed
#
# A weight that is pinned in one frame reaches the frames after it by the smoothing, and none before. `solve_again` solves those alone.

# %%
edited = pins.copy()
edited[30, character.shape_names.index("jawOpen")] = 0.6
changed, solved = rc.capture.solve_again(personal.rig, again, points, fixed=edited, settings=settings)
print(f"solved again: {solved.sum()} of {len(solved)} frames, first {np.flatnonzero(solved)[0]}")
print(f"frames before it are as they were: {np.array_equal(changed.weights[:30], again.weights[:30])}")

# %% [markdown]
# ## On the character
#
# The weights are the character's: any exporter writes them, and the head's motion with them.

# %%
posed = character.evaluate(better.weights[shown].astype(np.float32))
rc.plot.side_by_side(character, posed, titles=[f"frame {t}" for t in shown], width=200)

# %%
rc.capture.write("captured.npz", character, better)
rc.capture.write("live.csv", character, better)
rc.capture.write("head.bvh", character, better)
numbers = rc.report.write_capture("capture.html", personal.rig, better, points=points, pictures=shot.color)
print(
    f"residual {numbers['residual']:.2f} pixels, jitter of the weights {numbers['weight_jitter']:.4f}, {numbers['lost']} lost"
)
