"""Rigs that cannot be right are refused before anything is sampled, in words that say what to change."""

import types

import numpy as np
import pytest

import rigcast as rc
from rigcast.sampling import check_rig
from tests.sampling.rigs import SMALL, small_rig


def skeleton(**changes):
    sound = small_rig().skeleton
    values = {"names": sound.names, "parents": sound.parents, "rest": sound.rest, **changes}
    return types.SimpleNamespace(**values)


def flat_rest():
    rest = small_rig().skeleton.rest.copy()
    rest[1, 0, :3] = 0.0
    return rest


def ranges(row, *values):
    array = small_rig().channel_ranges.copy()
    array[row] = values
    return array


FACES = small_rig().faces
COLUMNS = rc.pose_names(["root", "joint1", "joint2"])


@pytest.mark.parametrize(
    ("attribute", "value", "message"),
    [
        (
            "rest_vertices",
            np.zeros((0, 3)),
            r"rig.rest_vertices is float64 \(0, 3\); it must be numbers \(V, 3\), V at least 1",
        ),
        ("rest_vertices", np.zeros((32, 2)), r"rig.rest_vertices is float64 \(32, 2\); it must be numbers \(V, 3\)"),
        ("rest_vertices", np.full((32, 3), np.nan), r"rig.rest_vertices is not finite everywhere \(nan at \(0, 0\)\)"),
        (
            "rest_vertices",
            np.full((32, 3), 1e39),
            r"rig.rest_vertices is .*1e\+39 at \(0, 0\)\); .* finite in float32",
        ),
        ("rest_vertices", [["a", "b", "c"]], r"rig.rest_vertices is <U1 \(1, 3\); it must be numbers"),
        ("faces", np.zeros((0, 4), int), r"rig.faces is empty; it must be at least one face"),
        ("faces", FACES.astype(float), r"rig.faces is float64 .*; it must be integers"),
        ("faces", FACES + 10, r"rig.faces is 40 in face 0; it must be vertex indices from 0 to 31"),
        ("faces", FACES[:, [3, 1, 2, 0]], r"rig.faces is -1 in face 0; it must be vertex indices"),
        ("faces", FACES - 1, r"rig.faces is -1 in face 0; it must be vertex indices"),
        ("faces", [[0, 1, 2**40]], r"rig.faces is 1099511627776 at \(0, 2\); it must be integers"),
        ("channel_names", [], "rig.channel_names is empty; it must be the names of at least one channel"),
        ("channel_names", "bend", "rig.channel_names is a str; it must be a list of different"),
        (
            "channel_names",
            [1, 2],
            "rig.channel_names is a list that holds 1; it must be a list of different",
        ),
        ("channel_names", ["a"] * 9, "rig.channel_names is a list with 'a' twice; it must be a list of different"),
        ("channel_ranges", np.zeros((3, 2)), r"rig.channel_ranges is float64 \(3, 2\); it must be .*\(9, 2\)"),
        ("channel_ranges", ranges(4, np.nan, 1), r"rig.channel_ranges is not finite everywhere \(nan at \(4, 0\)\)"),
        ("channel_ranges", ranges(4, 0, np.inf), r"rig.channel_ranges is not finite everywhere \(inf at \(4, 1\)\)"),
        (
            "channel_ranges",
            ranges(4, 2, 1),
            r"rig.channel_ranges is 2\.0 to 1\.0 in row 4; it must be lowest value first",
        ),
        ("channel_rest", np.zeros(8), r"rig.channel_rest is float64 \(8,\); it must be numbers \(9,\)"),
        ("dial_names", ["flex", "flex"], "rig.dial_names is a list with 'flex' twice"),
        (
            "dial_names",
            [*COLUMNS, "flex"],
            "rig.dial_names is a list of 37 names that holds the joint column",
        ),
        (
            "dial_names",
            ["root.m00"],
            "rig.dial_names is a list of 1 names that holds the joint column 'root.m00'",
        ),
        (
            "skeleton",
            skeleton(parents=[-1, 2, 1]),
            r"rig.skeleton.parents is 2 for joint 1 \('joint1'\); .*without cycles",
        ),
        (
            "skeleton",
            skeleton(parents=[-1, 0, 2]),
            r"rig.skeleton.parents is 2 for joint 2 \('joint2'\); .*earlier joint",
        ),
        ("skeleton", 5, "rig.skeleton is a int; it must be a rigcast.Skeleton, or None"),
        ("skeleton", skeleton(parents=[-1, 0]), r"rig.skeleton.parents is int64 \(2,\); it must be integers \(3,\)"),
        ("skeleton", skeleton(names=["a", "b", "a"]), "rig.skeleton.names is a list with 'a' twice"),
        ("skeleton", skeleton(names=[]), "rig.skeleton.names is empty; it must be the names of at least one joint"),
        ("skeleton", skeleton(rest=np.zeros((3, 4, 4))), r"rig.skeleton.rest is float64 \(3, 4, 4\); .*\(3, 3, 4\)"),
        (
            "skeleton",
            skeleton(rest=flat_rest()),
            r"rig.skeleton.rest is a transform of zero volume at joint 1 .*inverted",
        ),
        ("meters_per_unit", 0.0, r"rig.meters_per_unit is 0\.0; it must be a finite number at least 1e-12"),
        ("meters_per_unit", "cm", "rig.meters_per_unit is 'cm'; it must be a finite number at least 1e-12"),
        ("up_axis", "y", 'rig.up_axis is \'y\'; it must be "X", "Y" or "Z"'),
        ("licence", None, "rig.licence is a NoneType; it must be text"),
    ],
)
def test_wrong_rigs(tmp_path, attribute, value, message):
    rig = small_rig()
    setattr(rig, attribute, value)
    rig.sample = lambda channels: pytest.fail("sampled")
    with pytest.raises(ValueError, match=rf"^sample: {message}"):
        rc.sampling.sample(rig, tmp_path / "a", **SMALL)
    assert not (tmp_path / "a").exists()


def test_what_is_no_rig():
    with pytest.raises(
        ValueError, match=r"^check_rig: rig is a str without channel_names, .*; it must be an object with"
    ):
        check_rig("hero.blend")


def test_neither_joints_nor_dials():
    rig = small_rig()
    rig.skeleton, rig.dial_names = None, []
    with pytest.raises(ValueError, match=r"rig.dial_names is empty; it must be the names of at least one dial"):
        check_rig(rig)


def test_wrong_number_of_dials_shows_at_the_first_row(tmp_path):
    rig = small_rig()
    rig.dial_names = ["flex", "smile"]
    message = r"rows 0 to 0\): poses is float32 \(1, 37\); .*\(1, 38\): 12 numbers for each of 3 joints and 2 numeric"
    with pytest.raises(ValueError, match=message):
        rc.sampling.sample(rig, tmp_path / "a", **SMALL)


def test_facts_are_copies_with_defaults():
    rig = small_rig()
    del rig.channel_rest
    rig.channel_ranges[3] = 2.0, 5.0
    rig.faces = rig.faces[rig.faces[:, 3] < 0, :3]
    facts = check_rig(rig)
    assert facts.channel_rest.tolist() == [0, 0, 0, 2, 0, 0, 0, 0, 0]
    assert facts.faces.shape == (10, 4)
    assert (facts.faces[:, 3] == -1).all()
    facts.rest_vertices[:] = 0
    facts.channel_ranges[:] = 0
    assert rig.rest_vertices.any()
    assert rig.channel_ranges.any()
    assert check_rig(types.SimpleNamespace(**{**vars(rig), "sample": None})).meters_per_unit == 1.0


def test_inputs_are_not_modified(tmp_path):
    class Greedy(type(small_rig())):
        def sample(self, channels):
            answer = super().sample(channels)
            channels[:] = 0.0
            return answer

    ds = rc.sampling.sample(Greedy(3, rings=6, sides=5), tmp_path / "a", **SMALL)
    assert ds.channels.any(axis=1).all()
