"""Calls that sampling refuses: another rig or run's folder, arguments that make no sense."""

import re
import shutil

import numpy as np
import pytest

import rigcast as rc
from rigcast.errors import SourceError
from tests.sampling.rigs import SMALL, At, raising, small_rig
from tests.sampling.test_sample import contents


def test_a_rig_edited_between_two_calls(whole, tmp_path):
    rig = At(whole.channels[40], raising(RuntimeError("oh")))
    with pytest.raises(SourceError):
        rc.sampling.sample(rig, tmp_path / "a", **SMALL)
    edited = small_rig()
    edited.bulge = False
    with pytest.raises(ValueError, match=r"rig is not the one .* \(vertices of channel row 0 differ by 0\.\d+\)"):
        rc.sampling.sample(edited, tmp_path / "a", **SMALL)
    ds = rc.sampling.sample(edited, tmp_path / "a", **SMALL, overwrite=True)
    assert np.abs(ds.vertices - whole.vertices).max() > 0.1


def test_folder_of_something_else(whole, tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(ValueError, match=r"a folder that holds 'letter.txt' and no data set; it must be a new"):
        rc.sampling.sample(small_rig(), tmp_path, **SMALL)
    with pytest.raises(ValueError, match="which is or lies in a file; it must be a folder"):
        rc.sampling.sample(small_rig(), tmp_path / "letter.txt", **SMALL)
    with pytest.raises(ValueError, match=r"'letter.txt' and no data set"):
        rc.sampling.sample(small_rig(), tmp_path, **SMALL, overwrite=True)
    path = tmp_path / "a"
    shutil.copytree(whole.path, path)
    (path / "letter.txt").write_text("dear")
    rc.sampling.sample(small_rig(), path, **SMALL, overwrite=True)
    assert (path / "letter.txt").read_text() == "dear"
    (path / "letter.txt").unlink()
    (path / "manifest.json").unlink()
    with pytest.raises(ValueError, match=r"holds '00000.channels.npy' and no data set"):
        rc.sampling.sample(small_rig(), path, **SMALL)
    assert contents(rc.sampling.sample(small_rig(), path, **SMALL, overwrite=True).path) == contents(whole.path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"seed": 8},
            "begun with seed 7 where this call has 8; it must be the same rig and settings",
        ),
        ({"count": 49}, "begun with count 50 where this call has 49"),
        ({"probe": 0}, "begun with probe 2 where this call has 0"),
        ({"sampler": "uniform"}, "begun with sampler .*normal.* where this call has .*uniform"),
    ],
)
@pytest.mark.parametrize("finished", [True, False])
def test_another_run_is_refused(whole, tmp_path, change, message, finished):
    path = tmp_path / "a"
    if finished:
        shutil.copytree(whole.path, path)
    else:
        with pytest.raises(SourceError):
            rc.sampling.sample(At(whole.channels[0], raising(RuntimeError())), path, **SMALL)
    before = contents(path)
    with pytest.raises(ValueError, match=message):
        rc.sampling.sample(small_rig(), path, **{**SMALL, **change})
    assert contents(path) == before
    fresh = rc.sampling.sample(small_rig(), tmp_path / "b", **{**SMALL, **change})
    again = rc.sampling.sample(small_rig(), path, **{**SMALL, **change}, overwrite=True)
    assert contents(again.path) == contents(fresh.path)


@pytest.mark.parametrize("attribute", ["name", "licence", "rest_vertices", "channel_ranges", "up_axis"])
def test_another_rig_is_refused(whole, tmp_path, attribute):
    shutil.copytree(whole.path, tmp_path / "a")
    rig = small_rig()
    value = getattr(rig, attribute)
    setattr(rig, attribute, "Z" if isinstance(value, str) else value * 1.5)
    named = "files" if attribute == "rest_vertices" else attribute
    with pytest.raises(ValueError, match=rf"begun with (another )?{named}.*must be the same rig"):
        rc.sampling.sample(rig, tmp_path / "a", **SMALL)


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("count", 0),
        ("count", 2.5),
        ("count", True),
        ("seed", -1),
        ("seed", "7"),
        ("workers", -1),
        ("probe", -1),
        ("shard_rows", 0),
        ("sampler", "gaussian"),
        ("sampler", 3),
    ],
)
def test_wrong_arguments(tmp_path, argument, value):
    message = rf"^sample: {argument} is .*{re.escape(str(value))}?.*; it must be "
    with pytest.raises(ValueError, match=message if argument != "sampler" else "^sample: sampler is .*; it must be"):
        rc.sampling.sample(small_rig(), tmp_path / "a", **{**SMALL, argument: value})
    assert not (tmp_path / "a").exists()
