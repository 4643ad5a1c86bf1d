"""Names of shapes as an actor reads them."""

from __future__ import annotations

import re
from collections.abc import Sequence

SIDES = {"l": "left", "left": "left", "r": "right", "right": "right"}


def movement(names: Sequence[str]) -> str:
    """Shapes that go together in words: ``eyeBlink_L``, ``eyeBlink_R`` are ``Eye blink, left and right``.

    A name alone keeps its words in their order (``mouthLeft`` is ``Mouth left``).
    """
    bases: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        base = tuple(word.lower() for word in _words(name) if word.lower() not in SIDES)
        bases.setdefault(base, []).append(name)
    parts = []
    for base, members in bases.items():
        sides = {SIDES[word.lower()] for name in members for word in _words(name) if word.lower() in SIDES}
        if len(members) == 2 and sides == {"left", "right"} and base:
            words = [word for word in _words(members[0]) if word.lower() not in SIDES]
            parts.append(f"{_sentence(words)}, left and right")
        else:
            parts += [_alone(_words(name)) for name in members]
    return " + ".join(parts)


def _words(name: str) -> list[str]:
    """``browOuterUp_L`` is brow, Outer, Up, L; ``eye-left-slit`` eye, left, slit; ``viseme_CH`` viseme, CH."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return re.split(r"[\s_\-.:]+", apart.strip(" _-.:")) if apart.strip(" _-.:") else [name]


def _alone(words: Sequence[str]) -> str:
    """A side as a letter at the end comes after a comma: it is where, not where to."""
    if len(words) > 1 and len(words[-1]) == 1 and words[-1].lower() in SIDES:
        return f"{_sentence(words[:-1])}, {SIDES[words[-1].lower()]}"
    return _sentence([SIDES.get(word.lower(), word) for word in words])


def _sentence(words: Sequence[str]) -> str:
    """A capital first, small letters after it; abbreviations stay."""
    text = " ".join(word if len(word) > 1 and word.isupper() else word.lower() for word in words)
    return text[:1].upper() + text[1:]
