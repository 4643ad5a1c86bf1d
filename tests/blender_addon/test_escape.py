"""Esc ends a bake, a solve and a learning in a window: nothing is left open, and nothing is lost."""

from __future__ import annotations

import json

import pytest

from tests.blender_addon.working import begun
from tests.support.process import PATIENCE

pytestmark = pytest.mark.long  # windows are drawn in software
BY_ESC = 1  # exit code of Blender 3.4 once Esc was pressed
JOBS = ["bake", "solve", "learn"]


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    folder = tmp_path_factory.mktemp("escape")
    process = begun("escape.py", folder, window=True)
    shown, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode in (0, BY_ESC), shown[-4000:]
    told = json.loads((folder / "told.json").read_text())
    assert "error" not in told, told["error"]
    return folder, told


@pytest.mark.parametrize("job", JOBS)
def test_files_processes_and_handles_are_closed(seen, job):
    assert seen[1][job]["after"] == {"files": [], "children": 0, "handles": {}}


def test_they_were_open_before(seen):
    before = {job: seen[1][job]["before"] for job in JOBS}
    assert [path.endswith("actor.pc2.part") for path in before["bake"]["files"]] == [True]
    assert before["solve"]["handles"] == {"rigcast_model_free": 1, "rigcast_inverse_free": 1}
    assert before["learn"]["children"] == 1


def test_a_stopped_bake_leaves_no_file_and_goes_back_to_its_frame(seen):
    assert seen[1]["bake"]["left"] == [[], 7]
    assert seen[1]["bake"]["texts"] == ["Bake: stopped, nothing was written"]


def test_a_stopped_solve_keys_nothing(seen):
    assert seen[1]["solve"]["left"] == [True, 7]
    assert seen[1]["solve"]["texts"][0] == "Solve Shot: stopped, nothing was keyed"


def test_a_stopped_learning_keeps_its_samples(seen):
    done, unfinished, files = seen[1]["learn"]["left"]
    assert done == ["info"]
    assert unfinished
    assert files > 0
    assert seen[1]["learn"]["texts"][0] == "Learn: stopped, nothing is lost; Go On takes it up again"


def test_quitting_while_a_bake_runs_leaves_no_file(seen):
    folder, told = seen
    assert told["quit while it runs"]
    assert not list(folder.glob("*.part"))
