"""Saved states of characters, checked before they are used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rigcast._validate import Arguments
from rigcast.synthesis._playing.layers import MASK
from rigcast.synthesis._playing.simulate import SimulationBatch

LATEST = 2**53  # frames, and other whole numbers that JSON keeps exact
FIELDS = {
    "begin": {"command"},
    "go": {"to", "along"},  # and perhaps "meet"
    "hold": {"frames", "share"},
    "wander": {"poses", "frames", "along", "visited", "order"},
    "enter": {"label"},
    "switch": {"label", "to"},
    "join": {"begin"},
    "clip": {"begin", "end"},
}  # of tasks


def check_state(batch: SimulationBatch, state: Mapping[str, Any]) -> None:
    """Check that a state of a character belongs to a synthesizer.

    Raises
    ------
    ValueError
        Naming what is not of such a state: an unknown label or task, or arrays of other sizes.
    KeyError, TypeError
        If something is missing or of another type.
    """
    space, count = batch.grounds[state["label"]].space, len(batch.synth.control_names)
    check = Arguments("Player.restore", D=space.points.shape[1], N=count)
    for name in ("frame", "decisions", "used", "jump"):
        check.whole(name, state[name], most=LATEST)
    events = _checked_events(check, state["record"])
    _check_command(check, state["command"], events)
    check.whole("seed", state["seed"], most=MASK)
    if state["transitions"] not in ("inertialize", "blend"):
        raise check.wrong("transitions", repr(state["transitions"]), "inertialize or blend")
    for name, shape in (("x", "D"), ("v", "D"), ("path", "R+ D"), ("radii", "R"), ("previous", "2 N")):
        check.numbers(name, state[name], shape)
    for decay in state["decays"]:
        for name in ("offset", "rate"):
            check.numbers(name, decay[name], "N")
    for task in state["tasks"]:
        _check_task(check, batch, task, events)
    if state["item"] is not None:
        _check_item(check, batch, state, events)


def _checked_events(check: Arguments, record: Mapping[str, Any]) -> set[int]:
    """Numbers of the events of a record."""
    most = check.whole("next", record["next"], most=LATEST)
    numbers = [check.whole("number", number, most=most - 1) for number, _ in record["events"]]
    for _, event in record["events"]:
        check.whole("frame", event["frame"], most=LATEST)
        if not all(isinstance(event[name], str) for name in ("command", "name", "label")):
            raise check.wrong("events", repr(event)[:100], "commands and notes")
    return set(numbers)


def _check_command(check: Arguments, number: object, events: set[int]) -> None:
    if check.whole("command", number, least=-1, most=LATEST) not in {-1, *events}:
        raise check.wrong("command", repr(number), "-1 or the number of an event")


def _check_task(check: Arguments, batch: SimulationBatch, task: Mapping[str, Any], events: set[int]) -> None:
    if task["do"] not in FIELDS or set(task) - {"do", "meet"} != FIELDS[task["do"]]:
        raise check.wrong("tasks", repr(task)[:100], "tasks of a player")
    if "label" in task and task["label"] not in batch.grounds:
        raise check.wrong("tasks", f"with the label {task['label']!r}", f"of {', '.join(batch.grounds)}")
    if task["do"] == "begin":
        _check_command(check, task["command"], events)
    for name in ("visited", "order"):
        if name in task:
            check.whole(name, task[name], most=LATEST)


def _check_item(check: Arguments, batch: SimulationBatch, state: Mapping[str, Any], events: set[int]) -> None:
    item = state["item"]
    for label in [item["label"], *(track["label"] for track in item["tracks"])]:
        if label not in batch.grounds:
            raise check.wrong("item", f"with the label {label!r}", f"of {', '.join(batch.grounds)}")
    check.whole("used", state["used"], most=check.whole("count", item["count"], least=1, most=LATEST))
    _check_command(check, item["command"], events)
    check.numbers("previous", item["previous"], "2 N")
