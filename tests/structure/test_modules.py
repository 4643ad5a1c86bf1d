"""A private module is a file of its own for a reason: it is long, more than one file reads it, or it needs a package.

Small files are free for the machine and cost a reader a hop each. So a private module of fewer than ``SHORT`` lines
with one importer in its own folder belongs into that importer, or with a sibling into one module of one idea.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "rigcast"
READERS = ("benchmarks", "examples")  # beside the package: what they share with a module is not that module's alone

SHORT = 80  # lines
# Importers that are no readers: a package's __init__ is its face, and names what every module offers.
FACES = ("__init__.py", "__main__.py")
AT_HAND = {"rigcast", "numpy", *sys.stdlib_module_names}  # other packages are optional


def imported(path: Path, package: Path) -> set[str]:
    """Dotted names that a file imports, inside functions and under TYPE_CHECKING, too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                folder = path.parents[node.level - 1].relative_to(package.parent)
                base = ".".join([*folder.parts, *filter(None, [node.module])])
            found |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    return found


def optional(names: set[str]) -> set[str]:
    """The optional packages among what a file imports."""
    return {name.partition(".")[0] for name in names} - AT_HAND - {""}


def private_modules(package: Path) -> Iterator[tuple[str, Path]]:
    """Modules whose name or one of whose folders begins with an underscore, by their dotted name."""
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        if path.name not in FACES and any(part.startswith("_") for part in parts):
            yield ".".join([package.name, *parts]), path


def superfluous(package: Path, readers: tuple[Path, ...] = ()) -> dict[str, str]:
    """Private modules that belong into their only importer, with that importer."""
    files = [path for root in (package, *readers) for path in root.rglob("*.py")]
    imports = {path: imported(path, package) for path in files}
    importers = defaultdict(set)
    for path, names in imports.items():
        for name in names:
            importers[name].add(path)
    found = {}
    for name, path in private_modules(package):
        own = importers[name] - {path}
        if len(own) != 1 or len(path.read_text(encoding="utf-8").splitlines()) >= SHORT:
            continue
        (only,) = own
        is_reader = only.parent == path.parent and only.name not in FACES
        if is_reader and not optional(imports[path]) - optional(imports[only]):
            found[path.relative_to(package).as_posix()] = only.relative_to(package).as_posix()
    return found


def test_a_short_module_with_one_importer_is_part_of_it():
    assert superfluous(PACKAGE, tuple(ROOT / name for name in READERS)) == {}


LONG = "VALUE = 1\n" * SHORT
FACE = {"pack/__init__.py": "", "pack/room/__init__.py": ""}
USER, OTHER, HELPER = "pack/room/_user.py", "pack/room/_other.py", "pack/room/_helper.py"
IMPORT = "from pack.room._helper import value\n"
BELONGS = {"room/_helper.py": "room/_user.py"}

# What is written into a made-up package -> the modules that belong into another one.
TREES = {
    "one importer": ({HELPER: "", USER: IMPORT}, BELONGS),
    "inside a function": ({HELPER: "", USER: f"def f():\n    {IMPORT}"}, BELONGS),
    "for types alone": ({HELPER: "", USER: f"if TYPE_CHECKING:\n    {IMPORT}"}, BELONGS),
    "as a module": ({HELPER: "", USER: "from pack.room import _helper\n"}, BELONGS),
    "as a dotted name": ({HELPER: "", USER: "import pack.room._helper\n"}, BELONGS),
    "relative": ({HELPER: "", USER: "from ._helper import value\n"}, BELONGS),
    "relative, as a module": ({HELPER: "", USER: "from . import _helper\n"}, BELONGS),
    "a line too short": ({HELPER: LONG[: -len("VALUE = 1\n")], USER: IMPORT}, BELONGS),
    "a private folder": (
        {"pack/_room/helper.py": "", "pack/_room/user.py": "from .helper import value\n"},
        {"_room/helper.py": "_room/user.py"},
    ),
    "a package that its importer needs, too": ({HELPER: "import torch\n", USER: f"import torch\n{IMPORT}"}, BELONGS),
    "long": ({HELPER: LONG, USER: IMPORT}, {}),
    "two importers": ({HELPER: "", USER: IMPORT, OTHER: IMPORT}, {}),
    "an importer in another folder": ({HELPER: "", "pack/_user.py": IMPORT}, {}),
    "a package's face": ({HELPER: "", "pack/room/__init__.py": IMPORT}, {}),
    "another package": ({HELPER: "def f():\n    import torch\n", USER: IMPORT}, {}),
    "a public module": ({"pack/room/helper.py": "", USER: "from pack.room.helper import value\n"}, {}),
    "a reader beside the package": ({HELPER: "", USER: IMPORT, "beside/table.py": IMPORT}, {}),
}


@pytest.mark.parametrize("case", TREES)
def test_the_rule_finds_what_belongs_into_another_module(case, tmp_path):
    files, expected = TREES[case]
    for name, text in (FACE | files).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert superfluous(tmp_path / "pack", (tmp_path / "beside",)) == expected
