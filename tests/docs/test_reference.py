"""The reference has an entry for every public name and every command; pages are written from the package itself."""

from __future__ import annotations

import importlib
import inspect
import re

import pytest
import tomllib

import rigcast as rc
from tests.docs.pages import DOCS, ROOT, extension
from tests.structure.test_package import PUBLIC

ENTRY = re.compile(r"^\.\. auto(?:class|function|data):: (\w+)$", re.MULTILINE)


@pytest.mark.parametrize("name", sorted(PUBLIC - {"cli"}))
def test_every_public_name_has_an_entry(name):
    pytest.importorskip("sphinx", reason="the documentation is built in the first environment")
    page = extension("written_pages").api_page(f"rigcast.{name}")
    assert sorted(ENTRY.findall(page)) == sorted(importlib.import_module(f"rigcast.{name}").__all__)


def test_the_package_itself_has_entries_and_its_packages_are_below_it():
    pytest.importorskip("sphinx", reason="the documentation is built in the first environment")
    page = extension("written_pages").api_page("rigcast")
    below = {line.strip().removeprefix("rigcast.") for line in page.splitlines() if line.startswith("   rigcast.")}
    assert set(ENTRY.findall(page)) | below == set(rc.__all__) - {"cli"}


def test_every_constant_and_alias_shows_the_comment_above_it():
    pytest.importorskip("sphinx", reason="the documentation is built in the first environment")
    comments, shown = extension("data_comments"), {}
    for package, name, value in extension("public_names").entries():
        if not (inspect.isclass(value) or inspect.isroutine(value)):
            lines = [str(value.__doc__)]
            comments.from_comment(None, "data", f"{package}.{name}", value, None, lines)
            shown[f"{package}.{name}"] = " ".join(lines).strip()
    assert {"rigcast.ik.STEADY", "rigcast.progress.ProgressOption"} <= set(shown)
    assert [name for name, text in shown.items() if not text.endswith(".")] == []
    assert shown["rigcast.ik.STEADY"].startswith("Names of landmarks")


def test_every_command_is_in_the_reference():
    pytest.importorskip("sphinx", reason="the documentation is built in the first environment")
    page = extension("written_pages").command_page()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "rigcast" in project["scripts"]
    dispatch = importlib.import_module("rigcast.cli._dispatch")
    for command in dispatch.COMMANDS:
        assert f"## {command}\n" in page
        assert f"usage: rigcast {command} " in page


def test_signatures_come_from_the_stub():
    pytest.importorskip("sphinx", reason="the documentation is built in the first environment")
    signatures = extension("stub_signatures")
    shown, returned = signatures.from_stub(None, "method", "rigcast.Deformer.vjp", rc.Deformer.vjp, None, None, None)
    assert shown.startswith("(poses: ArrayLike, cotangents: ArrayLike")
    assert returned == "NDArray[float32]"


def test_every_kind_of_model_is_in_the_file_formats():
    page = (DOCS / "reference" / "file_formats.md").read_text(encoding="utf-8")
    source = (ROOT / "cpp" / "rigcast" / "registry" / "make_model.cpp").read_text(encoding="utf-8")
    kinds = re.findall(r'Kind\{"(\w+)"', source)
    assert len(kinds) >= 5
    headings = " ".join(re.findall(r"^### (.+)$", page, re.MULTILINE)).replace(",", "").split()
    assert set(kinds) <= set(headings)


def test_every_tensor_of_a_model_is_in_the_file_formats(tmp_path):
    page = (DOCS / "reference" / "file_formats.md").read_text(encoding="utf-8")
    rc.faces.example().save(tmp_path / "face.safetensors")
    tensors = rc._core.TensorFile.read(tmp_path / "face.safetensors").arrays()
    assert [name for name in tensors if f"`{name}`" not in page] == []
