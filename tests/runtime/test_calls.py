"""Wrong calls of the C library: a status and a sentence, and nothing else happens."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tests.runtime.calls import (
    BAD_FILE,
    BAD_HANDLE,
    NEW,
    OK,
    Input,
    Lone,
    Output,
    Record,
    World,
    error,
    library,
    raw,
    refused,
    status_of,
    structures,
    with_changes,
)

NAMES = [name.removeprefix("rigcast_") for name in structures.FUNCTIONS]
# Others: set_scheduler has no wrong arguments; these need a model with channels, error bounds or detail.
ELSEWHERE = ("set_scheduler", "poses", "channels", "error_bound", "session_set_detail")


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return World(tmp_path_factory.mktemp("world"))


TRIED = [name for name in NAMES if name not in ELSEWHERE]
MAKING = [name for name in TRIED if structures.FUNCTIONS[f"rigcast_{name}"][-1] is structures.NEW]
WITHOUT_OBJECT = ("open", "parse", "make_blendshapes", "player_defaults")
WRITTEN = ("describe", "describe_synthesis", "player_defaults")  # structures that a call writes


@pytest.fixture(params=TRIED)
def name(request):
    return request.param


def spoiled(arguments, kind):
    """For each argument of a kind its place among the raw arguments, and itself."""
    for i, argument in enumerate(arguments):
        if isinstance(argument, kind):
            yield len(raw(arguments[:i])), argument


def test_every_function_is_tried(world):
    assert {*world.calls, *ELSEWHERE} == set(NAMES)


def test_the_right_call_works(world, name):
    assert status_of(name, raw(world.calls[name])) == OK


@pytest.mark.parametrize("name", [name for name in TRIED if name not in WITHOUT_OBJECT])
def test_no_object(world, name):
    refused(name, with_changes(raw(world.calls[name]), {0: None}), BAD_HANDLE)


def test_a_count_that_is_wrong_by_one(world, name):
    arguments = raw(world.calls[name])
    for place, argument in spoiled(world.calls[name], (Input, Output)):
        if isinstance(argument, Input) and argument.free:
            continue
        for count in (argument.array.size - 1, argument.array.size + 1, -1, 2**62):
            refused(name, with_changes(arguments, {place + 1: count}))


def test_no_array(world, name):
    arguments = raw(world.calls[name])
    for place, _ in spoiled(world.calls[name], (Input, Output, Lone)):
        if name in ("crowd_evaluate", "crowd_distinct") and place == 4:
            continue  # without prefixes: all shapes
        refused(name, with_changes(arguments, {place: None}))


def test_numbers_that_are_not_finite(world, name):
    for _, argument in spoiled(world.calls[name], (Input, Lone)):
        if argument.array.dtype.kind != "f":
            continue
        for value in (np.nan, np.inf, -np.inf):
            kept = argument.array.copy()
            argument.array.reshape(-1)[-1] = value
            refused(name, raw(world.calls[name]))
            argument.array[...] = kept


FRAMES = ("evaluate", "vjp", "jvp", "confidence", "crowd_evaluate", "crowd_distinct")


@pytest.mark.parametrize("frames", [-1, 1, 3, 2**62, -(2**63)])
@pytest.mark.parametrize("name", FRAMES[:4])
def test_a_wrong_number_of_frames(world, name, frames):
    refused(name, with_changes(raw(world.calls[name]), {1: frames}))


@pytest.mark.parametrize("heads", [-1, 2**31, 2**62])
@pytest.mark.parametrize("name", ["crowd_evaluate", "crowd_distinct"])
def test_a_wrong_number_of_heads(world, name, heads):
    refused(name, with_changes(raw(world.calls[name]), {1: heads}))
    assert "heads" in error()


@pytest.mark.parametrize("name", ["evaluate", "vjp", "jvp", "crowd_evaluate"])
def test_a_negative_number_of_threads(world, name):
    arguments = raw(world.calls[name])
    refused(name, [*arguments[:-1], -1])


@pytest.mark.parametrize("name", MAKING)
def test_no_place_for_the_object(world, name):
    refused(name, [*raw(world.calls[name])[:-1], None])


def test_structures_that_are_absent_or_of_another_size(world, name):
    arguments = raw(world.calls[name])
    for place, argument in spoiled(world.calls[name], Record):
        refused(name, with_changes(arguments, {place: None}))
        right = argument.made.size
        for size in (0, right - 1, 4097, 2**63):
            argument.made.size = size
            refused(name, arguments)
        argument.made.size = right


def of_later_versions(arguments, fields):
    """The raw arguments with each structure in turn followed by the fields of a later version, and its bytes."""
    for place, argument in spoiled(arguments, Record):
        later = ctypes.create_string_buffer(bytes(argument.made) + fields, argument.made.size + len(fields))
        ctypes.c_size_t.from_buffer(later).value = len(later)
        pointer = ctypes.cast(later, type(ctypes.pointer(argument.made)))
        yield with_changes(raw(arguments), {place: pointer}), later


def test_larger_structures_of_later_versions_are_taken(world, name):
    for arguments, _ in of_later_versions(world.calls[name], bytes(8)):
        assert status_of(name, arguments) == OK


@pytest.mark.parametrize("name", [name for name in TRIED if name not in WRITTEN])
def test_fields_of_later_versions_that_are_set_are_refused(world, name):
    for arguments, _ in of_later_versions(world.calls[name], bytes(7) + b"\1"):
        refused(name, arguments)


def test_a_description_of_a_later_version_has_nothing_in_its_new_fields(world):
    ((arguments, later),) = of_later_versions(world.calls["describe"], b"\1" * 8)
    assert status_of("describe", arguments) == OK
    assert later.raw[-8:] == bytes(8)


def test_arrays_of_structures_of_a_wrong_length(world, name):
    for _, argument in spoiled(world.calls[name], Record):
        made = argument.made
        for field, kind in made._fields_:
            array = getattr(made, field)
            if kind is not structures.CArray or not array.data:
                continue
            for count in (array.count - 1, array.count + 1, -1, 0):
                right = array.count
                array.count = count
                refused(name, raw(world.calls[name]))
                array.count = right


@pytest.mark.parametrize("field", ["vertices", "shapes", "corrections"])
@pytest.mark.parametrize("value", [-1, 1, 2**62])
def test_wrong_sizes_of_a_rig_from_arrays(world, field, value):
    made = world.calls["make_blendshapes"][0].made
    right = getattr(made, field)
    setattr(made, field, value)
    refused("make_blendshapes", raw(world.calls["make_blendshapes"]))
    setattr(made, field, right)


SETTINGS = {
    "inverse_solve": {
        "frames": (-1, 3),
        "alpha": (-1.0, np.nan),
        "smoothness": (-1.0, np.inf),
        "threads": (-1,),
        "max_iterations": (-1, -(2**63)),
        "tolerance": (-1.0, np.nan, np.inf),
    },
    "drag_solve": {
        "preference": (-1.0, np.nan, np.inf),
        "tolerance": (-1.0, np.nan, np.inf),
        "max_iterations": (-1, -(2**63)),
    },
}
WRONG = [(name, field, value) for name, table in SETTINGS.items() for field in table for value in table[field]]


@pytest.mark.parametrize(("name", "field", "value"), WRONG)
def test_wrong_settings_of_a_solve(world, name, field, value):
    made = world.calls[name][1].made
    right = getattr(made, field)
    setattr(made, field, value)
    refused(name, raw(world.calls[name]))
    setattr(made, field, right)


@pytest.mark.parametrize("offsets", [[0, 1], [1, 2], [-1, 2], [0, 3]])
def test_corrections_that_do_not_have_the_factors(rig_with_a_correction, offsets):
    made = rig_with_a_correction
    made.arrays["correction_offsets"][:] = offsets
    refused("make_blendshapes", [ctypes.byref(made), NEW])


@pytest.fixture
def rig_with_a_correction(world):
    """A structure of a rig with a correction of two factors, which is right."""
    right = world.calls["make_blendshapes"][0].made
    arrays = {
        **right.arrays,
        "correction_deltas": np.ones((1, right.vertices, 3), np.float32),
        "correction_offsets": np.int32([0, 2]),
        "factor_shapes": np.int32([0, 1]),
    }
    sizes = {"vertices": right.vertices, "shapes": right.shapes, "corrections": 1}
    made = structures.filled(structures.CBlendshapes, arrays, **sizes)
    assert status_of("make_blendshapes", [ctypes.byref(made), NEW]) == OK
    return made


def test_a_preferred_pose_with_a_count_alone(world):
    made = world.calls["drag_solve"][1].made
    made.preferred.count = world.model.rest_pose.size
    refused("drag_solve", raw(world.calls["drag_solve"]))
    made.preferred.count = 0


INDICES = {"restrict": 1, "inverse_new": 1, "drag_new": 1, "crowd_new": 5}


@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("index", [-1, 2**31 - 1])
def test_indices_out_of_range(world, name, index):
    arguments = world.calls[name]
    (array,) = [argument.array for place, argument in spoiled(arguments, Input) if place == INDICES[name]]
    right = array.copy()
    array[-1] = index
    refused(name, raw(arguments))
    array[:] = right


@pytest.mark.parametrize("clips", [[], [0], [-1, 5], [3], [5], [2**62, 2**62, 4]])
def test_clips_that_are_not_the_rows(world, clips):
    arguments = raw(world.calls["crowd_new"])
    lengths = np.array(clips, np.int64)
    refused("crowd_new", with_changes(arguments, {3: lengths.ctypes.data, 4: len(clips)}))


def test_files_that_are_absent_or_no_models(world, tmp_path):
    refused("open", [str(tmp_path / "none.safetensors").encode(), NEW], BAD_FILE)
    refused("open", [str(tmp_path).encode(), NEW], BAD_FILE)
    refused("open", [None, NEW])
    refused("parse", [b"no model", 8, None, NEW], BAD_FILE)
    refused("parse", [world.content, 8, b"cut", NEW], BAD_FILE)
    assert "cut" in error()


def test_a_call_that_works_keeps_the_sentence_of_the_last_one_that_failed(world):
    refused("open", [None, NEW])
    sentence = error()
    assert status_of("confidence", raw(world.calls["confidence"])) == OK
    assert error() == sentence


@pytest.mark.parametrize("free", structures.FREES)
def test_nothing_may_be_freed(free):
    getattr(library.LIBRARY, free)(None)


def test_freed_and_confused_objects_are_refused(world):
    made = ctypes.c_void_p()
    assert library.LIBRARY.rigcast_session_new(world.pointers["model"], ctypes.byref(made)) == OK
    refused("confidence", with_changes(raw(world.calls["confidence"]), {0: made.value}), BAD_HANDLE)
    for _ in range(2):
        library.LIBRARY.rigcast_session_free(made)
    refused("session_evaluate", with_changes(raw(world.calls["session_evaluate"]), {0: made.value}), BAD_HANDLE)
    assert error() == "session_evaluate: session is no object of this type, or was freed"
