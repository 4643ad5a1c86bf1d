"""Errors about arguments and files have fields, say them in one wording, and travel between processes."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import rigcast as rc
from rigcast._safe_reading import errors_naming, read_json
from rigcast._validate import Arguments, bad_argument, bad_file, missing_file
from rigcast.errors import ArgumentError, FileError

ERRORS = {
    "an argument": (
        bad_argument("blend", "weights", "float64 (3,)", "numbers (2,)"),
        "blend: weights is float64 (3,); it must be numbers (2,)",
    ),
    "of no function": (ArgumentError("", "progress", "3", "a callable"), "progress is 3; it must be a callable"),
    "a sentence": (ArgumentError("rename", "", "'a' is no shape", ""), "rename: 'a' is no shape"),
    "a file's name": (
        bad_argument("load", "path", "'a.txt'", "a model file", "a.txt"),
        "load: path is 'a.txt'; it must be a model file",
    ),
    "a file": (bad_file("a.npy", "an archive", "one array"), "a.npy: an archive; it must be one array"),
    "a missing file": (
        missing_file("load", "path", "a.npy"),
        "load: path is 'a.npy', which does not exist; it must be an existing file",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_the_wording_is_made_of_the_fields(name):
    error, text = ERRORS[name]
    assert str(error) == text


@pytest.mark.parametrize("name", ERRORS)
def test_a_pickle_holds_the_fields(name):
    error, text = ERRORS[name]
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), text, vars(error))


def fail_in_the_engine(_: int) -> None:
    rc._core.vertex_normals(np.zeros((3, 2)), np.array([[0, 1, 2]]))


def test_an_error_of_the_engine_arrives_from_another_process():
    with ProcessPoolExecutor(1) as pool, pytest.raises(ArgumentError) as caught:
        pool.submit(fail_in_the_engine, 0).result()
    assert caught.value.argument == "vertices"


def test_errors_of_the_engine_have_fields(tmp_path):
    (tmp_path / "a.safetensors").mkdir()
    with pytest.raises(FileError) as caught:
        rc._core.load(tmp_path / "a.safetensors")
    error = caught.value
    fields = error.function, error.argument, error.got, error.expected, error.path
    path = str(tmp_path / "a.safetensors")
    assert fields == ("load", path, "not a readable file", "a model file", path)


def test_an_error_of_an_argument_about_a_file_s_content_becomes_one_about_the_file():
    with pytest.raises(FileError) as caught, errors_naming("a.npz"):
        Arguments("load").number("fps", -1.0, above=0.0)
    assert (caught.value.argument, caught.value.path) == ("fps", "a.npz")
    assert str(caught.value) == "load: fps is -1.0; it must be a finite number above 0 (in a.npz)"


def test_a_file_that_is_no_json_is_named_once(tmp_path):
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(FileError, match=r"a\.json: no JSON") as caught, errors_naming(tmp_path / "a.json"):
        read_json(tmp_path / "a.json")
    assert str(caught.value).count("a.json") == 1
