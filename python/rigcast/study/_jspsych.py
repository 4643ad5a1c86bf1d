"""The same study for jsPsych (de Leeuw 2015), and what it recorded read back."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import os
import shutil
from importlib import resources
from pathlib import Path
from typing import Any

from rigcast._atomic_files import atomic_write
from rigcast._safe_reading import LARGEST_JSON, parse_json, read_bytes, text_of
from rigcast._validate import Arguments, bad_argument, bad_file
from rigcast.study._messages import CHECKS, WrongMessage
from rigcast.study._order import PlacedTrial, course, training_course
from rigcast.study._records import PICTURES, Study
from rigcast.study._table import StudyAnswers, answer_row, from_rows

FILES = ("index.html", "timeline.js")


def write_jspsych(study: Study, folder: str | os.PathLike[str], *, orders: int = 40) -> Path:
    """Write a study as a folder for jsPsych 8, to be put on any web server or service.

    ``trials.json`` lists courses of ``orders`` participants, balanced as those of our own server; ``?order=3`` takes
    the third, else one is drawn. ``timeline.js`` shows them with the plugins ``html-keyboard-response`` and
    ``html-button-response``, and offers the data as a file at the end; a service saves them in its own way. Rankings
    become the best one and the worst one.

    Parameters
    ----------
    study : Study
    folder : path-like
        Must not exist.
    orders : int

    Returns
    -------
    Path
        ``index.html``.

    Raises
    ------
    ValueError
        If the folder exists, or the study has live figures.
    """
    Arguments("write_jspsych").whole("orders", orders, least=1, most=1000)
    if study.is_live:
        raise bad_argument("write_jspsych", "study", "of live figures", "made of pictures or loops", study.folder)
    place = Path(folder)
    if place.exists():
        raise bad_argument("write_jspsych", "folder", f"{str(folder)!r}, which exists", "a new folder", place)
    content = {
        "study": study.id,
        "build": study.build,
        "name": study.name,
        "protocol": study.protocol,
        "settings": dataclasses.asdict(study.settings),
        "training": [_shown(study, placed) for placed in training_course(study, 1)],
        "orders": [[_shown(study, placed) for placed in course(study, number)] for number in range(1, orders + 1)],
    }
    place.mkdir(parents=True)
    shutil.copytree(study.folder / PICTURES, place / PICTURES)
    pages = resources.files("rigcast.study") / "jspsych"
    for name in FILES:
        atomic_write(place / name, (pages / name).read_bytes())
    atomic_write(place / "trials.json", json.dumps(content).encode())
    return place / "index.html"


def _shown(study: Study, placed: PlacedTrial) -> dict[str, Any]:
    """A trial: the front view, and of a loop the frame of the full expression."""

    def picture(name: str) -> str:
        files = study.stimuli[name].files
        row = files[len(files) // 2]
        return f"{PICTURES}/{row[len(row) // 2]}"

    trial = placed.trial
    return {
        "trial": trial.name,
        "position": placed.position,
        "block": placed.block,
        "reference": picture(trial.reference) if trial.reference else "",
        "options": [picture(trial.options[method]) for method in placed.order],
    }


def read_jspsych(study: Study, *paths: str | os.PathLike[str]) -> StudyAnswers:
    """Read the data of participants that jsPsych recorded: CSV or JSON, one file per participant or all in one.

    Parameters
    ----------
    study : Study
        The study that was exported.
    *paths : path-like

    Returns
    -------
    StudyAnswers
        Practice is left out; the second answer of a person to one trial is counted and left out.

    Raises
    ------
    FileNotFoundError
    ValueError
        If a file holds none of this study's data.
    """
    rows: list[dict[str, Any]] = []
    second = older = 0
    seen: set[tuple[str, str]] = set()
    courses: dict[int, dict[str, PlacedTrial]] = {}
    for path in paths:
        records = _records(path)
        answered = [record for record in records if record.get("rigcast") == "answer"]
        if not answered:
            raise bad_file(path, "no data of a study that rigcast exported", "", "read_jspsych")
        for record in answered:
            try:
                build, number, name = str(record["build"]), int(record["order"]), str(record["trial"])
                person = str(record.get("person") or f"{Path(path).stem}")
                if build != study.build or record["study"] != study.id:
                    older += 1
                    continue
                if number not in courses:
                    courses[number] = {placed.trial.name: placed for placed in course(study, number)}
                if (person, name) in seen:
                    second += 1
                    continue
                row = _row(study, courses[number][name], person, record)
            except (KeyError, TypeError, ValueError, WrongMessage) as error:
                raise bad_file(path, f"an answer that is none of this study ({error})", "", "read_jspsych") from None
            seen.add((person, name))
            rows.append({**row, "arrival": len(rows) + 1})
    return from_rows(study, rows, {}, second=second, older=older)


def _row(study: Study, placed: PlacedTrial, person: str, record: dict[str, Any]) -> dict[str, Any]:
    given = record["answer"]
    answer: dict[str, Any] = parse_json(given.encode()) if isinstance(given, str) else given
    CHECKS[study.protocol](answer, len(placed.order))
    more = {"rt": float(record["rt"]) / 1000.0, "position": placed.position, "count": placed.position + 1}
    return answer_row(study, placed.trial.name, person, placed.order, answer, more)


def _records(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Rows of a JSON or a CSV file of jsPsych."""
    content = read_bytes(path, LARGEST_JSON)
    if content.lstrip()[:1] in (b"[", b"{"):
        try:
            found = parse_json(content)
        except ValueError as error:
            raise bad_file(path, f"no JSON ({error})", "", "read_jspsych") from None
        entries = found if isinstance(found, list) else [found]
        flat = [row for entry in entries for row in (entry if isinstance(entry, list) else [entry])]
        return [row for row in flat if isinstance(row, dict)]
    return list(csv.DictReader(io.StringIO(text_of(content)[0])))
