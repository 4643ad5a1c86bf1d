"""The layers of ARCHITECTURE.md, read from the includes and imports themselves: a forbidden edge fails."""

from __future__ import annotations

import ast
import graphlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# A directory includes itself and lower layers only; directories of one layer never include each other.
CPP_LAYERS = [
    {"core"},
    {"linalg"},
    {"mesh", "optimize", "network"},
    {"rig"},
    {"body", "baseline", "metrics", "inverse", "transfer", "crowd"},
    {"registry"},
    {"cuda"},
]

# The same for the modules and sub-packages of python/rigwright.
PYTHON_LAYERS = [
    {"_core", "_cuda"},
    {"errors", "progress", "posing", "interrupts"},
    {"extras", "files", "hashing"},
    {"sources", "metrics", "skinning", "blendshapes", "device_report"},
    {"device_models", "exports", "inverse", "packing"},
    {"faces", "crowd", "transfer", "sampling", "baselines"},
    {"training", "bench"},
    {"report"},
    {"cli"},
    {"demo"},
]

# Modules that run inside Blender's own Python, where rigwright is not installed.
HOSTED = ("sources/blender/host", "demo/blender_script", "exports/blender_action", "exports/blender_scene")

# Optional packages and the one place that may import them.
ONLY_IN = {
    "torch": {"training", "bench"},
    "bpy": {"sources", "demo", "exports"},
    "pxr": {"sources"},
    "pyvista": {"report"},
    "rich": {"cli"},
}


def level(layers: list[set[str]], name: str) -> int:
    found = [i for i, names in enumerate(layers) if name in names]
    assert found, f"{name} is in no layer: give it a place in ARCHITECTURE.md and in this test"
    return found[0]


def cpp_edges() -> list[tuple[str, str, Path]]:
    edges = []
    for path in sorted((ROOT / "cpp").rglob("*")):
        if path.suffix not in {".h", ".cpp", ".cu", ".cuh"}:
            continue
        own = path.relative_to(ROOT / "cpp").parts[0]
        for target in re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE):
            if "/" in target:
                edges.append((own, target.split("/")[0], path.relative_to(ROOT)))
    return edges


def imported_names(tree: ast.AST) -> list[str]:
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            if node.module == "rigwright":
                names += [f"rigwright.{alias.name}" for alias in node.names]
            else:
                names.append(node.module)
    return names


def python_files() -> list[tuple[str, Path]]:
    package = ROOT / "python" / "rigwright"
    files = []
    for path in sorted(package.rglob("*.py")):
        own = path.relative_to(package).parts[0].removesuffix(".py")
        if own not in {"__init__", "__main__"}:
            files.append((own, path))
    return files


def test_includes_point_to_the_same_directory_or_a_lower_layer():
    edges = cpp_edges()
    assert len(edges) > 20
    wrong = [
        f"{path}: {own} includes {target}"
        for own, target, path in edges
        if own != target and level(CPP_LAYERS, target) >= level(CPP_LAYERS, own)
    ]
    assert not wrong, "\n".join(wrong)


def test_the_engine_knows_nothing_of_python():
    for path in (ROOT / "cpp").rglob("*"):
        if path.suffix in {".h", ".cpp", ".cu", ".cuh"}:
            assert "pybind11" not in path.read_text(), path


def test_eigen_and_json_stay_inside_source_files():
    for path in (ROOT / "cpp").rglob("*.h"):
        assert not re.search(r"#include <(Eigen|nlohmann)", path.read_text()), path


def test_imports_point_to_the_same_package_or_a_lower_layer():
    wrong = []
    for own, path in python_files():
        for name in imported_names(ast.parse(path.read_text())):
            parts = name.split(".")
            if parts[0] != "rigwright" or len(parts) < 2 or parts[1][:1].isupper():
                continue  # a public class of the package itself
            target = parts[1]
            known = any(target in names for names in PYTHON_LAYERS)
            if known and target != own and level(PYTHON_LAYERS, target) >= level(PYTHON_LAYERS, own):
                wrong.append(f"{path.relative_to(ROOT)}: {own} imports {target}")
    assert not wrong, "\n".join(wrong)


def test_no_files_import_each_other_in_a_circle():
    """Imports inside functions and for types alone count: a circle is one idea in two files, or two in one."""
    package = ROOT / "python" / "rigwright"
    modules = {}
    for path in package.rglob("*.py"):
        parts = path.relative_to(package.parent).with_suffix("").parts
        modules[".".join(parts).removesuffix(".__init__")] = path
    graph = {}
    for module, path in modules.items():
        imported = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                longer = {f"{node.module}.{alias.name}" for alias in node.names} & set(modules)
                imported |= longer or {node.module}
        graph[module] = imported & set(modules) - {module, "rigwright"}
    assert len(graph) > 100
    list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError, with the files


def test_every_python_module_has_a_layer():
    for own, _ in python_files():
        level(PYTHON_LAYERS, own)


@pytest.mark.parametrize("package", sorted(ONLY_IN))
def test_optional_packages_have_one_home(package):
    for own, path in python_files():
        imports = {name.split(".")[0] for name in imported_names(ast.parse(path.read_text()))}
        asked = re.findall(r'require\(\s*"([\w.]+)"', path.read_text())
        if package in imports | {name.split(".")[0] for name in asked}:
            assert own in ONLY_IN[package], f"{path.relative_to(ROOT)} imports {package}"


def test_hosted_modules_do_not_import_the_package():
    package = ROOT / "python" / "rigwright"
    for _, path in python_files():
        if str(path.relative_to(package)).startswith(HOSTED):
            names = imported_names(ast.parse(path.read_text()))
            assert not [name for name in names if name.startswith("rigwright")], path
