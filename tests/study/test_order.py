"""Order of trials and places of methods: by the seed, each once, and balanced within each block."""

from __future__ import annotations

from collections import Counter

import pytest

from rigcast.study._order import course, training_course
from tests.study import small

PEOPLE = range(1, 21)


@pytest.mark.parametrize("name", ["ratings", "choices", "rankings"])
def test_every_participant_sees_every_trial_once(name, request):
    study = request.getfixturevalue(name)
    for number in PEOPLE:
        assert sorted(placed.trial.name for placed in course(study, number)) == sorted(t.name for t in study.trials)


def test_the_order_is_that_of_the_seed(choices, tmp_path):
    again = small.choice(tmp_path / "again")
    other = small.choice(tmp_path / "other", seed=1)

    def orders(study):
        return [[(p.trial.name, p.order) for p in course(study, number)] for number in PEOPLE]

    assert orders(choices) == orders(again) != orders(other)


def test_participants_have_orders_of_their_own(choices):
    assert len({tuple(placed.trial.name for placed in course(choices, number)) for number in PEOPLE}) == len(PEOPLE)


def test_each_method_stands_left_as_often_as_right_in_each_block(tmp_path):
    """Not over the study alone: within every block of every participant."""
    study = small.choice(tmp_path / "even", characters=4, expressions=small.EXPRESSIONS)
    for number in PEOPLE:
        left = Counter((placed.block, placed.order[0]) for placed in course(study, number))
        assert {left[block, method] for block in range(4) for method in study.methods} == {2}


def test_what_does_not_divide_alternates_between_blocks(choices):
    for number in PEOPLE:
        placed = course(choices, number)
        for block in range(3):
            own = Counter(p.order[0] for p in placed if p.block == block)
            assert sorted(own.values()) == [1, 2]
        assert sorted(Counter(p.order[0] for p in placed).values()) == [4, 5]


def test_the_method_that_is_left_first_differs_between_people(choices):
    assert len({course(choices, number)[0].order[0] for number in PEOPLE}) == 2


def test_methods_of_a_ranking_stand_everywhere_equally_often(rankings):
    for number in PEOPLE:
        for place in range(3):
            assert set(Counter(p.order[place] for p in course(rankings, number)).values()) == {1}


def test_trials_of_a_block_are_shown_together(choices):
    for number in PEOPLE:
        blocks = [placed.trial.facts["character"] for placed in course(choices, number)]
        assert [len(set(blocks[i : i + 3])) for i in (0, 3, 6)] == [1, 1, 1]


def test_outer_blocks_hold_inner_ones(tmp_path):
    facts = {"sex": {"c0": "f", "c1": "f", "c2": "m"}}
    study = small.choice(tmp_path / "nested", facts=facts, block_by=["sex", "character"])
    for number in PEOPLE:
        sexes = "".join(str(placed.trial.facts["sex"]) for placed in course(study, number))
        assert sexes in ("f" * 6 + "m" * 3, "m" * 3 + "f" * 6)


def test_training_is_of_other_trials(choices):
    names = {trial.name for trial in choices.trials}
    practice = training_course(choices, 1)
    assert practice
    assert not names & {placed.trial.name for placed in practice}
