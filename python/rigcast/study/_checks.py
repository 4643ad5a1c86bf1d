"""Faults of a study's answers that no statistic shows: who answered carelessly, what arrived oddly, what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._shown import one_line
from rigcast._validate import bad_argument, shown
from rigcast.study._table import PERSON, RANK, StudyAnswers

ALIKE = 0.9  # share of answers of one value from which on somebody did not look
FEW_ANSWERS = 10  # of a person, below which nothing is said about them
FAST, MOST_FAST = 0.2, 0.05  # seconds, and the share of answers that may be faster
JUMP = 2.0  # seconds between the two clocks of a page: more than they drift between two answers
FEW_PEOPLE = 12


@one_line
@dataclass(frozen=True)
class Findings:
    """Warnings about a study, and about its participants.

    Attributes
    ----------
    study : list of str
    people : dict of str to list of str
        Only those about whom there is something to say.
    """

    study: list[str]
    people: dict[str, list[str]]


def findings(table: StudyAnswers) -> Findings:
    """Examine the answers of a study.

    Parameters
    ----------
    table : StudyAnswers

    Returns
    -------
    Findings
    """
    people: dict[str, list[str]] = {}
    persons = np.asarray(table.columns[PERSON])
    for person in np.unique(persons).tolist():
        own = {name: np.asarray(values)[persons == person] for name, values in table.columns.items()}
        if found := _of_person(table, own):
            people[str(person)] = found
    return Findings(_of_study(table, persons), people)


def _of_person(table: StudyAnswers, own: dict[str, NDArray[Any]]) -> list[str]:
    count = len(own[PERSON])
    found = []
    if table.expected and count < table.expected:
        found.append(f"answered {count} of {table.expected} trials")
    if count >= FEW_ANSWERS:
        found += _careless(table, own, count)
    if "rt" in own and count >= FEW_ANSWERS:
        fast = float(np.mean(own["rt"] < FAST))
        if fast > MOST_FAST:
            found.append(f"{fast:.0%} of the answers came within {FAST:g} s")
    if "count" in own and "arrival" in own:
        order = np.argsort(own["arrival"], kind="stable")
        if (np.diff(own["count"][order]) <= 0).any():
            found.append("answers arrived out of order")
    if jumped := _clock_jump(own):
        found.append(f"the clock of the computer jumped by {jumped:+.0f} s, or the computer slept")
    return found


def _careless(table: StudyAnswers, own: dict[str, NDArray[Any]], count: int) -> list[str]:
    answered = {"rating": "rating", "choice": "side"}.get(table.protocol)
    if answered is not None and answered in own:
        values, times = np.unique(own[answered], return_counts=True)
        if times.max() >= ALIKE * count:
            value = values[int(np.argmax(times))]
            word = f"{value:g}" if isinstance(value, float) else str(value)
            return [f"answered {word} in {times.max()} of {count} trials"]
    if table.protocol == "ranking" and table.methods:
        ranks = np.stack([own[RANK + method] for method in table.methods])
        tied = np.nanmax(ranks, axis=0) == np.nanmin(ranks, axis=0)
        if tied.mean() >= ALIKE:
            return [f"tied all methods in {int(tied.sum())} of {count} trials"]
    return []


def _clock_jump(own: dict[str, NDArray[Any]]) -> float:
    """The largest step of the computer's clock against the page's own, in seconds; 0 if none is large."""
    if not {"wall", "mono", "load", "count"} <= own.keys():
        return 0.0
    largest = 0.0
    for load in np.unique(own["load"]):
        rows = np.flatnonzero(own["load"] == load)
        rows = rows[np.argsort(own["count"][rows], kind="stable")]
        steps = np.diff(own["wall"][rows] - own["mono"][rows]) / 1000.0
        if steps.size and np.nanmax(np.abs(steps)) > max(JUMP, abs(largest)):
            largest = float(steps[int(np.nanargmax(np.abs(steps)))])
    return largest


def _of_study(table: StudyAnswers, persons: NDArray[Any]) -> list[str]:
    found = []
    count = len(np.unique(persons))
    if count < FEW_PEOPLE:
        found.append(
            f"{count} participants: intervals are wide and small effects stay hidden; rigcast.perception.power says "
            "how many it takes"
        )
    if table.second:
        found.append(f"{table.second} trials were answered twice: the first answer counts, the second is kept apart")
    if table.older:
        found.append(f"{table.older} answers belong to an older build of the study: they are left out")
    levels = {name: np.unique(np.asarray(table.columns[name])) for name in table.facts}
    for name, values in levels.items():
        if len(values) == 1 and (name != "activation" or table.protocol == "rating"):
            found.append(f"{name} is always {values[0]}: nothing can be said about it")
    found += _units_with_one_level(table, levels)
    if not table.expected and table.facts and (missing := _missing_cells(table, persons, levels)):
        found.append(missing)
    return found


def _units_with_one_level(table: StudyAnswers, levels: dict[str, NDArray[Any]]) -> list[str]:
    """Units that were shown at one activation alone, where others have several."""
    if "unit" not in levels or len(levels.get("activation", ())) < 2:
        return []
    units, activations = np.asarray(table.columns["unit"]), np.asarray(table.columns["activation"])
    alone = [str(unit) for unit in levels["unit"] if len(np.unique(activations[units == unit])) == 1]
    if not alone:
        return []
    return [f"shown at one activation alone, so that their slope is unknown: {', '.join(alone)}"]


def _missing_cells(table: StudyAnswers, persons: NDArray[Any], levels: dict[str, NDArray[Any]]) -> str:
    """Combinations of person and facts without an answer, of tables that do not say how many there must be."""
    cells = {
        tuple(row) for row in zip(*(np.asarray(table.columns[name]).tolist() for name in table.facts), strict=True)
    }
    seen = set(zip(persons.tolist(), *(np.asarray(table.columns[name]).tolist() for name in table.facts), strict=True))
    missing = len(np.unique(persons)) * len(cells) - len(seen)
    return f"{missing} cells of person and {', '.join(table.facts)} have no answer" if missing else ""


def without(table: StudyAnswers, people: Sequence[str]) -> StudyAnswers:
    """The table without the answers of some people.

    Raises
    ------
    ValueError
        If nobody has such a name.
    """
    persons = np.asarray(table.columns[PERSON])
    for person in people:
        if person not in persons.tolist():
            names = ", ".join(np.unique(persons).astype(str).tolist()[:20])
            raise bad_argument("analyze", "exclude", shown(person), f"one of {names}")
    kept = ~np.isin(persons, list(people))
    return replace(table, columns={name: np.asarray(values)[kept] for name, values in table.columns.items()})
