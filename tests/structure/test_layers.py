"""The layers of ARCHITECTURE.md, read from the includes and imports themselves: a forbidden edge fails."""

from __future__ import annotations

import ast
import graphlib
import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "cpp" / "rigcast"

# A room (a directory of cpp/rigcast) includes itself and lower layers only; rooms of one layer do not meet.
CPP_LAYERS = [
    {"core"},
    {"linalg"},
    {"mesh", "optimize", "network"},
    {"rig"},
    {"body", "face", "baseline", "differential", "metrics", "inverse", "ik", "transfer", "packing", "synthesis"},
    {"registry"},
    {"cuda"},
]

# The same for the sub-rooms of a room; "" are the files that lie in the room itself.
SUB_ROOMS = {
    "linalg": [{""}, {"sparse", "dense"}],
    "mesh": [{""}, {"search", "gradients"}],
    "optimize": [{""}, {"products", "smooth"}, {"coupled"}],
    "rig": [{""}, {"derivatives", "stated"}, {"skinning", "blendshapes"}],
    "body": [{"patch"}, {""}],
    "face": [{""}, {"maps"}],
    "baseline": [{""}, {"models"}],
    "differential": [{""}, {"model"}],
    "inverse": [{"projection", "frames"}, {""}, {"published"}],
    "ik": [{"limbs", "goals", "learned"}],
    "transfer": [{"contacts"}, {""}],
    "cuda": [
        {"machine"},
        {"libraries"},
        {"products"},
        {"body", "differential", "face", "blendshapes", "inverse", "synthesis"},
        {""},
    ],
    "synthesis": [{"latent", "playing"}],
}

MOST_FILES = 24  # in one folder of the engine: more are several subjects

# The same for the modules and sub-packages of python/rigcast.
PYTHON_LAYERS = [
    {"_core", "_cuda"},
    {"errors", "progress", "_posing", "_interrupts", "_processors", "_text"},
    {"_validate"},
    {"_extras", "_atomic_files", "_hashing", "_safe_reading", "_pose_statistics"},
    {"_resume", "_regression", "_farm"},
    {"_rigs"},
    {"_formats"},
    {"sources", "metrics", "plot", "_skinning", "_blendshapes", "_device_report", "_load_model"},
    {"_device_models", "differential", "exports", "ik", "inverse", "torch"},
    {"faces", "crowd", "transfer", "sampling"},
    {"training", "_bench", "synthesis"},
    {"baselines"},
    {"report", "viewer"},
    {"cli"},
]

# Modules that run inside Blender's own Python, where rigcast is not installed.
HOSTED = (
    "_formats/blender/host",
    "_formats/blender/write_action",
    "_formats/blender/write_cache",
    "_formats/blender/write_scene",
)

# Optional packages and the one place that may import them.
ONLY_IN = {
    "torch": {"torch", "training", "_bench"},
    "bpy": {"_formats"},
    "pxr": {"_formats"},
    "trimesh": {"_formats"},
    "pyvista": {"plot", "report"},
    "rich": {"cli", "progress"},
    "distributed": {"_farm"},
}


def level(layers: list[set[str]], name: str) -> int:
    found = [i for i, names in enumerate(layers) if name in names]
    assert found, f"{name} is in no layer: give it a place in ARCHITECTURE.md and in this test"
    return found[0]


def engine_files() -> list[Path]:
    return [path for path in sorted(ENGINE.rglob("*")) if path.suffix in {".h", ".cpp", ".cu", ".cuh"}]


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


def imported_names(tree: ast.AST) -> list[str]:
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            if node.module == "rigcast":
                names += [f"rigcast.{alias.name}" for alias in node.names]
            else:
                names.append(node.module)
    return names


def python_files() -> list[tuple[str, Path]]:
    package = ROOT / "python" / "rigcast"
    files = []
    for path in sorted(package.rglob("*.py")):
        own = path.relative_to(package).parts[0].removesuffix(".py")
        if own not in {"__init__", "__main__"}:
            files.append((own, path))
    return files


def test_includes_name_a_file_of_the_engine_by_its_whole_path():
    edges = cpp_edges()
    assert len(edges) > 100
    wrong = [f"{path} includes {target}" for path, target in edges if not (ENGINE / target).is_file()]
    assert not wrong, "\n".join(wrong)


def test_includes_point_to_the_same_room_or_a_lower_layer():
    wrong = []
    for path, target in cpp_edges():
        own, other = path.parts[0], target.parts[0]
        if own != other and level(CPP_LAYERS, other) >= level(CPP_LAYERS, own):
            wrong.append(f"{path} includes {target}")
    assert not wrong, "\n".join(wrong)


def test_sub_rooms_include_lower_ones_only():
    wrong = []
    for path, target in cpp_edges():
        room, own, other = path.parts[0], sub_room(path), sub_room(target)
        if room != target.parts[0] or own == other:
            continue
        if level(SUB_ROOMS[room], other) >= level(SUB_ROOMS[room], own):
            wrong.append(f"{path} includes {target}")
    assert not wrong, "\n".join(wrong)


def test_every_folder_of_the_engine_has_a_layer():
    for path in engine_files():
        room = path.relative_to(ENGINE).parts[0]
        level(CPP_LAYERS, room)
        level(SUB_ROOMS.get(room, [{""}]), sub_room(path.relative_to(ENGINE)))


@pytest.mark.parametrize("room", sorted(set().union(*CPP_LAYERS)))
def test_the_build_depends_on_what_the_files_include(room):
    included = {target.parts[0] for path, target in cpp_edges() if path.parts[0] == room}
    assert declared_dependencies(room) == included - {room}


def test_folders_of_the_engine_stay_small():
    folders = Counter(path.parent for path in engine_files())
    assert not [f"{folder}: {count}" for folder, count in folders.items() if count > MOST_FILES]


def test_the_engine_knows_nothing_of_python():
    for path in engine_files():
        assert "pybind11" not in path.read_text(), path


def test_eigen_and_json_stay_inside_source_files():
    for path in (ROOT / "cpp").rglob("*.h"):
        assert not re.search(r"#include <(Eigen|nlohmann)", path.read_text()), path


def test_imports_point_to_the_same_package_or_a_lower_layer():
    wrong = []
    for own, path in python_files():
        for name in imported_names(ast.parse(path.read_text())):
            parts = name.split(".")
            if parts[0] != "rigcast" or len(parts) < 2 or parts[1][:1].isupper():
                continue  # a public class of the package itself
            target = parts[1]
            known = any(target in names for names in PYTHON_LAYERS)
            if known and target != own and level(PYTHON_LAYERS, target) >= level(PYTHON_LAYERS, own):
                wrong.append(f"{path.relative_to(ROOT)}: {own} imports {target}")
    assert not wrong, "\n".join(wrong)


def test_no_files_import_each_other_in_a_circle():
    """Imports inside functions and for types alone count: a circle is one idea in two files, or two in one."""
    package = ROOT / "python" / "rigcast"
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
        graph[module] = imported & set(modules) - {module, "rigcast"}
    assert len(graph) > 100
    list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError, with the files


def test_every_python_module_has_a_layer():
    for own, _ in python_files():
        level(PYTHON_LAYERS, own)


def test_the_architecture_lists_the_layers_in_this_order():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    block = text.split("## The Python package")[1].split("```")[1]
    known = set().union(*PYTHON_LAYERS)
    rows = [[word for word in re.split(r"\s{2,}", line)[0:] if word in known] for line in block.strip().splitlines()]
    named = [word for row in rows for word in row]
    assert sorted(named) == sorted(known)
    levels = [level(PYTHON_LAYERS, word) for word in named]
    assert levels == sorted(levels, reverse=True)


@pytest.mark.parametrize("package", sorted(ONLY_IN))
def test_optional_packages_have_one_home(package):
    for own, path in python_files():
        imports = {name.split(".")[0] for name in imported_names(ast.parse(path.read_text()))}
        asked = re.findall(r'require\(\s*"([\w.]+)"', path.read_text())
        if package in imports | {name.split(".")[0] for name in asked}:
            assert own in ONLY_IN[package], f"{path.relative_to(ROOT)} imports {package}"


def test_hosted_modules_do_not_import_the_package():
    package = ROOT / "python" / "rigcast"
    for _, path in python_files():
        if str(path.relative_to(package)).startswith(HOSTED):
            names = imported_names(ast.parse(path.read_text()))
            assert not [name for name in names if name.startswith("rigcast")], path
