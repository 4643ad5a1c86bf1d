"""Checks of artifacts in minimal Debian systems and in emulation: what is said without them, and of failures."""

from __future__ import annotations

from pathlib import Path

import pytest

from release import aarch64, root_checks
from release.project import version
from release.systems import emulation, packages, roots


def test_a_machine_without_debootstrap_is_told_what_to_install(monkeypatch):
    monkeypatch.setattr(roots.shutil, "which", lambda name: None if name == "debootstrap" else f"/bin/{name}")
    assert roots.lacking() == "no debootstrap (Debian: apt-get install debootstrap)"


def test_another_user_than_root_is_told_so(monkeypatch):
    monkeypatch.setattr(roots.shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(roots.os, "geteuid", lambda: 1000)
    assert roots.lacking() == "it needs the rights of root, for chroot"


def test_certificates_and_proxies_are_passed_on(tmp_path, monkeypatch):
    bundle = tmp_path / "bundle.pem"
    bundle.write_text("a certificate")
    monkeypatch.setenv("SSL_CERT_FILE", str(bundle))
    monkeypatch.setenv("PIP_CERT", str(bundle))
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.invalid:3128")
    reach = roots.Reach.of_this_machine()
    assert reach.environment["HTTPS_PROXY"] == "http://proxy.invalid:3128"
    for name in ("SSL_CERT_FILE", "PIP_CERT"):
        inside = reach.environment[name]
        assert inside != str(bundle)
        reach.copy_into(tmp_path / "root")
        assert (tmp_path / "root" / inside.lstrip("/")).read_text() == "a certificate"


def test_a_command_that_fails_in_a_root_shows_what_it_printed(tmp_path):
    reason = roots.lacking()
    if reason is not None:
        pytest.skip(reason)
    roots.run_in(Path("/"), 'test "$GIVEN" = 1 && test $$ = 1', {"GIVEN": "1"}, tmp_path / "log")
    with pytest.raises(roots.CommandFailed, match="seen"):
        roots.run_in(Path("/"), "echo seen; false; echo more", {}, tmp_path / "log")
    assert "more" not in (tmp_path / "log").read_text().splitlines()


def test_checks_that_write_models_come_before_those_that_read_them(tmp_path):
    names = [
        f"rigcast-{version()}-cp311-cp311-manylinux_2_28_x86_64.whl",
        f"rigcast-{version()}.tar.gz",
        f"rigcast_runtime-{version()}-py3-none-manylinux_2_28_x86_64.whl",
        f"librigcast-{version()}-linux-x86_64.tar.xz",
    ]
    others = [name.replace("x86_64", "aarch64") for name in names if "x86_64" in name]
    for name in [*names, *others, f"rigcast-{version()}-cp313-cp313-manylinux_2_28_x86_64.whl"]:
        (tmp_path / name).touch()
    checks = root_checks.checks_of(tmp_path, "x86_64")
    assert [check.artifact.name for check in checks] == names
    assert [check.script.count("rc.faces.example") for check in checks] == [1, 1, 0, 0]


def test_a_folder_without_the_package_is_refused(tmp_path):
    (tmp_path / f"librigcast-{version()}-linux-x86_64.tar.xz").touch()
    with pytest.raises(SystemExit, match=r"has no sources and no wheel .* make them by ./run release"):
        root_checks.checks_of(tmp_path, "x86_64")


def test_one_failure_does_not_hide_the_others(tmp_path, monkeypatch):
    made, said = [], []

    def make(check, reach):
        made.append(check.artifact.name)
        if check.artifact.suffix == ".gz":
            raise roots.CommandFailed("no compiler")

    monkeypatch.setattr(root_checks, "lacking", lambda: None)
    monkeypatch.setattr(root_checks, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(root_checks, "_make", make)
    monkeypatch.setattr(root_checks.os, "uname", lambda: type("Machine", (), {"machine": "x86_64"}))
    names = [f"rigcast-{version()}.tar.gz", f"rigcast_runtime-{version()}-py3-none-manylinux_2_28_x86_64.whl"]
    for name in names:
        (tmp_path / name).touch()
    with pytest.raises(SystemExit, match=f"failed in a minimal Debian: {names[0]}"):
        root_checks.check_in_roots(tmp_path, said.append)
    assert made == names
    assert any("FAILED:\nno compiler" in line for line in said)
    assert said[-1].startswith(f"{names[1]}: ok")


def test_a_skipped_check_is_said(tmp_path, monkeypatch):
    said = []
    monkeypatch.setattr(root_checks, "lacking", lambda: "no debootstrap")
    root_checks.check_in_roots(tmp_path, said.append)
    assert len(said) == 1
    assert said[0].startswith("SKIPPED")
    assert said[0].endswith("no debootstrap")


def test_a_machine_without_qemu_is_told_what_to_install(monkeypatch):
    monkeypatch.setattr(emulation.shutil, "which", lambda name: None)
    with pytest.raises(emulation.NoEmulation, match="install qemu-user-static"):
        emulation.make_emulation()


@pytest.mark.parametrize(("difference", "accepted"), [("2.9e-06", True), ("2.0e-05", False), ("nan", False)])
def test_another_processor_computes_the_same_within_rounding(tmp_path, monkeypatch, difference, accepted):
    shown = f"NEON: 5 numbers, largest difference {difference} of the largest number of a model\n"
    monkeypatch.setattr(aarch64, "run", lambda command: "")
    monkeypatch.setattr(emulation, "run", lambda command: shown)
    system = emulation.Emulation("qemu", tmp_path, tmp_path)
    if accepted:
        assert aarch64._compare(system, "write", tmp_path) == shown.strip()
    else:
        with pytest.raises(SystemExit, match="1e-05 is the most"):
            aarch64._compare(system, "write", tmp_path)


def test_packages_of_another_suite_come_from_that_suite_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(packages, "mirror", lambda: "file:///mirror")
    text = packages._settings(tmp_path, "arm64", "forky")
    assert (tmp_path / "sources.list").read_text() == f"deb [signed-by={packages.KEYRING}] file:///mirror forky main\n"
    assert 'Dir::Etc::SourceParts "-"' in text
    assert '"arm64";' in text
    assert "Dir::Etc" not in packages._settings(tmp_path, "arm64", None)


def test_without_an_address_of_packages_that_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(packages, "mirror", lambda: None)
    with pytest.raises(packages.NoPackages, match="no address of Debian's packages"):
        packages._settings(tmp_path, "amd64", "forky")


def test_a_header_that_includes_that_of_a_processor_is_replaced(tmp_path):
    headers = tmp_path / "usr" / "include"
    for folder, text in (("python3.14", "#include <x>"), ("aarch64-linux-gnu/python3.14", "#define FOUND")):
        (headers / folder).mkdir(parents=True)
        (headers / folder / "pyconfig.h").write_text(text)
    assert packages.settle_headers(tmp_path, "3.14", "aarch64") == headers / "python3.14"
    assert (headers / "python3.14" / "pyconfig.h").read_text() == "#define FOUND"
