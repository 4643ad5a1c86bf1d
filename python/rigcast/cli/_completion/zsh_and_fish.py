"""Completion for zsh and for fish, with the help of each option."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from rigcast.cli._completion.words import CompletedCommand, Slot

MOST_HELP = 100  # letters
ZSH = """#compdef rigcast
# Completion of rigcast for zsh: source <(rigcast completion zsh), after compinit
_rigcast() {
    local at="$words[2]"
    local -a inner
"""
FISH = """# Completion of rigcast for fish: rigcast completion fish | source
function __rigcast_at
    set -l given (commandline -opc)
    test (count $given) -gt (count $argv); or return 1
    test "$given[2..(math (count $argv) + 1)]" = "$argv"
end

function __rigcast_ends
    set -l given (commandline -opc)
    test (count $given) -eq (math (count $argv) + 1); or return 1
    test (count $argv) -eq 0; or test "$given[2..-1]" = "$argv"
end

complete -c rigcast -f
"""


def zsh_script(commands: Sequence[CompletedCommand]) -> str:
    """The script, to be read by ``source``, or to be a file ``_rigcast`` on the ``fpath``."""
    program, *others = commands
    lines = [ZSH.rstrip("\n"), *_zsh_choice("CURRENT == 2", program, {"help": "show the help of a command"})]
    lines += ['    if [[ "$at" == help ]]; then', "        shift words", "        (( CURRENT -= 1 ))", "    fi"]
    for command in others:
        if command.inner:
            name = command.words[0]
            lines += _zsh_choice(f'CURRENT == 3 && "$at" == {name}', command)
            lines += [f'    if [[ "$at" == {name} ]]; then', '        at="$at $words[3]"', "        shift words"]
            lines += ["        (( CURRENT -= 1 ))", "    fi"]
    lines += ["    shift words", "    (( CURRENT -= 1 ))", '    case "$at" in']
    for command in others:
        if not command.inner:
            specs = [_zsh_slot(slot) for slot in command.options] + _zsh_places(command)
            lines += [f"        {shlex.quote(' '.join(command.words))})", "            _arguments \\"]
            lines += [f"                {spec} \\" for spec in specs[:-1]] + [f"                {specs[-1]}"]
            lines.append("            ;;")
    return "\n".join(
        [*lines, "    esac", "}", '[[ "$funcstack[1]" == _rigcast ]] && _rigcast "$@" || compdef _rigcast rigcast', ""]
    )


def _zsh_choice(when: str, command: CompletedCommand, more: dict[str, str] | None = None) -> list[str]:
    test = when.replace("CURRENT == 2", "$CURRENT -eq 2").replace("CURRENT == 3", "$CURRENT -eq 3")
    lines = [f"    if [[ {test} ]]; then", "        inner=("]
    for name, summary in {**command.inner, **(more or {})}.items():
        lines.append(f"            {shlex.quote(f'{name}:{_plain(summary)}')}")
    return [*lines, "        )", "        _describe command inner", "        return", "    fi"]


def _zsh_slot(slot: Slot) -> str:
    help_text = f"[{_plain(slot.help)}]"
    value = _zsh_value(slot) if slot.takes_value else ""
    star = "*" if slot.repeats else ""
    if len(slot.options) == 1 or slot.repeats:
        return " ".join(shlex.quote(f"{star}{option}{help_text}{value}") for option in slot.options)
    together = f"({' '.join(slot.options)})"
    return " ".join(shlex.quote(f"{together}{option}{help_text}{value}") for option in slot.options)


def _zsh_places(command: CompletedCommand) -> list[str]:
    places = command.places
    specs = [shlex.quote(f"{number}{_zsh_value(slot)}") for number, slot in enumerate(places, 1) if not slot.repeats]
    return specs + [shlex.quote(f"*{_zsh_value(slot)}") for slot in places if slot.repeats][:1]


def _zsh_value(slot: Slot) -> str:
    name = _plain(slot.name)
    if slot.choices:
        return f":{name}:({' '.join(slot.choices)})"
    if not slot.is_path:
        return f":{name}: "
    endings = "|".join(ending.removeprefix(".") for ending in slot.endings)
    return f':{name}:_files -g "*.({endings})(-.)"' if endings else f":{name}:_files"


def fish_script(commands: Sequence[CompletedCommand]) -> str:
    """The script, to be read by ``source``, or to be a file in ``~/.config/fish/completions``."""
    program, *others = commands
    lines = [FISH.rstrip("\n")]
    for command in [program, *(command for command in others if command.inner)]:
        when = shlex.quote(" ".join(["__rigcast_ends", *command.words]))
        for name, summary in command.inner.items():
            lines.append(f"complete -c rigcast -n {when} -a {name} -d {_fish(_plain(summary))}")
    lines.append("complete -c rigcast -n __rigcast_ends -a help -d 'show the help of a command'")
    for command in others:
        if not command.inner:
            when = shlex.quote(" ".join(["__rigcast_at", *command.words]))
            lines += [f"complete -c rigcast -n {when} {_fish_slot(slot)}" for slot in command.options]
            choices = " ".join(choice for slot in command.places for choice in slot.choices)
            lines += [f"complete -c rigcast -n {when} -a {shlex.quote(choices)}"] * bool(choices)
            lines += [f"complete -c rigcast -n {when} -F"] * any(slot.is_path for slot in command.places)
    return "\n".join([*lines, ""])


def _fish_slot(slot: Slot) -> str:
    names = [f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}" for option in slot.options]
    kind = "-r -F" if slot.is_path else "-x" if slot.takes_value else ""
    choices = f"-a {shlex.quote(' '.join(slot.choices))}" if slot.choices else ""
    return " ".join(filter(None, [*names, kind, choices, f"-d {_fish(_plain(slot.help))}"]))


def _plain(text: str) -> str:
    """Help as one short line without what shells give a meaning."""
    line = re.sub(r"[\[\]:'\"`\\$!*?~(){}|<>]", " ", text)
    line = " ".join(line.split())
    return line if len(line) <= MOST_HELP else line[: MOST_HELP - 4].rsplit(" ", 1)[0] + " ..."


def _fish(text: str) -> str:
    return shlex.quote(text) if text else "''"
