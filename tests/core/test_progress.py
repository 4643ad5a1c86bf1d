"""Progress: what ``progress=`` takes, and the bar that True draws."""

from __future__ import annotations

import inspect
import io
import sys

import pytest

import rigcast as rc
from rigcast.progress import Progress, as_callback, silent


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def drawn(monkeypatch, stream: io.StringIO, records: list[Progress]) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    show = as_callback(True)
    for record in records:
        show(record)
    del show  # the work is over
    return stream.getvalue()


def test_none_and_false_show_nothing():
    assert as_callback(None) is silent
    assert as_callback(False) is silent


def test_a_callable_is_called_as_it_is():
    records: list[Progress] = []
    callback = records.append
    assert as_callback(callback) is callback


@pytest.mark.parametrize("wrong", [1, "yes", 0.5])
def test_anything_else_is_refused(wrong):
    with pytest.raises(ValueError, match=r"progress is .*; it must be True, a callable that takes a Progress, or None"):
        as_callback(wrong)


@pytest.mark.parametrize("rich", [True, False])
def test_a_terminal_shows_a_bar_in_one_line_per_stage(monkeypatch, rich):
    if not rich:
        monkeypatch.setitem(sys.modules, "rich.console", None)
    else:
        pytest.importorskip("rich", reason="rich is not installed")
    records = [Progress("sampling", 0, 4), Progress("sampling", 4, 4, "90 poses/s"), Progress("writing", 0, 0)]
    text = drawn(monkeypatch, Terminal(), records)
    assert text.count("\n") == 2
    assert "100%" in text
    assert "90 poses/s" in text
    assert text.endswith("writing\n")


def test_an_unfinished_stage_makes_room_for_the_next(monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    records = [Progress("measuring", 2, 3), Progress("writing", 1, 1)]
    text = drawn(monkeypatch, Terminal(), records)
    assert text.count("\n") == 1
    assert text.split("\r")[-1].strip().startswith("writing")


def test_a_shorter_line_clears_the_longer_one_before_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    records = [Progress("solving", 0, 2, "a long message"), Progress("solving", 2, 2)]
    first, second = drawn(monkeypatch, Terminal(), records).strip("\r\n").split("\r")
    assert len(second) == len(first)


def test_a_log_has_a_line_when_a_stage_begins_and_when_it_ends(monkeypatch):
    records = [Progress("solving", done, 1000) for done in range(1001)]
    text = drawn(monkeypatch, io.StringIO(), records)
    assert text.count("\n") == 2
    assert "\r" not in text


def test_a_notebook_is_redrawn_in_place(monkeypatch):
    cell = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})()
    assert drawn(monkeypatch, cell, [Progress("solving", 1, 2)]).startswith("\rsolving  [")


def test_what_is_drawn_at_once_is_drawn_rarely(monkeypatch):
    records = [Progress("solving", done, 10**5) for done in range(10**4)]
    assert drawn(monkeypatch, Terminal(), records).count("\r") < 1000


@pytest.mark.parametrize("broken", ["closed", "full", "none"])
def test_a_broken_stream_does_not_fail_the_work(monkeypatch, broken):
    class Full(Terminal):
        def write(self, text: str) -> int:
            raise OSError("No space left on device")

    stream = {"closed": Terminal(), "full": Full(), "none": None}[broken]
    if broken == "closed":
        stream.close()
    monkeypatch.setattr(sys, "stderr", stream)
    as_callback(True)(Progress("sampling", 1, 1))


def test_what_a_callback_raises_ends_the_work():
    def stop(_: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rc.inverse.solve(tiny_rig(), tiny_rig().evaluate([[0.5]]), alpha=0.0, progress=stop)


def test_a_solve_draws_its_bar(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    rc.inverse.solve(tiny_rig(), tiny_rig().evaluate([[0.5]]), alpha=0.0, progress=True)
    assert "solving" in stream.getvalue()


def tiny_rig() -> rc.BlendshapeRig:
    return rc.BlendshapeRig([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [[[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]])


def public_functions():
    for package in (getattr(rc, name) for name in rc.__all__):
        if inspect.ismodule(package):
            for name in package.__all__:
                value = getattr(package, name)
                members = vars(value).values() if inspect.isclass(value) else [value]
                yield from (member for member in members if inspect.isfunction(member))


def test_every_public_progress_argument_takes_the_same():
    found = [f for f in public_functions() if "progress" in inspect.signature(f).parameters and f is not as_callback]
    assert len(found) >= 14
    for function in found:
        argument = inspect.signature(function).parameters["progress"]
        if function.__qualname__.startswith("Options"):
            continue
        assert argument.annotation == "ProgressOption", function
        assert argument.default is None, function
