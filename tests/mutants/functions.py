"""The functions of the project, by area, with the places inside each where one small change is possible."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

LIBRARY = (
    *("sources", "exports", "sampling", "inverse", "transfer", "metrics", "faces", "crowd", "baselines"),
    *("_formats", "_rigs"),
)
AREAS = {
    "engine": ("cpp/rigcast/**/*.cpp", "cpp/rigcast/**/*.h"),
    "library": tuple(f"python/rigcast/{name}/**/*.py" for name in LIBRARY),
    "commands and report": ("python/rigcast/cli/**/*.py", "python/rigcast/report/**/*.py"),
    "bindings and training": ("bindings/**/*.cpp", "python/rigcast/training/**/*.py", "python/rigcast/torch/*.py"),
}
# Needs a GPU or Windows, or runs inside Blender only.
LEFT_OUT = (
    "cpp/rigcast/cuda/",
    "_windows.cpp",
    "bindings/device/",
    "_formats/blender/host",
    "_formats/blender/write_",
)


@dataclass(frozen=True)
class Change:
    """One edit of a file: the bytes from ``start`` to ``end`` become ``text``."""

    path: str  # relative to the root
    function: str
    line: int
    start: int
    end: int
    before: str
    text: str
    coarse: bool = False  # a call that may fail at once: tried last

    def applied(self, content: bytes) -> bytes:
        assert content[self.start : self.end].decode() == self.before
        return content[: self.start] + self.text.encode() + content[self.end :]


def functions(area: str) -> list[list[Change]]:
    """The possible changes of every function of an area that has any, in the order of the files."""
    found = []
    for pattern in AREAS[area]:
        for path in sorted(ROOT.glob(pattern)):
            relative = path.relative_to(ROOT).as_posix()
            if not any(part in relative for part in LEFT_OUT):
                found += python_functions(relative) if path.suffix == ".py" else cpp_functions(relative)
    return [changes for changes in found if changes]


# ---- Python -----------------------------------------------------------------------------------------------------

OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def variants(node: ast.AST) -> Iterator[ast.AST]:
    """The node with one thing wrong."""
    wrong = copy.deepcopy(node)
    if isinstance(wrong, ast.BinOp) and type(wrong.op) in OPERATORS and not is_text(wrong.left):
        yield wrong.left  # a dropped term
        wrong.op = OPERATORS[type(wrong.op)]()
        yield wrong
    elif isinstance(wrong, ast.Compare) and type(wrong.ops[0]) in COMPARISONS:
        wrong.ops[0] = COMPARISONS[type(wrong.ops[0])]()
        yield wrong
    elif isinstance(wrong, ast.BoolOp):
        wrong.op = ast.Or() if isinstance(wrong.op, ast.And) else ast.And()
        yield wrong
    elif isinstance(wrong, ast.UnaryOp) and isinstance(wrong.op, ast.Not | ast.USub):
        yield wrong.operand
    elif isinstance(wrong, ast.Constant) and type(wrong.value) is int:
        yield ast.Constant(wrong.value + 1)
    elif isinstance(wrong, ast.Call) and len(wrong.args) >= 2:
        wrong.args[:2] = wrong.args[1::-1]
        yield wrong


def inside(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below, without messages, annotations and nested texts."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Raise | ast.JoinedStr | ast.arguments):
            continue
        if isinstance(child, ast.AnnAssign):
            child = child.value or ast.Pass()
        if isinstance(node, ast.FunctionDef) and child not in node.body:
            continue
        yield child
        yield from inside(child)


def python_functions(path: str) -> list[list[Change]]:
    content = (ROOT / path).read_bytes()
    starts = [0]
    for line in content.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    tree = ast.parse(content)
    holders = [("", tree)] + [(f"{node.name}.", node) for node in tree.body if isinstance(node, ast.ClassDef)]
    found = []
    for prefix, holder in holders:
        for function in holder.body:
            if not isinstance(function, ast.FunctionDef):
                continue
            name, changes = prefix + function.name, []
            for node in inside(function):
                for wrong in variants(node):
                    start = starts[node.lineno - 1] + node.col_offset
                    end = starts[node.end_lineno - 1] + node.end_col_offset
                    text = f"({ast.unparse(wrong)})"
                    before = content[start:end].decode()
                    changes.append(
                        Change(path, name, node.lineno, start, end, before, text, isinstance(node, ast.Call))
                    )
            found.append(changes)
    return found


# ---- C++ --------------------------------------------------------------------------------------------------------

SWAPS = {
    " + ": " - ", " - ": " + ", " * ": " + ", " / ": " * ", " < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ",
    " == ": " != ", " != ": " == ", " && ": " || ", " || ": " && ", " += ": " -= ", " -= ": " += ", "(!": "(",
}  # fmt: skip
TOKENS = re.compile("|".join(re.escape(token) for token in SWAPS) + r"|(?<=[\s\[(])\d(?=[;\],) ])")
OPENING = re.compile(r"^\S[^;=]*?([\w:~]+)\([^;]*\)[^;{}()]*\{$", re.DOTALL)


def without_words(text: str) -> str:
    """Comments, texts and preprocessor lines blanked, every other character in its place."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^#[^\n]*'
    return re.sub(pattern, lambda found: re.sub(r"[^\n]", "_", found[0]), text, flags=re.DOTALL | re.MULTILINE)


def cpp_functions(path: str) -> list[list[Change]]:
    """Definitions that start in the first column, as clang-format lays them out."""
    plain, found = without_words((ROOT / path).read_text(encoding="ascii")), []
    for body in re.finditer(r"^[^\s}#/_][^\n]*\n?(?:[^\n}]+\n)*?[^\n]*\{\n.*?^\}", plain, re.DOTALL | re.MULTILINE):
        head = plain[body.start() : plain.index("{\n", body.start()) + 1]
        name = OPENING.match(head)
        if name is None or head.startswith(("namespace", "struct", "class", "enum")):
            continue
        changes = []
        for token in TOKENS.finditer(plain, body.start() + len(head), body.end()):
            new = SWAPS.get(token[0]) or str(int(token[0]) + 1)
            line = plain.count("\n", 0, token.start()) + 1
            changes.append(Change(path, name[1], line, token.start(), token.end(), token[0], new))
        found.append(changes)
    return found
