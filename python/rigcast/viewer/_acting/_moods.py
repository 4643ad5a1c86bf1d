"""Labels of a synthesizer for the moods of a game: given, by their names, or in turn."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from rigcast._safe_reading import read_settings
from rigcast._validate import bad_argument, shown

# A mood and what names of its labels contain; earlier words count more.
MOODS: dict[str, tuple[str, ...]] = {
    "waiting": ("wait", "neutral", "idle", "calm", "rest"),
    "thinking": ("think", "ponder", "curious", "concentrat", "focus", "puzzle"),
    "pleased": ("please", "happy", "joy", "smile", "laugh", "cheer", "lively"),
    "surprised": ("surpris", "amaze", "startle", "shock", "fear"),
    "annoyed": ("annoy", "grumpy", "cross", "angry", "anger", "sad", "roar", "disgust", "frown"),
    "bored": ("bored", "bore", "tired", "sleep", "yawn"),
}
Moods = dict[str, dict[str, str]]


def moods_of(labels: Sequence[str], given: Mapping[str, str] | None = None) -> Moods:
    """The label of each mood, and why: ``{"bored": {"label": "tired", "how": "name"}}``.

    Parameters
    ----------
    labels : sequence of str
        At least one.
    given : mapping from mood to label, optional
        Moods that it lacks take the first label whose name contains one of the mood's words, and if there is none, one
        of the labels in turn, those that no mood has before the others.

    Returns
    -------
    dict from mood to {"label", "how"}
        ``how`` is ``"given"``, ``"name"`` or ``"turn"``.

    Raises
    ------
    ValueError
        If a given mood or label is none.
    """
    found: Moods = {}
    for mood, label in (given or {}).items():
        if mood not in MOODS:
            raise bad_argument("view", "moods", f"with {shown(mood)}", f"of {', '.join(MOODS)}")
        if label not in labels:
            raise bad_argument("view", f"moods[{mood!r}]", shown(label), f"one of {', '.join(labels)}")
        found[mood] = {"label": label, "how": "given"}
    for mood, words in MOODS.items():
        named = next((label for word in words for label in labels if word in label.lower()), None)
        if mood not in found and named is not None:
            found[mood] = {"label": named, "how": "name"}
    taken = {entry["label"] for entry in found.values()}
    turns = [label for label in labels if label not in taken] + [label for label in labels if label in taken]
    for k, mood in enumerate(mood for mood in MOODS if mood not in found):
        found[mood] = {"label": turns[k % len(turns)], "how": "turn"}
    return {mood: found[mood] for mood in MOODS}


def load_moods(path: str | os.PathLike[str]) -> dict[str, str]:
    """Read ``{"bored": "tired", ...}`` from a JSON file; :func:`moods_of` checks moods and labels.

    Raises
    ------
    ValueError
        If it is no such file.
    FileNotFoundError
    """
    content = read_settings("view", "moods", path, "labels of moods")
    if not isinstance(content, dict) or not all(isinstance(label, str) for label in content.values()):
        raise bad_argument("view", "moods", f"{str(path)!r}, no object of texts", "labels of moods", path)
    return content
