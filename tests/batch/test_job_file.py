"""Files of jobs: TOML and JSON say the same, and what is wrong is named."""

from __future__ import annotations

import json

import pytest

from rigcast.cli._batch.job_file import Job, read_jobs

TOML = """
[[jobs]]
name = "walk"
command = "sample"
arguments = ["hero.npz", "-o", "walk.rwdata", "--count", 400, "--noise", 0.5]

[[jobs]]
command = "solve"
each = "shots/*.npy"
arguments = ["face.safetensors", "{path}", "-o", "weights/{stem}.npz"]
"""
WALK = Job("walk", "sample", ("hero.npz", "-o", "walk.rwdata", "--count", "400", "--noise", "0.5"))


@pytest.fixture
def place(tmp_path):
    (tmp_path / "shots").mkdir()
    for name in ("b.npy", "a.npy", "c.txt"):
        (tmp_path / "shots" / name).write_bytes(b"")
    return tmp_path


def read(place, text, name="jobs.json"):
    (place / name).write_text(text)
    return read_jobs(place / name)


def test_a_job_is_one_command_line_and_a_pattern_makes_one_per_file(place):
    words = [("face.safetensors", f"shots/{stem}.npy", "-o", f"weights/{stem}.npz") for stem in "ab"]
    solves = [Job(f"solve-2-{stem}", "solve", one) for stem, one in zip("ab", words, strict=True)]
    assert read(place, TOML, "jobs.toml") == [WALK, *solves]


def test_json_says_the_same(place):
    words = ["hero.npz", "-o", "walk.rwdata", "--count", 400, "--noise", 0.5]
    text = json.dumps({"jobs": [{"name": "walk", "command": "sample", "arguments": words}]})
    assert read(place, text) == [WALK]


@pytest.mark.parametrize("name", ["-ox.npy", "--verbose.npy", "-.npy"])
def test_a_file_whose_name_begins_with_a_dash_is_no_option(tmp_path, name):
    (tmp_path / name).touch()
    entry = {"command": "solve", "each": "*.npy", "arguments": ["{path}", "-o", "{stem}.npz", "--label={stem}"]}
    (tmp_path / "jobs.json").write_text(json.dumps({"jobs": [entry]}))
    (job,) = read_jobs(tmp_path / "jobs.json")
    stem = name.partition(".")[0]
    assert job.arguments == (f"./{name}", "-o", f"./{stem}.npz", f"--label={stem}")


def test_braces_mean_nothing_but_the_two_places(place):
    """No formatting language: attributes of objects cannot be reached."""
    entry = {"command": "info", "each": "shots/a.npy", "arguments": ["{stem.__class__}", "{0}", "$(date)", "{path}"]}
    (job,) = read(place, json.dumps({"jobs": [entry]}))
    assert job.arguments == ("{stem.__class__}", "{0}", "$(date)", "shots/a.npy")


def entries(*jobs):
    return json.dumps({"jobs": jobs})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1, 2]", r"is no file of jobs; it must hold a list named jobs"),
        ('{"jobs": [], "more": 1}', r"is no file of jobs; it must hold a list named jobs"),
        ('{"jobs": []}', r"has no jobs; it must have at least one"),
        ("{", r"cannot be read \(.*\); it must be TOML, or JSON if it ends in .json"),
        ("[" * 100_000, r"cannot be read \(.*\); it must be TOML, or JSON if it ends in .json"),
        ("\udcff", r"cannot be read"),
        (entries("info"), r"job 1 is a str; it must be a table"),
        (entries({"command": "info", "shell": "x"}), r"job 1 has the key 'shell'; the keys must be of name, command"),
        (entries({"command": 3}), r"job 1: command is 3; it must be the name of a command"),
        (entries({"command": "info", "arguments": "a b"}), r"job 1: arguments is 'a b'; it must be a list"),
        (entries({"command": "info", "arguments": [True]}), r"an argument is True; it must be text or a number"),
        (entries({"command": "info", "arguments": [["a"]]}), r"an argument is \['a'\]; it must be text or a number"),
        (entries({"command": "info", "arguments": ["a\0b"]}), r"an argument holds a zero byte"),
        (entries({"command": "info", "name": "a\nb"}), r"name is 'a\\nb'; it must be printable text"),
        (entries({"command": "info", "name": "a"}, {"command": "info", "name": "a"}), r"two jobs are named 'a'"),
        (entries({"command": "info", "each": "no/*.npy"}), r"no file fits each = 'no/\*.npy'"),
        (entries({"command": "info", "each": 1}), r"each is 1; it must be a pattern of files"),
    ],
)
def test_what_is_wrong_is_named(place, text, message):
    (place / "jobs.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ValueError, match=message):
        read_jobs(place / "jobs.json")
