"""``rigcast batch``: order, resuming, failures. Jobs end at once here; tests of processes are beside this file."""

from __future__ import annotations

import errno
import json
import os
import shutil

import pytest

from rigcast._resume.parts import MAGIC, MARK, PartsFolder
from rigcast.cli._batch.records import Records, folder_of

SET = ("set", "sample", "hero.npz", "-o", "hero.rwdata")
LOOK = ("look", "info", "hero.rwdata")
OTHER = ("other", "sample", "hero.npz", "-o", "other.rwdata")


def test_jobs_run_after_those_whose_results_they_read(jobs_file, batch, ran):
    code, shown, _ = batch(jobs_file(LOOK, SET))
    assert code == 0
    assert [line[0] for line in ran] == ["sample", "info"]
    assert "2 of 2 jobs are done" in shown


def test_the_same_command_skips_what_is_done(jobs_file, batch, ran):
    path = jobs_file(SET, LOOK)
    batch(path)
    assert batch(path)[0] == 0
    assert len(ran) == 2


def test_a_job_is_known_by_its_command_line(jobs_file, batch, ran):
    batch(jobs_file(SET))
    assert batch(jobs_file(OTHER, ("renamed", *SET[1:])))[0] == 0
    assert [line[-1] for line in ran] == ["hero.rwdata", "other.rwdata"]


def test_a_job_whose_result_is_gone_runs_again(folder, jobs_file, batch, ran):
    path = jobs_file(SET)
    batch(path)
    shutil.rmtree(folder / "hero.rwdata")
    assert batch(path)[0] == 0
    assert len(ran) == 2


def test_a_failed_job_is_told_with_its_error_and_others_go_on(jobs_file, batch, ran):
    ran.fail = ("hero.rwdata",)
    code, shown, told = batch(jobs_file(SET, LOOK, OTHER))
    assert code == 1
    assert "set: oh (exit code 1)" in shown
    assert "look: needs set" in shown
    assert "1 of 3 jobs are done" in shown
    assert told == "rigcast batch: 2 of 3 jobs are not done; the first, set: oh (exit code 1)"
    assert [line[0] for line in ran] == ["sample", "sample"]


def test_a_failed_job_is_tried_again_by_the_same_command(jobs_file, batch, ran):
    path = jobs_file(SET, LOOK, OTHER)
    ran.fail = ("hero.rwdata",)
    batch(path)
    ran.fail = ()
    assert batch(path)[0] == 0
    assert [line[-1] for line in ran[2:]] == ["hero.rwdata", "hero.rwdata"]


def test_json_is_one_object_if_jobs_fail_too(jobs_file, batch, ran):
    ran.fail = ("hero.rwdata",)
    _, shown, _ = batch(jobs_file(SET, LOOK, OTHER), "--json")
    found = json.loads(shown)
    assert (found["exit_code"], found["done"], found["failed"]) == (1, 1, 1)
    assert [job["state"] for job in found["jobs"]] == ["failed", "not begun", "done"]


def test_check_starts_nothing(folder, jobs_file, batch, ran):
    path = jobs_file(SET, LOOK)
    code, shown, _ = batch(path, "--check")
    assert (code, ran) == (0, [])
    assert "after set" in shown
    assert not folder_of(path).exists()


def test_a_changed_input_is_noticed_and_nothing_is_replaced_unasked(folder, jobs_file, batch, ran):
    path = jobs_file(SET, LOOK)
    batch(path)
    os.utime(folder / "hero.npz", ns=(1, 1))
    code, _, told = batch(path)
    assert code == 2
    assert "job set (and 1 more) is done, but hero.npz has changed since; --overwrite makes it again" in told
    assert batch(path, "--overwrite")[0] == 0
    assert [line[0] for line in ran] == ["sample", "info"] * 2
    assert ran[2][-1] == "--overwrite"


def test_results_of_a_job_that_was_killed_after_writing_them_are_its_own(folder, jobs_file, batch, ran):
    """Killed between its result and its record: the job is done again, over its own result."""
    words = ["face.safetensors", "other.obj", "-o", "made.npz"]
    for name in words[:2]:
        (folder / name).write_bytes(b"x")
    path = jobs_file(("move", "transfer", *words))
    batch(path)
    records = Records(folder_of(path))
    (record,) = folder_of(path).glob("*.part")
    with records.parts:
        records.parts.put(
            record.stem.removeprefix("rigcast-"),
            b'{"state": "begun"}',
            record.read_bytes()[len(MAGIC) :][:MARK].decode(),
        )
    assert batch(path)[0] == 0
    assert ran == [["transfer", *words], ["transfer", *words, "--overwrite"]]


def test_results_that_a_former_process_is_about_to_write_may_be_replaced(folder, jobs_file, batch, ran):
    """The worker of a job was killed, and its process may still write the result before it ends."""
    for name in ("face.safetensors", "other.obj"):
        (folder / name).write_bytes(b"x")
    words = ["face.safetensors", "other.obj", "-o", "made.npz"]
    ran.fail = ("made.npz",)
    path = jobs_file(("move", "transfer", *words))
    batch(path)
    batch(path)
    assert ran == [["transfer", *words], ["transfer", *words, "--overwrite"]]


def test_a_damaged_record_is_none(folder, jobs_file, batch, ran):
    path = jobs_file(("look", "info", "hero.npz"))
    batch(path)
    for record in folder_of(path).glob("*.part"):
        record.write_bytes(record.read_bytes()[:-3])
    assert batch(path)[0] == 0
    assert len(ran) == 2


def test_a_second_batch_of_the_same_file_is_refused(jobs_file, batch, ran):
    path = jobs_file(SET)
    with PartsFolder(folder_of(path), "batch"):
        code, _, told = batch(path)
    assert (code, ran) == (2, [])
    assert f"which process {os.getpid()} on " in told


@pytest.mark.parametrize("words", [["--workers", "2", "--scheduler", "tcp://x:1"], ["--workers", "-1"]])
def test_wrong_workers_are_refused(jobs_file, batch, words):
    assert batch(jobs_file(SET), *words)[0] == 2


def test_a_disk_that_is_full_fails_its_job_and_no_other(jobs_file, batch, ran, monkeypatch):
    kept = Records.end

    def full(self, checked, *rest):
        if checked.job.name == "set":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        kept(self, checked, *rest)

    monkeypatch.setattr(Records, "end", full)
    code, shown, _ = batch(jobs_file(SET, OTHER))
    assert code == 1
    assert "set: the disk is full" in shown
    assert "1 of 2 jobs are done" in shown
