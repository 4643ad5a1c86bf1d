"""The page about rigcast_runtime runs, and the program of the page about C is compiled and run."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.docs.site import ROOT, blocks, run_page
from tests.runtime.library import rr
from tests.support.made.models import random_body

PAGES = ROOT / "docs" / "how-to" / "programs"


def test_the_page_about_the_package_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_page(PAGES / "runtime.md") == 3


@pytest.mark.parametrize("is_there", [True, False])
def test_the_program_in_twenty_lines_runs(tmp_path, is_there):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler is installed")
    (text,) = [block.text for block in blocks(PAGES / "use_from_c.md") if block.language == "c"]
    (tmp_path / "program.c").write_text(text, encoding="utf-8")
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I", ROOT / "bindings" / "c" / "include"]
    library = rr._library.PATH
    linked = [library, f"-Wl,-rpath,{library.parent}", "-o", "program"]
    subprocess.run([compiler, *strict, "program.c", *linked], cwd=tmp_path, check=True)
    if is_there:
        random_body().save(tmp_path / "hero.safetensors")
    done = subprocess.run(["./program"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) is is_there
    assert ("hero.safetensors" in done.stderr) is not is_there
