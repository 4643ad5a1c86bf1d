"""Messages of the page, checked before anything is done with them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rigcast._safe_reading import parse_json
from rigcast.study._records import Study

LARGEST = 1 << 16  # bytes of a message
MOST_FACTS = 64
WORD = re.compile(r"[A-Za-z0-9_.-]{1,64}\Z")
SCALE, SIMILARITY = 9, 5  # of ratings, of the follow-up of a choice
LONGEST_TEXT = 400


class WrongMessage(Exception):
    """A message that is none of this study: the sentence goes back to the page."""


@dataclass(frozen=True)
class SignUp:
    """A participant who begins or comes back."""

    study: str
    build: str
    session: str
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class SentAnswer:
    """An answer: ``content`` is the whole message."""

    study: str
    build: str
    session: str
    trial: str
    content: Mapping[str, Any]


def sign_up(content: bytes) -> SignUp:
    """Read a sign-up."""
    message = _message(content)
    facts = message.get("facts")
    if not isinstance(facts, dict) or len(facts) > MOST_FACTS or not all(map(_plain, facts.values())):
        raise WrongMessage("facts must be words and numbers by name")
    named = {str(name)[:64]: value[:LONGEST_TEXT] if isinstance(value, str) else value for name, value in facts.items()}
    return SignUp(_word(message, "study"), _word(message, "build"), _word(message, "session"), named)


def sent_answer(content: bytes, study: Study) -> SentAnswer:
    """Read an answer; one to this build of the study must answer what its trial asks."""
    message = _message(content)
    _word(message, "id")
    sent = SentAnswer(
        _word(message, "study"), _word(message, "build"), _word(message, "session"), _word(message, "trial"), message
    )
    for name in ("rt", "position", "count", "wall", "mono"):
        _number(message, name, 0.0, 1e15)
    answer = message.get("answer")
    if not isinstance(answer, dict):
        raise WrongMessage("answer must be an object")
    is_current = (sent.study, sent.build) == (study.id, study.build)
    if is_current and (trial := study.trial(sent.trial)) is not None:
        CHECKS[study.protocol](answer, len(trial.options))
        if "turned" in answer:
            _number(answer, "turned", 0.0, 90.0)
    return sent


def _rating(answer: Mapping[str, Any], _: int) -> None:
    _whole(answer, "rating", 1, SCALE)


def _choice(answer: Mapping[str, Any], _: int) -> None:
    if answer.get("side") not in ("left", "right"):
        raise WrongMessage("side must be left or right")
    _whole(answer, "similarity", 1, SIMILARITY)
    if not isinstance(answer.get("forced"), bool):
        raise WrongMessage("forced must be true or false")


def _ranking(answer: Mapping[str, Any], methods: int) -> None:
    """Ranks by place; null where none was given. Two at least are needed for a comparison."""
    ranks = answer.get("ranks")
    if not isinstance(ranks, list) or len(ranks) != methods:
        raise WrongMessage(f"ranks must be a list of {methods}")
    given = [rank for rank in ranks if rank is not None]
    if not all(isinstance(rank, int) and not isinstance(rank, bool) and 1 <= rank <= methods for rank in given):
        raise WrongMessage(f"ranks must be whole numbers from 1 to {methods}, or null")
    if len(given) < 2:
        raise WrongMessage("two ranks at least must be given")


CHECKS = {"rating": _rating, "choice": _choice, "ranking": _ranking}


def _message(content: bytes) -> dict[str, Any]:
    try:
        message = parse_json(content)
    except ValueError as error:
        raise WrongMessage(f"no JSON: {error}") from None
    if not isinstance(message, dict):
        raise WrongMessage("no object")
    return message


def _word(message: Mapping[str, Any], name: str) -> str:
    value = message.get(name)
    if not isinstance(value, str) or not WORD.match(value):
        raise WrongMessage(f"{name} must be 1 to 64 letters, digits, _ . -")
    return value


def _plain(value: object) -> bool:
    is_number = isinstance(value, int | float) and math.isfinite(value)
    return is_number or isinstance(value, str | bool) or value is None


def _number(message: Mapping[str, Any], name: str, least: float, most: float) -> None:
    value = message.get(name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not least <= value <= most:  # type: ignore[operator]
        raise WrongMessage(f"{name} must be a number from {least:g} to {most:g}")


def _whole(message: Mapping[str, Any], name: str, least: int, most: int) -> None:
    value = message.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise WrongMessage(f"{name} must be a whole number from {least} to {most}")
