"""Finding a scheduler: addresses, and what is said where none answers."""

from __future__ import annotations

import pytest

from rigcast._farm.connecting import connected, is_client
from rigcast.cli import _dispatch as dispatch
from rigcast.errors import SourceError
from tests.support.made.cylinder_models import cylinder_file

pytest.importorskip("distributed", reason="the extra dask is not installed")


def fails(address):
    with connected(address, 0.2):
        pytest.fail("connected to a scheduler that is not there")


def test_where_no_scheduler_answers_that_is_said():
    with pytest.raises(SourceError, match=r"^no Dask scheduler answers at tcp://127.0.0.1:9: "):
        fails("tcp://127.0.0.1:9")


def test_a_scheduler_file_that_is_missing_is_named(tmp_path):
    with pytest.raises(SourceError, match=r"^there is no scheduler file .*none.json"):
        fails(str(tmp_path / "none.json"))


def test_an_address_of_an_unknown_kind_is_named():
    with pytest.raises(ValueError, match=r"^the scheduler is 'pigeon://x'.*; it must be tcp://HOST:PORT"):
        fails("pigeon://x")


@pytest.mark.parametrize("value", [None, 3, "tcp://127.0.0.1:8786", object()])
def test_other_values_are_no_clients(value):
    assert not is_client(value)


def test_sample_says_that_no_scheduler_answers(tmp_path, monkeypatch, capsys):
    cylinder_file(tmp_path / "hero.npz")
    monkeypatch.chdir(tmp_path)
    assert dispatch.main(["sample", "hero.npz", "-o", "a.rwdata", "--scheduler", "none.json"]) == 1
    assert capsys.readouterr().err == "rigcast sample: there is no scheduler file none.json\n"
    assert not (tmp_path / "a.rwdata").exists()
