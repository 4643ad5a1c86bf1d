"""What would make results on synthetic actors look better than they are is not there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.systems.capture.filmed import FilmedShot, Filming
from numpy.lib.stride_tricks import sliding_window_view

import rigcast as rc
from rigcast._core import vertex_normals
from rigcast.capture import ActorVariation, ShotPlan
from rigcast.capture._actors.look import look_of
from tests.capture.pictures import Example, filmed, harmonics
from tests.conftest import shared_data

SIZE, WHITE = 160, (0.5, 0.5, 0.5)
SAME = 0.02  # mean of a weight: what 8 bits of a darker picture cost


@pytest.fixture(scope="module")
def example() -> Example:
    return filmed(rc.capture.example_cast(), frames=8)


@pytest.mark.parametrize("seed", range(4))
def test_the_albedo_of_an_actor_varies_over_the_skin(seed):
    """By more than a twentieth in every color: no constant stands for it, and each actor has another one."""
    actor = rc.capture.example_cast().actor(seed)
    skin = actor.cast.parts == 0
    albedo = np.asarray(look_of(actor).albedo)[skin]
    assert (albedo.std(axis=0) > 0.05 * albedo.mean(axis=0)).all()
    other = np.asarray(look_of(rc.capture.example_cast().actor(seed + 10)).albedo)[skin]
    assert np.abs(albedo - other).mean() > 0.05


def left_by_harmonics(seed, key):
    """The share of the light on a white actor that nine harmonics of the normal leave, and the share of highlights."""
    actor = rc.capture.example_cast().actor(seed)
    labels, look = rc.capture.film(actor, ShotPlan(frames=2, size=SIZE)).labels, look_of(actor)
    rays, around = np.asarray(labels["lights"], np.float64), np.asarray(labels["hemisphere"], np.float64)
    lights = rc.render.Lights(rays[:, :3], key * rays[:, 3:], around[:3], around[3:6], up=around[6:])
    head = np.asarray(labels["head"])[0]
    world = (actor.rig.rest_vertices @ head[:, :3].T + head[:, 3]).astype(np.float32)
    camera = rc.render.Camera(SIZE, SIZE, focal=labels["focal"], center=labels["center"], rotation=np.eye(3))
    drawn, dull = (
        rc.render.render(
            world, actor.cast.drawn, camera, material=rc.render.Material(WHITE, gloss, look.exponent), lights=lights
        )
        for gloss in (look.specular, 0.0)
    )
    maps = rc.render.survey(world, actor.cast.drawn, camera)
    skin = (drawn.coverage[0] == 1.0) & (actor.cast.parts[maps.corners[0, ..., 0]] == 0)
    depth = np.where(np.isfinite(maps.depth[0]), maps.depth[0], 1e3)
    skin[1:-1, 1:-1] &= np.ptp(sliding_window_view(depth, (3, 3)), axis=(2, 3)) < 1.0  # centimeters: no edge
    normals = maps.interpolate(vertex_normals(world, actor.cast.drawn))[0][skin][::11]
    seen, unlit = ((one.color[0, ..., 1][skin][::11] / 255.0) ** 2.2 for one in (drawn, dull))
    rows = np.array([harmonics(n / np.linalg.norm(n)) for n in normals])
    fit, *_ = np.linalg.lstsq(rows, seen, rcond=None)
    return np.std(rows @ fit - seen) / seen.mean(), (seen - unlit).max() / seen.mean()


def test_the_actors_shading_is_not_the_solvers():
    """Highlights, which depend on the view, and more left by harmonics than of light without a direction."""
    lit, plain = (np.array([left_by_harmonics(seed, key) for seed in range(6)]) for key in (1.0, 0.0))
    assert lit[:, 0].mean() > 1.3 * plain[:, 0].mean()
    assert lit[:, 1].min() > 0.01


def test_the_solver_is_not_told_the_albedo(example):
    """What it divides by is its own fit: beside one factor per color, it is off from the true albedo by a twentieth."""
    fit = example.refine().pictures
    actor = rc.capture.example_cast().actor(5, ActorVariation(0.8, 0.0, 0.0))
    truth = np.asarray(look_of(actor).albedo)[fit.vertices]
    truth = (truth * fit.shares[:, :, None]).sum(axis=1)
    known = fit.albedo.any(axis=1)
    ratio = fit.albedo[known] / truth[known]
    assert (ratio.std(axis=0) / ratio.mean(axis=0)).min() > 0.05


def test_the_weight_of_smoothing_is_relative_to_the_energy(example):
    """A shot filmed at half the exposure has the same weights: colors count in units of its brightness."""
    darker = (255.0 * (0.5 * (example.shot.color / 255.0) ** 2.2) ** (1 / 2.2) + 0.5).astype(np.uint8)
    other = replace(example, shot=rc.capture.ActorShot(darker, example.shot.labels))
    plain, dark, free = (shot.refine(smoothing=s).weights for shot, s in ((example, 1.0), (other, 1.0), (example, 0.0)))
    assert np.abs(dark - plain).mean() <= SAME
    assert np.abs(free - plain).mean() > np.abs(dark - plain).mean()


def test_landmarks_have_the_noise_that_is_stated():
    """Exact labels would make landmarks unbeatable."""
    cast = rc.capture.ict_cast(shared_data("ict_facekit"))
    weights = np.zeros((6, cast.character.num_shapes))
    for noise in (1.0, 2.0):
        shot = FilmedShot(cast, 900, weights, Filming(noise=noise))
        assert (shot.points - shot.exact).std() == pytest.approx(noise, rel=0.1)  # 952 draws
