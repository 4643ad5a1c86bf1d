"""Which columns have no say in a model's confidence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rigcast.training._body.influence import Description
from rigcast.training._body.preparation import BodyPreparation


@pytest.fixture
def prepared():
    """A root and three joints in a chain: the third rests, the last is read by a set; a dial that nothing reads."""
    varying = np.zeros(49, bool)
    varying[[12 + 1, 36 + 2, 48]] = True  # the root does not
    description = Description(np.array([-1, 0, 1, 2]), varying, np.zeros(4, bool))
    empty = np.zeros(0, np.int64)
    return BodyPreparation(
        np.zeros((2, 49), np.float32), empty, empty, 1.0, None, [np.array([36 + 2])], [], description
    )


def test_a_root_that_rested_in_training_may_move(prepared):
    """Moving the whole character is not outside of anything."""
    assert prepared.unread()[:12].all()


def test_one_of_several_roots_has_a_say(prepared):
    parents = np.array([-1, -1, 1, 2])
    several = replace(prepared, description=replace(prepared.description, parents=parents))
    assert not several.unread()[:12].any()


def test_other_joints_that_rested_have_a_say(prepared):
    assert not prepared.unread()[24:36].any()


def test_what_varies_unread_has_none(prepared):
    unread = prepared.unread()
    assert unread[12:24].all()
    assert unread[48]
    assert not unread[36:48].any()
