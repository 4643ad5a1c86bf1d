"""Errors by joint, channel and part, against loops."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from rigcast.report._body import places
from tests.support.characters.cylinder import CylinderRig
from tests.support.made.cylinder_models import cylinder_body, cylinder_skinning


@pytest.fixture(scope="module")
def rig():
    return CylinderRig()


@pytest.mark.parametrize("make", [cylinder_body, lambda rig: cylinder_skinning(rig, 2)])
def test_errors_by_joint_are_those_of_the_vertices_that_it_leads(rig, make, tolerance):
    model = make(rig)
    distances = np.random.default_rng(0).uniform(size=(5, len(rig.rest_vertices))).astype(np.float32)
    found = {place.name: place for place in places.by_joint(model, distances)}
    leading = rig.weights.argmax(axis=1)
    assert set(found) == {rig.skeleton.names[j] for j in leading}
    for joint, name in enumerate(rig.skeleton.names):
        own = distances[:, leading == joint]
        if own.size:
            assert found[name].mean == pytest.approx(float(own.mean()), rel=tolerance["float32_scaled"])
            assert found[name].largest == own.max()


def test_the_joint_of_the_worst_vertex_is_the_one_that_leads_it(rig):
    vertex = 17
    expected = rig.skeleton.names[rig.weights[vertex].argmax()]
    assert places.worst_place(cylinder_body(rig), vertex) == f", led by {expected}"


def test_errors_by_channel_are_those_of_poses_in_which_it_is_far(rig):
    channels = np.array([[0.0, 9], [1, 0], [2, 0], [3, 0], [2.5, 0], [2.2, 0], [0, 0]], np.float32)
    dataset = SimpleNamespace(channel_names=["bend", "seldom"], manifest={"channel_rest": [0.0, 0.0]})
    distances = np.arange(7, dtype=np.float32)[:, None]
    (found,) = places.by_channel(SimpleNamespace(channels=channels, dataset=dataset), distances)
    assert (found.name, found.about) == ("bend", "4 poses")  # those with 2 and more; "seldom" is far in one pose only
    assert (found.mean, found.largest) == (3.5, 5.0)
