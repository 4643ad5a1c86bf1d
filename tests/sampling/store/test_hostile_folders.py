"""A folder whose files hang or never end, and rigs whose probe would not fit memory: refused by name."""

from __future__ import annotations

import os

import pytest

import rigcast as rc
from rigcast.sampling._plan import LARGEST_PROBE, _check_probe
from tests.sampling.rigs import SMALL, small_rig


@pytest.mark.parametrize("name", ["manifest.json", "unfinished.json"])
def test_a_pipe_in_place_of_notes_is_refused_and_blocks_nothing(tmp_path, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(ValueError, match=rf"{name}: a pipe; it must be a file"):
        rc.sampling.sample(small_rig(), tmp_path, **SMALL)


def test_a_manifest_without_end_is_refused(tmp_path):
    (tmp_path / "manifest.json").symlink_to("/dev/zero")
    with pytest.raises(ValueError, match=r"manifest\.json: a device; it must be a file"):
        rc.sampling.sample(small_rig(), tmp_path, **SMALL)


def test_a_probe_of_many_channels_is_refused_with_what_it_takes():
    with pytest.raises(ValueError, match=r"sample: probe is 4, which takes 36,004 rows of 9,000 channels \(2\.6 GB\)"):
        _check_probe(4, 9_000)


def test_the_largest_probe_that_the_error_names_is_allowed():
    _check_probe(LARGEST_PROBE // (8 * 9_000 * 9_001), 9_000)
    _check_probe(4, 1_000)
