"""The combination structure of a rig: which products of weights and in-betweens have a corrective shape."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rigwright._reading import read_json
from rigwright._validate import bad_argument

if TYPE_CHECKING:
    from rigwright import Tent

    Factors = tuple[int | Tent, ...]

# What ["ib", i] stands for in a product of compskin_face_anim.
PRODUCT_TENT = (0.0, 0.5, 1.0)


@dataclass(frozen=True)
class CombinationStructure:
    """Controls and their combinations.

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
        """How many there are: ``in-between`` (one Tent alone), ``pair``, ``triple``, ``quadruple``."""
        words = {1: "in-between", 2: "pair", 3: "triple", 4: "quadruple"}
        result: dict[str, int] = {}
        for factors in self.combinations:
            word = words.get(len(factors), f"product of {len(factors)}")
            result[word] = result.get(word, 0) + 1
        return result


def combination_structure(path: str | os.PathLike[str]) -> CombinationStructure:
    """Read ``combination_structure_287.json`` of compskin_face_anim (Apache-2.0, Meta Platforms), or one like it.

    Parameters
    ----------
    path : path
        The file, or the folder that holds it. It lists ``controls`` and ``outputs``; an output is a control, an
        in-between (a tent over one control) or a corrective (a product of controls and tents (0, 0.5, 1)).

    Returns
    -------
    CombinationStructure
        The file's in-betweens and correctives in its order: 43 in-betweens, 118 pairs, 48 triples, 6 quadruples.

    Raises
    ------
    ValueError
        If the file is no such structure; the message names the output.
    """
    file = Path(path)
    if file.is_dir():
        file = file / "combination_structure_287.json"
    try:
        content = read_json(file)
        controls, outputs = list(content["controls"]), list(content["outputs"])
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise _refuse(str(file), f"unreadable ({type(error).__name__}: {error})") from error
    if not controls or not all(isinstance(name, str) for name in controls) or len(set(controls)) != len(controls):
        raise _refuse(str(file), "without a list of different control names")
    combinations = []
    for place, output in enumerate(outputs):
        what = f"{file}: outputs[{place}]"
        if not isinstance(output, dict):
            raise _refuse(what, repr(output)[:60])
        factors = _factors(output, controls, what)
        if factors is not None:
            combinations.append(factors)
    return CombinationStructure(controls, combinations)


def _refuse(what: str, got: str) -> ValueError:
    return bad_argument("combination_structure", what, got, "a structure of controls, in-betweens and correctives")


def _factors(output: dict[str, Any], controls: Sequence[str], what: str) -> Factors | None:
    from rigwright import Tent

    kind = output.get("type")
    if kind == "control" and output.get("name") in controls:
        return None
    if kind == "inbetween":
        ends = output.get("range")
        if not isinstance(ends, list) or len(ends) != 3 or not all(isinstance(x, int | float) for x in ends):
            raise _refuse(what, f"an in-between with range {ends!r}"[:100])
        return (Tent(_control(output.get("control"), controls, what), *(float(x) for x in ends)),)
    if kind == "corrective" and isinstance(output.get("factors"), list) and output["factors"]:
        result: list[int | Tent] = []
        for factor in output["factors"]:
            if not isinstance(factor, list) or len(factor) != 2 or factor[0] not in ("c", "ib"):
                raise _refuse(what, f"a product with factor {factor!r}"[:100])
            index = _control(factor[1], controls, what)
            result.append(index if factor[0] == "c" else Tent(index, *PRODUCT_TENT))
        return tuple(result)
    raise _refuse(what, repr(output)[:100])


def _control(value: object, controls: Sequence[str], what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < len(controls):
        raise _refuse(what, f"about control {value!r}"[:60])
    return value


def shape_of(factor: int | Tent) -> int:
    """The shape whose weight a factor reads."""
    return int(factor) if isinstance(factor, int | np.integer) else int(factor.shape)
