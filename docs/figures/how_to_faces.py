"""Pictures of the how-to pages about faces, drawn on the built-in face and its rendered actors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

import rigcast as rc

SMILE = {"jawOpen": 0.4, "mouthSmileLeft": 0.9, "mouthSmileRight": 0.6, "browInnerUp": 0.5}
ROUND = {"jawOpen": 0.8, "mouthPucker": 0.6, "browInnerUp": 1.0}
WIDTH = 160  # pixels of one panel
DOT = 2  # pixels
Pixels = NDArray[np.uint8]


@cache
def face() -> rc.BlendshapeRig:
    """The built-in face."""
    return rc.faces.example()


def weights(amounts: Mapping[str, float]) -> NDArray[np.float32]:
    """(K,) weights of the built-in face by names."""
    return np.array([amounts.get(name, 0.0) for name in face().shape_names], np.float32)


def off(found: NDArray[np.float32], truth: NDArray[np.float32]) -> NDArray[np.float64]:
    """(V,): distances in millimeters."""
    return np.asarray(1e3 * face().meters_per_unit * np.linalg.norm(found - truth, axis=1), np.float64)


def other_neutral() -> NDArray[np.float32]:
    """The neutral of a face of other proportions."""
    x, y, z = face().rest_vertices.T
    return np.stack([0.8 * x, 1.15 * y + 0.015 * x**2, 1.1 * z], axis=1)


def glb_face() -> rc.plot.Image:
    """Noisy scans above, the solved face below."""
    ramp = np.sin(np.linspace(0.2, np.pi - 0.2, 5))[:, None] * np.linspace(0.4, 1.0, 5)[:, None]
    truth = face().evaluate(ramp * weights(SMILE) + (1 - ramp) * weights({"browDownLeft": 0.6, "mouthPucker": 0.5}))
    scans = truth + np.random.default_rng(0).normal(0.0, 0.08, truth.shape)
    found = face().evaluate(rc.inverse.solve(face(), scans).weights)
    titles = [f"scan {n}" for n in range(1, 6)] + ["solved"] * 5
    return rc.plot.side_by_side(face(), np.concatenate([scans, found]), titles=titles, columns=5, width=110)


def another_topology() -> rc.plot.Image:
    """Two expressions on the rig's face, above, and on another one."""
    other = rc.transfer.transfer_rig(face(), other_neutral())
    shown = [np.zeros_like(weights(SMILE)), weights(SMILE), weights(ROUND), weights({"cheekPuff": 1.0})]
    states = np.concatenate([face().evaluate(shown), other.evaluate(shown)])
    titles = ["the rig", "a smile", "surprise", "puffed", "another face", "a smile", "surprise", "puffed"]
    return rc.plot.side_by_side(face(), states, titles=titles, columns=4, width=120)


def scans() -> rc.plot.Image:
    """An expression as guessed, as corrected by four scans, and as the actor makes it."""
    rig, neutral = face(), other_neutral()
    shapes = rig.evaluate(np.eye(rig.num_shapes))
    guessed = rc.transfer.transfer_rig(rig, neutral)
    actor = rc.BlendshapeRig(neutral, 1.3 * guessed.columns()[: rig.num_shapes], faces=rig.faces, names=rig.shape_names)
    plan = rc.transfer.pack_expressions(
        rig.rest_vertices, shapes, rig.faces, target_neutral=neutral, names=rig.shape_names
    )
    chosen = plan.weights()[:4]
    learned = rc.transfer.example_based(rig.rest_vertices, shapes, neutral, rig.faces, actor.evaluate(chosen), chosen)
    corrected = rc.BlendshapeRig(neutral, learned - neutral, faces=rig.faces, names=rig.shape_names)
    truth, guess, better = (each.evaluate(weights(SMILE)) for each in (actor, guessed, corrected))
    return rc.plot.side_by_side(
        rig,
        [truth, guess, better],
        titles=["the actor", "transferred", "corrected by 4 scans"],
        values=[None, off(guess, truth), off(better, truth)],
        unit="mm",
        width=190,
    )


def markers_and_pins() -> rc.plot.Image:
    """The vertices that were tracked, and a solve from them, free and with a pinned weight."""
    rig = face()
    chosen = np.arange(0, len(rig.rest_vertices), 25)
    truth = rig.evaluate(weights({**SMILE, "cheekPuff": 0.6}))
    pins = np.full((1, rig.num_shapes), np.nan, np.float32)
    pins[:, rig.shape_names.index("cheekPuff")] = 0.0
    free = rc.inverse.solve(rig, truth[None, chosen], vertices=chosen)
    pinned = rc.inverse.solve(rig, truth[None, chosen], vertices=chosen, fixed=pins)
    marked = np.zeros(len(truth))
    marked[chosen] = 1.0
    states = [truth, rig.evaluate(free.weights[0]), rig.evaluate(pinned.weights[0])]
    values = [None, off(states[1], truth), off(states[2], truth)]
    return rc.plot.side_by_side(
        rig,
        [truth, *states],
        titles=["the scan", f"{len(chosen)} markers", "solved from them", "cheekPuff pinned to 0"],
        values=[None, marked, *values[1:]],
        top=1.0,
        unit="mm",
        width=WIDTH,
    )


def differential_subspace() -> rc.plot.Image:
    """An expression rebuilt from the places of a few anchors, by a least-squares solve."""
    rig = face()
    truth = rig.evaluate(weights(ROUND))
    states, values, titles = [truth], [None], ["an expression"]
    for count in (10, 30, 100):
        anchors = rc.differential.choose_anchors(rig.faces, len(truth), count)
        solver = rc.differential.Reconstructor(rig.faces, len(truth), anchors)
        moved = (truth - rig.rest_vertices)[None, anchors]
        rebuilt = rig.rest_vertices + solver.solve(np.zeros_like(truth)[None], moved)[0]
        states.append(rebuilt)
        values.append(off(rebuilt, truth))
        titles.append(f"from {count} anchors")
    return rc.plot.side_by_side(rig, states, titles=titles, values=values, unit="mm", width=WIDTH)


def perceive() -> rc.plot.Image:
    """A rig that was approved, today's, and where a viewer would see it."""
    rig = face()
    deltas = rig.columns()[: rig.num_shapes].copy()
    deltas[rig.shape_names.index("jawOpen")] *= 1.25
    today = rc.BlendshapeRig(rig.rest_vertices, deltas, faces=rig.faces, names=rig.shape_names)
    old, new = rig.evaluate(weights({"jawOpen": 1.0})), today.evaluate(weights({"jawOpen": 1.0}))
    titles = ["approved", "today", "the difference"]
    return rc.plot.side_by_side(
        rig, [old, new, new], titles=titles, values=[None, None, off(new, old)], unit="mm", width=190
    )


def crowds() -> Pixels:
    """Twenty-four heads, each with its own expression."""
    rig, random = face(), np.random.default_rng(3)
    rows = random.uniform(0.0, 1.0, (24, rig.num_shapes)) * (random.random((24, rig.num_shapes)) < 0.25)
    span = 1.35 * np.ptp(rig.rest_vertices, axis=0).max()
    places = [[span * (n % 8 - 3.5), 0.0, -1.9 * span * (n // 8)] for n in range(24)]
    picture = rc.plot.group(rig, rig.evaluate(rows), places, turn=0.0, rise=30.0, width=900).pixels
    used = np.flatnonzero((picture[..., :3] < 250).any(axis=(1, 2)))
    return picture[max(0, used[0] - 10) : used[-1] + 10, :, :3]


def pytorch() -> rc.plot.Image:
    """Weights found by gradient descent, after some steps."""
    import torch

    target_weights = weights(ROUND)
    vertices_of = rc.torch.function(face())
    target = torch.tensor(face().evaluate(target_weights))[None]
    found = torch.full((1, face().num_shapes), 0.1, requires_grad=True)
    optimizer = torch.optim.Adam([found], lr=0.02)
    states, titles = [face().evaluate(target_weights)], ["the target"]
    for step in range(201):
        if step in (0, 20, 200):
            states.append(vertices_of(found)[0].detach().numpy())
            titles.append(f"after {step} steps")
        optimizer.zero_grad()
        (vertices_of(found) - target).square().mean().backward()
        optimizer.step()
    values = [None, *(off(state, states[0]) for state in states[1:])]
    return rc.plot.side_by_side(face(), states, titles=titles, values=values, unit="mm", width=WIDTH)


def landmarks() -> Pixels:
    """Pictures of a rendered actor with detected points, and the character with the weights found in them."""
    cast = rc.capture.example_cast()
    shot = rc.capture.film(cast.actor(1), rc.capture.ShotPlan(frames=24, size=200))
    points = shot.labels["landmarks_2d"]
    found = rc.capture.solve(cast.character, points, cast.landmarks, size=(200, 200), neutral=0)
    films = []
    for frame in (6, 12, 18):
        picture = Image.fromarray(shot.color[frame]).convert("RGB")
        pen = ImageDraw.Draw(picture)
        for x, y in points[frame]:
            pen.ellipse([x - DOT, y - DOT, x + DOT, y + DOT], fill=(80, 220, 120))
        films.append(np.asarray(picture))
    states = cast.character.evaluate(found.weights[[6, 12, 18]])
    drawn = rc.plot.side_by_side(cast.character, states, titles=[f"frame {n}" for n in (6, 12, 18)], width=200)
    return stacked(np.concatenate(films, axis=1), drawn.pixels)


def learned_capture() -> Pixels:
    """Actors that a network learns from: each face is rendered, with skin and light of its own."""
    cast = rc.capture.example_cast()
    shots = [rc.capture.film(cast.actor(n), rc.capture.ShotPlan(frames=8, size=150)) for n in range(1, 6)]
    rows = [np.concatenate([shot.color[frame] for shot in shots], axis=1) for frame in (0, 5)]
    return np.concatenate(rows)


def stacked(above: Pixels, below: Pixels) -> Pixels:
    """Two pictures below each other on white, centered."""
    width = max(above.shape[1], below.shape[1])
    sheet = np.full((above.shape[0] + below.shape[0], width, 3), 255, np.uint8)
    for part, top in ((above, 0), (below, above.shape[0])):
        left = (width - part.shape[1]) // 2
        sheet[top : top + part.shape[0], left : left + part.shape[1]] = part[..., :3]
    return sheet


PICTURES: tuple[Callable[[], rc.plot.Image | Pixels], ...] = (
    glb_face,
    another_topology,
    scans,
    markers_and_pins,
    differential_subspace,
    perceive,
    crowds,
    pytorch,
    landmarks,
    learned_capture,
)
