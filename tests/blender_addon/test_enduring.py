"""A thousand loads and a hundred pairs of undo and redo with a live character leave nothing in memory."""

from __future__ import annotations

import pytest

from tests.blender_addon.models import tube
from tests.blender_addon.working import blenders, told

pytestmark = pytest.mark.long

LOADS, PAIRS = 1000, 100
NOTHING = 4 << 20  # bytes: what allocators take and give back; a model kept per load is 10 MB and more, a file 100 MB


@pytest.fixture(scope="module", params=blenders())
def seen(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("endure")
    tube(folder / "tube.safetensors")
    return told("endure.py", folder, folder / "tube.safetensors", LOADS, PAIRS, blender=request.param)


def test_memory_does_not_grow_with_loads(seen):
    assert seen["grown"] < NOTHING


def test_memory_does_not_grow_with_undo_and_redo(seen):
    assert seen["grown_by_turns"] < NOTHING


def test_the_character_is_still_the_model_to_the_last_bit(seen):
    assert seen["error"] == 0.0


def test_undo_and_redo_show_what_was_there_to_the_last_bit(seen):
    before, after, apart = seen["turns"]
    assert (before, after) == (0.0, 0.0)
    assert apart > 0.1


def test_one_model_and_one_session_live_at_a_time(seen):
    (own,) = seen["at_first"].values()  # the script's
    assert seen["most"] == {"rigcast_model_free": own + 1, "rigcast_session_free": 1}
    assert seen["living"] == seen["most"]


def test_unbinding_frees_them(seen):
    assert seen["left"] == seen["at_first"]
