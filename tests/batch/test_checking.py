"""Jobs are checked before any starts: a wrong one is named, and nothing is written."""

from __future__ import annotations

import pytest

from rigcast.cli._batch.checking import check_files, inside, parsed
from rigcast.cli._batch.job_file import Job

SET = ("set", "sample", "hero.npz", "-o", "hero.rwdata")
TRAIN = ("train", "train", "body", "hero.rwdata", "-o", "hero.safetensors")
WRONG = [
    ([("a", "samlpe")], "a: command is 'samlpe'; it must be one of doctor, sample"),
    ([("a", "batch", "jobs.json")], "a: command is 'batch'; it must be one of"),
    ([("a", "view", "hero.npz")], "a: command is 'view'; it must be one of"),
    ([("a", "info", "no.npz")], "a: rigcast info: argument FILE: no.npz does not exist"),
    ([("a", "info", "--help")], "a: its arguments ask for help"),
    ([("a", "info", "hero.npz", "--nonsense")], "unrecognized arguments: --nonsense"),
    ([("a", "sample", "hero.npz", "-o", "x/y", "--count", 9)], "the folder x does not exist"),
    ([("a", "sample", "hero.npz", "-o", "a.rwdata", "--count", 0)], "0 is not a whole number of at least 1"),
    ([("a", "sample", "hero.npz", "-o", "a.rwdata", "--blender", "/bin/sh")], "--blender names a program"),
    ([SET, ("b", *SET[1:])], "jobs set and b both write hero.rwdata; only one may"),
    ([("a", "sample", "hero.npz", "-o", "hero.npz")], "hero.npz is a file; it must be a folder"),
    ([TRAIN], "train: rigcast train: argument SET: hero.rwdata does not exist"),
    (
        [("a", "train", "body", "b.rwdata", "-o", "a.safetensors"), ("b", "sample", "a.safetensors", "-o", "b.rwdata")],
        "jobs wait for each other, each reading what another writes: a, b; one must come first",
    ),
]


@pytest.mark.parametrize(("jobs", "message"), WRONG)
def test_a_wrong_job_is_named_and_nothing_starts(folder, jobs_file, batch, ran, jobs, message):
    path = jobs_file(("fine", "info", "hero.npz"), *jobs)
    before = sorted(folder.iterdir())
    code, _, told = batch(path)
    assert (code, ran) == (2, [])
    assert message in told
    assert sorted(folder.iterdir()) == before


def test_all_wrong_jobs_are_told_at_once(jobs_file, batch):
    code, _, told = batch(jobs_file(("a", "info", "no.npz"), ("b", "info", "hero.npz"), ("c", "info", "nor.npz")))
    assert code == 2
    assert "2 of 3 jobs are wrong: a: " in told
    assert "; c: " in told


def test_an_existing_result_is_not_replaced_unasked(folder, jobs_file, batch, ran):
    (folder / "hero.safetensors").write_bytes(b"mine")
    path = jobs_file(SET, TRAIN)
    code, _, told = batch(path)
    assert (code, ran) == (2, [])
    assert "train: hero.safetensors exists; --overwrite replaces it" in told
    assert batch(path, "--overwrite", "--check")[0] == 0


def described(folder, *jobs):
    with inside(folder):
        return parsed([Job(name, command, tuple(map(str, words))) for name, command, *words in jobs])


def test_what_another_job_writes_need_not_be_there(folder):
    jobs = described(folder, TRAIN, SET, ("look", "info", "./hero.rwdata"))
    assert [one.needs for one in jobs] == [{1}, set(), {1}]
    with inside(folder):
        check_files(jobs, [0, 1, 2], lambda job: False)


def test_who_reads_a_folder_needs_who_writes_into_it(folder):
    (folder / "out").mkdir()
    jobs = described(folder, ("a", "sample", "hero.npz", "-o", "out/a.rwdata"), ("b", "info", "out"))
    assert jobs[1].needs == {0}
