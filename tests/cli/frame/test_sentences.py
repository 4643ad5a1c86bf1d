"""Errors about files are whole sentences, in the words of the shell."""

from __future__ import annotations

import re

import pytest

from rigcast.cli import _dispatch as dispatch

SENTENCES = [
    (
        ["solve", "a.txt", "b.npy", "-o", "w.npz"],
        r"rigcast solve: 'a.txt' must be a file that ends in \.glb, .*\.fbx, ",
    ),
    (
        ["sample", "a b.csv", "-o", "x.rwdata"],
        r"'a b.csv' must be a file .*; rigcast info says what a .csv file holds \(",
    ),
    (["info", "."], r"or one that rigcast sample has finished \("),
    (
        ["evaluate", "a.safetensors", "b.npy", "-o", "v.npy"],
        "rigcast evaluate: 'a.safetensors' begins like no such file; it must",
    ),
]


@pytest.mark.parametrize(("words", "sentence"), SENTENCES, ids=[" ".join(words[:2]) for words, _ in SENTENCES])
def test_errors_are_sentences_about_files_and_not_about_functions(tmp_path, monkeypatch, capsys, words, sentence):
    monkeypatch.chdir(tmp_path)
    for name in ("a.txt", "b.npy", "a b.csv", "a.safetensors"):
        (tmp_path / name).touch()
    assert dispatch.main(words) == 2
    told = capsys.readouterr().err.strip()
    assert re.search(sentence, told), told
    assert "rigcast." not in told
