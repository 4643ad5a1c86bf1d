"""Calls that do not fit a function of the engine: one short sentence, whatever the values."""

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from tests.support.characters.plain_face import plain_face

LARGE = np.random.default_rng(0).standard_normal((300, 3)).astype(np.float32)
FACE = plain_face()

CALLS = [
    (lambda: rc.BlendshapeRig(LARGE, LARGE[None], meters_per_unit=1.0), r'metadata=\{"meters_per_unit": \.\.\.\}'),
    (lambda: rc.BlendshapeRig(LARGE), "deltas is missing; it must be given: BlendshapeRig"),
    (lambda: rc.BlendshapeRig(LARGE, neutral=LARGE), "neutral is given by position and by name"),
    (lambda: FACE.evaluate(LARGE, thread=1), "thread is no argument; it must be threads"),
    (lambda: FACE.column(1, 2, LARGE), "arguments is 3 of them by position; it must be at most 1: n"),
    (lambda: FACE.column("smile"), "column: n is a str; it must be an integer"),
    (lambda: FACE.columns(all=True), "all is no argument; it must be left out: there are none"),
    (lambda: rc.LinearBlendSkinning(1, LARGE, [], LARGE), "skeleton is 1; it must be Skeleton"),
    (lambda: rc.differential.choose_anchors([[0, 1, 2]], 3, LARGE), "count is an array .*; it must be an integer"),
    (lambda: _core.edges(LARGE, 3, loops=True), "edges: loops is no argument"),
    (lambda: _core.model_from_tensors(LARGE), "metadata is missing"),
]


@pytest.mark.parametrize(("call", "text"), CALLS, ids=[text for _, text in CALLS])
def test_a_call_that_does_not_fit_is_explained(call, text):
    with pytest.raises(TypeError, match=text) as found:
        call()
    assert len(str(found.value)) < 300


def test_errors_of_what_a_function_calls_stay():
    with pytest.raises(TypeError, match="made by __new__ alone"):
        repr(_core.BlendshapeRig.__new__(_core.BlendshapeRig))


def test_models_know_the_number_of_their_vertices():
    assert FACE.num_vertices == len(FACE.rest_vertices)
