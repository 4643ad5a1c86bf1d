"""Studies made of rigs: pictures drawn, trials listed, one folder written whole."""

from __future__ import annotations

import os
from collections.abc import Mapping

from rigcast._validate import bad_argument
from rigcast.progress import ProgressOption
from rigcast.study._pictures import Subject
from rigcast.study._records import (
    Study,
)
from rigcast.study._writer import EXPRESSION, TRUTH, StudyPlan, StudyWriter

LEAST = 2  # methods that can be compared


def make_rating(
    folder: str | os.PathLike[str],
    characters: Mapping[str, Subject],
    plan: StudyPlan,
    *,
    training: Mapping[str, Subject] | None = None,
    overwrite: bool = False,
    threads: int = 0,
    progress: ProgressOption = None,
) -> Study:
    """Make a rating study: the neutral face on the left, an expression on the right, "how different?" from 1 to 9.

    The protocol is that of Carrigan (2020, section 5.1.2): each expression of each character at each activation, in
    random order, with a fixation cross before each.

    Parameters
    ----------
    folder : path-like
        Appears whole, or not at all.
    characters : dict of str to rig
    plan : StudyPlan
    training : dict of str to rig, optional
        A character that is not in the test; default the first one.
    overwrite : bool
        Replace a study that nobody has answered yet.
    threads : int
        Number of threads; 0 means all processors that this process may use.
    progress : bool or callable, optional
        True draws a bar; a callable gets :class:`rigcast.progress.Progress` records.

    Returns
    -------
    Study

    Raises
    ------
    ValueError
        If an argument is wrong, or the folder holds answers.

    Examples
    --------
    >>> plan = rc.study.StudyPlan("smiles", [rc.study.NamedExpression("Smile", {"mouthSmileLeft": 1.0})])
    >>> made = rc.study.make_rating("smiles", {"face": rc.faces.example()}, plan)
    >>> len(made.trials)
    5
    """
    subjects = {name: {TRUTH: subject, EXPRESSION: subject} for name, subject in characters.items()}
    practice = training or dict(list(characters.items())[:1])
    trained = {name: {TRUTH: subject, EXPRESSION: subject} for name, subject in practice.items()}
    writer = StudyWriter("make_rating", "rating", folder, plan, threads, progress)
    return writer.write(subjects, trained, overwrite, methods=[])


def make_choice(
    folder: str | os.PathLike[str],
    characters: Mapping[str, Mapping[str, Subject]],
    plan: StudyPlan,
    *,
    training: Mapping[str, Mapping[str, Subject]] | None = None,
    overwrite: bool = False,
    threads: int = 0,
    progress: ProgressOption = None,
) -> Study:
    """Make a study of forced choices between two methods: the truth in the middle, "which face resembles it most?".

    The protocol is that of Carrigan (2020, section 3.1): methods left and right at random and balanced within each
    block, at most ten seconds before an answer is forced, then "how similar?" from 1 to 5. Arrow keys turn all three
    faces.

    Parameters
    ----------
    characters : dict of str to dict of str to rig
        Of each character its ``"truth"`` and two methods, with the same names for all characters.
    folder, plan, training, overwrite, progress
        As for :func:`make_rating`.
    threads : int
        Number of threads; 0 means all processors that this process may use.

    Returns
    -------
    Study

    Raises
    ------
    ValueError
        If an argument is wrong, or the folder holds answers.
    """
    writer = StudyWriter("make_choice", "choice", folder, plan, threads, progress)
    return _compared(writer, characters, training, overwrite, most=2)


def make_ranking(
    folder: str | os.PathLike[str],
    characters: Mapping[str, Mapping[str, Subject]],
    plan: StudyPlan,
    *,
    training: Mapping[str, Mapping[str, Subject]] | None = None,
    overwrite: bool = False,
    threads: int = 0,
    progress: ProgressOption = None,
) -> Study:
    """Make a study in which several methods are ranked beside the truth, with ties and gaps (Rackovic 2022, 5.4).

    Parameters
    ----------
    characters : dict of str to dict of str to rig
        Of each character its ``"truth"`` and two to nine methods, with the same names for all characters.
    folder, plan, training, overwrite, progress
        As for :func:`make_rating`.
    threads : int
        Number of threads; 0 means all processors that this process may use.

    Returns
    -------
    Study

    Raises
    ------
    ValueError
        If an argument is wrong, or the folder holds answers.
    """
    writer = StudyWriter("make_ranking", "ranking", folder, plan, threads, progress)
    return _compared(writer, characters, training, overwrite, most=9)


Compared = Mapping[str, Mapping[str, Subject]]


def _compared(
    writer: StudyWriter, characters: Compared, training: Compared | None, overwrite: bool, most: int
) -> Study:
    """Write a study of two to ``most`` methods beside the truth."""
    methods = _methods(writer.function, characters, most)
    return writer.write(characters, training or dict(list(characters.items())[:1]), overwrite, methods)


def _methods(function: str, characters: Compared, most: int) -> list[str]:
    first: list[str] | None = None
    for name, subjects in characters.items():
        methods = [method for method in subjects if method != TRUTH]
        if TRUTH not in subjects or not LEAST <= len(methods) <= most:
            count = str(LEAST) if most == LEAST else f"{LEAST} to {most}"
            must = f'"{TRUTH}" and {count} methods'
            raise bad_argument(function, f"characters[{name!r}]", f"of {', '.join(subjects) or 'nothing'}", must)
        first = methods if first is None else first
        if sorted(methods) != sorted(first):
            raise bad_argument(function, f"characters[{name!r}]", f"of {', '.join(methods)}", ", ".join(first))
    return first or []
