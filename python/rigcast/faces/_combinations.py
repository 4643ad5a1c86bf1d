"""The combination structure of a rig: which products of weights and in-betweens have a corrective shape."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rigcast._safe_reading import read_json
from rigcast._shown import one_line
from rigcast._validate import bad_argument, missing_file

if TYPE_CHECKING:
    from rigcast._blendshapes import Tent

    Factors = tuple[int | Tent, ...]

TABLE = Path(__file__).with_name("compskin_combinations.json")
PRODUCT_TENT = (0.0, 0.5, 1.0)  # what ``control@0.5`` stands for in a product


@one_line
@dataclass(frozen=True)
class CombinationStructure:
    """The products of controls, and the in-betweens, that have a corrective shape.

    Attributes
    ----------
    controls : list of str
        Names of the K weights.
    combinations : list of tuple of int or Tent
        Factors of each combination; an in-between by itself is one Tent.
    """

    controls: list[str]
    combinations: list[Factors]

    def counts(self) -> dict[str, int]:
        """Number of combinations by kind: ``in-between`` (one Tent alone), ``pair``, ``triple``, ``quadruple``."""
        words = {1: "in-between", 2: "pair", 3: "triple", 4: "quadruple"}
        result: dict[str, int] = {}
        for factors in self.combinations:
            word = words.get(len(factors), f"product of {len(factors)}")
            result[word] = result.get(word, 0) + 1
        return result


def compskin_combinations(path: str | os.PathLike[str] | None = None) -> CombinationStructure:
    """List the 215 combinations of 72 controls that the data set compskin_face_anim has, or those of a file like it.

    The data set (github.com/facebookresearch/compskin, Apache-2.0, Meta Platforms) publishes its structure as code; it
    stands here as the table ``compskin_combinations.json`` next to this module.

    Parameters
    ----------
    path : path-like, optional
        A JSON object with ``controls`` (names), ``in_betweens`` (a control and the three numbers of a tent over it)
        and ``products`` (lists of factors; ``name@0.5`` is the tent (0, 0.5, 1) over a control). Without it the table:
        43 in-betweens, 118 pairs, 48 triples, 6 quadruples over 72 controls.

    Returns
    -------
    CombinationStructure
        In-betweens, then products, in the file's order.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is no such structure; the message names the entry.

    Examples
    --------
    >>> structure = rc.faces.compskin_combinations()
    >>> len(structure.controls), structure.counts()
    (72, {'in-between': 43, 'pair': 118, 'triple': 48, 'quadruple': 6})
    """
    file = TABLE if path is None else Path(path)
    if not file.exists():
        raise missing_file("compskin_combinations", "path", file)
    try:
        content = read_json(file)
        controls, in_betweens, products = (list(content[key]) for key in ("controls", "in_betweens", "products"))
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise _refuse(str(file), f"unreadable ({type(error).__name__}: {error})") from error
    if not controls or not all(isinstance(name, str) for name in controls) or len(set(controls)) != len(controls):
        raise _refuse(str(file), "without a list of different control names")
    place = {name: index for index, name in enumerate(controls)}
    tents = [_tent(entry, place, f"{file}: in_betweens[{i}]") for i, entry in enumerate(in_betweens)]
    return CombinationStructure(
        controls, [*tents, *(_product(entry, place, f"{file}: products[{i}]") for i, entry in enumerate(products))]
    )


def _refuse(what: str, got: str) -> ValueError:
    return bad_argument("compskin_combinations", what, got, "a structure of controls, in_betweens and products")


def _tent(entry: object, place: dict[str, int], what: str) -> Factors:
    from rigcast._blendshapes import Tent

    numbers = entry[1:] if isinstance(entry, list) else []
    if not isinstance(entry, list) or len(numbers) != 3 or not all(isinstance(x, int | float) for x in numbers):
        raise _refuse(what, repr(entry)[:100])
    return (Tent(_control(entry[0], place, what), *(float(x) for x in numbers)),)


def _product(entry: object, place: dict[str, int], what: str) -> Factors:
    from rigcast._blendshapes import Tent

    if not isinstance(entry, list) or not entry or not all(isinstance(word, str) for word in entry):
        raise _refuse(what, repr(entry)[:100])
    result: list[int | Tent] = []
    for word in entry:
        name = word.removesuffix("@0.5")
        index = _control(name, place, what)
        result.append(index if name == word else Tent(index, *PRODUCT_TENT))
    return tuple(result)


def _control(name: object, place: dict[str, int], what: str) -> int:
    if not isinstance(name, str) or name not in place:
        raise _refuse(what, f"about control {name!r}"[:100])
    return place[name]


def shape_of(factor: int | Tent) -> int:
    """The shape whose weight a factor reads."""
    return int(factor) if isinstance(factor, int | np.integer) else int(factor.shape)
