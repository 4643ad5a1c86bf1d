"""Data sets that older versions wrote: read with the hash they have, complete when finished, not continued."""

import json
import shutil

import pytest

import rigcast as rc
from rigcast.errors import SourceError
from tests.sampling.rigs import SMALL, At, raising, small_rig, write_manifest
from tests.sampling.test_sample import contents

FIRST_IN_4 = ("parts", "materials", "num_uvs", "clips")
LACKS = {1: ("kinematics", "deviations", "resting", *FIRST_IN_4), 2: ("resting", *FIRST_IN_4), 3: FIRST_IN_4}
OLD = pytest.mark.parametrize("version", [1, 2, 3])


def as_older(manifest, version):
    """A manifest, or its opening, as an older version wrote it."""
    plain = {key: value for key, value in manifest.items() if key not in LACKS[version]} | {"version": version}
    return plain if version == 3 else {"control_names": plain.pop("dial_names"), **plain}


@pytest.fixture
def older(folder, whole):
    """Turns the finished set of a folder into one of an older version."""

    def make(version):
        write_manifest(folder, as_older(whole.manifest, version))
        return json.loads((folder / "manifest.json").read_bytes())["hash"]

    return make


@pytest.fixture
def begun(whole, tmp_path):
    """A set that was interrupted, its notes rewritten as an older version."""

    def make(version):
        path = tmp_path / "begun"
        with pytest.raises(SourceError):
            rc.sampling.sample(At(whole.channels[40], raising(RuntimeError())), path, **SMALL)
        notes = json.loads((path / "unfinished.json").read_bytes())
        (path / "unfinished.json").write_text(json.dumps(as_older(notes, version)))
        return path

    return make


@OLD
def test_an_older_set_is_read_with_its_hash(folder, older, version):
    old = older(version)
    ds = rc.Dataset(folder)
    assert (ds.hash, ds.manifest["version"]) == (old, version)
    ds.verify()


@OLD
def test_an_older_set_names_its_dials(folder, older, version):
    older(version)
    assert rc.Dataset(folder).dial_names == ["flex"]


def test_a_set_of_version_1_knows_no_channels(folder, older):
    older(1)
    ds = rc.Dataset(folder)
    assert ds.channel_entry is None
    assert rc.baselines.linear_blend(ds, influences=2).channels == []


def test_a_set_of_version_2_knows_its_channels(folder, older, whole):
    older(2)
    assert rc.Dataset(folder).channel_entry == whole.channel_entry


@OLD
def test_a_finished_older_set_is_complete(folder, older, version):
    old = older(version)
    before = contents(folder)
    assert rc.sampling.sample(small_rig(), folder, **SMALL).hash == old
    assert contents(folder) == before


@OLD
def test_a_finished_older_set_of_other_settings_is_refused(folder, older, version):
    older(version)
    with pytest.raises(ValueError, match="begun with seed 7 where this call has 8"):
        rc.sampling.sample(small_rig(), folder, **{**SMALL, "seed": 8})


@OLD
def test_an_unfinished_older_set_is_not_continued(begun, version):
    path = begun(version)
    before = contents(path)
    message = r"^sample: path is .*begun by another version of rigcast and not finished; .*overwrite=True begins again"
    with pytest.raises(ValueError, match=message):
        rc.sampling.sample(small_rig(), path, **SMALL)
    assert contents(path) == before


@OLD
def test_an_unfinished_older_set_is_begun_again_with_overwrite(begun, whole, version):
    path = begun(version)
    assert contents(rc.sampling.sample(small_rig(), path, **SMALL, overwrite=True).path) == contents(whole.path)


def test_an_interrupted_replacement_of_an_older_version_starts_anew(begun, whole, tmp_path):
    path = shutil.copytree(whole.path, tmp_path / "a")
    shutil.copytree(begun(2), path / ".replacement")
    assert contents(rc.sampling.sample(small_rig(), path, **SMALL, overwrite=True).path) == contents(whole.path)
