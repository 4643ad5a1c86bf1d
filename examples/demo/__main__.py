"""``python -m examples.demo``: from a rig in Blender to a learned model, a solved shot, and their reports."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import time
from pathlib import Path

from examples.demo.pipeline import FULL, QUICK, Demo, Settings
from examples.demo.summary import summary
from rigcast import _core
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._dispatch import guarded
from rigcast.cli._result import as_json
from rigcast.cli._streams import say


def main() -> int:
    """Run the demo and return its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m examples.demo",
        description="Build a character in Blender, learn it, write a report. Run again to go on or to re-use it all.",
        epilog="example:\n  python -m examples.demo --quick --out demo-quick",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", metavar="FOLDER", type=arguments.output, default=Path("demo"), help="default demo")
    parser.add_argument("--minutes", type=arguments.positive, help=f"training (default {Settings.minutes:g})")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="a tenth of everything, to see that it works")
    size.add_argument(
        "--full",
        action="store_true",
        help=f"train {FULL.minutes:g} minutes, as for the published figures, and a face for {FULL.face_minutes:g}",
    )
    parser.add_argument("--workers", type=arguments.count, default=min(4, _core.num_processors()), help="processes")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout; progress goes to stderr")
    parser.add_argument("--debug", action="store_true", help="show where an error arose")
    args = parser.parse_args()
    settings = QUICK if args.quick else FULL if args.full else Settings()
    if args.minutes is not None:
        settings = dataclasses.replace(settings, minutes=args.minutes)
    return guarded(lambda: run(args, settings), "examples.demo", as_object=lambda: bool(args.json), debug=args.debug)


def run(args: argparse.Namespace, settings: Settings) -> None:
    """Do it, showing stages and progress, then the summary."""
    begin = time.monotonic()

    def announce(text: str) -> None:
        minutes, seconds = divmod(int(time.monotonic() - begin), 60)
        say(f"[{minutes}:{seconds:02d}] {text}", sys.stderr)

    console = Console(quiet=args.json)
    with console.progress() as progress:
        result = Demo(args.out, settings, args.workers, announce, progress).run()
    announce("done")
    console.line()
    console.pairs(summary(result))
    if args.json:
        faces = {name: result[name] for name in ("face", "idle", "second_face")}
        paths = {"model": result["model"], "report": result["report"], "action": result["action"]}
        console.result(json.dumps(as_json(result["numbers"] | paths | faces)))
    console.finish()


if __name__ == "__main__":
    sys.exit(main())
