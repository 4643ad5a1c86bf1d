"""``rigcast study analyze``: results of a study, in lines and as a page."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rigcast import study
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._result import Result, WrongInput
from rigcast.cli._study.recorded import add_recorded_argument
from rigcast.study._report import verdict

SUMMARY = "test what the answers say, and write a page with figures and tables"
EXAMPLE = """rigcast study analyze ratings.csv -o results.html
rigcast study analyze ratings.csv --exclude p02 --column person=person"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """STUDY or a table, and how to test."""
    parser.add_argument(
        "answers",
        metavar="STUDY|CSV",
        type=arguments.existing,
        help="the folder of a study, or a table of anybody's answers",
    )
    parser.add_argument("-o", "--output", metavar="FILE", type=arguments.OutputFile(".html", ".htm"), help="the page")
    parser.add_argument(
        "--protocol", choices=("rating", "choice", "ranking"), default="rating", help="of a table (default rating)"
    )
    parser.add_argument(
        "--column",
        metavar="OURS=THEIRS",
        action="append",
        default=[],
        help="columns of a table by our names: person, rating, unit, activation, character, chosen, rank_METHOD",
    )
    parser.add_argument(
        "--within", metavar="FACTOR", action="append", default=[], help="default: unit, activation, character"
    )
    parser.add_argument(
        "--exclude", metavar="PERSON", action="append", default=[], help="leave a participant out; may be repeated"
    )
    add_recorded_argument(parser, "answers to STUDY that jsPsych recorded (CSV or JSON)")


def run(args: argparse.Namespace, console: Console) -> Result:
    """Read, test, say, write."""
    result = study.analyze(_answers(args), within=args.within, exclude=args.exclude)
    console.line(verdict(result))
    for warning in result.findings.study:
        console.line(f"warning: {warning}")
    for person, remarks in result.findings.people.items():
        console.line(f"{person}: {'; '.join(remarks)}")
    if args.output is not None:
        study.write_report(result, args.output, name=args.answers.stem)
    return {
        "verdict": verdict(result),
        "warnings": result.findings.study,
        "people": result.findings.people,
        "terms": _terms(result),
        "preferences": [vars(row) for row in result.preferences],
        "strengths": _strengths(result),
    }


def _answers(args: argparse.Namespace) -> study.StudyAnswers:
    if args.answers.is_dir():
        if args.column:
            raise WrongInput("--column is for a table; the columns of a study are known")
        made = study.open_study(args.answers)
        return study.read_jspsych(made, *args.recorded) if args.recorded else study.answers(made)
    if args.recorded:
        raise WrongInput("--from needs the folder of the study that was exported")
    columns = {}
    for entry in args.column:
        ours, equals, theirs = entry.partition("=")
        if not equals or not ours or not theirs:
            raise WrongInput(f"--column {entry!r} must be OURS=THEIRS")
        columns[ours] = theirs
    return study.read_answers(Path(args.answers), protocol=args.protocol, columns=columns)


def _terms(result: study.StudyAnalysis) -> list[dict[str, Any]]:
    return [] if result.anova is None else [vars(row) for row in result.anova.rows]


def _strengths(result: study.StudyAnalysis) -> dict[str, float]:
    found = result.strengths
    return {} if found is None else dict(zip(found.names, found.strengths.tolist(), strict=True))
