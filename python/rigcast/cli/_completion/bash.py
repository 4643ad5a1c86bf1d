"""Completion for bash, also for its version 3.2 of macOS, and without the package bash-completion."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from rigcast.cli._completion.words import CompletedCommand, Slot

HEAD = """# Completion of rigcast for bash: source <(rigcast completion bash)
_rigcast_words() {
    local IFS=$' \\t\\n'
    COMPREPLY=($(compgen -W "$1" -- "$cur"))
}

_rigcast_files() {  # ENDING ...: folders, and files that end so; all files without any
    local IFS=$'\\n' ending
    if [ $# -eq 0 ]; then
        COMPREPLY+=($(compgen -f -- "$cur"))
        return
    fi
    COMPREPLY+=($(compgen -d -- "$cur"))
    for ending in "$@"; do
        COMPREPLY+=($(compgen -f -X "!*$ending" -- "$cur"))
    done
}

_rigcast() {
    local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" at="${COMP_WORDS[1]}" from=2
    COMPREPLY=()
    if [ "$cur" = "=" ]; then
        cur=""
    elif [ "$prev" = "=" ]; then
        prev="${COMP_WORDS[COMP_CWORD-2]}"
    fi
"""
TAIL = """}
complete -o filenames -F _rigcast rigcast
"""


def bash_script(commands: Sequence[CompletedCommand]) -> str:
    """The script, to be read by ``source``."""
    program, *others = commands
    lines = [HEAD.rstrip("\n"), _first_word(program)]
    several = [command for command in others if command.inner]
    lines += [_second_word(command) for command in several]
    lines.append('    case "$at:$prev" in')
    for command in others:
        lines += [_value(command, slot) for slot in command.options if slot.takes_value]
    lines += ["    esac", '    case "$at" in']
    lines += [_rest(command) for command in others if not command.inner]
    return "\n".join([*lines, "    esac", TAIL])


def _first_word(program: CompletedCommand) -> str:
    words = _words([*program.inner, "help", "--help", "--version"])
    names = _words(program.inner)
    return f"""    if [ "$at" = help ] && [ "$COMP_CWORD" -eq 2 ]; then
        {names}
        return
    fi
    if [ "$COMP_CWORD" -eq 1 ]; then
        {words}
        return
    fi"""


def _second_word(command: CompletedCommand) -> str:
    name = command.words[0]
    return f"""    if [ "$at" = {name} ]; then
        if [ "$COMP_CWORD" -eq 2 ]; then
            {_words(command.inner)}
            return
        fi
        at="{name} ${{COMP_WORDS[2]}}" from=3
    fi"""


def _value(command: CompletedCommand, slot: Slot) -> str:
    """The case of an option whose value is next."""
    at = " ".join(command.words)
    pattern = "|".join(f'"{at}:{option}"' for option in slot.options)
    return f"        {pattern}) {'; '.join([*_candidates(slot), 'return'])} ;;"


def _rest(command: CompletedCommand) -> str:
    """The case of a command: its options after a dash, else what its places take."""
    options = _words(option for slot in command.options for option in slot.options)
    lines = [f'        "{" ".join(command.words)}")', f'            if [[ "$cur" == -* ]]; then {options}; return; fi']
    first = next((slot for slot in command.places if slot.choices), None)
    if first is not None:
        lines.append(f'            if [ "$COMP_CWORD" -eq "$from" ]; then {_candidates(first)[0]}; return; fi')
    if any(slot.is_path for slot in command.places):
        lines.append("            _rigcast_files")
    return "\n".join([*lines, "            ;;"])


def _candidates(slot: Slot) -> list[str]:
    found = [_words(slot.choices)] * bool(slot.choices)
    return found + [shlex.join(["_rigcast_files", *slot.endings])] * slot.is_path


def _words(words: Iterable[str]) -> str:
    return f"_rigcast_words {shlex.quote(' '.join(words))}"
