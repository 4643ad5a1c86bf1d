"""What ./run release checks of its artifacts and says of them; it makes them with a compiler that tests do not have."""

from __future__ import annotations

import hashlib
import json
import tarfile
from pathlib import Path

import pytest

from release import library, web_modules
from release.bill import Artifact, write_bill
from release.highway import bundle
from release.project import Part, version
from tests.conftest import TESTS

BUILT = TESTS.parent / "build" / "main" / "bindings" / "c" / "librigcast.so.1"
EIGEN, JSON = library.PARTS[:2]


@pytest.fixture
def built() -> Path:
    if not BUILT.exists():
        pytest.skip("the C library is not built")
    return BUILT.resolve()


def test_a_library_of_this_machine_is_refused_for_others(built):
    """It needs the compiler's run-time library, and newer functions of the system than glibc 2.28 has."""
    with pytest.raises(SystemExit, match=r"needs .*libstdc\+\+\.so\.6.*; needs glibc 2\.3"):
        library.check(built)


def test_a_library_that_exports_anything_else_is_refused():
    (other,) = (path for path in Path("/usr/lib").rglob("libm.so.6") if path.is_file())
    with pytest.raises(SystemExit, match=r"exports other names than rigcast_\*"):
        library.check(other)


def test_an_archive_has_the_same_bytes_again(built, tmp_path):
    first, again = (tmp_path / name for name in ("first", "again"))
    for folder in (first, again):
        folder.mkdir()
    packed = library.archive(built, first, [EIGEN])
    assert packed.read_bytes() == library.archive(built, again, [EIGEN]).read_bytes()
    with tarfile.open(packed) as content:
        names = {name.partition("/")[2] for name in content.getnames()}
        header = content.extractfile(f"{packed.name[: -len('.tar.xz')]}/include/rigcast/rigcast_c.h")
        assert header is not None
        assert b"rigcast_evaluate" in header.read()
    assert {"lib/librigcast.so", "lib/librigcast.so.1", f"lib/{built.name}", "LICENSE", "THIRD_PARTY.txt"} < names


def test_the_bill_names_every_artifact_with_its_parts(tmp_path):
    artifacts = []
    for name, parts in (("one.whl", [EIGEN]), ("two.tar.gz", [EIGEN, JSON])):
        (tmp_path / name).write_text(name)
        artifacts.append(Artifact(tmp_path / name, parts))
    sums, bill = write_bill(artifacts, tmp_path)
    hashes = {a.path.name: hashlib.sha256(a.path.name.encode()).hexdigest() for a in artifacts}
    assert sums.read_text().splitlines() == [f"{value}  {name}" for name, value in hashes.items()]
    content = json.loads(bill.read_text())
    assert content["metadata"]["component"]["version"] == version()
    assert [entry["name"] for entry in content["components"]] == ["one.whl", "two.tar.gz", EIGEN.name, JSON.name]
    assert {d["ref"]: d["dependsOn"] for d in content["dependencies"]}["two.tar.gz"] == [EIGEN.name, JSON.name]


def test_headers_are_bundled_with_their_licence(tmp_path, monkeypatch):
    monkeypatch.setattr("release.highway.BUNDLED", tmp_path / "bundled")
    made = tmp_path / "hwy"
    for folder in ("ops", "contrib/math", "contrib/sort"):
        (made / folder).mkdir(parents=True)
    (made / "highway.h").write_text("#define HWY_MAJOR 1\n#define HWY_MINOR 2\n#define HWY_PATCH 3\n")
    (made / "base.h").write_text("")
    for name in ("ops/x86_128-inl.h", "contrib/math/math-inl.h", "contrib/math/math_test.cc", "contrib/sort/vqsort.h"):
        (made / name).write_text("")
    (tmp_path / "copyright").write_text("Apache-2.0")
    assert bundle(made, tmp_path / "copyright") == Part(
        "Highway", "1.2.3", "Apache-2.0 OR BSD-3-Clause", "github.com/google/highway", "headers, compiled in"
    )
    found = {
        str(path.relative_to(tmp_path / "bundled")) for path in (tmp_path / "bundled").rglob("*") if path.is_file()
    }
    headers = ("base.h", "highway.h", "ops/x86_128-inl.h", "contrib/math/math-inl.h")
    assert found == {"highway/LICENSE", *(f"highway/hwy/{name}" for name in headers)}
    with pytest.raises(SystemExit, match="install the Debian package libhwy-dev"):
        bundle(tmp_path / "nowhere", tmp_path / "copyright")


def test_the_package_for_npm_has_what_its_readers_import(tmp_path, monkeypatch):
    """The same bytes again, without the scripts of pages, and with the notices of what the module contains."""
    if not all((web_modules.WEB / name).exists() for name in web_modules.MODULES):
        pytest.skip("the WebAssembly modules are not built (./run web)")
    monkeypatch.setattr(web_modules, "notices", lambda parts: "\n".join(part.name for part in parts))
    packed = web_modules.make_npm(tmp_path, [EIGEN, web_modules.MUSL])
    content = packed.read_bytes()
    assert web_modules.make_npm(tmp_path, [EIGEN, web_modules.MUSL]).read_bytes() == content
    with tarfile.open(packed) as archive:
        names = {name.removeprefix("package/") for name in archive.getnames()}
        about = json.load(archive.extractfile("package/package.json"))
        assert archive.extractfile("package/THIRD_PARTY.txt").read().decode() == "Eigen\nmusl"
    assert {about["main"], about["types"], "rigcast.wasm", "worker.js", "README.md", "LICENSE"} < names
    assert "page.wasm" not in names
