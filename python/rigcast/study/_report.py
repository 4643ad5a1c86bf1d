"""One HTML page of a study's results: charts, the tables of the published studies, and what speaks against them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from rigcast._atomic_files import atomic_write
from rigcast._pages import words
from rigcast._pages.facts import Fact
from rigcast._pages.template import KeyFigure, fill
from rigcast.study._charts import main_chart, measures_chart, people_chart
from rigcast.study._measures import MEASURES
from rigcast.study._results import Preference, StudyAnalysis

SIGNIFICANT = 0.05
NO_PARTICIPANTS = (
    "No real participants stand behind this project's own statements about its studies: they were tried with simulated "
    "people and scripted browsers."
)


def write_report(analysis: StudyAnalysis, path: str | os.PathLike[str], *, name: str = "") -> None:
    """Write the results of a study as one HTML file.

    Parameters
    ----------
    analysis : StudyAnalysis
    path : path-like
    name : str
        The heading; default the file's name.

    Raises
    ------
    rigcast._extras.MissingExtra
        Without the ``report`` extra.
    """
    table = analysis.answers
    people = len(np.unique(np.asarray(table.columns["person"])))
    context: dict[str, Any] = {
        "name": words.title(name or Path(path).stem),
        "answer": [verdict(analysis)],
        "summary": f"{table.protocol.title()} study: {words.plural(people, 'participant')}, "
        f"{words.plural(len(table), 'answer')}. {' '.join(note.rstrip('.') + '.' for note in table.notes)}",
        "key_figures": _key_figures(analysis, people),
        "warnings": [*analysis.findings.study, NO_PARTICIPANTS],
        "analysis": analysis,
        "main": main_chart(analysis),
        "people": people_chart(analysis),
        "measures": measures_chart(analysis),
        "correlations": _correlations(analysis),
        "meanings": {measure.name: MEASURES.get(measure.name, "") for measure in analysis.measures},
        "protocol": table.protocol,
        "methods": list(table.methods),
        "p": p_text,
        "number": words.figure,
        "coefficients": _coefficients(analysis),
        "groups": [("Answers", [Fact("protocol", table.protocol), Fact("factors", ", ".join(table.facts) or "none")])],
    }
    atomic_write(path, fill("study.html", context).encode("utf-8"))


def verdict(analysis: StudyAnalysis) -> str:
    """The main result in one sentence."""
    table = analysis.answers
    if table.protocol == "choice" and analysis.preferences:
        return _preferred(analysis.preferences[0], table.methods[0], table.methods[1])
    if table.protocol == "ranking" and analysis.strengths is not None:
        order = np.argsort(analysis.strengths.strengths)[::-1]
        named = [
            f"{analysis.strengths.names[i]} ({words.figure(float(analysis.strengths.strengths[i]), 2)})" for i in order
        ]
        return f"By strength of preference: {', '.join(named)}."
    if analysis.anova is not None:
        told = [row for row in analysis.anova.rows if row.p < SIGNIFICANT]
        if told:
            best = max(told, key=lambda row: row.eta_squared)
            return (
                f"Ratings depend most on {best.term}: F({best.df:.3g}, {best.df_error:.4g}) = {best.f:.4g}, "
                f"p {p_text(best.p)}, partial eta squared {best.eta_squared:.2f}."
            )
        return "No factor changes the ratings more than chance would."
    return f"{words.plural(len(table), 'answer')}; too few for a test."


def _preferred(row: Preference, first: str, second: str) -> str:
    test = f"{row.share:.0%} of the choices, t({row.df}) = {row.t:.2f}, p {p_text(row.p)}, d = {row.d:.2f}"
    if row.p >= SIGNIFICANT:
        return f"{first} and {second} are not told apart: {first} has {test}."
    return f"{first if row.share > 0.5 else second} resembles the truth more: {first} has {test}."


def p_text(p: float) -> str:
    """``< .001``, or ``= .034``."""
    return "< .001" if p < 0.001 else f"= {p:.3f}".replace("0.", ".", 1)


def _key_figures(analysis: StudyAnalysis, people: int) -> list[KeyFigure]:
    table = analysis.answers
    per = len(table) / people
    flagged = len(analysis.findings.people)
    figures = [
        KeyFigure(
            f"{people}", "", "participants", f"{flagged} of them with a remark below" if flagged else "no remarks"
        ),
        KeyFigure(words.figure(per), "", "answers per participant", f"of {table.expected}" if table.expected else ""),
    ]
    if "rt" in table.columns and np.isfinite(np.asarray(table.columns["rt"], np.float64)).any():
        times = np.asarray(table.columns["rt"], np.float64)
        figures.append(KeyFigure(words.figure(float(np.nanmedian(times))), "s", "median response time", ""))
    return figures


def _correlations(analysis: StudyAnalysis) -> list[tuple[str, list[str]]]:
    """Rows of correlations by measure, over all stimuli and within units, and of the models' AIC."""
    measures = analysis.measures
    if not measures:
        return []
    rows = [("all", [measure.correlation for measure in measures])]
    units = list(dict.fromkeys(unit for measure in measures for unit in measure.by_unit))
    if len(units) > 1:
        rows += [(unit, [measure.by_unit.get(unit, np.nan) for measure in measures]) for unit in units]
    rows = [(name, values) for name, values in rows if np.isfinite(values).any()]
    told = [(name, ["–" if np.isnan(value) else f"{value:.2f}" for value in values]) for name, values in rows]
    if any(measure.fit for measure in measures):
        told.append(("AIC of the model", ["–" if m.fit is None else f"{m.fit.aic:.1f}" for m in measures]))
    return told


def _coefficients(analysis: StudyAnalysis) -> list[tuple[str, list[tuple[str, float, float]], str]]:
    """Models as tables: title, rows of name, coefficient, error, and a note."""
    found = []
    for title, fit in (("Ratings over activation", analysis.fit), ("Response time over the rating", analysis.time)):
        if fit is not None:
            rows = list(zip(fit.names, fit.coefficients.tolist(), fit.errors.tolist(), strict=True))
            note = f"{fit.family}, {fit.link} link, AIC {fit.aic:.1f}, dispersion {fit.dispersion:.2f}"
            found.append((title, rows, "; ".join([note, *fit.warnings])))
    return found
