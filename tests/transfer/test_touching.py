"""Parts that touch go their own ways, and what is one surface with the skin stays in one piece."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import rigcast as rc
from rigcast.errors import CorrespondenceWarning
from rigcast.transfer._matching.components import ComponentMesh, closest_of
from rigcast.transfer._matching.fit import Matches, SourceFit
from rigcast.transfer._matching.sides import decided_along
from tests.transfer.touching import Touching, behind, fingers, lashes, lips, welded

OFF = 0.3  # of the largest offset: what follows the other lip is off by all of it


def astray(source: Touching, target: Touching, stretch: float = 1.1) -> int:
    """Vertices of the target that the source's shape takes elsewhere than the target's own."""
    points = (target.points * [stretch, 1.0, 1.0]).astype(np.float32)
    rig = rc.BlendshapeRig(source.points, source.offsets[None], names=["part"], faces=source.faces)
    pairs = np.stack([source.marks, target.marks], axis=1)
    made = rc.transfer.transfer_rig(rig, points, target.faces, landmarks=pairs).evaluate(np.ones((1, 1)))[0] - points
    off = np.linalg.norm(made - target.offsets, axis=1)
    return int((off > OFF * np.linalg.norm(target.offsets, axis=1).max()).sum())


def thicker(hand: Touching, by: float) -> Touching:
    """With one finger thicker and the other thinner: the gap lies elsewhere."""
    points = hand.points.copy()
    first = points[:, 0] <= 1.0
    points[first, 0] *= by
    points[~first, 0] += (by - 1.0) * (2.0 - points[~first, 0])
    return replace(hand, points=points)


@pytest.mark.parametrize("gap", [0.02, 0.005, 0.002, 0.001])
@pytest.mark.parametrize("count", [25, 45])
def test_lips_that_touch_go_their_own_ways(gap, count):
    assert astray(lips(31, gap), lips(count, gap)) == 0


@pytest.mark.parametrize("gap", [0.02, 0.001, 0.0003])
@pytest.mark.parametrize("bow", [0.15, 0.3])
def test_lids_that_touch_go_their_own_ways(gap, bow):
    assert astray(lips(31, gap, bow), lips(45, gap, bow)) == 0


@pytest.mark.filterwarnings("ignore::rigcast.errors.CorrespondenceWarning")
@pytest.mark.parametrize("gap", [0.02, 0.002])
@pytest.mark.parametrize("by", [1.0, 1.3, 1.5])
def test_fingers_that_touch_bend_alone(gap, by):
    assert astray(fingers(3, gap), thicker(fingers(4, gap), by), 1.0) == 0


@pytest.mark.parametrize("away", [0.05, 0.002])
def test_teeth_right_behind_lips_stay_theirs(away):
    assert astray(behind(31, 0.002, away), behind(45, 0.002, away)) == 0


@pytest.mark.parametrize("away", [0.05, 0.002])
def test_teeth_without_counterpart_are_said_to_follow_the_lips(away):
    source, target = lips(31, 0.002), behind(45, 0.002, away)
    pairs = np.stack([source.marks, target.marks], axis=1)
    with pytest.warns(
        CorrespondenceWarning, match="2 parts of the target that lie apart .* the source has none of their"
    ):
        found = rc.transfer.correspond(source.points, source.faces, target.points, target.faces, landmarks=pairs)
    assert found.attached_components == [1, 2]
    skin = len(lips(45, 0.002).points)
    assert found.matched[:skin].mean() > 0.95
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        both = behind(31, 0.002, away)
        pairs = np.stack([both.marks, target.marks], axis=1)
        assert not rc.transfer.correspond(
            both.points, both.faces, target.points, target.faces, landmarks=pairs
        ).attached_components


@pytest.mark.parametrize("which", ["both", "source", "target"])
@pytest.mark.parametrize("gap", [0.02, 0.001])
@pytest.mark.filterwarnings("ignore::rigcast.errors.CorrespondenceWarning")
def test_lashes_of_one_surface_with_a_lid_stay_with_it(which, gap):
    source = lashes(31, gap) if which != "target" else lips(31, gap, 0.15)
    target = lashes(45, gap) if which != "source" else lips(45, gap, 0.15)
    assert astray(source, target) == 0


@pytest.mark.parametrize("source", ["apart", "one surface", "absent"])
def test_teeth_of_one_surface_with_the_skin_are_not_torn(source):
    assert astray(welded(20, teeth=source), welded(27, teeth="one surface"), 1.0) == 0


def test_teeth_of_one_surface_follow_teeth_apart():
    source, target = welded(20, teeth="apart"), welded(27, teeth="one surface")
    pairs = np.stack([source.marks, target.marks], axis=1)
    found = rc.transfer.correspond(source.points, source.faces, target.points, target.faces, landmarks=pairs)
    y, z = target.points[:, 1:].T
    teeth = (z < -0.069) & (z > -0.131) & (np.abs(y) < 0.29) & (np.abs(target.points[:, 0]) < 0.49)
    skin = len(welded(20, teeth="absent").points)
    assert found.matched[teeth].mean() > 0.95
    assert (found.corners[teeth & found.matched] >= skin).mean() > 0.95


def test_a_part_in_which_nothing_is_sure_keeps_its_matches():
    """Its whole surface is near torn edges, and no landmark leads on from another part."""
    shut, plain = lips(31, 0.001), lips(9, 0.1)
    aside = replace(plain, points=plain.points + np.array([9.0, 0.0, 0.0]))
    source = ComponentMesh.of(*single(shut.beside(aside)))
    higher = lips(45, 0.001)
    higher = replace(higher, points=higher.points + np.array([0.0, 0.02, 0.0]))
    target = ComponentMesh.of(*single(higher.beside(aside)))
    same = np.eye(2, dtype=bool)
    fit = SourceFit(source, target, same, same, np.zeros(0, np.int64), 0.07, 10.0, 1)
    corners, weights, distance = closest_of(same, target, source, 1)
    found = Matches(corners, weights, distance, distance < 10.0)
    decided, torn = decided_along(found, fit)
    assert len(torn) > 0
    np.testing.assert_array_equal(decided.matched, found.matched)


def single(mesh: Touching) -> tuple[np.ndarray, np.ndarray]:
    return mesh.points.astype(np.float32), mesh.faces.astype(np.int32)
