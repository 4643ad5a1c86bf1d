"""Completion scripts: parsed by their shells, and what bash proposes."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from rigcast.cli import _dispatch as dispatch
from rigcast.cli._commands.completion import SHELLS
from rigcast.cli._completion.words import completed_commands
from tests.cli.every_command import parsers

ASK = """
source {script}
COMP_WORDS=({words})
COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
_rigcast
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def commands():
    return list(completed_commands(dispatch.parser(dispatch.load_commands())))


@pytest.fixture(scope="module")
def place(tmp_path_factory, commands):
    """A folder with the scripts, and files to complete."""
    folder = tmp_path_factory.mktemp("completion")
    for shell, written in SHELLS.items():
        (folder / f"script.{shell}").write_text(written(commands))
    files = folder / "files"
    (files / "scans").mkdir(parents=True)
    for name in ("face.glb", "face b.glb", "face.txt", "weights.npz", "pairs.json"):
        (files / name).touch()
    return folder


@pytest.fixture
def proposed(place):
    """What bash proposes for the last of some words; the others are as they were typed."""
    bash = shutil.which("bash") or pytest.skip("no bash on this machine")

    def call(*words):
        asked = ASK.format(script=place / "script.bash", words=" ".join(f"'{word}'" for word in ("rigcast", *words)))
        done = subprocess.run([bash, "-c", asked], cwd=place / "files", capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return {line for line in done.stdout.split("\n") if line}

    return call


@pytest.mark.parametrize(("shell", "check"), [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")])
def test_a_shell_parses_its_script(place, shell, check):
    program = shutil.which(shell) or pytest.skip(f"no {shell} on this machine")
    done = subprocess.run([program, check, str(place / f"script.{shell}")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_commands_are_completed(proposed):
    assert proposed("s") == {"sample", "solve", "synth", "study"}
    assert proposed("help", "so") == {"solve"}
    assert proposed("synth", "") == {"crowd", "fit", "play", "info", "report"}
    assert set(dispatch.COMMANDS) <= proposed("")


@pytest.mark.parametrize("words", parsers(), ids=" ".join)
def test_every_option_of_every_command_is_completed(proposed, words):
    assert proposed(*words, "-") == set(parsers()[words]._option_string_actions)


def test_options_are_completed_after_others(proposed):
    assert proposed("solve", "face.glb", "take.npy", "-o", "w.npz", "--smo") == {"--smoothness"}


def test_values_that_are_words_are_completed(proposed):
    assert proposed("solve", "--method", "mm") == {"mm", "mm_cet"}
    assert proposed("solve", "--method", "=", "mm") == {"mm", "mm_cet"}
    assert proposed("train", "f") == {"face-maps"}
    assert proposed("completion", "") == {"bash", "zsh", "fish"}


def test_files_are_completed_by_the_endings_that_an_option_takes(proposed):
    assert proposed("solve", "-o", "") == {"scans", "face.glb", "face b.glb", "weights.npz"}
    assert proposed("pack", "--output", "p") == {"pairs.json"}
    assert proposed("solve", "--markers", "fa") == {"face.glb", "face b.glb", "face.txt"}


def test_arguments_by_their_place_are_files(proposed):
    assert proposed("solve", "face") == {"face.glb", "face b.glb", "face.txt"}
    assert proposed("solve", "face.glb", "sc") == {"scans"}


def test_a_number_is_not_completed(proposed):
    assert proposed("sample", "--count", "") == set()


def test_every_script_holds_every_option(place, commands):
    for shell in SHELLS:
        text = (place / f"script.{shell}").read_text()
        for command in commands:
            for option in {name for slot in command.options for name in slot.options}:
                assert (f"-l {option[2:]} " if shell == "fish" and option.startswith("--") else option[1:]) in text
