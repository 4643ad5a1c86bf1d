"""Model files on disk: what is no file, many writers at once, what is left behind, and large shapes."""

import os
import stat
import threading

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from tests.support.made.models import linear_blend, metadata
from tests.support.process import PATIENCE


def test_a_pipe_is_refused_and_blocks_nothing(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    done = threading.Event()

    def load():
        with pytest.raises(ValueError, match="pipe is not a readable file"):
            rc.load(path)
        done.set()

    threading.Thread(target=load, daemon=True).start()
    refused = done.wait(PATIENCE)
    if not refused:
        os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK))  # lets the thread go
    assert refused


@pytest.mark.parametrize("path", ["/dev/null", "/dev/zero"])
def test_what_is_no_file_is_refused_by_name(path):
    with pytest.raises(ValueError, match="not a readable file"):
        rc.load(path)


@pytest.mark.parametrize("name", ["arm.rwdata", "arm.safetensors"])
def test_a_folder_is_refused_with_what_opens_a_data_set(tmp_path, name):
    (tmp_path / name).mkdir()
    with pytest.raises(ValueError, match=f"^load: path is '.*{name}', a folder; .*rc.Dataset"):
        rc.load(tmp_path / name)


@pytest.mark.parametrize("path", ["/nowhere/at/all", os.fsdecode(b"/nowhere/caf\xe9"), "/" + 300 * "x"])
def test_what_does_not_exist_is_named(path):
    with pytest.raises(FileNotFoundError, match=f"^load: path is .*{ascii(path)[-3:-1]}.*, which does not exist"):
        rc.load(path)


def test_twenty_threads_may_save_one_path(tmp_path):
    models = [linear_blend(num_vertices=2000, seed=seed) for seed in range(2)]
    path = tmp_path / "model.safetensors"
    good, failures = set(), []
    for model in models:
        model.save(path)
        good.add(path.read_bytes())

    def save(i):
        for _ in range(5):
            try:
                models[i % 2].save(path)
                if path.read_bytes() not in good:
                    failures.append("a torn file")
            except ValueError as error:
                failures.append(str(error))

    threads = [threading.Thread(target=save, args=(i,)) for i in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert os.listdir(tmp_path) == ["model.safetensors"]


def test_a_saved_file_has_the_mode_that_the_user_asks_for(tmp_path):
    path = tmp_path / "model.safetensors"
    old = os.umask(0o027)
    try:
        linear_blend().save(path)
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_failed_save_leaves_nothing(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(ValueError, match=r"save: path is .*folder.* it must be a file"):
        linear_blend().save(tmp_path / "folder")
    assert os.listdir(tmp_path) == ["folder"]


def test_extents_whose_product_passes_two_to_the_31_are_saved_and_read(tmp_path):
    model = linear_blend()
    path = tmp_path / "model.safetensors"
    shape = (2**31 - 1, 2, 0)
    text = metadata("linear_blend", model.skeleton)
    made = _core.model_from_tensors(model.tensors() | {"more": np.zeros(shape, np.float32)}, text)
    made.save(path)
    assert rc.load(path).tensors()["more"].shape == shape


def test_an_extent_that_no_file_can_hold_is_refused_when_made():
    model = linear_blend()
    text = metadata("linear_blend", model.skeleton)
    with pytest.raises(ValueError, match=r"more is .*2147483648"):
        _core.model_from_tensors(model.tensors() | {"more": np.zeros((2**31, 0), np.float32)}, text)
