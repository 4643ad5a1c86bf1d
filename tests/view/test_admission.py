"""Who may speak to the server."""

from __future__ import annotations

import hmac

import pytest

from rigcast.viewer import _admission
from rigcast.viewer._admission import Admission, RateLimit, is_loopback

HERE = "127.0.0.1:8000"


@pytest.fixture
def admission():
    return Admission("secret", "127.0.0.1", 8000)


def test_the_own_page_with_the_token_is_accepted(admission):
    assert admission.accepts(HERE, f"http://{HERE}", "/live?token=secret")


@pytest.mark.parametrize(
    ("host", "origin", "target"),
    [
        (HERE, f"http://{HERE}", "/live"),
        (HERE, f"http://{HERE}", "/live?token="),
        (HERE, f"http://{HERE}", "/live?token=secre"),
        (HERE, f"http://{HERE}", "/live?token=secretx"),
        (HERE, f"http://{HERE}", "/live?token=secr%C3%A9t"),
        (HERE, None, "/live?token=secret"),
        (HERE, "null", "/live?token=secret"),
        (HERE, "http://evil.example", "/live?token=secret"),
        (HERE, "http://127.0.0.1:8001", "/live?token=secret"),
        (HERE, f"https://{HERE}", "/live?token=secret"),
        ("evil.example:8000", "http://evil.example:8000", "/live?token=secret"),
        ("127.0.0.1:9", "http://127.0.0.1:9", "/live?token=secret"),
        (None, "http://", "/live?token=secret"),
        ("[", "http://[", "/live?token=secret"),
    ],
)
def test_everything_else_is_refused(admission, host, origin, target):
    assert not admission.accepts(host, origin, target)


def test_the_token_is_compared_in_constant_time(admission, monkeypatch):
    seen = []
    monkeypatch.setattr(_admission.hmac, "compare_digest", lambda a, b: seen.append((a, b)) or a == b)
    assert hmac.compare_digest is _admission.hmac.compare_digest
    admission.accepts("evil.example", None, "/live?token=guess")
    assert seen == [(b"guess", b"secret")]


@pytest.mark.parametrize("name", ["localhost:8000", "LOCALHOST:8000", "[::1]:8000"])
def test_other_names_of_this_machine_are_known(admission, name):
    assert admission.knows_host(name)


def test_at_another_address_any_address_but_no_foreign_name_is_known():
    admission = Admission("secret", "0.0.0.0", 8000)
    assert admission.knows_host("192.168.1.20:8000")
    assert not admission.knows_host("evil.example:8000")


@pytest.mark.parametrize(("host", "alone"), [("127.0.0.1", True), ("::1", True), ("0.0.0.0", False), ("pc", False)])
def test_only_loopback_is_this_machine_alone(host, alone):
    assert is_loopback(host) == alone


def test_more_than_the_limit_in_a_second_is_refused_and_later_allowed_again():
    limit = RateLimit(3)
    assert [limit.allows(t) for t in (0.0, 0.1, 0.2, 0.3, 0.99)] == [True, True, True, False, False]
    assert limit.allows(1.01)
