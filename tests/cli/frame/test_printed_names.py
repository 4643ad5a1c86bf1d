"""Names of strangers where commands print them: nothing in them moves the terminal, and none costs the work."""

from __future__ import annotations

import subprocess

from rigcast._text import UNPRINTABLE, escaped
from rigcast.cli._console import WIDEST, Console
from tests.cli.command import command, environment
from tests.support.characters.faces import small_face
from tests.support.characters.plain_face import plain_face


def test_names_are_printed_without_control_characters(run, shot_files):
    bad = "\x1b[2J\x00\u202e"
    small_face(name=f"a{bad}").save(str(shot_files / "odd.safetensors"))
    code, _ = run("info", "odd.safetensors")
    assert code == 0
    assert r"a\x1b[2J\x00\u202e" in run.out
    assert not UNPRINTABLE.search(run.out.replace("\n", ""))


def test_a_long_name_does_not_pad_the_others(capsys):
    Console().table(["name", "value"], [["a", "1"], ["n" * 20_000, "2"]])
    rows = capsys.readouterr().out.splitlines()
    assert len(rows[2]) < WIDEST + 20
    assert "n" * 20_000 in rows[3]


def test_a_table_escapes_its_cells(capsys):
    Console().table(["name", "value"], [["a\x1b", "1\n"]])
    assert capsys.readouterr().out.splitlines()[2] == r"a\x1b    1\n"


def test_an_error_escapes_what_it_quotes(run):
    code, told = run("info", "a\x1b[31m.npz")
    assert code == 2
    assert not UNPRINTABLE.search(told)


def test_escaped_text_keeps_what_it_is_told_to():
    assert escaped("a\n\t\x00\ud800é", keep="\n") == "a\n\\t\\x00\\ud800é"


def test_a_refused_set_is_told_by_its_names(run, shot_files):
    plain_face().save(str(shot_files / "plain.safetensors"))
    code, told = run("pack", "plain.safetensors", "-o", "x.json", "--reject", ",".join(["brow_up"] * 40))
    assert code == 2
    assert "reject is brow_up, brow_up" in told
    assert "and 32 more" in told


def test_a_terminal_without_letters_for_a_path_loses_no_work(tmp_path):
    small_face().save(str(tmp_path / "höhe.safetensors"))
    done = subprocess.run(
        command("pack", "höhe.safetensors", "-o", "plän.json"),
        cwd=tmp_path,
        env=environment() | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "plän.json").exists()
