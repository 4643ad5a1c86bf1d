"""A process of the trainer: watched, ended with what needs it, and never left behind."""

from __future__ import annotations

import os
import time

import pytest

from tests.blender_addon.working import begun, blenders, told
from tests.support.process import PATIENCE


@pytest.fixture(scope="module", params=blenders())
def facts(request, tmp_path_factory):
    return told("jobs.py", tmp_path_factory.mktemp("jobs"), blender=request.param)


def test_progress_grows_to_the_end_and_has_its_notes(facts):
    known = [fraction for fraction in facts["fractions"] if fraction is not None]
    assert known == sorted(known)
    assert known[-1] > 0.0
    assert facts["text"].splitlines()[1:] == ["error 0.5 mm", "0:03 left"]


def test_the_environment_has_nothing_of_blenders_python(facts):
    assert facts["result"] == {"private": []}


def test_an_error_is_the_trainers_own_sentence(facts):
    assert facts["failed"] == "path is no rig; it must be one"
    assert facts["crashed"] == "rigcast ended with exit code 139: Segmentation fault"


def test_a_missing_trainer_is_said_with_the_cure(facts):
    assert facts["missing"].startswith("/no/such/program is no program")
    assert "pip install" in facts["missing"]


def test_a_stop_ends_the_process_by_its_stdin(facts):
    assert facts["while_running"] == [True, True]
    assert facts["ended"] == [False, False, "by stdin"]


def test_a_process_that_does_not_hear_is_killed(facts):
    assert facts["killed"]


def test_a_new_file_stops_what_runs(facts):
    assert facts["loaded"] == [False, False]


def test_a_process_ends_with_a_blender_that_crashes(tmp_path):
    process = begun("jobs.py", tmp_path, "die")
    process.communicate(timeout=PATIENCE)
    assert process.returncode != 0
    trainer = int((tmp_path / "pid").read_text())
    until = time.monotonic() + PATIENCE
    while not (tmp_path / "ended").exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert (tmp_path / "ended").read_text() == "by stdin"
    while _alive(trainer) and time.monotonic() < until:
        time.sleep(0.05)
    assert not _alive(trainer)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
