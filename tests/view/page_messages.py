"""Messages of the page, written as the page sends them."""

from __future__ import annotations

import json
from typing import Any

from rigcast.viewer._messages import parsed
from rigcast.viewer._protocol import Message


def page_message(value: dict[str, Any]) -> Message:
    """A checked message."""
    return parsed(json.dumps(value, default=float))


def page_messages(*values: dict[str, Any]) -> list[Message]:
    return [page_message(value) for value in values]
