"""Every command with its parser, those of commands that have several among them."""

from __future__ import annotations

import argparse
import functools
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from rigcast.cli import _dispatch as dispatch
from rigcast.cli._subcommands import add_commands


@functools.cache
def parsers() -> dict[tuple[str, ...], argparse.ArgumentParser]:
    """The parsers of all commands by their words, as ``("synth", "fit")``."""
    return dict(_leaves(dispatch.parser(dispatch.load_commands()), ()))


def _leaves(
    parser: argparse.ArgumentParser, words: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], argparse.ArgumentParser]]:
    inner: Any = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not inner:
        yield words, parser
    for name, below in inner[0].choices.items() if inner else ():
        yield from _leaves(below, (*words, name))


def that_run(run: Any) -> dict[str, Any]:
    """All commands with their own arguments and another ``run``, for :func:`rigcast.cli._dispatch.main`."""

    def other(module: Any) -> Any:
        inner = getattr(module, "COMMANDS", None)
        if inner is None:
            return SimpleNamespace(**{name: getattr(module, name) for name in MEMBERS}, run=run)

        def add_arguments(parser: argparse.ArgumentParser) -> None:
            add_commands(parser, {name: other(one) for name, one in inner.items()})

        return SimpleNamespace(SUMMARY=module.SUMMARY, EXAMPLE=module.EXAMPLE, add_arguments=add_arguments, run=run)

    return {name: other(module) for name, module in dispatch.load_commands().items()}


MEMBERS = ("SUMMARY", "EXAMPLE", "add_arguments")
