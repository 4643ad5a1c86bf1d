"""Results do not depend on the unit of lengths: all of them scaled by 1e-6 to 1e6 scale the result by as much.

The scales are powers of two, so that float32 rounds alike in all units: what differs comes from a length in the code.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import rigcast as rc
from tests.units.bodies import BODIES
from tests.units.faces import FACES
from tests.units.motions import MOTIONS
from tests.units.scaled import FACE, WEIGHTS, Scaled, ScaledFace, face

SCALES = (2.0**-20, 2.0**-10, 2.0**10, 2.0**20)
ROUNDING = 1e-12  # of the largest number
PRINTED = {"write_motion .bvh": 1e-7}  # seven decimals, which are others for other powers of two
CASES = FACES | BODIES | MOTIONS
QUICK = {"hidden": 8, "batch": 32}
NETWORKS = QUICK | {"layers": 2, "anchor_hidden": 6, "anchor_layers": 2}
TRAINED = {
    "body": ("body", lambda: rc.training.BodySettings(**QUICK)),
    "differential": ("differential", lambda: rc.training.DifferentialSettings(**NETWORKS)),
    "differential of the paper": (
        "differential",
        lambda: rc.training.DifferentialSettings(**NETWORKS, recipe="paper"),
    ),
    "face_maps": ("face_maps", lambda: rc.training.FaceMapsSettings(**QUICK, first_channels=2, channels=4)),
}


@cache
def at_one(name):
    return np.asarray(CASES[name](1.0), np.float64)


def compare(found, expected, share=ROUNDING):
    np.testing.assert_allclose(found, expected, rtol=0, atol=share * np.abs(expected).max())


@pytest.mark.parametrize("scale", SCALES, ids="{:.0e}".format)
@pytest.mark.parametrize("name", CASES)
def test_the_unit_of_lengths_does_not_matter(name, scale):
    compare(np.asarray(CASES[name](scale), np.float64), at_one(name), PRINTED.get(name, ROUNDING))


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Errors and error bounds of a model of few steps, in the rig's own unit, by kind and scale."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    folder = tmp_path_factory.mktemp("units")

    @cache
    def data(kind, scale):
        rig = ScaledFace(scale) if kind == "face_maps" else Scaled(scale)
        return rc.sampling.sample(rig, folder / f"{kind}{scale:g}.rwdata", count=300, seed=3, probe=3)

    @cache
    def run(name, scale):
        if name == "face_ik":
            settings = rc.training.FaceIkSettings(hidden=16, rows=300, batch=32, bins=1)
            points = np.arange(0, len(FACE.rest_vertices), 3)
            found = rc.training.face_ik(face(scale), points, steps=30, threads=1, settings=settings)
            return np.asarray(found.solve(face(scale).evaluate(WEIGHTS.astype(np.float32))[:, points]).channels)
        kind, settings = TRAINED[name]
        own = data(kind, scale)
        model = getattr(rc.training, kind)(own, settings(), steps=20, threads=1)
        errors = np.linalg.norm(model.evaluate(own.poses).astype(np.float64) - own.vertices, axis=2).mean(axis=0)
        bounds = model.error_bound(own.poses[:20]).ravel() if kind == "body" else ()
        return np.append(errors, bounds) / scale

    return run


@pytest.mark.parametrize("scale", SCALES, ids="{:.0e}".format)
@pytest.mark.parametrize("name", [*TRAINED, "face_ik"])
def test_the_unit_of_lengths_does_not_matter_in_training(name, scale, trained):
    compare(trained(name, scale), trained(name, 1.0))
