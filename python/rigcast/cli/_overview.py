"""``rigcast`` alone, its help and its version: answered before any command is loaded."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence

from rigcast._version import __version__
from rigcast.cli._streams import say, wrapped

# What each command does. To load the commands themselves takes a second.
SUMMARIES = {
    "doctor": "say what works on this machine, and why the rest does not",
    "sample": "evaluate a rig at many poses, into a data set to learn from or to judge by",
    "train": "learn a model from a data set",
    "evaluate": "measure a model's error on a data set, or write its vertices over a motion",
    "export": "write a model as a character that other programs show, with the model beside it",
    "solve": "find the weights of a blendshape rig that reproduce a shot",
    "report": "write one HTML file that shows how well a model learned, or how well a shot was solved",
    "bench": "time a model on this machine, and the rig itself beside it",
    "transfer": "give all shapes of a face rig to another face",
    "pack": "choose the few expressions whose scans show every shape of a face rig, and draw them",
    "info": "say what a model, a data set, a rig, a shot or a file of weights is",
    "limits": "write the limits file of a .blend: every channel, its range, and where the range comes from",
    "faces": "pack a published face data set, so that it is read at once",
    "ik": "find poses of a model whose skin reaches targets",
    "synth": "learn to move as labelled clips do, play, and say how well",
    "capture": "find weights and head motion in a video of a face or in tracked points, learn to read faces, report",
    "actors": "film synthetic actors with exact labels: a set to measure performance capture on",
    "view": "show a model, a rig, a data set or a synthesizer in a browser, where its skin can be dragged",
    "perceive": "compare two versions of a rig as a viewer sees them, and fail if the difference shows",
    "study": "ask people: make a study of rigs, serve it in browsers, export and analyze the answers",
    "batch": "run many commands from a file, on this machine or on a farm",
    "blender-addon": "pack the add-on for Blender 3.4 and later, in which learned rigs live in the scene",
    "completion": "print what makes bash, zsh or fish complete commands, options and files",
}
COMMANDS = tuple(SUMMARIES)
SEVERAL = ("synth", "capture", "study")  # that have commands of their own
HELP, VERSION = ("-h", "--help"), ("-V", "--version")
INDENT, COLUMN = 4, 19  # of the names of commands, and of what they do
MOST_COLUMNS = 100  # wider text is hard to read


def answer(argv: Sequence[str]) -> str | list[str]:
    """The text that answers a command line, or the command line to run in its place.

    ``rigcast``, ``rigcast help`` and ``rigcast -V`` are answered here; ``rigcast help COMMAND`` asks the command, and
    so does a command of several, alone.
    """
    words = list(argv)
    if not words or words[0] in HELP or words == ["help"]:
        return overview()
    if words[0] in VERSION:
        return f"rigcast {__version__}"
    if words[0] == "help":
        return [word for word in words[1:] if word not in HELP] + ["--help"]
    return [*words, "--help"] if len(words) == 1 and words[0] in SEVERAL else words


def overview() -> str:
    """All commands, with what they do."""
    width = min(shutil.get_terminal_size().columns - 2, MOST_COLUMNS)
    lines = ["usage: rigcast COMMAND ...", "", "Learn any character rig, and run it anywhere.", "", "commands:"]
    for name, summary in SUMMARIES.items():
        lines += wrapped(f"{'':{INDENT}}{name:<{COLUMN - INDENT}}{summary}", width, COLUMN)
    lines += ["", "options:"]
    for option, meaning in (("-h, --help", "show this"), ("-V, --version", "show the version")):
        lines.append(f"{'':{INDENT}}{option:<{COLUMN - INDENT}}{meaning}")
    end = (
        "rigcast help COMMAND, or rigcast COMMAND --help, shows options and examples; rigcast completion bash, zsh or "
    )
    end += "fish prints what makes a shell complete them."
    return "\n".join([*lines, "", *wrapped(end, width, 0)])


def show(text: str) -> int:
    """Print an answer and return the exit code: 1 if it could not be printed."""
    for line in text.split("\n"):
        if (error := say(line, sys.stdout)) is not None:
            return _unprinted(error)
    return 0


def _unprinted(error: OSError) -> int:
    if not isinstance(error, BrokenPipeError):
        say(f"rigcast: the help could not be printed ({error.strerror})", sys.stderr)
    return 1
