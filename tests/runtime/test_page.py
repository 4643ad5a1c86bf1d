"""The page about rigcast_runtime runs, and the programs of the page about C are compiled and run."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.docs.site import ROOT, blocks, run_page
from tests.runtime.library import rr
from tests.support.made.models import random_body
from tests.support.made.players import face_synth

PAGES = ROOT / "docs" / "how-to" / "programs"


def test_the_page_about_the_package_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_page(PAGES / "runtime.md") == 5


PROGRAMS = {"hero.safetensors": random_body, "moods.safetensors": face_synth}


@pytest.mark.parametrize("is_there", [True, False])
@pytest.mark.parametrize("file", PROGRAMS)
def test_the_programs_of_the_page_about_c_run(tmp_path, file, is_there):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler is installed")
    programs = [block.text for block in blocks(PAGES / "use_from_c.md") if block.language == "c"]
    (text,) = [program for program in programs if file in program]
    (tmp_path / "program.c").write_text(text, encoding="utf-8")
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I", ROOT / "bindings" / "c" / "include"]
    library = rr._library.PATH
    linked = [library, f"-Wl,-rpath,{library.parent}", "-o", "program"]
    subprocess.run([compiler, *strict, "program.c", *linked], cwd=tmp_path, check=True)
    if is_there:
        PROGRAMS[file]().save(tmp_path / file)
    done = subprocess.run(["./program"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) is is_there
    assert (file in done.stderr) is not is_there
