"""The files for Houdini against its type stubs: every call has the names and arguments of Houdini 21.0."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from tests.houdini import FILES, fake_hou
from tests.support.host_stubs import findings, stubs_of

WRONG = """\
import hou

def wrong(node: hou.SopNode) -> None:
    node.geometry().points()
    node.setCachedData("a", 1)
    hou.pwd().geometry()
"""


@pytest.fixture(scope="module")
def stubs() -> Path:
    return stubs_of("hou", "types-houdini")


@pytest.mark.slow
def test_the_files_have_the_types_of_houdini(stubs, tmp_path):
    """And mypy sees what is wrong: a method that is not there, and what may be None."""
    (tmp_path / "wrong.py").write_text(WRONG)
    found = findings("hou", stubs, tmp_path, FILES / "rigcast", tmp_path / "wrong.py")
    assert [line.split(":")[0].split("/")[-1] + line.split(":")[1] for line in found] == [
        "wrong.py4",
        "wrong.py5",
        "wrong.py6",
    ]


def members(nodes: list[ast.stmt]) -> dict[str, ast.stmt]:
    """What a module or class of the stubs defines, by names."""
    found: dict[str, ast.stmt] = {}
    for node in nodes:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.AnnAssign):
            found[ast.unparse(node.target)] = node
    return found


def inherited(name: str, module: dict[str, ast.stmt]) -> dict[str, ast.stmt]:
    """The members of a class of the stubs and of its bases."""
    made = module[name]
    assert isinstance(made, ast.ClassDef)
    found: dict[str, ast.stmt] = {}
    for base in made.bases:
        if ast.unparse(base) in module:
            found |= inherited(ast.unparse(base), module)
    return found | members(made.body)


@pytest.mark.slow
def test_the_stand_in_has_nothing_that_houdini_has_not(stubs):
    """By names: its classes, their methods and bases; what tests add to it begins otherwise."""
    module = members(ast.parse((stubs / "__init__.pyi").read_text(encoding="utf-8")).body)
    known = {"Attrib", "Geometry", "SopNode", "ChopNode", "OpNode", "Node", "Parm", "Prim", "PointGroup", "Track"}
    ours = {
        name: made
        for name, made in vars(fake_hou).items()
        if inspect.isclass(made) and made.__module__ == fake_hou.__name__
    }
    assert known < set(ours)
    own = {
        "floats",
        "texts",
        "details",
        "groups",
        "own",
        "cached",
        "messages",
        "keys",
        "shown",
        "last",
        "escape_after",
        "folders",
    }
    for name, made in ours.items():
        if name == "Numbered":  # a point or a vertex
            continue
        theirs = inherited(name, module)
        example = sample(made)
        offered = {key for key in [*vars(made), *vars(example)] if not key.startswith("_")} - own
        assert offered <= set(theirs), (name, offered - set(theirs))
    for name in (
        "pwd",
        "time",
        "timeToFrame",
        "node",
        "frameToTime",
        "Keyframe",
        "FloatParmTemplate",
        "FolderParmTemplate",
        "text",
    ):
        assert name in module
        assert hasattr(fake_hou, name)


def sample(made: type) -> object:
    given = {"Attrib": ("a", 1), "Prim": ((),), "PointGroup": ("a", ()), "Geometry": ([],), "Parm": ("a", {}),
             "Track": ("a", 1.0), "InterruptableOperation": ("a",), "FolderParmTemplate": ("a", "A", ())}  # fmt: skip
    return made(*given.get(made.__name__, ()))
