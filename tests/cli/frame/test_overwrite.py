"""Every command refuses to replace a finished result without ``--overwrite``, before it begins."""

from __future__ import annotations

import argparse
from types import SimpleNamespace

import pytest

from rigcast.cli import _dispatch as dispatch
from rigcast.cli._arguments import OutputFile
from rigcast.cli._written import is_continued, is_written
from tests.support.characters.plain_face import plain_face
from tests.support.made.cylinder_models import cylinder_file

NAMES_OF_RESULTS = ("output", "sheet", "report", "html", "plan", "save", "out")


def arguments_of(command):
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return [action for action in parser._actions if action.dest != "help"]


COMMANDS = dispatch.load_commands()
RESULTS = [
    (name, action.option_strings[-1])
    for name, command in COMMANDS.items()
    for action in arguments_of(command)
    if is_written(action) and not is_continued(action)  # sampling goes on with a set, and refuses another one's
]


def test_no_option_that_sounds_like_a_result_escapes():
    for name, command in COMMANDS.items():
        for action in arguments_of(command):
            words = set(action.dest.split("_"))
            takes_a_path = action.type is not None and action.nargs != 0
            assert not (takes_a_path and words & set(NAMES_OF_RESULTS)) or is_written(action), (name, action.dest)


def file_for(action, stem):
    return stem + (action.type.suffixes[0] if isinstance(action.type, OutputFile) else "")


def line_of(name, option, folder):
    """A command line with a finished result at ``option``, and that result."""
    words, taken = [], None
    for number, action in enumerate(arguments_of(COMMANDS[name])):
        if is_written(action):
            if action.option_strings[-1] == option or action.required:
                place = folder / file_for(action, f"result{number}")
                words += [action.option_strings[-1], str(place)]
                taken = place if action.option_strings[-1] == option else taken
        elif not action.option_strings:
            words.append(str(action.choices[0] if action.choices else folder / "read"))
    taken.write_text("finished")
    return [name, *words], taken


def commands_that(run):
    def stand_in(command):
        return SimpleNamespace(
            SUMMARY=command.SUMMARY, EXAMPLE=command.EXAMPLE, add_arguments=command.add_arguments, run=run
        )

    return {name: stand_in(command) for name, command in COMMANDS.items()}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "read").write_text("what is read")
    return tmp_path


@pytest.mark.parametrize(("name", "option"), RESULTS)
def test_a_finished_result_is_refused_before_any_work(name, option, folder, capsys):
    def works(args, console):
        raise AssertionError("began")

    line, taken = line_of(name, option, folder)
    assert dispatch.main(line, commands_that(works)) == 2
    assert f"{taken} exists; --overwrite replaces it" in capsys.readouterr().err
    assert taken.read_text() == "finished"


@pytest.mark.parametrize(("name", "option"), RESULTS)
def test_with_overwrite_the_work_begins(name, option, folder):
    began = []
    line, _ = line_of(name, option, folder)
    assert dispatch.main([*line, "--overwrite"], commands_that(lambda args, console: began.append(name) or {})) == 0
    assert began == [name]


def test_a_data_set_of_other_settings_is_refused_in_the_words_of_the_command(tmp_path, capsys):
    cylinder_file(tmp_path / "hero.npz")
    line = ["sample", str(tmp_path / "hero.npz"), "-o", str(tmp_path / "set.rwdata"), "--count", "3"]
    assert dispatch.main(line) == 0
    capsys.readouterr()
    assert dispatch.main([*line, "--seed", "1"]) == 2
    assert "--overwrite" in capsys.readouterr().err


def test_pack_goes_on_after_an_interruption_without_overwrite(tmp_path, monkeypatch):
    """The plan is written last: it is no finished result while its sheet is drawn."""

    def interrupted(*given):
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    plain_face().save("face.safetensors")
    line = ["pack", "face.safetensors", "-o", "plan.json", "--sheet", "sheet.html"]
    monkeypatch.setattr(COMMANDS["pack"], "_draw", interrupted)
    assert dispatch.main(line) == 130
    monkeypatch.setattr(COMMANDS["pack"], "_draw", lambda *given: None)
    assert dispatch.main(line) == 0
