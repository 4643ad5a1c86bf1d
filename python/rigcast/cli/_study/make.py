"""``rigcast study make``: pictures and trials of a study."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rigcast import study
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._inputs.rigs import add_rig_arguments
from rigcast.cli._inputs.viewed import opened
from rigcast.cli._result import Result, WrongInput

SUMMARY = "draw the pictures of a study and list its trials"
EXAMPLE = """rigcast study make rating face.safetensors --expression Smile=left_smile+right_smile --size 64 -o smiles
rigcast study make choice --truth face.safetensors --compare old=face.safetensors --compare new=face.safetensors \
--expression Wink=left_wink --size 32 -o which
rigcast study make ranking --characters 1 --size 32 -o solvers"""
LOOK, SETTINGS = study.PictureSettings(), study.StudySettings()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """PROTOCOL, rigs, what is shown of them, and how."""
    parser.add_argument(
        "protocol",
        metavar="PROTOCOL",
        choices=("rating", "choice", "ranking"),
        help="rating (how different from neutral?), choice (which of two is nearer to the truth?) or ranking",
    )
    parser.add_argument(
        "rigs",
        metavar="RIG",
        nargs="*",
        type=arguments.existing,
        help="characters of a rating: models or rigs; without any rig, actors made of the built-in face",
    )
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", type=arguments.data_set, required=True, help="the folder of the study"
    )
    parser.add_argument(
        "--truth",
        metavar="RIG",
        type=arguments.existing,
        action="append",
        default=[],
        help="shown in the middle (choice) or above (ranking); again for each further character",
    )
    parser.add_argument(
        "--compare",
        metavar="NAME=RIG",
        action="append",
        default=[],
        help="what is compared with it; the same name again for each further character",
    )
    parser.add_argument(
        "--expression",
        metavar="NAME=CONTROL+0.8*CONTROL",
        action="append",
        default=[],
        help='what is shown: controls at full activation, by name; "Neutral=" is the neutral face. May be repeated',
    )
    parser.add_argument(
        "--level",
        metavar="A",
        type=float,
        action="append",
        default=[],
        help="activations, above 0 to 1; may be repeated (default: 0.2, 0.4, 0.6, 0.8, 1; of choice and ranking 1)",
    )
    parser.add_argument("--name", metavar="TEXT", default="", help="shown to participants (default: the folder's)")
    parser.add_argument("--question", default="", help="asked at each trial (default: the protocol's own)")
    parser.add_argument("--consent", metavar="TXT", type=arguments.existing_file, help="text of the first page")
    parser.add_argument(
        "--characters", metavar="N", type=arguments.CountTo(40), default=6, help="without RIG: default 6"
    )
    parser.add_argument("--ict", metavar="FOLDER", type=arguments.existing, help="without RIG: actors of ICT-FaceKit")
    parser.add_argument(
        "--block-by",
        metavar="FACT",
        action="append",
        default=[],
        help="show trials of one value together: character",
    )
    parser.add_argument("--repeat", metavar="N", type=arguments.CountTo(1000), default=1, help="of each trial")
    parser.add_argument("--seed", type=arguments.seed, default=0, help="of the order of trials and places (default 0)")
    parser.add_argument("--size", metavar="PIXELS", type=arguments.CountTo(2048), default=LOOK.size, help="of pictures")
    parser.add_argument("--loop", metavar="SECONDS", type=float, default=0.0, help="loops in place of pictures")
    parser.add_argument(
        "--live", action="store_true", help="figures that the browser draws, turned by dragging, in place of pictures"
    )
    parser.add_argument(
        "--time-limit", metavar="SECONDS", type=arguments.positive, default=SETTINGS.limit, help="of a choice"
    )
    parser.add_argument(
        "--degrees",
        type=arguments.positive,
        default=SETTINGS.picture_degrees,
        help="visual angle of a picture",
    )
    arguments.add_threads(parser)
    add_rig_arguments(parser)
    parser.set_defaults(rig=None)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Draw and write."""
    settings = study.StudySettings(
        question=args.question, limit=args.time_limit, picture_degrees=args.degrees, consent=_consent(args.consent)
    )
    look = study.PictureSettings(size=args.size, seconds=args.loop, live=args.live)
    with contextlib.ExitStack() as stack, console.progress() as progress:
        more = {"overwrite": args.overwrite, "threads": args.threads, "progress": progress}
        if not args.rigs and not args.truth:
            _only_without_rigs(args)
            made = study.make_recipe(
                args.protocol,
                args.output,
                characters=args.characters,
                ict=args.ict,
                pictures=look,
                settings=settings,
                seed=args.seed,
                **more,
            )
        else:

            def open_rig(path: Path) -> Any:
                return stack.enter_context(opened(args, path))

            maker, characters = _characters(args, open_rig)
            made = maker(args.output, characters, _plan(args, settings, look), **more)
    console.pairs(
        [
            ("trials", f"{len(made.trials)} per participant, {len(made.training)} to practise"),
            ("figures" if made.is_live else "pictures", f"{len(made.file_names()):,} files in {args.output}"),
            ("build", made.build),
        ]
    )
    for note in made.notes:
        console.line(f"note: {note}")
    return {
        "protocol": made.protocol,
        "trials": len(made.trials),
        "methods": list(made.methods),
        "id": made.id,
        "build": made.build,
    }


def _consent(path: Path | None) -> str:
    return SETTINGS.consent if path is None else path.read_text(encoding="utf-8").strip()


def _only_without_rigs(args: argparse.Namespace) -> None:
    for name in ("compare", "expression", "level", "block_by"):
        if getattr(args, name):
            raise WrongInput(
                f"--{name.replace('_', '-')} needs rigs: RIG of a rating, --truth and --compare of the others"
            )


def _plan(args: argparse.Namespace, settings: study.StudySettings, look: study.PictureSettings) -> study.StudyPlan:
    if not args.expression:
        raise WrongInput("--expression is missing: what is shown of the rigs, as Smile=mouthSmileLeft+mouthSmileRight")
    levels = args.level or ([0.2, 0.4, 0.6, 0.8, 1.0] if args.protocol == "rating" else [1.0])
    return study.StudyPlan(
        args.name or args.output.name,
        [study.NamedExpression.parse(text) for text in args.expression],
        levels=levels,
        pictures=look,
        settings=settings,
        block_by=args.block_by,
        repetitions=args.repeat,
        seed=args.seed,
    )


def _characters(args: argparse.Namespace, open_rig: Callable[[Path], Any]) -> tuple[Callable[..., study.Study], Any]:
    """The function that makes the study, and its characters."""
    if args.protocol == "rating":
        if args.truth or args.compare:
            raise WrongInput("--truth and --compare are for choice and ranking; a rating takes RIG")
        return study.make_rating, {_free(path.stem, args.rigs, i): open_rig(path) for i, path in enumerate(args.rigs)}
    if args.rigs:
        raise WrongInput(f"RIG is for a rating; {args.protocol} takes --truth RIG and --compare NAME=RIG")
    methods: dict[str, list[Path]] = {}
    for entry in args.compare:
        name, equals, path = entry.partition("=")
        if not equals or not name or name == "truth" or not Path(path).exists():
            raise WrongInput(f"--compare {entry!r} must be NAME=RIG, of a file that exists, and not called truth")
        methods.setdefault(name, []).append(Path(path))
    wrong = [name for name, paths in methods.items() if len(paths) != len(args.truth)]
    if wrong or not methods:
        raise WrongInput(f"--compare {wrong[0] if wrong else 'NAME=RIG'} must be given once for each --truth")
    characters = {
        _free(path.stem, args.truth, i): {
            "truth": open_rig(path),
            **{name: open_rig(paths[i]) for name, paths in methods.items()},
        }
        for i, path in enumerate(args.truth)
    }
    return (study.make_choice if args.protocol == "choice" else study.make_ranking), characters


def _free(stem: str, paths: list[Path], place: int) -> str:
    """The name of a character: its file's, with a number where two files have one name."""
    return stem if [path.stem for path in paths].count(stem) == 1 else f"{stem} {place + 1}"
