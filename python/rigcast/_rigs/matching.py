"""Curves of a file matched with the shapes of a rig, by names as people spell them.

One rule for all readers and writers. A curve is a shape's if both are spelled alike; else if what is left without case
and punctuation is equal, with the one side that a name has spelled out (``eyeBlink_L``, ``L_eyeBlink``,
``eye_L_Blink``, ``EyeBlinkLeft``); else without what stands around: a namespace (``BS_node.``, ``mesh:``, ``face/``), a
code (``A14_``, ``_14``), or a prefix or an ending that all names have; else without the shape's side, so that one curve
moves both. A name that fits two is ambiguous and refused; names that fit none are reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigcast._notes import tell
from rigcast._validate import Arguments, bad_argument

if TYPE_CHECKING:
    from rigcast._core import BlendshapeRig

SIDES = ("left", "right")
BETWEEN = r"_.\- ()\[\]"
WORDS = re.compile(rf"[{BETWEEN}]+|(?<=[a-z0-9])(?=[A-Z])|(?<=^[a-z])(?=[A-Z])")
ALONE = re.compile(rf"(?:^|[{BETWEEN}])(l|r|lt|rt|lf)(?=[{BETWEEN}]|$)", re.IGNORECASE)
SPELLED = {"l": "left", "lt": "left", "lf": "left", "left": "left", "r": "right", "rt": "right", "right": "right"}
NAMESPACE = re.compile(r"^.*(?:[:|/]|\.(?!(?:l|r|left|right|\d+)$))", re.IGNORECASE)
CODE = re.compile(r"^[A-Za-z]{0,2}\d+[_.\- ]+")
NUMBER = re.compile(r"[_.\- ]\d+$")
FAR = 5.0  # times beyond the bounds of a rig, where weights seem to be in another unit
FEWEST = 3  # names that tell a prefix


def listed(names: Sequence[str]) -> str:
    """Up to six names with commas, and how many more there are."""
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def plain_name(name: str) -> str:
    """A name without case and punctuation, its side, if it has one, spelled out at the end: ``eyeblinkleft``."""
    words, side = words_of(name)
    return re.sub(r"[^\w]|_", "", "".join(words).lower()) + side


def words_of(name: str) -> tuple[list[str], str]:
    """Words of a name without that of its side, and the side: ``left``, ``right`` or nothing.

    A side is a word of the name, its only one: ``left``, ``right``, or a letter or two between punctuation or at an
    end.
    """
    words = [word for word in WORDS.split(name) if word]
    alone = {match[1] for match in ALONE.finditer(name)} | {word for word in (words[:1] + words[-1:]) if len(word) == 1}
    places = [i for i, word in enumerate(words) if word.lower() in SIDES or (word in alone and word.lower() in SPELLED)]
    if len(places) != 1 or len(words) < 2:
        return words, ""
    return [*words[: places[0]], *words[places[0] + 1 :]], SPELLED[words[places[0]].lower()]


def match_names(
    names: Sequence[str], shapes: Sequence[str], function: str, exact: Collection[str] = ()
) -> dict[int, int]:
    """Places of shapes to places of the names that are theirs.

    Parameters
    ----------
    names : sequence of str
        Of curves or columns.
    shapes : sequence of str
    function : str
        Named in the error.
    exact : collection of str
        Names that only a shape spelled alike takes.

    Raises
    ------
    ValueError
        If a shape could take two names, or two shapes one.
    """
    place = {name: index for index, name in reversed(list(enumerate(names)))}
    found = {k: place[shape] for k, shape in enumerate(shapes) if shape in place}
    bare_name, bare_shape = _stripped(names), _stripped(shapes)
    levels: list[tuple[Callable[[str], str], Callable[[str], str]]] = [
        (plain_name, plain_name),
        (lambda name: plain_name(bare_name(name)), lambda shape: plain_name(bare_shape(shape))),
        (lambda name: plain_name(bare_name(name)), lambda shape: _sideless(plain_name(bare_shape(shape)))),
    ]
    for level, (of_name, of_shape) in enumerate(levels):
        taken = set(found.values())
        curves: dict[str, list[int]] = {}
        for index, name in enumerate(names):
            if index not in taken and name not in exact:
                curves.setdefault(of_name(name), []).append(index)
        wanted: dict[str, list[int]] = {}
        for k, shape in enumerate(shapes):
            if k not in found and of_shape(shape) in curves:
                wanted.setdefault(of_shape(shape), []).append(k)
        for form, takers in wanted.items():
            sides = level == 2 and len({plain_name(bare_shape(shapes[k])) for k in takers}) == len(takers)
            if len(curves[form]) > 1 or (len(takers) > 1 and not sides):
                got = f"with names that fit more than one ({listed([names[i] for i in curves[form]])} "
                got += f"for {listed([shapes[k] for k in takers])})"
                raise bad_argument(function, "path", got, "one whose names fit one shape each; rename some")
            found |= dict.fromkeys(takers, curves[form][0])
    return found


def _sideless(plain: str) -> str:
    return next((plain.removesuffix(side) for side in SIDES if plain.endswith(side)), plain)


def _stripped(names: Sequence[str]) -> Callable[[str], str]:
    """Drops a namespace, codes, and the prefix and the ending that all names have up to a separator."""
    several = len(names) >= FEWEST
    numbered = several and all(NUMBER.search(name) for name in names)

    def bare(name: str) -> str:
        name = CODE.sub("", NAMESPACE.sub("", name))
        return NUMBER.sub("", name) if numbered else name

    prefix = ending = ""
    if several:
        shorter = [bare(name) for name in names]
        prefix = "".join(_same([re.findall(r"[^_.\- ]*[_.\- ]", name) for name in shorter]))
        ends = [re.findall(r"[_.\- ][^_.\- ]*", name.removeprefix(prefix))[::-1] for name in shorter]
        ending = "".join(reversed(_same(ends)))
    return lambda name: bare(name).removeprefix(prefix).removesuffix(ending)


def _same(rows: list[list[str]]) -> list[str]:
    """The first pieces that all rows have in common, up to a side."""
    columns = takewhile(lambda pieces: len(set(pieces)) == 1, zip(*rows, strict=False))
    return list(takewhile(lambda piece: piece.strip("_.- ").lower() not in SPELLED, (pieces[0] for pieces in columns)))


def by_name(
    names: list[str],
    values: NDArray[Any],
    rig: BlendshapeRig,
    function: str = "load_blendshape_weights",
    exact: Collection[str] = (),
) -> NDArray[np.float32]:
    """Columns (T, n) in the order of the rig's shapes (T, K), 0 where there is none.

    Warns with the names that are no shape's, and the shapes that no name fits.

    Raises
    ------
    ValueError
        If no name is a shape's, one fits several, or a value is not finite.
    """
    found = match_names(names, rig.shape_names, function, exact)
    if not found:
        got = f"a file about other shapes ({listed(names) or 'none'})"
        raise bad_argument(function, "path", got, f"about shapes of the rig ({listed(rig.shape_names)})")
    values = Arguments(function).numbers("path", values, "T n", dtype=np.float32)
    result = np.zeros((len(values), rig.num_shapes), np.float32)
    result[:, list(found)] = values[:, list(found.values())]
    largest, bound = float(np.abs(result).max(initial=0.0)), float(np.abs(rig.bounds).max(initial=1.0))
    if largest > FAR * bound:
        tell(f"weights reach {largest:g}, the rig's end at {bound:g}: are they percent? They are taken as they are")
    _tell_unmatched(
        [name for name, curve in zip(names, values.T, strict=True) if curve.any()], names, rig, found, exact
    )
    return result


def _tell_unmatched(
    moving: Sequence[str], names: Sequence[str], rig: BlendshapeRig, found: dict[int, int], exact: Collection[str]
) -> None:
    known = {*(names[index] for index in found.values()), *rig.column_names, *exact}
    sides = {_sideless(plain_name(rig.shape_names[k])) for k in found}  # a curve of both, and one for each
    over = [name for name in moving if name not in known and plain_name(name) not in sides]
    left = [shape for k, shape in enumerate(rig.shape_names) if k not in found]
    tell(
        f"{len(over)} of {len(names)} curves move no shape of the rig: {listed(over)}" if over else "",
        f"{len(left)} of {rig.num_shapes} shapes stay at 0, since no curve names them: {listed(left)}" if left else "",
    )
