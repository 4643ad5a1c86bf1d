"""Results that cannot be written, for every option of every command: refused before any work."""

from __future__ import annotations

import errno
import json
import os

import pytest

from rigcast.cli import _dispatch as dispatch
from rigcast.cli import _written as written
from rigcast.cli._arguments import OutputFile, data_set
from rigcast.cli._written import is_continued, is_written
from tests.cli.every_command import parsers, that_run

WRITTEN = [(words, action.option_strings[-1]) for words, parser in parsers().items()
           for action in parser._actions if is_written(action)]  # fmt: skip
FILES = [(words, option) for words, option in WRITTEN
         if isinstance(parsers()[words]._option_string_actions[option].type, OutputFile)]  # fmt: skip
IDS = {"ids": lambda value: " ".join(value) if isinstance(value, tuple) else value}


def test_the_table_is_of_all_that_write():
    named = {words for words, _ in WRITTEN}
    silent = {("doctor",), ("info",), ("bench",), ("batch",), ("study", "serve"), ("synth", "info"), ("completion",)}
    assert named == set(parsers()) - silent


@pytest.fixture
def place(tmp_path, monkeypatch):
    (tmp_path / "read").write_text("what is read")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ending_of(action):
    return action.type.suffixes[0] if isinstance(action.type, OutputFile) else ""


def line_of(words, option, result):
    """A command line with all that it needs, and a result at an option."""
    line = list(words)
    for number, action in enumerate(parsers()[words]._actions):
        if option in action.option_strings:
            line += [option, result]
        elif action.required and is_written(action):
            line += [action.option_strings[-1], f"other{number}{ending_of(action)}"]
        elif action.required and action.option_strings:
            line += [action.option_strings[-1], "read"]
        elif not action.option_strings and action.nargs not in ("?", "*"):
            line.append(str(next(iter(action.choices))) if action.choices else "read")
    return line


@pytest.fixture
def refused(place, capsys):
    """The sentence of a command line that must end before its work."""

    def works(args, console):
        raise AssertionError("began")

    commands = that_run(works)

    def call(line, start=""):
        before = sorted(place.rglob("*"))
        assert dispatch.main([*line, "--json"], commands) == 2
        shown = capsys.readouterr()
        assert shown.err.startswith(f"rigcast {start}")
        assert len(shown.err.splitlines()) == 1
        assert sorted(place.rglob("*")) == before
        return json.loads(shown.out)["error"]

    return call


@pytest.mark.parametrize(("words", "option"), FILES, **IDS)
def test_a_wrong_ending(refused, words, option):
    assert "it must end in ." in refused(line_of(words, option, "result.xyz"), " ".join(words))


@pytest.mark.parametrize(("words", "option"), WRITTEN, **IDS)
def test_a_folder_that_does_not_exist(refused, words, option):
    ending = ending_of(parsers()[words]._option_string_actions[option])
    assert "the folder nowhere does not exist" in refused(line_of(words, option, f"nowhere/r{ending}"))


@pytest.mark.parametrize(("words", "option"), WRITTEN, **IDS)
def test_a_folder_where_nothing_can_be_made(refused, place, monkeypatch, words, option):
    """As a read-only file system answers, to administrators too."""
    (place / "locked").mkdir()
    original = written.tempfile.TemporaryFile

    def locked(dir):
        if os.path.basename(dir) == "locked":
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return original(dir=dir)

    monkeypatch.setattr(written.tempfile, "TemporaryFile", locked)
    ending = ending_of(parsers()[words]._option_string_actions[option])
    assert "cannot be written" in refused(line_of(words, option, f"locked/r{ending}"))


@pytest.mark.parametrize(("words", "option"), WRITTEN, **IDS)
def test_a_result_that_exists(refused, place, words, option):
    action = parsers()[words]._option_string_actions[option]
    result = f"r{ending_of(action)}"
    (place / result).write_text("finished")
    if is_continued(action) and action.type is not data_set:
        pytest.skip(f"{' '.join(words)} goes on with it")
    expected = "is a file; it must be a folder" if action.type is data_set else f"{result} exists; --overwrite"
    assert expected in refused(line_of(words, option, result))
    assert (place / result).read_text() == "finished"


@pytest.mark.parametrize(("words", "option"), WRITTEN, **IDS)
def test_what_is_written_stands_under_one_key(place, capsys, words, option):
    result = f"r{ending_of(parsers()[words]._option_string_actions[option])}"
    line = line_of(words, option, result)
    assert dispatch.main([*line, "--json"], that_run(lambda args, console: {"figure": 1})) == 0
    found = json.loads(capsys.readouterr().out)
    assert result in found["outputs"]
    assert set(found["outputs"]) <= set(line)
    assert found["figure"] == 1
