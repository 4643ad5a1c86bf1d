"""Packages of Debian, unpacked in a folder: of other processors, or of newer suites than this machine's."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from release.project import run

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}  # Debian's names


class NoPackages(Exception):
    """This machine cannot get packages; the text says why."""


def mirror() -> str | None:
    """Return the address of Debian's packages that apt knows, if it knows any."""
    if shutil.which("apt-get") is None:
        return None
    asked = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Identifier: Packages", "Origin: Debian"]
    shown = subprocess.run([*asked, "Component: main"], capture_output=True, text=True, check=False).stdout.split()
    return next((address for address in shown if "security" not in address), None)


def unpack(packages: Sequence[str], root: Path, processor: str = platform.machine(), suite: str | None = None) -> None:
    """Get packages with lists of their own and unpack them; nothing is installed, the system stays as it is.

    Parameters
    ----------
    packages : sequence of str
        Names, of which no dependency is followed.
    root : Path
        Folder that receives their files. Nothing else may stand beside it under its name and ``.apt``.
    processor : str
        "x86_64" or "aarch64".
    suite : str, optional
        Another suite than this machine's, as "forky".

    Raises
    ------
    NoPackages
        Without apt or network.
    """
    for tool in ("apt-get", "dpkg-deb"):
        if shutil.which(tool) is None:
            raise NoPackages(f"no {tool}")
    work = root.with_name(f"{root.name}.apt")
    shutil.rmtree(work, ignore_errors=True)
    for name in ("lists/partial", "archives/partial", "deb"):
        (work / name).mkdir(parents=True)
    architecture = ARCHITECTURES[processor]
    (work / "apt.conf").write_text(_settings(work, architecture, suite), encoding="utf-8")
    env = os.environ | {"APT_CONFIG": str(work / "apt.conf")}
    for words in (["update", "-q"], ["download", "-q", *(f"{name}:{architecture}" for name in packages)]):
        done = subprocess.run(
            ["apt-get", *words], cwd=work / "deb", env=env, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise NoPackages(f"apt-get {words[0]} failed: {(done.stdout + done.stderr)[-500:]}")
    for package in sorted((work / "deb").glob("*.deb")):
        run(["dpkg-deb", "-x", package, root])
    shutil.rmtree(work)


def settle_headers(root: Path, version: str, processor: str = platform.machine()) -> Path:
    """Put a Python's ``pyconfig.h`` of a processor where Debian has one that includes it from the system's folders.

    Returns
    -------
    Path
        Folder of Python.h.
    """
    headers = root / "usr" / "include"
    own = headers / f"{processor}-linux-gnu" / f"python{version}" / "pyconfig.h"
    shutil.copyfile(own, headers / f"python{version}" / "pyconfig.h")
    return headers / f"python{version}"


def _settings(work: Path, architecture: str, suite: str | None) -> str:
    """Settings of apt with folders of its own and, for another suite, with that as the only source."""
    own = ARCHITECTURES[platform.machine()]
    lines = [
        " ".join(["APT::Architectures {", *(f'"{name}";' for name in sorted({own, architecture})), "};"]),
        'APT::Sandbox::User "root";',
        f'Dir::State::Lists "{work}/lists";',
        f'Dir::Cache "{work}";',
    ]
    if suite is not None:
        address = mirror()
        if address is None:
            raise NoPackages("apt knows no address of Debian's packages")
        source = f"deb [signed-by={KEYRING}] {address} {suite} main\n"
        (work / "sources.list").write_text(source, encoding="utf-8")
        lines += [f'Dir::Etc::SourceList "{work}/sources.list";', 'Dir::Etc::SourceParts "-";']
    return "\n".join([*lines, ""])
