"""The binary interface of the C library only grows, and is the same in the header, the module and the library."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from tests.runtime.abi import (
    ALIKE,
    GOLDEN,
    HEADERS,
    STRUCTURES,
    declared_functions,
    exported_symbols,
    header_text,
    lines,
    structure,
)
from tests.runtime.library import SANITIZED, rr

LIBRARY = rr._library.PATH
SYSTEM = ("libc.so", "libm.so", "libstdc++.so", "libgcc_s.so", "libpthread.so", "libdl.so", "ld-linux")
HOW = "run python -m tests.runtime.abi, which adds what is new; what is there must stay"


def tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"the program {name} is not installed")
    return found


def test_nothing_changes_or_goes():
    assert sorted(set(GOLDEN.read_text(encoding="utf-8").splitlines()) - set(lines())) == []


def test_what_is_new_is_in_the_file():
    assert sorted(set(lines()) - set(GOLDEN.read_text(encoding="utf-8").splitlines())) == [], HOW


def test_the_library_exports_the_functions_of_the_header_alone():
    tool("nm")
    assert exported_symbols(LIBRARY) == declared_functions()


def test_the_module_knows_every_function():
    own = rr._structures
    assert sorted([*own.FUNCTIONS, *own.TEXTS, *own.FREES, "rigcast_abi"]) == declared_functions()


@pytest.mark.skipif(SANITIZED, reason="the C library is built with a sanitizer")
def test_the_library_needs_the_c_and_c_plus_plus_libraries_alone():
    shown = subprocess.run([tool("readelf"), "-d", LIBRARY], capture_output=True, text=True, check=True).stdout
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", shown)
    assert needed
    assert [name for name in needed if not name.startswith(SYSTEM)] == []


@pytest.mark.skipif(SANITIZED, reason="the C library is built with a sanitizer")
def test_the_library_stays_when_a_host_unloads_it():
    """Its threads sleep in it until the process ends."""
    shown = subprocess.run([tool("readelf"), "-d", LIBRARY], capture_output=True, text=True, check=True).stdout
    assert "NODELETE" in shown


def test_the_header_and_the_module_belong_to_one_promise():
    (number,) = re.findall(r"^#define RIGCAST_ABI (\d+)$", header_text(), re.MULTILINE)
    assert int(number) == rr._library.ABI


def test_structures_of_the_module_are_those_of_the_header(tmp_path):
    """A C99 program says where the compiler puts each field."""
    fields = [(name, field) for name in (*STRUCTURES, *ALIKE) for field, _ in structure(name)._fields_]
    shown = [f'    printf("%zu %zu\\n", sizeof(((({n} *)0))->{f}), offsetof({n}, {f}));' for n, f in fields]
    whole = [f'    printf("%zu\\n", sizeof({name}));' for name in (*STRUCTURES, *ALIKE)]
    body = "\n".join(["#include <rigcast/rigcast_c.h>", "#include <stdio.h>", "int main(void) {", *shown, *whole])
    source, program = tmp_path / "layout.c", tmp_path / "layout"
    source.write_text(body + "\n    return 0;\n}\n", encoding="utf-8")
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    subprocess.run([tool("cc"), *strict, "-I", HEADERS, source, "-o", program], check=True)
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    places = [getattr(structure(name), field) for name, field in fields]
    sizes = [f"{rr._structures.ctypes.sizeof(structure(name))}" for name in (*STRUCTURES, *ALIKE)]
    assert printed == [*(f"{place.size} {place.offset}" for place in places), *sizes]


def test_every_structure_of_the_header_is_listed():
    text = header_text()
    assert sorted(re.findall(r"^\} (rigcast_\w+);", text, re.MULTILINE)) == sorted([*STRUCTURES, *ALIKE])
