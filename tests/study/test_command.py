"""``rigcast study``: the whole way by commands, and what they refuse."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import rigcast as rc
from rigcast.cli import main
from tests.study import small
from tests.study.serving import MortalServer, environment
from tests.support.characters.plain_face import plain_face
from tests.support.process import PATIENCE

SMILE = ["--expression", "Smile=left_smile+right_smile", "--expression", "Neutral=", "--size", "16"]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plain_face().save("truth.safetensors")
    small.other_face(0.3).save("old.safetensors")
    small.other_face(0.9).save("new.safetensors")
    return tmp_path


def spoken(capsys, *line):
    """The JSON object of a command that must not fail."""
    assert main([*line, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_rating_from_make_to_analyze(place, capsys):
    made = spoken(capsys, "study", "make", "rating", "truth.safetensors", *SMILE, "-o", "s", "--name", "Smiles")
    assert made["trials"] == 10
    study = rc.study.open_study("s")
    assert study.name == "Smiles"
    with MortalServer(Path("s"), kills=0) as server:
        for number in range(3):
            small.Person(study, f"p{number}", server.url).take_part(
                lambda trial: {"rating": 2 + 5 * (study.trial(trial["trial"]).facts["unit"] == "Smile")}
            )
    assert spoken(capsys, "study", "export", "s", "-o", "a.csv")["answers"] == 30
    found = spoken(capsys, "study", "analyze", "s")
    assert found["verdict"].startswith("Ratings depend most on unit")
    again = spoken(capsys, "study", "analyze", "a.csv")
    assert again["terms"] == found["terms"]


def test_two_rigs_against_the_truth(place, capsys):
    line = ["study", "make", "choice", "--truth", "truth.safetensors", "--compare", "old=old.safetensors"]
    made = spoken(capsys, *line, "--compare", "new=new.safetensors", *SMILE, "-o", "s")
    assert made["methods"] == ["old", "new"]
    assert made["trials"] == 2


def test_the_server_says_where_it_is_and_ends_by_ctrl_c(place):
    assert main(["study", "make", "rating", "truth.safetensors", *SMILE, "-o", "s"]) == 0
    command = [sys.executable, "-m", "rigcast", "study", "serve", "s"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), text=True
    ) as process:
        assert process.stdout.readline().startswith("http://127.0.0.1:")
        assert "/admin?token=" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=PATIENCE) == 0


def test_another_host_is_warned_of(place, capsys):
    assert main(["study", "make", "rating", "truth.safetensors", *SMILE, "-o", "s"]) == 0
    assert main(["study", "serve", "s", "--host", "0.0.0.0", "--seconds", "0.01"]) == 0
    assert "warning: --host 0.0.0.0 lets other machines connect" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("make rating truth.safetensors -o s", "--expression is missing"),
        ("make rating truth.safetensors --compare a=old.safetensors --expression x -o s", "are for choice and ranking"),
        ("make choice truth.safetensors --truth old.safetensors --expression x -o s", "RIG is for a rating"),
        ("make choice --truth truth.safetensors --expression x -o s", "must be given once for each --truth"),
        ("make choice --truth truth.safetensors --compare a=no.npz --expression x -o s", "of a file that exists"),
        ("make rating --expression x -o s", "--expression needs rigs"),
        ("make rating truth.safetensors --expression x=nose --size 16 -o s", "without 'nose'"),
        ("make guess -o s", "invalid choice: 'guess'"),
        ("serve old.safetensors", "old.safetensors"),
        ("export .", "nothing to write"),
        ("export . -o a.csv", "without study.json"),
        ("export . -o a.txt", "must end in .csv or .npz"),
        ("analyze .", "without study.json"),
        ("analyze old.safetensors", "no table"),
        ("analyze old.safetensors --column person", "must be OURS=THEIRS"),
    ],
)
def test_wrong_input_is_refused_in_one_line(place, line, words, capsys):
    assert main(["study", *line.split()]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert len(said.splitlines()) == 1
    assert not Path("s").exists()
