"""Answers as a table: one row per answer, with the facts of its trial; as CSV, as npz, and of other people's files."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._atomic_files import atomic_write, npz_content
from rigcast._safe_reading import LARGEST_JSON, read_bytes, table_rows, text_of
from rigcast._shown import one_line
from rigcast._validate import bad_argument, bad_file, shown
from rigcast.study._measures import MEASURE
from rigcast.study._order import course
from rigcast.study._records import PROTOCOLS, Study
from rigcast.study._store import StoredAnswer, StudyStore

Column = NDArray[np.generic]
Told = str | float | bool | None
PERSON = "person"
#: Columns beside the facts of trials, by protocol; ``chosen`` is a method, ``left`` and ``right`` are what stood there.
VALUES = {
    "rating": ("rating",),
    "choice": ("chosen", "left", "right", "side", "similarity", "forced", "turned"),
    "ranking": (),
}
RANK, PLACE = "rank_", "place_"
NUMBERS = ("rating", "similarity", "turned", "rt", "position", "block", "count", "wall", "mono", "received", "arrival")


@one_line
@dataclass(frozen=True, eq=False)
class StudyAnswers:
    """Answers of a study.

    Attributes
    ----------
    protocol : {"rating", "choice", "ranking"}
    columns : dict of str to (rows,) array
        ``person``, the facts of the trials (``unit``, ``character``, ``activation``), the answer (``rating``;
        ``chosen``; ``rank_METHOD``, NaN without a rank), ``rt`` in seconds, how it arrived, and measures of what was
        shown (``measure_screen_motion``; of methods ``measure_screen_motion_METHOD``).
    facts : list of str
        The columns that are facts of trials.
    methods : list of str
    expected : int
        Trials of a participant; 0 if unknown.
    people : dict of str to dict
        What was told at the sign-up, by person, for those who signed up.
    second, older : int
        Answers to trials that were answered before, and answers of older builds of the study: left out of the table.
    notes : list of str
        Where the table comes from.
    """

    protocol: str
    columns: Mapping[str, Column]
    facts: Sequence[str]
    methods: Sequence[str] = ()
    expected: int = 0
    people: Mapping[str, Mapping[str, Told]] = field(default_factory=dict)
    second: int = 0
    older: int = 0
    notes: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.columns[PERSON])

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the columns to a ``.csv`` or ``.npz`` file.

        Parameters
        ----------
        path : path-like

        Raises
        ------
        ValueError
            If the name ends otherwise.
        """
        suffix = Path(path).suffix.lower()
        if suffix not in (".csv", ".npz"):
            raise bad_argument("StudyAnswers.write", "path", shown(os.fspath(path)), "a name in .csv or .npz", path)
        atomic_write(path, csv_bytes(self) if suffix == ".csv" else npz_bytes(self))


def answers(study: Study) -> StudyAnswers:
    """Read what participants of a study have answered so far; the study may be served meanwhile.

    Parameters
    ----------
    study : Study

    Returns
    -------
    StudyAnswers
    """
    if not study.answers_file.exists():
        return from_rows(study, [], {})
    store = StudyStore(study.folder)
    try:
        return answers_of(study, store)
    finally:
        store.close()


def answers_of(study: Study, store: StudyStore) -> StudyAnswers:
    """The table of an open store."""
    sessions = {s.session: s for s in store.sessions(study.id) if s.build == study.build}
    stored = store.answers(study.id)
    older = sum(answer.build != study.build for answer in stored)
    rows: list[dict[str, Any]] = []
    places = {name: {p.trial.name: p for p in course(study, s.number)} for name, s in sessions.items()}
    for answer in stored:
        if answer.build == study.build and answer.session in sessions and answer.trial in places[answer.session]:
            number = sessions[answer.session].number
            rows.append(_row(study, answer, f"p{number:03d}", places[answer.session][answer.trial].order))
    people = {f"p{s.number:03d}": {**s.facts, "session": s.session} for s in sessions.values()}
    second = sum(answer.build == study.build for answer in store.answers(study.id, second=True))
    return from_rows(study, rows, people, second=second, older=older)


def _row(study: Study, answer: StoredAnswer, person: str, order: Sequence[str]) -> dict[str, Any]:
    content = answer.content
    times = {"rt": content["rt"] / 1000.0, "received": answer.received, "arrival": answer.arrival}
    counts = {name: content[name] for name in ("position", "count", "wall", "mono")}
    return answer_row(
        study, answer.trial, person, order, content["answer"], {**times, **counts, "load": content.get("load", "")}
    )


def answer_row(
    study: Study, name: str, person: str, order: Sequence[str], answer: Mapping[str, Any], more: Mapping[str, Any]
) -> dict[str, Any]:
    """A row of the table; ``order`` are the methods by place, which turn places into methods."""
    trial = study.trial(name)
    assert trial is not None
    measures = {MEASURE + measure: value for measure, value in trial.measures.items()}
    row: dict[str, Any] = {PERSON: person, "trial": name, **trial.facts, **measures, **more}
    if study.protocol == "rating":
        row["rating"] = answer["rating"]
    elif study.protocol == "choice":
        row |= {"left": order[0], "right": order[1], "side": answer["side"], "chosen": order[answer["side"] == "right"]}
        row |= {key: answer[key] for key in ("similarity", "forced")}
    else:
        for place, (method, rank) in enumerate(zip(order, answer["ranks"], strict=True)):
            row[RANK + method] = np.nan if rank is None else rank
            row[PLACE + method] = place
    return row | {"turned": answer.get("turned", "")}


def from_rows(
    study: Study, rows: Sequence[Mapping[str, Any]], people: Mapping[str, Mapping[str, Any]], **counted: int
) -> StudyAnswers:
    """A table of rows, with every column that the protocol has."""
    more = [prefix + method for prefix in (RANK, PLACE) for method in study.methods if study.protocol == "ranking"]
    more += ["turned"] * (study.is_live and "turned" not in VALUES[study.protocol])
    fixed = ["rt", "position", "count", "received", "arrival", "wall", "mono", "load"]
    measures = dict.fromkeys(MEASURE + name for trial in study.trials for name in trial.measures)
    names = [PERSON, "trial", *study.fact_names, *VALUES[study.protocol], *more, *fixed, *measures]
    columns = {name: column([row.get(name, "") for row in rows], name) for name in names}
    return StudyAnswers(
        study.protocol,
        columns,
        study.fact_names,
        list(study.methods),
        expected=len(study.trials),
        people=people,
        notes=list(study.notes),
        **counted,
    )


def column(values: Sequence[Any], name: str) -> Column:
    """A column of numbers if it is one of numbers or all of its values are; else of text."""
    if name in NUMBERS or name.startswith((RANK, PLACE, MEASURE)):
        return np.array([np.nan if value in ("", None) else float(value) for value in values], np.float64)
    if values and all(isinstance(value, bool) for value in values):
        return np.array(values, np.bool_)
    if values and all(isinstance(value, int | float) for value in values):
        return np.array(values, np.float64)
    return np.array([str(value) for value in values], np.str_)


def csv_bytes(table: StudyAnswers) -> bytes:
    """The table as CSV in UTF-8; what was not measured is empty."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.columns)
    for row in zip(*(entry.tolist() for entry in table.columns.values()), strict=True):
        writer.writerow([_cell(value) for value in row])
    return stream.getvalue().encode()


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "" if np.isnan(value) else repr(int(value)) if value.is_integer() else repr(value)
    text = str(value)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t") else text  # which spreadsheets would compute


def npz_bytes(table: StudyAnswers) -> bytes:
    """The columns as arrays of an npz file."""
    return bytes(npz_content({name: np.asarray(entry) for name, entry in table.columns.items()}))


def read_answers(
    path: str | os.PathLike[str], *, protocol: str = "rating", columns: Mapping[str, str] | None = None
) -> StudyAnswers:
    """Read answers of anybody's study from a CSV file with a header.

    Parameters
    ----------
    path : path-like
    protocol : {"rating", "choice", "ranking"}
        ``rating`` needs the columns ``person`` and ``rating``; ``choice`` needs ``person``, ``chosen``, and ``left``
        and ``right`` (or two names in ``chosen``); ``ranking`` needs ``person`` and ``rank_METHOD`` columns.
    columns : dict of str to str, optional
        Our name to the file's: ``{"person": "subject", "unit": "AU"}``. All other columns keep theirs, and are facts
        if they hold 2 to 100 different values.

    Returns
    -------
    StudyAnswers

    Raises
    ------
    FileNotFoundError
    ValueError
        If a column is missing or a value is no number where one must be.
    """
    if protocol not in PROTOCOLS:
        raise bad_argument("read_answers", "protocol", shown(protocol), ", ".join(PROTOCOLS))
    try:
        rows = table_rows(text_of(read_bytes(path, LARGEST_JSON))[0])
    except csv.Error as error:
        raise bad_file(path, f"no table ({error})", "a CSV file", "read_answers") from None
    if len(rows) < 2 or len(set(rows[0])) != len(rows[0]) or any(len(row) != len(rows[0]) for row in rows):
        raise bad_file(path, "no table", "a header of different names and rows of as many cells", "read_answers")
    theirs = {theirs: ours for ours, theirs in (columns or {}).items()}
    for name in theirs:
        if name not in rows[0]:
            raise bad_argument("read_answers", "columns", shown(name), f"one of {', '.join(rows[0])}")
    names = [theirs.get(name, name) for name in rows[0]]
    table = {name: [row[i] for row in rows[1:]] for i, name in enumerate(names)}
    needed = {"rating": (PERSON, "rating"), "choice": (PERSON, "chosen"), "ranking": (PERSON,)}[protocol]
    ranked = [name[len(RANK) :] for name in names if name.startswith(RANK)]
    missing = [name for name in needed if name not in table]
    missing += ["rank_METHOD"] * (protocol == "ranking" and not ranked)
    if missing:
        must = f"a table of answers ({', '.join(needed)})"
        raise bad_file(path, f"without a column {missing[0]}", must, "read_answers")
    try:
        typed = {name: _typed(values, name) for name, values in table.items()}
    except ValueError as error:
        raise bad_file(path, f"a column of numbers that holds something else ({error})", "", "read_answers") from None
    known, prefixes = {PERSON, "trial", "rt", *VALUES[protocol], *NUMBERS, "load"}, (RANK, PLACE, MEASURE)
    facts = [n for n in names if n not in known and not n.startswith(prefixes) and 1 < len(set(table[n])) <= 100]
    sides = [table[name] for name in ("left", "right") if name in table]
    methods = ranked or sorted({value for side in [*sides, table.get("chosen", [])] for value in side})
    if protocol == "choice" and len(methods) != 2:
        raise bad_file(path, f"choices of {', '.join(methods)}", "choices between two methods", "read_answers")
    return StudyAnswers(protocol, typed, facts, methods, notes=[f"read from {Path(path).name}"])


def _typed(values: Sequence[str], name: str) -> Column:
    """A column of a file: numbers where all of its cells are, or where it must be one."""
    if name in NUMBERS or name.startswith((RANK, PLACE, MEASURE)):
        return column(values, name)
    if name in (PERSON, "trial", "load", "session"):
        return np.array(values, np.str_)
    try:
        return np.array([float(value) for value in values], np.float64)
    except ValueError:
        return np.array(values, np.str_)
