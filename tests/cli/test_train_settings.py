"""Settings of a training from a command line: options of their own, and ``--set`` for all others."""

from __future__ import annotations

import argparse

import pytest

import rigcast as rc
from rigcast.cli._inputs.train_settings import add_settings, settings_of


def parsed(kind, *words):
    parser = argparse.ArgumentParser()
    add_settings(parser)
    return settings_of(argparse.Namespace(kind=kind, **vars(parser.parse_args(words))))


def test_options_and_set_make_one_record():
    settings, beside = parsed("body", "--hidden", "8", "--set", "patience=4", "--set", "compact-rotations=false")
    assert settings == rc.training.BodySettings(hidden=8, patience=4, compact_rotations=False)
    assert beside == {}


def test_what_is_no_setting_goes_beside_the_record():
    settings, beside = parsed("differential", "--recipe", "paper", "--anchors", "9", "--skin", "identity")
    assert settings == rc.training.DifferentialSettings(recipe="paper")
    assert beside == {"anchors": 9, "skin": "identity"}


@pytest.mark.parametrize(
    ("kind", "words", "message"),
    [
        (
            "body",
            ["--set", "depth=3"],
            r"--set depth=3: it must be NAME=VALUE with one of the settings of body: method ",
        ),
        ("body", ["--set", "patience"], r"influences \(a whole number\), tau \(a number\)"),
        ("face-maps", ["--set", "tau=2"], r"the settings of face-maps: .*base \(true or false\)"),
        ("body", ["--set", "seed=2"], r"weight_decay \(a number or none\)"),
        ("body", ["--set", "patience=few"], r"--set patience=few: 'few' must be a whole number"),
        ("body", ["--set", "compact_rotations=1"], r"--set compact_rotations=1: '1' must be true or false"),
        ("body", ["--tau", "2", "--set", "tau=3"], r"--set tau=3: tau is given twice; it must be given once"),
        ("face-maps", ["--tau", "2"], r"--tau is an option of body, not of face-maps"),
        ("body", ["--set", "gain=-1"], r"body: gain is -1\.0; it must be a finite number not below 0"),
    ],
)
def test_a_wrong_setting_is_named(kind, words, message):
    with pytest.raises(ValueError, match=message):
        parsed(kind, *words)
