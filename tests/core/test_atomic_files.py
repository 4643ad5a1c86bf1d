"""Files that are written in one step: links, modes, what is no file, and a full disk."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys

import numpy as np
import pytest

import rigcast as rc
from rigcast._atomic_files import DiskFull, atomic_file, atomic_npz, atomic_write

WRITERS = [lambda path: atomic_write(path, b"new"), rc.faces.example().save]
writers = pytest.mark.parametrize("write", WRITERS, ids=["python", "engine"])


def is_new(path):
    """Whether a file holds all that one of the writers writes."""
    return path.read_bytes() == b"new" or rc.load(path).kind == "blendshape"


@writers
def test_a_new_file_has_the_mode_of_the_user(tmp_path, write):
    mask = os.umask(0o027)
    try:
        write(tmp_path / "a")
    finally:
        os.umask(mask)
    assert is_new(tmp_path / "a")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


@writers
def test_a_link_stays_a_link_and_the_mode_stays(tmp_path, write):
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "target", tmp_path / "link"
    target.write_bytes(b"old")
    target.chmod(0o600)
    link.symlink_to("far/target")
    (tmp_path / "second").symlink_to("link")
    write(tmp_path / "second")
    assert link.is_symlink()
    assert is_new(target)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["far", "link", "second", "target"]


@writers
def test_a_link_to_nothing_makes_what_it_names(tmp_path, write):
    (tmp_path / "link").symlink_to("target")
    write(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert is_new(tmp_path / "target")


@writers
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: os.mkfifo(path), "is a pipe or a device; it must be a file"),
        (lambda path: path.symlink_to("/dev/null"), "is a pipe or a device; it must be a file"),
        (lambda path: path.mkdir(), "is a folder; it must be a file"),
        (lambda path: path.symlink_to(path.name), r"(Too many levels of symbolic|a circle of) links"),
        (lambda path: path.touch(0o444), "is read-only; it must be writable"),
    ],
    ids=["pipe", "device", "folder", "loop", "read-only"],
)
def test_what_is_not_to_be_replaced_is_refused(tmp_path, write, make, words):
    make(tmp_path / "a")
    before = os.lstat(tmp_path / "a")
    with pytest.raises(ValueError, match=words):
        write(tmp_path / "a")
    assert os.path.samestat(os.lstat(tmp_path / "a"), before)
    assert len(list(tmp_path.iterdir())) == 1


@writers
def test_names_as_long_as_the_file_system_has_them(tmp_path, write):
    path = tmp_path / ("n" * 255)
    write(path)
    assert is_new(path)


def test_a_full_disk_is_a_sentence_and_leaves_the_old_file(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    text = r"^the disk is full: '.*a' was not written, and nothing was replaced$"

    def write():
        with atomic_file(tmp_path / "a") as stream:
            stream.write(b"half")
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(DiskFull, match=text) as caught:
        write()
    assert caught.value.errno == errno.ENOSPC
    assert (tmp_path / "a").read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 1


def test_the_engine_reports_a_full_disk_as_python_does(tmp_path):
    program = (
        "import resource, signal, sys, rigcast as rc\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "try: rc.faces.example().save(sys.argv[1])\n"
        "except OSError as error: print(type(error).__name__, error.errno, error.filename)\n"
    )
    (tmp_path / "a").write_bytes(b"old")
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "a")], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["OSError", str(errno.EFBIG), str(tmp_path / "a")]
    assert (tmp_path / "a").read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 1


def test_the_engine_reports_a_missing_folder_as_python_does(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"No such file or directory: '.*a'"):
        rc.faces.example().save(tmp_path / "nowhere" / "a")


def test_archives_are_the_same_bytes_each_time(tmp_path):
    arrays = {"b": np.arange(5), "a": np.eye(3)}
    for name in ("a.npz", "b.npz"):
        atomic_npz(tmp_path / name, arrays)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    with np.load(tmp_path / "a.npz") as stored:
        np.testing.assert_array_equal(stored["a"], np.eye(3))
