"""Sentences of errors of the C library begin with the function that failed."""

from __future__ import annotations

import ctypes

import pytest

from tests.runtime.calls import (
    BAD_ARGUMENT,
    BAD_FILE,
    BAD_HANDLE,
    NEW,
    World,
    error,
    raw,
    refused,
    structures,
    with_changes,
)

NAMES = [name.removeprefix("rigcast_") for name in structures.FUNCTIONS]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return World(tmp_path_factory.mktemp("world"))


# A wrong call of every function: what stands in place of its arguments, and the status. Of most an object is NULL.
FAILING = {
    "open": ([b"none.safetensors", NEW], BAD_FILE),
    "parse": ([b"no model", 8, b"cut", NEW], BAD_FILE),
    "make_blendshapes": ([None, NEW], BAD_ARGUMENT),
    "player_defaults": ([None], BAD_ARGUMENT),
}
FOR_NUMBERS = (ctypes.c_int64, ctypes.c_int32, ctypes.c_size_t)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "set_scheduler"])  # which takes everything
def test_a_sentence_begins_with_the_function_that_failed(name):
    types = structures.FUNCTIONS[f"rigcast_{name}"]
    nothing = [NEW if kind is structures.NEW else 0 if kind in FOR_NUMBERS else None for kind in types]
    arguments, status = FAILING.get(name, (nothing, BAD_HANDLE))
    refused(name, arguments, status)
    assert error().startswith(f"{name}: ")
    assert error().count(": ") == 1 or name == "open"


def test_a_sentence_of_the_engine_begins_with_the_function_of_the_library(world):
    arguments = raw(world.calls["session_evaluate"])
    refused("session_evaluate", with_changes(arguments, {2: 3}))
    assert error().startswith("session_evaluate: pose is 3 numbers long; it must be ")


def test_a_file_that_cannot_be_written(world, tmp_path):
    for path in (tmp_path, tmp_path / "none" / "a.safetensors"):
        refused("save", [world.pointers["model"], str(path).encode()], BAD_FILE)
    refused("save", [world.pointers["model"], None])
