"""``--from``: answers that jsPsych recorded elsewhere."""

from __future__ import annotations

import argparse

from rigcast.cli import _arguments as arguments


def add_recorded_argument(parser: argparse.ArgumentParser, answers: str) -> None:
    """Add the option; ``answers`` says of what the files are."""
    parser.add_argument(
        "--from",
        metavar="FILE",
        dest="recorded",
        type=arguments.existing_file,
        action="append",
        default=[],
        help=f"{answers}; may be repeated",
    )
