"""Folders of finished parts: what is kept comes back, what is not of this work is not used, what is not ours stays."""

from __future__ import annotations

import os
import re

import numpy as np
import pytest

from rigcast._resume.fingerprints import fingerprint
from rigcast._resume.parts import PartsFolder

WORK, OTHER = fingerprint("work"), fingerprint("other work")


@pytest.fixture
def folder(tmp_path):
    """The folder of an interrupted run with two parts."""
    path = tmp_path / "out.npz.partial"
    with PartsFolder(path, "solve") as parts:
        parts.begin(WORK)
        parts.put("000000", b"first")
        parts.put("000001", b"second")
    return path


def test_parts_come_back(folder):
    with PartsFolder(folder, "solve") as parts:
        parts.begin(WORK)
        assert [parts.get("000000"), parts.get("000001"), parts.get("000002")] == [b"first", b"second", None]


@pytest.mark.parametrize("keep", range(0, 88, 8))
def test_a_part_that_was_cut_is_none(folder, keep):
    path = folder / "rigcast-000001.part"
    path.write_bytes(path.read_bytes()[:keep])
    with PartsFolder(folder, "solve") as parts:
        parts.begin(WORK)
        assert parts.get("000001") is None
        assert parts.get("000000") == b"first"


def test_a_part_with_a_wrong_byte_is_none(folder):
    path = folder / "rigcast-000001.part"
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with PartsFolder(folder, "solve") as parts:
            parts._fingerprint = WORK
            assert parts.get("000001") is None


def test_a_part_of_other_work_is_none_wherever_it_came_from(folder, tmp_path):
    with PartsFolder(tmp_path / "other", "solve") as parts:
        parts.begin(OTHER)
        parts.put("000000", b"strange")
    with PartsFolder(folder, "solve") as parts:
        parts.begin(WORK)
        os.replace(tmp_path / "other" / "rigcast-000000.part", folder / "rigcast-000000.part")
        assert parts.get("000000") is None


def test_parts_of_other_work_are_removed_and_insisting_refuses(folder):
    with PartsFolder(folder, "solve") as parts:
        with pytest.raises(ValueError, match=r"resume is .*, which holds parts of another solve"):
            parts.begin(OTHER, insist=True)
        assert len(list(folder.glob("*.part"))) == 2
        parts.begin(OTHER)
        assert not list(folder.glob("*.part"))


def test_a_second_run_is_refused_and_the_process_is_named(folder):
    with PartsFolder(folder, "solve"):
        text = (
            rf"solve: folder is '.*out.npz.partial', which process {os.getpid()} on .* is writing; it must be a place"
        )
        with pytest.raises(ValueError, match=text), PartsFolder(folder, "solve"):
            pytest.fail("two runs in one folder")
    with PartsFolder(folder, "solve") as parts:
        parts.begin(WORK)
        assert parts.get("000000") == b"first"


def test_an_empty_folder_goes_with_the_run_and_parts_stay(tmp_path, folder):
    with PartsFolder(tmp_path / "deep" / "new", "solve"):
        assert (tmp_path / "deep" / "new").is_dir()
    assert not (tmp_path / "deep" / "new").exists()
    with PartsFolder(folder, "solve") as parts:
        pass
    assert sorted(path.name for path in folder.iterdir()) == ["rigcast-000000.part", "rigcast-000001.part"]
    with PartsFolder(folder, "solve") as parts:
        parts.remove()
    assert not folder.exists()


def test_files_of_others_stay_beside_parts(folder):
    """Whatever they are called, and however the run ends."""
    theirs = {"solve.json": b'{"solve": ""}', "000000.npz": b"mine", "thesis.txt": b"mine", ".hidden": b"mine"}
    for name, content in theirs.items():
        (folder / name).write_bytes(content)
    (folder / "chapter").mkdir()
    with PartsFolder(folder, "solve") as parts:
        parts.begin(OTHER)
        parts.put("000000", b"new")
        parts.remove()
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == theirs
    assert (folder / "chapter").is_dir()


@pytest.mark.parametrize("name", ["solve.json", "000000.npz", "thesis.txt"])
def test_a_folder_of_others_is_refused(tmp_path, name):
    (tmp_path / name).write_text("mine")
    with (
        pytest.raises(ValueError, match="which holds other files; it must be absent or empty"),
        PartsFolder(tmp_path, "solve"),
    ):
        pytest.fail("in a folder of others")
    assert (tmp_path / name).read_text() == "mine"


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "a").write_text("mine")
    for path in (tmp_path / "a", tmp_path / "a" / "b"):
        message = f"{re.escape(repr(str(path)))}, which is or lies in a file"
        with pytest.raises(ValueError, match=message), PartsFolder(path, "solve"):
            pytest.fail("in a file")


def test_what_a_killed_run_was_writing_is_removed(folder):
    (folder / ".rigcast-000002.part.a1b2c3.part").write_bytes(b"half")
    with PartsFolder(folder, "solve") as parts:
        parts.begin(WORK, insist=True)
    assert not list(folder.glob(".*"))


def test_fingerprints_tell_types_and_shapes_and_nesting_apart():
    values = [
        np.zeros(4, np.float32),
        np.zeros((2, 2), np.float32),
        np.zeros(4, np.int32),
        [np.zeros(2, np.float32), np.zeros(2, np.float32)],
        [[1], 2],
        [1, [2]],
        {"a": 1},
        {"a": None},
        None,
        "None",
        0,
        0.0,
        False,
    ]
    assert len({fingerprint(value) for value in values}) == len(values)
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    assert fingerprint(np.eye(3)[:, ::2]) == fingerprint(np.eye(3)[:, ::2].copy())
