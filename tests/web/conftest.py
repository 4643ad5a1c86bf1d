"""The Chromium of the tests of the view."""

from tests.view.conftest import browser

__all__ = ["browser"]
