"""Simulated participants: a study analyzed before anybody has taken part, with effects that are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rigcast._validate import Arguments
from rigcast.study._order import PlacedTrial, course
from rigcast.study._records import Study, StudyTrial
from rigcast.study._table import StudyAnswers, answer_row, from_rows

PERSON_SPREAD = 0.5  # standard deviation between people, in points of ratings
NOISE = 0.8  # of one answer
LOWEST, SLOPE = 1.4, 3.5  # of ratings over the activation, unless given


def rehearse(
    study: Study,
    people: int,
    *,
    slopes: Mapping[str, float] | None = None,
    strengths: Mapping[str, float] | None = None,
    seed: int = 0,
) -> StudyAnswers:
    """Answer a study by simulated people, as a rehearsal of its analysis.

    Ratings are 1.4 plus a slope per unit times the activation, plus a number per person and noise, rounded to 1 to 9.
    Choices and rankings follow strengths of methods: i is preferred to j with probability ``s_i / (s_i + s_j)``.
    Nothing is written into the study.

    Parameters
    ----------
    study : Study
    people : int
    slopes : dict of str to float, optional
        Points of the rating from activation 0 to 1, by unit; default 3.5, and 0 for a unit called Neutral.
    strengths : dict of str to float, optional
        Of methods; default 1.
    seed : int

    Returns
    -------
    StudyAnswers

    Raises
    ------
    ValueError
        If a name is unknown.

    Examples
    --------
    >>> plan = rc.study.StudyPlan("smiles", [rc.study.NamedExpression("Smile", {"mouthSmileLeft": 1.0})])
    >>> made = rc.study.make_rating("rehearsed", {"face": rc.faces.example()}, plan)
    >>> len(rc.study.rehearse(made, people=4))
    20
    """
    check = Arguments("rehearse")
    check.whole("people", people, least=1, most=10_000)
    units = {str(trial.facts.get("unit", "")) for trial in study.trials}
    for argument, given, known in (("slopes", slopes, units), ("strengths", strengths, set(study.methods))):
        for name, value in (given or {}).items():
            if name not in known:
                raise check.wrong(argument, repr(name), f"one of {', '.join(sorted(known))}")
            check.number(f"{argument}[{name!r}]", value)
    random = np.random.default_rng([check.whole("seed", seed), 11])
    rows: list[dict[str, Any]] = []
    for number in range(1, people + 1):
        own = float(random.normal(0.0, PERSON_SPREAD))
        clock = 0.0
        for placed in course(study, number):
            answer = _answer(study, placed, own, slopes or {}, strengths or {}, random)
            rt = float(np.exp(random.normal(0.4, 0.4)))
            clock += rt + study.settings.fixation
            more: dict[str, Any] = {
                "rt": rt,
                "position": placed.position,
                "count": placed.position + 1,
                "mono": 1000.0 * clock,
            }
            more |= {"wall": 1000.0 * clock, "received": clock, "arrival": len(rows) + 1, "load": f"simulated{number}"}
            rows.append(answer_row(study, placed.trial.name, f"p{number:03d}", placed.order, answer, more))
    made = from_rows(study, rows, {})
    note = f"simulated: {people} people that a formula stands for, no participants"
    return StudyAnswers(made.protocol, made.columns, made.facts, made.methods, made.expected, notes=[*made.notes, note])


def _answer(
    study: Study,
    placed: PlacedTrial,
    person: float,
    slopes: Mapping[str, float],
    strengths: Mapping[str, float],
    random: np.random.Generator,
) -> dict[str, Any]:
    if study.protocol == "rating":
        mean = LOWEST + _slope(placed.trial, slopes) * float(placed.trial.facts.get("activation", 1.0)) + person
        return {"rating": int(np.clip(np.round(random.normal(mean, NOISE)), 1, 9))}
    weights = np.array([strengths.get(method, 1.0) for method in placed.order])
    drawn = np.log(weights) + random.gumbel(size=len(weights))  # of which the largest is i with share s_i
    if study.protocol == "choice":
        side = ("left", "right")[int(np.argmax(drawn))]
        return {"side": side, "similarity": int(random.integers(2, 6)), "forced": False, "turned": 0.0}
    ranks = np.argsort(np.argsort(-drawn)) + 1
    return {"ranks": [int(rank) for rank in ranks]}


def _slope(trial: StudyTrial, slopes: Mapping[str, float]) -> float:
    unit = str(trial.facts.get("unit", ""))
    return slopes.get(unit, 0.0 if unit == "Neutral" else SLOPE)
