"""The registry of formats says what readers and writers do, and importing it imports none of them."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections import defaultdict

import pytest

from rigcast._formats import registry
from rigcast._formats.readers import imported
from rigcast._validate.arrays import MESHES
from rigcast.exports import _motion, _rigs, _skinned, _vertices, _weights

READERS = {
    f"{form.name}: {content.words}": (content, reader)
    for form in registry.FORMATS
    for content, reader in form.reads.items()
    if reader.place
}


def keywords(function):
    return {name for name, one in inspect.signature(function).parameters.items() if one.default is not one.empty}


@pytest.mark.parametrize("name", READERS)
def test_a_reader_takes_the_options_of_its_row(name):
    _, reader = READERS[name]
    assert set(reader.options) <= keywords(imported(reader))


def test_every_keyword_of_a_reader_is_an_option_of_a_format():
    stated = defaultdict(set)
    for content, reader in READERS.values():
        stated[content, reader.place] |= set(reader.options)
    for (content, place), options in stated.items():
        assert options == keywords(imported(registry.Reader(place))), (content.function, place)


@pytest.mark.parametrize(
    ("content", "endings"),
    [
        (registry.MADE_RIG, _rigs.WRITERS),
        (registry.MADE_SHOT, _vertices.SUFFIXES),
        (registry.MADE_WEIGHTS, _weights.WRITERS),
        (registry.MADE_MOTION, (*_skinned.WRITERS, *registry.BVH.endings)),
        (registry.MADE_MOTION, _motion.MOTIONS),
    ],
)
def test_writers_are_those_of_the_registry(content, endings):
    assert set(registry.written_endings(content)) == set(endings)


def test_an_ending_is_of_one_format():
    endings = [ending for form in registry.FORMATS for ending in form.endings]
    assert len(set(endings)) == len(endings)


def test_a_path_in_place_of_an_array_is_known_as_a_shot():
    assert set(registry.readers(registry.SHOT)) | {".obj.gz"} == set(MESHES)


def test_the_registry_imports_no_reader():
    code = (
        "import sys, rigcast._formats.registry\n"
        "print([name for name in sys.modules if name.startswith(('rigcast._formats.', 'pxr', 'bpy'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "gltf" not in done.stdout
