"""Drivers as combinations: what an expression over other weights is as a sum of products of tents.

A driver's expression is expanded into products in which each factor reads one weight. A factor that is the weight
times a number stays the weight. Any other factor must be piecewise linear; such a function on a range is exactly the
sum of the tents at its knots, each times the function's value there, so the product becomes a sum of products of tents.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]
Function = Callable[[Float64], Float64]
# A term: a number, and for each weight the three points of its tent, None for the weight itself.
Term = tuple[float, dict[str, tuple[float, float, float] | None]]

SAMPLES = 801  # of a factor over its range
STRAIGHT = 1e-9  # of a factor's largest value: how far from a line a piece may be
MOST_TERMS, MOST_KNOTS, MOST_NODES = 64, 16, 400


class NotACombination(ValueError):
    """The expression is no sum of products of piecewise linear functions of single weights."""


@dataclass
class _Product:
    """A number times functions, of which each reads one weight."""

    scale: float = 1.0
    functions: dict[str, Function] = field(default_factory=dict)

    def times(self, other: _Product) -> _Product:
        result = _Product(self.scale * other.scale, dict(self.functions))
        for name, function in other.functions.items():
            mine = result.functions.get(name)
            result.functions[name] = function if mine is None else _multiplied(mine, function)
        return result


def combination_terms(
    expression: str,
    ranges: Mapping[str, tuple[float, float]],
    after: Function | None = None,
) -> list[Term]:
    """Expand an expression.

    Parameters
    ----------
    expression : str
        Python arithmetic over the names of ``ranges``: ``+ - * /``, ``abs``, ``min``, ``max``, ``clamp``, comparisons
        excluded. Nothing is run: the text is parsed, and what is not in this list is refused.
    ranges : mapping from name to (low, high)
        The weights that may occur.
    after : function, optional
        Applied to the value (a driver's own curve); only for expressions of a single weight.

    Raises
    ------
    NotACombination
        If it is none; the message says why.
    """
    try:
        tree = ast.parse(expression, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NotACombination("it is no expression") from error
    if sum(1 for _ in ast.walk(tree)) > MOST_NODES:
        raise NotACombination("it is too long")
    products = _expand(tree, ranges)
    if after is not None:
        names = {name for item in products for name in item.functions}
        if len(names) != 1:
            raise NotACombination("a curve acts on more than one weight")
        whole, own = _univariate(tree, next(iter(names))), after
        products = [_Product(1.0, {next(iter(names)): lambda w: own(whole(w))})]
    terms = [term for item in products for term in _terms(item, ranges)]
    if len(terms) > MOST_TERMS:
        raise NotACombination(f"it is a sum of {len(terms)} products")
    return terms


def _multiplied(a: Function, b: Function) -> Function:
    return lambda w: a(w) * b(w)


def _names(node: ast.expr, ranges: Mapping[str, object]) -> list[str]:
    called = {id(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}
    found = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and id(n) not in called]
    unknown = [name for name in found if name not in ranges]
    if unknown:
        raise NotACombination(f"{unknown[0]} is no shape key's value")
    return sorted(set(found))


def _expand(node: ast.expr, ranges: Mapping[str, tuple[float, float]]) -> list[_Product]:
    names = _names(node, ranges)
    if not names:
        return [_Product(_constant(node))]
    if len(names) == 1 and not isinstance(node, ast.BinOp):
        return [_Product(1.0, {names[0]: _univariate(node, names[0])})]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return [_Product(-1.0).times(item) for item in _expand(node.operand, ranges)]
    if not isinstance(node, ast.BinOp):
        raise NotACombination("a function reads more than one weight")
    if len(names) == 1:
        return [_Product(1.0, {names[0]: _univariate(node, names[0])})]
    left = _expand(node.left, ranges)
    if isinstance(node.op, ast.Div) and not _names(node.right, ranges):
        divisor = _constant(node.right)
        if divisor == 0:
            raise NotACombination("it divides by zero")
        return [_Product(1 / divisor).times(item) for item in left]
    right = _expand(node.right, ranges)
    if isinstance(node.op, ast.Add):
        return left + right
    if isinstance(node.op, ast.Sub):
        return left + [_Product(-1.0).times(item) for item in right]
    if isinstance(node.op, ast.Mult) and len(left) * len(right) <= MOST_TERMS:
        return [a.times(b) for a, b in product(left, right)]
    raise NotACombination("weights are joined by something else than sums and products")


def _constant(node: ast.expr) -> float:
    return float(_univariate(node, "")(np.zeros(1))[0])


OPERATORS: dict[type[ast.operator], Callable[[Float64, Float64], Float64]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def _univariate(node: ast.expr, name: str) -> Function:
    """The function of one weight that an expression is."""

    def value(at: ast.expr, w: Float64) -> Float64:
        if isinstance(at, ast.Constant) and isinstance(at.value, int | float):
            return np.full_like(w, float(at.value))
        if isinstance(at, ast.Name) and at.id == name:
            return w
        if isinstance(at, ast.UnaryOp) and isinstance(at.op, ast.USub | ast.UAdd):
            inner = value(at.operand, w)
            return -inner if isinstance(at.op, ast.USub) else inner
        if isinstance(at, ast.BinOp) and type(at.op) in OPERATORS:
            return OPERATORS[type(at.op)](value(at.left, w), value(at.right, w))
        if isinstance(at, ast.Call) and isinstance(at.func, ast.Name) and not at.keywords:
            return _call(at.func.id, [value(argument, w) for argument in at.args])
        raise NotACombination(f"it holds {ast.unparse(at)[:60]!r}")

    def whole(w: Float64) -> Float64:
        with np.errstate(all="ignore"):
            result = value(node, w)
        if not np.isfinite(result).all():
            raise NotACombination("it is not finite everywhere")
        return result

    return whole


def _call(name: str, arguments: Sequence[Float64]) -> Float64:
    if name == "abs" and len(arguments) == 1:
        return np.abs(arguments[0])
    if name in ("min", "max") and len(arguments) > 1:
        return np.asarray((np.minimum if name == "min" else np.maximum).reduce(arguments))
    if name == "clamp" and len(arguments) in (1, 3):  # Blender's: to [0, 1] without ends
        low, high = arguments[1:] if len(arguments) == 3 else (0.0, 1.0)
        return np.clip(arguments[0], low, high)
    raise NotACombination(f"it calls {name[:30]}")


def _terms(item: _Product, ranges: Mapping[str, tuple[float, float]]) -> list[Term]:
    choices = [
        [(name, *piece) for piece in _pieces(function, ranges[name])] for name, function in item.functions.items()
    ]
    result: list[Term] = []
    for picked in product(*choices):
        scale = item.scale * float(np.prod([amount for _, amount, _ in picked]))
        if scale != 0:
            result.append((scale, {name: tent for name, _, tent in picked}))
        if len(result) > MOST_TERMS:
            raise NotACombination("it is a sum of too many products")
    return result


def _pieces(function: Function, ends: tuple[float, float]) -> list[tuple[float, tuple[float, float, float] | None]]:
    """A function as amounts of tents; of the weight itself where it is a multiple of that."""
    low, high = ends
    w: Float64 = np.linspace(low, high, SAMPLES, dtype=np.float64)
    values = function(w)
    largest = float(np.abs(values).max())
    if largest == 0:
        return []
    slope = (values[-1] - values[0]) / (high - low)
    if np.abs(values - slope * w).max() <= STRAIGHT * largest:
        return [(float(slope), None)]
    knots = _knots(function, w, values, STRAIGHT * largest)
    heights = function(np.array(knots))
    before = [2 * knots[0] - knots[1], *knots[:-1]]
    after = [*knots[1:], 2 * knots[-1] - knots[-2]]
    rows = zip(heights, before, knots, after, strict=True)
    return [(float(height), (a, b, c)) for height, a, b, c in rows if abs(height) > STRAIGHT * largest]


def _knots(function: Function, w: Float64, values: Float64, tolerance: float) -> list[float]:
    """The inputs at which a piecewise linear function bends, its ends included."""
    bent = np.flatnonzero(np.abs(values[:-2] - 2 * values[1:-1] + values[2:]) > tolerance) + 1
    knots = [float(w[0])]
    for group in np.split(bent, np.flatnonzero(np.diff(bent) > 1) + 1) if len(bent) else []:
        if len(group) > 2 or group[0] < 2 or group[-1] > len(w) - 3:
            raise NotACombination("it is not piecewise linear")
        knots.append(_crossing(w, values, int(group[0]) - 1, int(group[-1]) + 1))
    knots.append(float(w[-1]))
    if len(knots) > MOST_KNOTS:
        raise NotACombination("it bends too often")
    between = np.concatenate([np.linspace(a, b, 7) for a, b in pairwise(knots)])
    if np.abs(function(between) - np.interp(between, knots, function(np.array(knots)))).max() > 10 * tolerance:
        raise NotACombination("it is not piecewise linear")
    return knots


def _crossing(w: Float64, values: Float64, left: int, right: int) -> float:
    """The input at which the line that ends at sample ``left`` meets the line that begins at sample ``right``."""
    step = w[1] - w[0]
    rise = (values[left] - values[left - 1]) / step
    run = (values[right + 1] - values[right]) / step
    if rise == run:
        raise NotACombination("it jumps")
    meeting = (values[right] - values[left] + rise * w[left] - run * w[right]) / (rise - run)
    return float(np.round(meeting, 12))
