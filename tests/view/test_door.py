"""The browser is opened without the token in its command line."""

from __future__ import annotations

import stat
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from rigcast.viewer import _live
from rigcast.viewer._staging import stage_of
from tests.support.characters.plain_face import plain_face


def test_the_token_stands_in_a_file_of_the_user_alone(monkeypatch):
    pytest.importorskip("websockets", reason="websockets is not installed (extra viewer)")
    opened = []
    monkeypatch.setattr(_live.webbrowser, "open", opened.append)
    with _live.LiveView(stage_of(plain_face())) as live:
        live.open_browser()
        live.open_browser()
        (token,) = {live.url.partition("#")[2]}
        assert token
        assert not any(token in address for address in opened)
        (file,) = {Path(unquote(urlsplit(address).path)) for address in opened}
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert f"url={live.url}" in file.read_text()
    assert not file.exists()
