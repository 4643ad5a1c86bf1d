"""``rigcast completion``: a script that makes a shell complete commands, options and files."""

from __future__ import annotations

import argparse
import importlib

from rigcast.cli._completion.bash import bash_script
from rigcast.cli._completion.words import completed_commands
from rigcast.cli._completion.zsh_and_fish import fish_script, zsh_script
from rigcast.cli._console import Console
from rigcast.cli._overview import SUMMARIES
from rigcast.cli._result import Result

SUMMARY = SUMMARIES["completion"]
EXAMPLE = """rigcast completion bash
rigcast completion zsh
rigcast completion fish"""
SHELLS = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """SHELL."""
    parser.add_argument(
        "shell",
        metavar="SHELL",
        choices=list(SHELLS),
        help="bash: put 'source <(rigcast completion bash)' into ~/.bashrc; zsh: 'source <(rigcast completion zsh)' "
        "into ~/.zshrc, after compinit; fish: 'rigcast completion fish | source' into ~/.config/fish/config.fish",
    )


def run(args: argparse.Namespace, console: Console) -> Result:
    """Print the script."""
    dispatch = importlib.import_module("rigcast.cli._dispatch")  # which loads the commands, this one among them
    script = SHELLS[args.shell](list(completed_commands(dispatch.parser(dispatch.load_commands()))))
    if not args.json:
        for line in script.rstrip("\n").split("\n"):
            console.result(line)
    return {"shell": args.shell, "script": script}
