"""Functions that are timed side by side. No times here."""

from __future__ import annotations

from rigcast._timing import interleaved


def test_functions_take_turns():
    calls = []
    times = interleaved({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, 12)
    assert calls == ["a"] * 3 + ["b"] * 3 + ["a", "b"] * 12
    assert all(value >= 0 for value in times.values())


def test_turns_of_several_calls_begin_with_one_that_is_not_timed():
    calls = []
    interleaved({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, 2, in_a_row=2, warm_up=0)
    assert "".join(calls) == "aaabbb" * 2
