"""``rigcast study export``: answers as tables, and a study for jsPsych."""

from __future__ import annotations

import argparse

from rigcast import study
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._result import Result, WrongInput
from rigcast.cli._study.recorded import add_recorded_argument

SUMMARY = "write the answers as a table, or the study itself for jsPsych"
EXAMPLE = """rigcast study export smiles -o answers.csv
rigcast study export smiles -o answers.npz
rigcast study export smiles --jspsych online"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """STUDY, and what is written."""
    parser.add_argument("study", metavar="STUDY", type=arguments.existing, help="what rigcast study make wrote")
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=arguments.OutputFile(".csv", ".npz"), help="one row per answer"
    )
    parser.add_argument(
        "--jspsych", metavar="FOLDER", type=arguments.data_set, help="a new folder that runs the study with jsPsych 8"
    )
    add_recorded_argument(parser, "answers that jsPsych recorded (CSV or JSON) in place of the server's")


def run(args: argparse.Namespace, console: Console) -> Result:
    """Write."""
    if args.output is None and args.jspsych is None:
        raise WrongInput("nothing to write: give -o FILE or --jspsych FOLDER")
    made = study.open_study(args.study)
    if args.jspsych is not None:
        page = study.write_jspsych(made, args.jspsych)
        console.line(f"{page}: put the folder on a web server")
    table = study.read_jspsych(made, *args.recorded) if args.recorded else study.answers(made)
    if args.output is not None:
        table.write(args.output)
        console.line(
            f"{len(table)} answers of {len(set(table.columns['person'].tolist()))} participants in {args.output}"
        )
    return {"answers": len(table), "second_answers": table.second, "older": table.older}
