"""The result of packing: which shapes stand in which expression."""

from __future__ import annotations

import base64
import json
import os
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._atomic_files import atomic_write
from rigcast._safe_reading import Malformed, read_json
from rigcast._shown import one_line
from rigcast.errors import FileError
from rigcast.transfer._packing.symmetry import Pair

KIND, VERSION = "rigcast expression plan", 1


@one_line
@dataclass(frozen=True)
class ExpressionPlan:
    """Expressions for an actor to pose, in the order of their use.

    Attributes
    ----------
    expressions : list of list of int
        The shapes of every expression, ascending; each shape has weight 1 there.
    names : list of str
        Of all K shapes.
    importance : (K,) float64
        Before the first expression (equation 3.4).
    active : (K, V) bool
        Binary shapes; vertices that shapes of a group share belong to one of them.
    groups : list of list of int
        Shapes that always stand together, two or more each.
    pairs : list of Pair
        Why they do.
    mirrored : int or None
        Vertices that have a partner on the other side; None where symmetry was not asked for.
    best : list of bool
        Of every expression, whether it is proven that none was better at its place.
    lower_bound : int
        No plan without overlap covers all these shapes with fewer expressions.
    clique : list of int
        Shapes of different groups that exclude each other pairwise: they show the bound where it is their number.
    proven_minimal : bool
        Whether the plan covers all shapes that were to be packed, without overlap, with ``lower_bound`` expressions.
    uncovered : list of int
        Shapes that the limit or the user left out.
    empty : list of int
        Shapes equal to the neutral: no scan can show them, and they stand in no expression.
    settings : dict
        What the plan was made with.
    """

    expressions: list[list[int]]
    names: list[str]
    importance: NDArray[np.float64]
    active: NDArray[np.bool_]
    groups: list[list[int]]
    pairs: list[Pair]
    mirrored: int | None
    best: list[bool]
    lower_bound: int
    clique: list[int]
    proven_minimal: bool
    uncovered: list[int]
    empty: list[int]
    settings: dict[str, object] = field(default_factory=dict)

    def covered(self, count: int) -> int:
        """The number of shapes that the first ``count`` expressions hold."""
        return sum(map(len, self.expressions[:count]))

    def weights(self) -> NDArray[np.float32]:
        """(J, K) weights of the expressions, 0 or 1: rows that a rig evaluates."""
        rows = np.zeros((len(self.expressions), len(self.names)), np.float32)
        for row, shapes in zip(rows, self.expressions, strict=True):
            row[shapes] = 1.0
        return rows

    def __str__(self) -> str:
        count = len(self.expressions)
        proof = "proven minimal" if self.proven_minimal else f"lower bound {self.lower_bound}"
        if self.settings.get("overlap"):
            proof += " without overlap"
        return f"{count} expressions for {self.covered(count)} of {len(self.names)} shapes, {proof}"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the plan as JSON, in one step."""
        atomic_write(path, (json.dumps(self.as_dict(), indent=1) + "\n").encode())

    def as_dict(self) -> dict[str, object]:
        """Plain values, as the file holds them; the masks row by row as bits (NumPy's packbits), base64."""
        bits = base64.b64encode(np.packbits(self.active, axis=1).tobytes()).decode("ascii")
        return {
            "kind": KIND,
            "version": VERSION,
            "expressions": self.expressions,
            "shapes": [[self.names[k] for k in shapes] for shapes in self.expressions],
            "lower_bound": self.lower_bound,
            "proven_minimal": self.proven_minimal,
            "best": self.best,
            "clique": self.clique,
            "uncovered": self.uncovered,
            "empty": self.empty,
            "names": self.names,
            "importance": self.importance.tolist(),
            "groups": self.groups,
            "pairs": [asdict(pair) for pair in self.pairs],
            "mirrored": self.mirrored,
            "settings": self.settings,
            "active": {"shape": list(self.active.shape), "bits": bits},
        }

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ExpressionPlan:
        """Read a plan that :meth:`save` wrote.

        Raises
        ------
        ValueError
            If the file is none, or an index in it is no shape.
        """
        try:
            values = read_json(path)
            if values["kind"] != KIND or values["version"] != VERSION:
                raise Malformed(f"kind {values['kind']!r}, version {values['version']!r}")
            plan = cls._from_dict(values)
            plan._check()
            return plan
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError, MemoryError) as error:
            raise FileError(
                "ExpressionPlan.load", "", f"{os.fspath(path)} is no expression plan ({error})", "", path
            ) from error

    def _check(self) -> None:
        """Refuse what no packing makes: the first thing that does not fit is named."""
        count = len(self.names)
        if not isinstance(self.names, list) or not all(isinstance(name, str) for name in self.names):
            raise Malformed("names that are no list of texts")
        lists = {"expressions": self.expressions, "groups": self.groups}
        lists |= {name: [getattr(self, name)] for name in ("clique", "uncovered", "empty")}
        lists["pairs"] = [[pair.first, pair.second] for pair in self.pairs]
        for what, rows in lists.items():
            for row in rows:
                for k in row:
                    if isinstance(k, bool) or not isinstance(k, int) or not 0 <= k < count:
                        raise Malformed(f"{what} with shape {k!r}, of shapes from 0 to {count - 1}")
        if len(self.best) != len(self.expressions):
            raise Malformed(f"{len(self.best)} entries in best, of {len(self.expressions)} expressions")
        if self.importance.shape != (count,) or len(self.active) != count:
            raise Malformed(f"importance {self.importance.shape} and active {self.active.shape}, of {count} shapes")
        if not np.isfinite(self.importance).all():
            raise Malformed("importance that is not finite everywhere")

    @classmethod
    def _from_dict(cls, values: dict[str, Any]) -> ExpressionPlan:
        count, vertices = (int(extent) for extent in values["active"]["shape"])
        bits = np.frombuffer(base64.b64decode(values["active"]["bits"], validate=True), np.uint8)
        active = np.unpackbits(bits.reshape(count, -1), axis=1, count=vertices).astype(bool) if count else None
        made_here = {"importance", "active", "pairs"}
        plain = [entry.name for entry in fields(cls) if entry.name not in made_here]
        return cls(
            **{name: values[name] for name in plain},
            importance=np.array(values["importance"], np.float64),
            active=np.zeros((0, vertices), bool) if active is None else active,
            pairs=[Pair(**pair) for pair in values["pairs"]],
        )
