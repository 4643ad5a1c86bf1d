"""Settings of a training from a command line: options of their own, ``--set`` for all others."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rigcast.cli import _arguments as arguments
from rigcast.cli._result import WrongInput

OWN = {  # options that not all kinds have
    "body": ("tau", "linear"),
    "face-maps": ("normal_weight", "components", "first_channels", "channels", "base"),
    "differential": ("anchors", "components", "skin", "base"),
}
NO_SETTINGS = ("anchors", "skin")  # arguments of the training itself
RECIPES = {"ours": "narrow", "paper": "paper"}  # of differential
TRUTH = {"true": True, "false": False}
NUMBERS: dict[str, Callable[[str], Any]] = {"int": int, "float": float}
TYPES = {"bool": "true or false", "int": "a whole number", "float": "a number", "str": "a text"}


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Options for the most important settings, and one for all others."""
    parser.add_argument(
        "--recipe",
        choices=["blended", "ours", "paper"],
        help="ours (of a body: blended; default), or one after the paper, which in body and differential needs --steps "
        "or --minutes",
    )
    parser.add_argument("--hidden", type=arguments.count, help="width of the hidden layers")
    parser.add_argument(
        "--linear",
        choices=["auto", "rigid", "skinning", "own"],
        help="body: what networks correct: single joints, fitted skinning, or the rig's own skinning (default: what "
        "learns best)",
    )
    parser.add_argument(
        "--no-base",
        dest="base",
        action="store_const",
        const=False,
        help="face-maps, differential: networks alone, without regressed shapes under them",
    )
    parser.add_argument("--tau", type=arguments.positive, help="body: fewer vertex sets the higher, from 1")
    parser.add_argument("--normal-weight", type=float, help="face-maps: weight of the face normals (default 5)")
    parser.add_argument("--first-channels", type=arguments.count, help="face-maps, paper: channels of the 8 x 8 map")
    parser.add_argument("--channels", type=arguments.count, help="face-maps, paper: channels of the larger maps")
    parser.add_argument("--anchors", type=arguments.count, help="differential: anchors (default 2 %% of the vertices)")
    parser.add_argument(
        "--components",
        type=arguments.count,
        help="components of the basis: face-maps: of each map, at most (default 192); differential: default 5 %% of "
        "the vertices, at most 256",
    )
    parser.add_argument(
        "--skin",
        metavar="RIG",
        type=skin_source,
        help="differential: a rig (.npz, .glb) whose skinning gives linear transforms, or identity (default: fitted)",
    )
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="any other setting, as --set patience=40; may be repeated; a wrong name lists all with their types",
    )


def settings_of(args: argparse.Namespace) -> tuple[Any, dict[str, Any]]:
    """Return the record of settings that a command line asks for, and further arguments of the training.

    Raises
    ------
    ValueError
        If an option is one of another kind, a setting is unknown or given twice, or a value has another type.
    """
    from rigcast import training

    records = {
        "body": training.BodySettings,
        "face-maps": training.FaceMapsSettings,
        "differential": training.DifferentialSettings,
    }
    record, given = records[args.kind], _options(args)
    extra = {name: given.pop(name) for name in NO_SETTINGS if name in given}
    for text in args.set:
        name, value = _setting(text, args.kind, record)
        if name in given:
            raise WrongInput(f"--set {text}: {name} is given twice; it must be given once")
        given[name] = value
    return record(**given), extra


def _options(args: argparse.Namespace) -> dict[str, Any]:
    """The settings that have options of their own, as far as they are given."""
    for kind, names in OWN.items():
        wrong = [name for name in names if getattr(args, name) is not None and name not in OWN[args.kind]]
        if wrong:
            option = "no-base" if wrong[0] == "base" else wrong[0].replace("_", "-")
            raise WrongInput(f"--{option} is an option of {kind}, not of {args.kind}")
    given = {"method": args.recipe, **{name: getattr(args, name) for name in ("hidden", *OWN[args.kind])}}
    chosen = {name: value for name, value in given.items() if value is not None}
    if args.kind == "differential":
        if "method" in chosen:
            recipe = chosen.pop("method")
            if recipe not in RECIPES:
                raise WrongInput(f"--recipe {recipe} is a recipe of body; of differential: {' or '.join(RECIPES)}")
            chosen["recipe"] = RECIPES[recipe]
        if "skin" in chosen:
            chosen["skin"] = _skin(chosen["skin"])
    return chosen


def _setting(text: str, kind: str, record: type) -> tuple[str, Any]:
    """The name and the value of ``NAME=VALUE``."""
    types = {one.name: str(one.type) for one in dataclasses.fields(record)}
    name, equals, value = text.partition("=")
    name = name.strip().replace("-", "_")
    if not equals or name not in types:
        listed = ", ".join(f"{known} ({_words(types[known])})" for known in types)
        raise WrongInput(f"--set {text}: it must be NAME=VALUE with one of the settings of {kind}: {listed}")
    try:
        return name, _parsed(value.strip(), types[name])
    except (KeyError, ValueError):
        raise WrongInput(f"--set {text}: {value!r} must be {_words(types[name])}") from None


def _words(kind: str) -> str:
    plain, _, none = kind.partition(" | ")
    return TYPES[plain] + (" or none" if none else "")


def _parsed(value: str, kind: str) -> Any:
    plain, _, none = kind.partition(" | ")
    if none and value.lower() == "none":
        return None
    return TRUTH[value.lower()] if plain == "bool" else NUMBERS.get(plain, str)(value)


def skin_source(text: str) -> str | Path:
    """The word identity, or a file that must be there."""
    return text if text == "identity" else arguments.existing_file(text)


def _skin(given: str | Path) -> Any:
    """The word identity, or the joints and weights of a rig file."""
    from rigcast import sources

    if isinstance(given, str):
        return given
    rig: Any = sources.load(given)
    skin = getattr(rig, "skin", None)
    rig.close()
    if skin is None:
        raise WrongInput(f"--skin {given}: the rig states no skinning; leave --skin out to have it fitted")
    return skin.joint, skin.weight
