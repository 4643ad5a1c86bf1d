"""``rigcast sample --balance``, noise between two factors, and random poses among frames."""

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli import _dispatch as dispatch
from tests.support.made.cylinder_models import cylinder_file


@pytest.fixture
def hero(tmp_path):
    cylinder_file(tmp_path / "hero.npz")
    return tmp_path


def sampled(folder, *words):
    """Exit code of one sampling of 16 poses."""
    command = ["sample", str(folder / "hero.npz"), "-o", str(folder / "hero.rwdata"), "--count", "16", "--probe", "0"]
    return dispatch.main([*command, *words])


def test_balance_is_in_the_manifest(hero):
    assert sampled(hero, "--balance", "40", "--bins", "6") == 0
    stated = json.loads((hero / "hero.rwdata" / "manifest.json").read_text())["sampler"]
    assert (stated["kind"], stated["candidates"], len(stated["landmarks"])) == ("balanced", 40, 24)


def test_landmarks_come_from_a_file(hero):
    (hero / "marks.txt").write_text("5\n9\n")
    assert sampled(hero, "--balance", "40", "--markers", str(hero / "marks.txt")) == 0
    stated = json.loads((hero / "hero.rwdata" / "manifest.json").read_text())["sampler"]
    assert stated["landmarks"] == [5, 9]


def test_noise_takes_two_factors_and_says_what_is_clipped(hero, capsys):
    rig = rc.sources.load(hero / "hero.npz")
    np.save(hero / "frames.npy", np.array(rig.channel_ranges)[None, :, 1] / 2.0)
    assert sampled(hero, "--motion", str(hero / "frames.npy"), "--noise", "0:3") == 0
    assert "of the values with noise were outside their ranges and are clipped" in capsys.readouterr().out
    stated = json.loads((hero / "hero.rwdata" / "manifest.json").read_text())["sampler"]
    assert stated["noise"] == [0.0, 3.0]


def test_random_poses_stand_among_frames(hero):
    np.save(hero / "frames.npy", np.zeros((3, len(rc.sources.load(hero / "hero.npz").channel_names))))
    frames = ["--motion", str(hero / "frames.npy"), "--noise", "0.1"]
    assert sampled(hero, *frames, "--random", "0.5", "--sampler", "uniform") == 0
    found = rc.Dataset(hero / "hero.rwdata")
    drawn = np.abs(found.channels).max(axis=1) > 0.0
    assert 0 < drawn.sum() < len(found)
    np.testing.assert_array_equal(np.asarray(found.clip), np.where(drawn, -1, 0))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--random", "0.5"], "--random goes with --motion, --action or --actions"),
        (["--random", "1"], "1 is not a number between 0 and 1"),
        (["--bins", "4"], "--bins goes with --balance CANDIDATES"),
        (["--balance", "15"], "--balance is 15; it must be at least the 16 poses to draw"),
        (["--noise", "3:1"], "the smaller first"),
        (["--noise", "1:x"], "x is not a positive number"),
    ],
)
def test_refusals(hero, capsys, words, message):
    assert sampled(hero, *words) == 2
    assert message in capsys.readouterr().err
