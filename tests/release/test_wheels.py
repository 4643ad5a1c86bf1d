"""What ./run release checks of its wheels, on wheels that are put together here and on those that it made."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from numpy.random import bit_generator

from release import cuda_wheel, package_wheels, runtime_wheel
from release.library import PARTS
from release.notices import notices
from release.project import ROOT, Part
from release.project import version as project_version
from release.wheel_content import Promise, faults, read_wheel
from rigcast import _core

EXTENSION = "rigcast/_core.cpython-311-x86_64-linux-gnu.so"
TAG = "cp311-cp311-manylinux_2_28_x86_64"
LIMIT = 6_000_000
MADE = sorted((ROOT / "dist").glob("*.whl"))
FINE = Path(bit_generator.__file__).read_bytes()  # NumPy's wheels need as little of the system as ours


@dataclass
class Made:
    """A wheel to be put together; by default nothing is wrong with it."""

    name: str = f"rigcast-0.1.0-{TAG}.whl"
    tags: tuple[str, ...] = (TAG,)
    licence: str = "Apache-2.0"
    files: dict[str, bytes] = field(default_factory=lambda: {EXTENSION: FINE})
    licences: dict[str, str] = field(default_factory=lambda: {"LICENSE": "Apache License"})

    def faults(self, folder: Path, largest: int = LIMIT) -> list[str]:
        return faults(read_wheel(self.write(folder)), Promise(TAG, (EXTENSION,), largest))

    def write(self, folder: Path) -> Path:
        facts = "rigcast-0.1.0.dist-info"
        with zipfile.ZipFile(folder / self.name, "w") as packed:
            for name, content in self.files.items():
                packed.writestr(name, content)
            for name, text in self.licences.items():
                packed.writestr(f"{facts}/licenses/{name}", text)
            packed.writestr(f"{facts}/WHEEL", "Wheel-Version: 1.0\n" + "".join(f"Tag: {tag}\n" for tag in self.tags))
            packed.writestr(f"{facts}/METADATA", f"Name: rigcast\nLicense-Expression: {self.licence}\n\nPage\n")
        return folder / self.name


def test_the_content_names_libraries_what_they_need_and_licences(tmp_path):
    content = read_wheel(Made().write(tmp_path))
    assert list(content.libraries) == [EXTENSION]
    assert "libc.so.6" in content.libraries[EXTENSION].needed
    assert list(content.licences) == ["rigcast-0.1.0.dist-info/licenses/LICENSE"]
    assert content.lines()[0].endswith("bytes, Apache-2.0")


def test_a_wheel_as_it_must_be_has_no_faults(tmp_path):
    assert Made().faults(tmp_path) == []


GPL = "\n                    GNU GENERAL PUBLIC LICENSE\n                       Version 2, June 1991\n"


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (Made(files={EXTENSION: FINE + b"\0cholmod_start\0"}), "with GPL code of SuiteSparse (cholmod_start)"),
        (Made(files={EXTENSION: FINE, "rigcast.libs/libcholmod-1.so": FINE}), "bundles rigcast.libs/libcholmod-1.so"),
        (Made(files={"rigcast/empty.py": b""}), f"lacks {EXTENSION}"),
        (Made(tags=("cp311-cp311-linux_x86_64",)), f"states the tags cp311-cp311-linux_x86_64, not {TAG}"),
        (Made(name="rigcast-0.1.0-cp312-cp312-linux_x86_64.whl"), f"has a name without the tag {TAG}"),
        (Made(licences={"LICENSE": "Apache License", "METIS": GPL}), "has a text of the GPL, rigcast-0.1.0.dist-info"),
        (Made(licence="Apache-2.0 AND GPL-2.0-only"), "is under Apache-2.0 AND GPL-2.0-only"),
        (Made(licences={}), "has no licence"),
    ],
    ids=["SuiteSparse", "library", "no extension", "tag", "name", "text", "expression", "no licence"],
)
def test_a_faulty_wheel_is_refused(tmp_path, made, expected):
    (found,) = made.faults(tmp_path)
    assert expected in found


def test_a_large_wheel_is_refused(tmp_path):
    (found,) = Made().faults(tmp_path, largest=1000)
    assert found.endswith("bytes, 1,000 are the most")


def test_the_development_build_is_refused(tmp_path):
    """It needs the compiler's run-time library; with CHOLMOD, that as well."""
    found = " ".join(Made(files={EXTENSION: Path(_core.__file__).read_bytes()}).faults(tmp_path))
    assert "libstdc++.so.6" in found
    if "CHOLMOD" in _core.build_info()["cholesky"]:
        assert "libcholmod.so" in found
        assert "GPL code of SuiteSparse" in found


@pytest.mark.parametrize("wheel", MADE or [None], ids=lambda wheel: wheel.name if wheel else "none made")
def test_wheels_that_were_made_are_what_they_say(wheel):
    if wheel is None:
        pytest.skip("no wheel in dist: ./run release makes them")
    content = read_wheel(wheel)
    tag = wheel.name.removesuffix(".whl").split("-", 2)[2]
    assert tag.endswith(("_x86_64", "_aarch64"))
    libraries = tuple(content.libraries)
    if wheel.name.startswith("rigcast_cuda"):
        assert {Path(path).name.partition(".")[0] for path in libraries} == set(cuda_wheel.EXTENSIONS)
        promise = cuda_wheel.promise(tag, libraries)
    else:
        assert len(libraries) == 1
        largest = runtime_wheel.LARGEST if wheel.name.startswith("rigcast_runtime") else package_wheels.LARGEST
        promise = Promise(tag, libraries, largest)
        assert "manylinux_2_28" in tag
    assert faults(content, promise) == []


def test_a_python_that_is_given_comes_first_and_others_are_named(monkeypatch):
    own = f"{sys.version_info[0]}.{sys.version_info[1]}"
    monkeypatch.setattr(package_wheels, "VERSIONS", (own, "9.9"))
    found, missing = package_wheels.find_interpreters([Path("/nowhere/python"), Path(sys.executable)])
    assert found == [package_wheels.Interpreter(own, Path(sys.executable))]
    assert missing == ["9.9"]


def test_notices_say_where_the_source_of_eigen_is_and_refuse_unknown_parts():
    assert "https://eigen.tuxfamily.org" in notices(PARTS[:1])
    with pytest.raises(SystemExit, match="no licence of Zlib is known"):
        notices([Part("Zlib", "1", "Zlib", "zlib.net", "linked in")])


def trial(folder: Path, task: str) -> subprocess.CompletedProcess[str]:
    """The script that ./run release runs beside each installed wheel."""
    paths = {"PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])}
    command = [sys.executable, ROOT / "release" / "trial.py", folder, task]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | paths, check=False)


def test_a_trial_counts_numbers_that_differ_and_refuses_wrong_ones(tmp_path):
    assert trial(tmp_path, "make").returncode == 0
    same = trial(tmp_path, "compare")
    assert (same.returncode, same.stdout.count(": 0 of ")) == (0, 4), same.stderr
    with np.load(tmp_path / "results.npz") as stored:
        changed = dict(stored)
    changed["face"][0, 0, 0] += 1
    np.savez(tmp_path / "results.npz", **changed)
    other = trial(tmp_path, "compare")
    assert (other.returncode, other.stdout.splitlines()[0][:10]) == (1, "face: 1 of")


def imported(folder: Path, version: str) -> subprocess.CompletedProcess[str]:
    """What importing rigcast says where rigcast-cuda of some version lies in a folder."""
    (folder / "rigcast_cuda").mkdir()
    (folder / "rigcast_cuda" / "__init__.py").write_text(f"__version__ = {version!r}\n")
    paths = {"PYTHONPATH": os.pathsep.join([str(folder), *filter(None, sys.path)])}
    command = [sys.executable, "-c", "import rigcast; print(rigcast.__path__[0])"]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | paths, check=False)


def test_the_engine_of_the_wheel_for_gpus_comes_first(tmp_path):
    assert imported(tmp_path, project_version()).stdout.strip() == str(tmp_path / "rigcast_cuda")


def test_the_engine_of_another_version_is_refused(tmp_path):
    shown = imported(tmp_path, "9.9.9").stderr
    assert 'but rigcast-cuda is 9.9.9: pip install "rigcast-cuda==' in shown
