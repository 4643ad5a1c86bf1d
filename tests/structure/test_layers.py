"""The floors of layers.toml, held against the includes and imports themselves: a forbidden edge fails."""

from __future__ import annotations

import ast
import functools
import graphlib
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tests.structure.layers import HOMES, ROOT, TABLES, floors, sub_floors

ENGINE = HOMES["engine"]
PACKAGE = HOMES["package"]
ADDON = HOMES["addon"] / "rigcast_blender"
HOSTED = {
    HOMES["houdini"] / "rigcast_houdini": 7,
    HOMES["maya"] / "rigcast_maya": 3,
    ROOT / "python" / "rigcast_host": 5,
}
LIMITS = TABLES["limits"]
UNCOUNTED = {".pyi", ".typed", ".png", ".svg"}  # generated, or pictures


def engine_files() -> list[Path]:
    return [path for path in sorted(ENGINE.rglob("*")) if path.suffix in {".h", ".cpp", ".cu", ".cuh"}]


@functools.cache
def cpp_edges() -> list[tuple[Path, Path]]:
    """Each file of the engine with each file of the engine that it includes, both relative to its root."""
    found = []
    for path in engine_files():
        for target in re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE):
            found.append((path.relative_to(ENGINE), (ENGINE.parent / target).relative_to(ENGINE)))
    return found


def sub_room(path: Path) -> str:
    return path.parts[1] if len(path.parts) > 2 else ""


def declared_dependencies(room: str) -> set[str]:
    text = (ENGINE / room / "CMakeLists.txt").read_text()
    found = re.search(r"DEPENDS((?:\s+\w+)+?)\s*(?:PRIVATE|\))", text)
    return set(found.group(1).split()) if found else set()


@functools.cache
def imported_names(path: Path) -> list[str]:
    names = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            if node.module == "rigcast":
                names += [f"rigcast.{alias.name}" for alias in node.names]
            else:
                names.append(node.module)
    return names


def python_files() -> list[tuple[str, Path]]:
    files = []
    for path in sorted(PACKAGE.rglob("*.py")):
        own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if own not in {"__init__", "__main__"}:
            files.append((own, path))
    return files


def test_includes_name_a_file_of_the_engine_by_its_whole_path():
    edges = cpp_edges()
    assert len(edges) > 100
    wrong = [f"{path} includes {target}" for path, target in edges if not (ENGINE / target).is_file()]
    assert not wrong, "\n".join(wrong)


def test_includes_point_to_the_same_room_or_a_lower_floor():
    floor, wrong = floors("engine"), []
    for path, target in cpp_edges():
        own, other = path.parts[0], target.parts[0]
        if own != other and floor[other] >= floor[own]:
            wrong.append(f"{path} includes {target}")
    assert not wrong, "\n".join(wrong)


def test_sub_rooms_include_lower_ones_only():
    floor, wrong = sub_floors("engine"), []
    for path, target in cpp_edges():
        room, own, other = path.parts[0], sub_room(path), sub_room(target)
        if room != target.parts[0] or own == other:
            continue
        if floor[room][other] >= floor[room][own]:
            wrong.append(f"{path} includes {target}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("room", sorted(floors("engine")))
def test_the_build_depends_on_what_the_files_include(room):
    included = {target.parts[0] for path, target in cpp_edges() if path.parts[0] == room}
    assert declared_dependencies(room) == included - {room}


def test_folders_stay_small():
    """More files are several subjects, in the sources as in tests and pages; stubs and pictures do not count."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    files = [Path(name) for name in listed if Path(name).suffix not in UNCOUNTED]
    assert len(files) > 1500
    folders = Counter(path.parent for path in files)
    assert not [f"{folder}: {count}" for folder, count in folders.items() if count > LIMITS["most_files"]]


def test_files_stay_short():
    bindings = [path for path in (ROOT / "bindings").rglob("*") if path.suffix in {".h", ".cpp"}]
    roots = [PACKAGE, ADDON, *HOSTED]
    files = [*engine_files(), *bindings, *(path for root in roots for path in root.rglob("*.py"))]
    lines = {path.relative_to(ROOT): path.read_text(encoding="utf-8").count("\n") for path in files}
    assert len(lines) > 500
    assert not [f"{path}: {count}" for path, count in lines.items() if count > LIMITS["most_lines"]]


def test_the_engine_knows_nothing_of_python():
    for path in engine_files():
        assert "pybind11" not in path.read_text(), path


def test_eigen_and_json_stay_inside_source_files():
    for path in (ROOT / "cpp").rglob("*.h"):
        assert not re.search(r"#include <(Eigen|nlohmann)", path.read_text()), path


def test_imports_point_to_the_same_package_or_a_lower_floor():
    floor, wrong = floors("package"), []
    for own, path in python_files():
        for name in imported_names(path):
            parts = name.split(".")
            if parts[0] != "rigcast" or len(parts) < 2:
                continue
            target = parts[1]
            if target in floor and target != own and floor[target] >= floor[own]:
                wrong.append(f"{path.relative_to(ROOT)}: {own} imports {target}")
    assert not wrong, "\n".join(wrong)


BUILT = ("_core", "_cuda")  # modules that are compiled


def uses_of_the_face(path: Path) -> list[str]:
    """What a file imports of the package's face, which stands on the roof: the package, or a name that is no module."""
    found = []
    for name in imported_names(path):
        parts = name.split(".")
        place = PACKAGE / (parts[1] if len(parts) > 1 else "")
        is_module = len(parts) > 1 and (place.is_dir() or place.with_suffix(".py").exists() or parts[1] in BUILT)
        if parts[0] == "rigcast" and not is_module:
            found.append(name)
    return found


def test_no_module_of_the_package_imports_its_face():
    files = [path for _, path in python_files()]
    assert {str(path.relative_to(ROOT)): names for path in files if (names := uses_of_the_face(path))} == {}


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("import rigcast as rc", ["rigcast"]),
        ("from rigcast import Skeleton, _core", ["rigcast.Skeleton"]),
        ("from rigcast import _core, sources", []),
        ("from rigcast._core import Skeleton", []),
    ],
)
def test_an_import_of_the_face_is_found(tmp_path, line, found):
    (tmp_path / "a.py").write_text(line)
    assert uses_of_the_face(tmp_path / "a.py") == found


@pytest.mark.parametrize(
    ("root", "least"),
    [(PACKAGE, 100), (ADDON, 30), *HOSTED.items()],
    ids=["package", "addon", "houdini", "maya", "host"],
)
def test_no_files_import_each_other_in_a_circle(root, least):
    """Imports inside functions and for types alone count: a circle is one idea in two files, or two in one."""
    modules = {}
    for path in root.rglob("*.py"):
        parts = path.relative_to(root.parent).with_suffix("").parts
        modules[".".join(parts).removesuffix(".__init__")] = path
    graph = {}
    for module, path in modules.items():
        imported = set()
        package = [*path.relative_to(root.parent).parts[:-1]]
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                above = package[: len(package) - node.level + 1] if node.level else []  # of the host, and the add-on
                home = ".".join([*above, *([node.module] if node.module else [])])
                longer = {f"{home}.{alias.name}" for alias in node.names} & set(modules)
                imported |= longer or {home}
        graph[module] = imported & set(modules) - {module, "rigcast"}
    assert len(graph) > least
    list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError, with the files


@pytest.mark.parametrize("package", sorted(TABLES["optional"]))
def test_optional_packages_have_one_home(package):
    for own, path in python_files():
        asked = re.findall(r'require\(\s*"([\w.]+)"', path.read_text())
        if package in {name.split(".")[0] for name in [*imported_names(path), *asked]}:
            assert own in TABLES["optional"][package], f"{path.relative_to(ROOT)} imports {package}"


@pytest.mark.parametrize("root", [ADDON, *HOSTED], ids=lambda root: root.name)
def test_files_for_hosts_have_of_the_package_what_is_packed_with_them(root):
    files = list(root.rglob("*.py"))
    assert len(files) > (30 if root == ADDON else HOSTED[root])
    assert not [path for path in files if any(name.split(".")[0] == "rigcast" for name in imported_names(path))]


def test_hosted_modules_do_not_import_the_package():
    for _, path in python_files():
        if str(path.relative_to(PACKAGE)).startswith(tuple(TABLES["hosted"])):
            names = imported_names(path)
            assert not [name for name in names if name.startswith("rigcast")], path
