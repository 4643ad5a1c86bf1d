"""Lines fit a terminal, and are whole in a pipe."""

from __future__ import annotations

import shlex

import pytest

from rigcast.cli import _usage as usage
from rigcast.cli import main
from rigcast.cli._console import Console
from rigcast.cli._streams import continued, wrapped
from tests.cli.every_command import parsers

LONG = "note: " + "a word and another " * 20


@pytest.fixture
def terminal(monkeypatch):
    """Makes stdout a terminal of some columns."""

    def of(columns):
        monkeypatch.setenv("COLUMNS", str(columns))
        for module in ("_console", "_usage"):
            monkeypatch.setattr(f"rigcast.cli.{module}.width_of", lambda stream: columns)

    return of


def test_a_pipe_gets_lines_as_they_are(capsys):
    console = Console()
    console.line(LONG)
    console.pairs([("name", LONG)])
    assert capsys.readouterr().out == f"{LONG}\nname  {LONG}\n"


@pytest.mark.parametrize("columns", [30, 60, 100])
def test_a_terminal_gets_lines_that_fit(terminal, capsys, columns):
    terminal(columns)
    console = Console()
    console.line(LONG)
    console.pairs([("name", LONG), ("longer name", "short")])
    shown = capsys.readouterr().out.splitlines()
    assert max(map(len, shown)) <= columns
    assert " ".join(" ".join(shown).split()) == " ".join(f"{LONG} name {LONG} longer name short".split())


def test_values_hang_under_their_first_line(terminal, capsys):
    terminal(40)
    Console().pairs([("name", LONG)])
    first, *others = capsys.readouterr().out.splitlines()
    assert first.startswith("name  note:")
    assert all(line.startswith(" " * 6) and line[6] != " " for line in others)


def test_a_path_that_is_too_long_stays_whole():
    path = "/a/" + "b" * 80
    assert path in wrapped(f"written: {path}", 40)[-1]


def test_objects_and_tables_are_not_wrapped(terminal, capsys):
    terminal(30)
    console = Console()
    console.result("{" + "x" * 100 + "}")
    console.table(["a" * 20, "b" * 20], [["c" * 20, "d" * 20]])
    assert len(capsys.readouterr().out.splitlines()) == 1 + 3


@pytest.mark.parametrize("words", parsers(), ids=" ".join)
def test_examples_fit_a_terminal_of_60_columns_and_are_still_commands(terminal, capsys, words):
    assert main([*words, "--help"]) == 0
    whole = capsys.readouterr().out.partition(usage.EXAMPLES)[2].strip().splitlines()
    terminal(60)
    assert main([*words, "--help"]) == 0
    shown = capsys.readouterr().out.partition(usage.EXAMPLES)[2]
    assert [shlex.split(line) for line in shown.replace("\\\n", " ").strip().splitlines()] == [
        shlex.split(line) for line in whole
    ]
    longest = max(len(word) for line in whole for word in shlex.split(line))
    assert max(map(len, shown.splitlines())) <= max(60, longest + 10)


def test_a_command_goes_on_after_a_backslash():
    assert continued("  rigcast solve face.glb take.npy -o 'a b.npz'", 24) == [
        "  rigcast solve \\",
        "      face.glb \\",
        "      take.npy -o \\",
        "      'a b.npz'",
    ]
