"""Minimal Debian systems in folders, in which artifacts are installed as on a machine that has nothing else.

Each has the packages of ``debootstrap --variant=minbase`` and those that it is asked for. It is made once, under
``build/release/roots``, and copied for each use. Commands run in it by ``chroot``, in namespaces of their own: what is
mounted there and what still runs ends with them. How this machine reaches its registries (proxies, certificates,
settings of pip and apt) is passed on.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from release.project import ROOT
from release.systems.packages import mirror

ROOTS = ROOT / "build" / "release" / "roots"
SUITE = "bookworm"
PROGRAMS = ("debootstrap", "chroot", "unshare")
CERTIFICATES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
JOBS = "CMAKE_BUILD_PARALLEL_LEVEL"


class CommandFailed(Exception):
    """A command in a root failed; the text is the end of what it printed."""


def lacking() -> str | None:
    """Say what keeps this machine from making roots, or return None."""
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        return f"no {', no '.join(missing)} (Debian: apt-get install debootstrap)"
    if os.geteuid() != 0:
        return "it needs the rights of root, for chroot"
    tried = subprocess.run([*_namespaces(Path("/proc")), "true"], capture_output=True, text=True, check=False)
    return f"no namespaces: {tried.stderr.strip()}" if tried.returncode else None


@dataclass(frozen=True)
class Reach:
    """How this machine reaches its registries, for use in a root.

    Attributes
    ----------
    environment : dict
        Variables of pip, proxies and certificates, and how many compilers run at once. Files are named by their
        place in a root.
    files : dict
        Those files, and apt's settings of transports: place in a root, file here.
    mirror : list of str
        The address of Debian's packages as an argument of debootstrap; none if it is the default.
    """

    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, Path] = field(default_factory=dict)
    mirror: Sequence[str] = ()

    @classmethod
    def of_this_machine(cls) -> Reach:
        """Read the environment, the settings of pip and those of apt."""
        named = {name: os.environ[name] for name in (*CERTIFICATES, *PROXIES, JOBS) if os.environ.get(name)}
        named |= _pip_settings()
        environment, files = {}, {}
        for name, value in named.items():
            path = Path(value)
            inside = f"/etc/passed-on/{name.lower()}"  # apart from files that packages in the root write
            is_file = path.is_absolute() and path.is_file()
            environment[name] = inside if is_file else value
            if is_file:
                files[inside] = path
        apt = Path("/etc/apt")
        for path in (apt / "apt.conf", *sorted((apt / "apt.conf.d").glob("*"))):
            if path.is_file() and "Acquire::" in path.read_text(encoding="utf-8"):
                files[str(path)] = path
        for path in (Path("/etc/resolv.conf"), Path("/etc/hosts")):
            if path.is_file():
                files[str(path)] = path
        address = mirror()
        return cls(environment, files, [address] if address else [])

    def copy_into(self, root: Path) -> None:
        """Copy the files to their places in a root."""
        for inside, path in self.files.items():
            place = root / inside.lstrip("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.unlink(missing_ok=True)
            shutil.copyfile(path, place)


def run_in(root: Path, script: str, environment: Mapping[str, str], log: Path) -> None:
    """Run a script of bash in a root, from its top folder.

    Raises
    ------
    CommandFailed
        If a command of it fails.
    """
    env = {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/root",
        "LANG": "C.UTF-8",
        "DEBIAN_FRONTEND": "noninteractive",
        **environment,
    }
    command = [*into(root), "bash", "-euxo", "pipefail", "-c", script]
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as stream:
        done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, check=False)
    if done.returncode:
        raise CommandFailed(log.read_text(encoding="utf-8", errors="replace")[-2000:])


def prepared(packages: Sequence[str], reach: Reach, log: Path) -> Path:
    """Return a root with Debian packages; it is made if it is not there yet.

    Raises
    ------
    CommandFailed
        If a package cannot be installed.
    """
    root = ROOTS / "-".join(["with", *sorted(packages)])
    if root.is_dir():
        return root
    half = root.with_suffix(".half")
    discard(half)
    copy(_smallest(reach, log), half)
    reach.copy_into(half)
    install = f"apt-get update -q; apt-get install -y -q --no-install-recommends {' '.join(packages)}; apt-get clean"
    run_in(half, install, reach.environment, log)
    return half.rename(root)


def copy(root: Path, to: Path) -> None:
    """Copy a root with owners, modes and devices."""
    subprocess.run(["cp", "-a", "--reflink=auto", root, to], check=True)


def discard(root: Path) -> None:
    """Delete a root, if it is there. Nothing is mounted in it: that ended with the commands."""
    if root.exists():
        shutil.rmtree(root)


def _smallest(reach: Reach, log: Path) -> Path:
    """The root of ``debootstrap --variant=minbase``."""
    root = ROOTS / "minbase"
    if root.is_dir():
        return root
    half = root.with_suffix(".half")
    discard(half)
    half.parent.mkdir(parents=True, exist_ok=True)
    command = ["debootstrap", "--variant=minbase", SUITE, str(half), *reach.mirror]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **reach.environment}, check=False)
    log.write_text(done.stdout + done.stderr, encoding="utf-8")
    if done.returncode:
        raise CommandFailed((done.stdout + done.stderr)[-2000:])
    return half.rename(root)


def into(root: Path) -> list[str]:
    """The words in front of a command that runs in a root, with mounts and processes of its own."""
    return [*_namespaces(root / "proc"), "chroot", str(root)]


def _namespaces(proc: Path) -> list[str]:
    """The command in front of one that gets its own mounts and processes, and ``/proc`` of these at a place."""
    return ["unshare", "--mount", "--fork", "--pid", "--kill-child", f"--mount-proc={proc}"]


def _pip_settings() -> dict[str, str]:
    """The settings of pip on this machine, as variables of its environment."""
    listed = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True)
    settings = {}
    rows = re.findall(r"^(\S+?)\.([\w-]+)=(.+)$", listed.stdout, re.MULTILINE)
    for section, name, value in sorted(rows, key=lambda row: row[0] == ":env:"):  # variables come before files
        if section in ("global", "install", ":env:"):
            settings[f"PIP_{name.upper().replace('-', '_')}"] = " ".join(str(ast.literal_eval(value)).split())
    return settings
