"""Numbers of a rig as expressions of its channels: constants, channels, and what drivers make of them.

An expression is a number, or a list of words in postfix notation: decimal numbers, ``$NAME`` for channels, operators.
``cpp/rigcast/rig/mechanism/number.h`` lists the operators and evaluates them.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

Expression = float | list[str]
BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.Mod: "%"}
COMPARED = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
ONE = ("abs", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "floor", "ceil", "round", "radians",
       "degrees")  # fmt: skip
TWO = {"pow": "**", "atan2": "atan2", "fmod": "%"}
CONSTANTS = {"pi": math.pi, "e": math.e, "tau": math.tau}


class Unread(Exception):
    """Something that a mechanism has no words for; the text says what."""


def words(expression: Expression) -> list[str]:
    """An expression as words."""
    return expression if isinstance(expression, list) else [repr(float(expression))]


def applied(operator: str, *values: Expression) -> Expression:
    """An operator on expressions."""
    return [*(word for value in values for word in words(value)), operator]


def of_driver(curve: Any, value_of: Callable[[Any], Expression]) -> Expression:
    """The value that a driver curve makes of its variables, whose values ``value_of`` gives.

    Raises
    ------
    Unread
        If its expression, or the curve on it, is more than this notation has.
    """
    driver = curve.driver
    values = {variable.name: value_of(variable) for variable in driver.variables}
    if driver.type == "SCRIPTED":
        result = _compiled(driver.expression, values)
    else:
        result = _combined(driver.type, list(values.values()))
    return _on_line(curve, result)


def _combined(kind: str, values: list[Expression]) -> Expression:
    if not values:
        return 0.0
    operator = {"SUM": "+", "AVERAGE": "+", "MIN": "min", "MAX": "max"}.get(kind)
    if operator is None:
        raise Unread(f"a driver of type {kind}")
    result = values[0]
    for value in values[1:]:
        result = applied(operator, result, value)
    return applied("/", result, float(len(values))) if kind == "AVERAGE" else result


def _on_line(curve: Any, value: Expression) -> Expression:
    """The value on the curve of its driver, which must be a line."""
    if not curve.keyframe_points and not curve.modifiers:
        return value
    start = curve.evaluate(0.0)
    slope = curve.evaluate(1.0) - start
    if any(abs(curve.evaluate(x) - start - slope * x) > 1e-5 for x in (-3.0, -0.3, 0.3, 3.0)):
        raise Unread("a driver with a curve")
    return value if (start, slope) == (0.0, 1.0) else applied("+", applied("*", value, slope), start)


def _compiled(text: str, values: dict[str, Expression]) -> Expression:
    try:
        return _term(ast.parse(text.strip(), mode="eval").body, values)
    except (SyntaxError, RecursionError, ValueError) as error:
        raise Unread(f"the driver expression {text!r}") from error
    except Unread as error:
        raise Unread(f"the driver expression {text!r}") from error


def _term(node: ast.AST, values: dict[str, Expression]) -> Expression:
    if isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float)):
        return float(node.value)
    if isinstance(node, ast.Name) and node.id in {**CONSTANTS, **values}:
        return values[node.id] if node.id in values else CONSTANTS[node.id]
    if isinstance(node, ast.BinOp) and type(node.op) in BINARY:
        return applied(BINARY[type(node.op)], _term(node.left, values), _term(node.right, values))
    if isinstance(node, ast.UnaryOp):
        return _signed(node, values)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARED:
        left, right = _term(node.left, values), _term(node.comparators[0], values)
        return applied(COMPARED[type(node.ops[0])], left, right)
    if isinstance(node, ast.IfExp):
        return applied("if", *(_term(part, values) for part in (node.body, node.test, node.orelse)))
    if isinstance(node, ast.BoolOp):
        return _joined(isinstance(node.op, ast.And), [_term(part, values) for part in node.values])
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return _called(node.func.id, [_term(part, values) for part in node.args])
    raise Unread(ast.dump(node))


def _signed(node: ast.UnaryOp, values: dict[str, Expression]) -> Expression:
    value = _term(node.operand, values)
    if isinstance(node.op, ast.UAdd):
        return value
    if isinstance(node.op, (ast.USub, ast.Not)):
        return applied("neg" if isinstance(node.op, ast.USub) else "not", value)
    raise Unread("an operator on bits")


def _joined(both: bool, values: list[Expression]) -> Expression:
    """``and`` gives the first value that is false, ``or`` the first that is true, else the last."""
    result = values[-1]
    for value in reversed(values[:-1]):
        result = applied("if", result, value, value) if both else applied("if", value, value, result)
    return result


def _called(name: str, values: list[Expression]) -> Expression:
    if name in ONE and len(values) == 1:
        return applied(name, *values)
    if name in TWO and len(values) == 2:
        return applied(TWO[name], *values)
    if name in ("min", "max") and values:
        result = values[0]
        for value in values[1:]:
            result = applied(name, result, value)
        return result
    if name == "clamp" and len(values) in (1, 3):
        value, low, high = values if len(values) == 3 else (values[0], 0.0, 1.0)
        return applied("min", applied("max", value, low), high)
    if name in ("lerp", "mix") and len(values) == 3:
        first, second, share = values
        return applied("+", first, applied("*", applied("-", second, first), share))
    raise Unread(f"the function {name}")
