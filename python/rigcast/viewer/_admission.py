"""Who may speak to the server: the token, the page's origin, the name of the host, and how often."""

from __future__ import annotations

import hmac
import ipaddress
import socket
from collections import deque
from urllib.parse import parse_qs, urlsplit

LOOPBACK = ("127.0.0.1", "localhost", "::1")
MOST_PER_SECOND = 240


class Admission:
    """Decides which requests are answered.

    Parameters
    ----------
    token : str
        What the query of a WebSocket's address must contain.
    host : str
        The address that the server listens at.
    port : int
    """

    def __init__(self, token: str, host: str, port: int) -> None:
        self._token = token.encode()
        self._port = port
        self._names = {*LOOPBACK, host.lower()}
        self._any_address = not is_loopback(host)
        if self._any_address:
            self._names |= {socket.gethostname().lower(), socket.getfqdn().lower()}

    def knows_host(self, host: str | None) -> bool:
        """Whether a Host header names this server: another name may be a rebound DNS entry of a foreign page."""
        try:
            parts = urlsplit(f"//{host or ''}")
            name, port = (parts.hostname or "").lower(), parts.port or 80
        except ValueError:
            return False
        if port != self._port or parts.username is not None:
            return False
        return name in self._names or (self._any_address and _is_address(name))

    def accepts(self, host: str | None, origin: str | None, target: str) -> bool:
        """Whether a WebSocket may be opened: from our own page, with the token, which is compared in constant time."""
        own_page = self.knows_host(host) and origin == f"http://{host}"
        given = parse_qs(urlsplit(target).query).get("token", [""])[-1]
        return hmac.compare_digest(given.encode("utf-8", "replace"), self._token) and own_page


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    return host.lower() in LOOPBACK or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class RateLimit:
    """Counts the messages of one connection over the last second."""

    def __init__(self, most: int = MOST_PER_SECOND) -> None:
        self._most = most
        self._times: deque[float] = deque()

    def allows(self, now: float) -> bool:
        """Whether a message at ``now`` (seconds) is within the limit; it counts if it is."""
        while self._times and self._times[0] <= now - 1.0:
            self._times.popleft()
        if len(self._times) >= self._most:
            return False
        self._times.append(now)
        return True
