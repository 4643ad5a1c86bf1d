"""Data sets of another manifest version: refused, and begun again with ``overwrite``."""

import json
import shutil

import pytest

import rigcast as rc
from rigcast.errors import SourceError
from tests.sampling.rigs import SMALL, At, raising, small_rig, write_manifest
from tests.sampling.test_sample import contents

VERSION = 2


@pytest.fixture
def begun(whole, tmp_path):
    """A set that was interrupted, its notes rewritten as another version's."""
    path = tmp_path / "begun"
    with pytest.raises(SourceError):
        rc.sampling.sample(At(whole.channels[40], raising(RuntimeError())), path, **SMALL)
    notes = json.loads((path / "unfinished.json").read_bytes())
    (path / "unfinished.json").write_text(json.dumps(notes | {"version": VERSION}))
    return path


def test_a_new_set_states_its_version(whole):
    assert whole.manifest["version"] == 1


def test_a_finished_set_of_another_version_is_not_overwritten_unasked(folder, whole):
    write_manifest(folder, whole.manifest | {"version": VERSION})
    before = contents(folder)
    message = r"^sample: manifest\.json is .*version 2; it must be a manifest of format 'rigcast\.dataset', version 1$"
    with pytest.raises(ValueError, match=message):
        rc.sampling.sample(small_rig(), folder, **SMALL)
    assert contents(folder) == before


def test_an_unfinished_set_of_another_version_is_not_continued(begun):
    before = contents(begun)
    message = r"^sample: path is .*begun with version 2 where this call has 1; .*or pass overwrite=True$"
    with pytest.raises(ValueError, match=message):
        rc.sampling.sample(small_rig(), begun, **SMALL)
    assert contents(begun) == before


def test_an_unfinished_set_of_another_version_is_begun_again_with_overwrite(begun, whole):
    assert contents(rc.sampling.sample(small_rig(), begun, **SMALL, overwrite=True).path) == contents(whole.path)


def test_an_interrupted_replacement_of_another_version_starts_anew(begun, whole, tmp_path):
    path = shutil.copytree(whole.path, tmp_path / "a")
    shutil.copytree(begun, path / ".replacement")
    assert contents(rc.sampling.sample(small_rig(), path, **SMALL, overwrite=True).path) == contents(whole.path)
