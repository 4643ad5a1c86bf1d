"""``rigcast`` alone, ``help``, the version, and what a wrong word may have meant."""

from __future__ import annotations

import subprocess
import sys

import pytest

from rigcast._version import __version__
from rigcast.cli import _dispatch as dispatch
from rigcast.cli import main
from rigcast.cli._nearest import COMMANDS, OPTIONS, nearest_command, nearest_options
from rigcast.cli._overview import SEVERAL, SUMMARIES
from tests.cli.command import environment
from tests.cli.every_command import parsers


@pytest.mark.parametrize("words", [[], ["help"], ["-h"], ["--help"]])
def test_the_overview_names_every_command(words, capsys):
    assert main(words) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    for name in SUMMARIES:
        assert f"    {name} " in shown.out


@pytest.mark.parametrize("words", [["-V"], ["--version"]])
def test_the_version(words, capsys):
    assert main(words) == 0
    assert capsys.readouterr().out == f"rigcast {__version__}\n"


@pytest.mark.parametrize("words", [["help", "solve"], ["help", "synth", "fit"], *([name] for name in SEVERAL)])
def test_help_of_a_command_is_that_of_its_option(words, capsys):
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert main([word for word in words if word != "help"] + ["--help"]) == 0
    assert capsys.readouterr().out == shown
    assert "example:" in shown


def test_the_version_and_the_overview_load_no_numpy():
    program = "import sys; from rigcast.cli import main; main([]); main(['-V']); sys.exit('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], env=environment(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_table_of_summaries_is_that_of_the_commands():
    modules = dispatch.load_commands()
    assert {name: module.SUMMARY for name, module in modules.items()} == SUMMARIES
    assert {name for name, module in modules.items() if hasattr(module, "COMMANDS")} == set(SEVERAL)


MEANT = {
    "tranfer": "transfer", "sampel": "sample", "eval": "evaluate", "trian": "train", "reprot": "report",
    "convert": "evaluate", "publish": "export", "retarget": "evaluate", "animate": "synth", "learn": "train",
    "invert": "solve", "track": "capture", "open": "view", "inspect": "info", "benchmark": "bench",
    "compare": "perceive", "ranges": "limits", "jobs": "batch", "version": "-V", "man": "help",
}  # fmt: skip


@pytest.mark.parametrize("word", MEANT)
def test_a_wrong_command_names_the_one_that_was_meant(word, capsys):
    assert main([word]) == 2
    assert f"{word!r} is no command; did you mean {MEANT[word]}? (rigcast help" in capsys.readouterr().err


def test_a_word_like_none_is_answered_without_a_guess(capsys):
    assert main(["xyzzy", "--json"]) == 2
    shown = capsys.readouterr()
    assert "did you mean" not in shown.err
    assert '"exit_code": 2' in shown.out


OPTION_MEANT = {
    ("sample", "--poses"): "--count",
    ("evaluate", "--poses"): "--count",
    ("report", "--poses"): "--count",
    ("capture train", "--poses"): "--count",
    ("sample", "--animation"): "--motion or --action",
    ("sample", "--with"): "--free",
    ("sample", "--landmarks"): "--markers",
    ("solve", "--resume"): "--restart",
    ("ik", "--resume"): "--restart",
    ("train", "--resume"): "--restart",
    ("train", "--method"): "--recipe",
    ("pack", "--method"): "--search",
    ("pack", "--limit"): "--at-most",
    ("pack", "--alpha"): "--displacement",
    ("pack", "--beta"): "--novelty",
    ("study make", "--method"): "--compare",
    ("study make", "--limit"): "--time-limit or --limits",
    ("study serve", "--name"): "--host-name",
    ("report", "--methods"): "--method",
    ("report", "--truth"): "--true-weights",
    ("transfer", "--weights"): "--examples-weights",
    ("synth fit", "--clip"): "--take",
    ("synth fit", "--clips"): "--takes",
    ("synth fit", "--iterations"): "--max-iterations",
    ("synth fit", "--threshold"): "--match-within",
    ("synth play", "--transitions"): "--join",
    ("synth play", "--without"): "--without-layer",
    ("perceive", "--clip"): "--motion",
    ("actors", "--clip"): "--motion",
    ("actors", "--strength"): "--vary-strength",
    ("capture solve", "--size"): "--image-size",
    ("capture solve", "--noise"): "--point-noise",
    ("capture solve", "--smoothing"): "--smoothness",
    ("solve", "--debug"): "--verbose",
    ("solve", "--force"): "--overwrite",
    ("solve", "--workers"): "--threads",
    ("solve", "--alhpa"): "--alpha",
    ("solve", "--out"): "--output",
    ("view", "--animation"): "--motion or --action",
}


@pytest.mark.parametrize(("command", "option"), OPTION_MEANT)
def test_another_name_of_an_option_leads_to_its_own(command, option):
    parser = parsers()[tuple(command.split())]
    assert option not in parser._option_string_actions, "an old name beside the new one"
    assert parser.meant([option]) == f"; did you mean {OPTION_MEANT[command, option]}?"


def test_an_option_that_gave_its_value_to_another_argument_is_named(capsys):
    assert main(["sample", "--poses", "30"]) == 2
    assert "did you mean --count?" in capsys.readouterr().err


def test_the_tables_of_meanings_hold_names_that_exist():
    assert set(COMMANDS) <= {*SUMMARIES, "help", "-V"}
    assert not {word for words in COMMANDS.values() for word in words} & set(SUMMARIES)
    known = {option for parser in parsers().values() for option in parser._option_string_actions}
    assert [names[0] for names in OPTIONS if names[0] not in known] == []


def test_numbers_are_no_options():
    assert parsers()["solve",].meant(["--alpha", "-1", "-.5"]) == ""


def test_nothing_is_nearest_to_nonsense():
    assert nearest_command("qqqq", SUMMARIES) is None
    assert nearest_options("--qqqq", ["--count"]) == []
