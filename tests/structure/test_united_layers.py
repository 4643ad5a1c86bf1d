"""A wheel compiles several files of a layer as one: their local names must differ, or the wheel does not compile."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

ENGINE = Path(__file__).resolve().parents[2] / "cpp" / "rigcast"
LAYER = re.compile(r"rigcast_layer\((\w+) UNITY\s+SOURCES(.*?)(?:DEPENDS|PRIVATE|\))", re.DOTALL)
LOCAL = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.DOTALL | re.MULTILINE)
CONSTANT = re.compile(r"^(?:constexpr|const) [^=({;]*?\b(\w+)(?:\[\w*\])? ?[=({;]", re.MULTILINE)
TYPE = re.compile(r"^(?:struct|class|enum class) (\w+)", re.MULTILINE)
FUNCTION = re.compile(
    r"^(?:\w[\w:<>,&* ]* )?[&*]*(\w+)\(((?:[^(){};]|\n)*)\) (?:const )?(?:noexcept )?\{", re.MULTILINE
)
NAME = re.compile(r"(?<=[*&>\w]) \w+(?=,|$)")  # of a parameter
UNITED = {
    m[1]: [name for name in m[2].split() if "$" not in name]
    for file in sorted(ENGINE.glob("*/CMakeLists.txt"))
    if (m := LAYER.search(file.read_text()))
}


def local_names(source: str) -> set[str]:
    """Constants, types and functions (with the types of their parameters) of a file's anonymous namespaces."""
    text = "\n".join(LOCAL.findall(source))
    functions = {f"{name}({NAME.sub('', ' '.join(types.split()))})" for name, types in FUNCTION.findall(text)}
    return {*CONSTANT.findall(text), *TYPE.findall(text), *functions}


@pytest.mark.parametrize("layer", sorted(UNITED))
def test_local_names_of_a_united_layer_are_unique(layer: str) -> None:
    files = defaultdict(set)
    for name in UNITED[layer]:
        source = (ENGINE / layer / name).read_text()
        if "foreach_target" not in source:  # Highway's kernels are compiled alone
            for local in local_names(source):
                files[local].add(name)
    assert {local: sorted(where) for local, where in files.items() if len(where) > 1} == {}


def test_the_names_are_found() -> None:
    source = """namespace {
constexpr std::int64_t block = 32;
struct Points {
    int x;
};
template <class T>
std::vector<T> chosen(const T* rows,
                      int width) {
}
}  // namespace
int exported() {
}
"""
    assert local_names(source) == {"block", "Points", "chosen(const T*, int)"}
