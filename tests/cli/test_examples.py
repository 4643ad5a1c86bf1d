"""The example of every command's ``--help``, run as it stands in a folder that holds what it reads."""

from __future__ import annotations

import pytest

import rigcast as rc
from rigcast.cli import _dispatch as dispatch
from tests.cli.example_files import example_files
from tests.cli.examples import READS, run_examples, told_if_left_out

# In test_examples_of_reports.py, test_examples_of_training.py, and tests/blender_addon/test_packing.py.
APART = ("report", "train", "bench", "blender-addon")


def test_every_command_has_its_files():
    assert sorted(READS) == sorted(dispatch.COMMANDS)


@pytest.mark.parametrize("name", [name for name in READS if name not in ("sample", *APART)])
def test_the_example_runs(name, tmp_path):
    told_if_left_out(run_examples(name, tmp_path))


@pytest.mark.slow
def test_samples_are_the_sets_that_other_examples_read(tmp_path):
    left_out = run_examples("sample", tmp_path)
    for name in ("hero.rwdata", "held_out.rwdata"):
        assert rc.Dataset(tmp_path / name).hash == rc.Dataset(example_files() / name).hash
    told_if_left_out(left_out)
