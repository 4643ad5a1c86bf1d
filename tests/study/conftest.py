"""Studies that tests only read, and one Chromium."""

from __future__ import annotations

import pytest

from tests.study import small
from tests.view.browser import CHROMIUM, Browser


@pytest.fixture(scope="session")
def ratings(tmp_path_factory):
    """A rating study that nobody may answer."""
    return small.rating(tmp_path_factory.mktemp("studies") / "rating", characters=2)


@pytest.fixture(scope="session")
def choices(tmp_path_factory):
    """A choice study that nobody may answer: three blocks of three trials."""
    return small.choice(tmp_path_factory.mktemp("studies") / "choice")


@pytest.fixture(scope="session")
def rankings(tmp_path_factory):
    """A ranking study that nobody may answer."""
    return small.ranking(tmp_path_factory.mktemp("studies") / "ranking")


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    pytest.importorskip("websockets", reason="websockets is not installed (extra viewer)")
    if CHROMIUM is None:
        pytest.skip("no Chromium on the PATH")
    with Browser(tmp_path_factory.mktemp("chromium"), (1000, 720)) as started:
        yield started
