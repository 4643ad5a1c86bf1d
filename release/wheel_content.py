"""What a wheel bundles, and a check of it: compiled libraries, what they need, licences, size and tags."""

from __future__ import annotations

import re
import sys
import tempfile
import zipfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from email.parser import Parser
from pathlib import Path

from release.linked import GLIBC, SYSTEM, Linked, linked
from release.project import run

# Functions of SuiteSparse, whose CHOLMOD has parts under the GPL, and texts of their messages.
FOREIGN = re.compile(rb"\b(?:cholmod_[a-z]\w+|SuiteSparse_\w+|CHOLMOD (?:sparse|factor|version|error|warning)\b)")
COPYLEFT = re.compile(r"^\s*GNU (?:AFFERO |LESSER |LIBRARY )?GENERAL PUBLIC LICENSE", re.MULTILINE)


@dataclass(frozen=True)
class WheelContent:
    """What a wheel bundles.

    Attributes
    ----------
    name : str
        Of its file.
    size : int
        Bytes of its file.
    tags : frozenset of str
        Those that ``WHEEL`` states.
    libraries : mapping of str to Linked
        Its compiled libraries by their paths inside.
    foreign : mapping of str to tuple of str
        Names of SuiteSparse in a library, by its path.
    licence : str
        The expression that ``METADATA`` states.
    licences : mapping of str to str
        Its texts of licences by their paths inside.
    """

    name: str
    size: int
    tags: frozenset[str]
    libraries: Mapping[str, Linked]
    foreign: Mapping[str, tuple[str, ...]]
    licence: str
    licences: Mapping[str, str]

    def lines(self) -> list[str]:
        """The content for people, a line per library and per text of a licence."""
        shown = [f"{self.name}: {self.size:,} bytes, {self.licence}"]
        for path, library in self.libraries.items():
            shown.append(f"  {path}: needs {', '.join(sorted(library.needed))}; glibc {_dotted(library.glibc)}")
        return [*shown, *(f"  {path}" for path in self.licences)]


def read_wheel(wheel: Path) -> WheelContent:
    """Read what a wheel bundles."""
    libraries, foreign, licences = {}, {}, {}
    with zipfile.ZipFile(wheel) as packed, tempfile.TemporaryDirectory() as made:
        names = sorted(packed.namelist())
        facts = next(name.partition("/")[0] for name in names if name.endswith(".dist-info/WHEEL"))
        for name in names:
            content = packed.read(name)
            if content.startswith(b"\x7fELF"):
                library = Path(made) / "library.so"
                library.write_bytes(content)
                libraries[name] = linked(library)
                foreign[name] = tuple(sorted({found.decode("ascii") for found in FOREIGN.findall(content)}))
            if name.startswith(f"{facts}/licenses/"):
                licences[name] = content.decode("utf-8")
        stated = Parser().parsestr(packed.read(f"{facts}/METADATA").decode("utf-8"))
        tags = Parser().parsestr(packed.read(f"{facts}/WHEEL").decode("utf-8")).get_all("Tag", [])
    licence = str(stated["License-Expression"])
    return WheelContent(wheel.name, wheel.stat().st_size, frozenset(tags), libraries, foreign, licence, licences)


@dataclass(frozen=True)
class Promise:
    """What a wheel must be.

    Attributes
    ----------
    tag : str
        The one tag that its name and ``WHEEL`` state: ``"cp311-cp311-manylinux_2_28_x86_64"``.
    libraries : tuple of str
        Paths inside of all compiled libraries.
    largest : int
        Bytes that it may have.
    system : collection of str
        Libraries that they may need.
    glibc : tuple of int
        Its newest version that they may need.
    """

    tag: str
    libraries: tuple[str, ...]
    largest: int
    system: Collection[str] = SYSTEM
    glibc: tuple[int, ...] = GLIBC


def faults(content: WheelContent, promise: Promise) -> list[str]:
    """Phrases about what is wrong with a wheel."""
    wrong = [f"has {content.size:,} bytes, {promise.largest:,} are the most"] if content.size > promise.largest else []
    if content.tags != {promise.tag}:
        wrong.append(f"states the tags {', '.join(sorted(content.tags)) or 'none'}, not {promise.tag}")
    if not content.name.endswith(f"-{promise.tag}.whl"):
        wrong.append(f"has a name without the tag {promise.tag}")
    wrong += [f"lacks {path}" for path in promise.libraries if path not in content.libraries]
    wrong += [f"bundles {path}" for path in content.libraries if path not in promise.libraries]
    for path, own in content.libraries.items():
        wrong += [f"bundles {path}, which {fault}" for fault in own.faults(promise.system, promise.glibc)]
        if content.foreign[path]:
            wrong.append(f"bundles {path} with GPL code of SuiteSparse ({', '.join(content.foreign[path][:3])})")
    wrong += [f"has a text of the GPL, {path}" for path, text in content.licences.items() if COPYLEFT.search(text)]
    if "GPL" in content.licence:
        wrong.append(f"is under {content.licence}")
    return wrong if content.licences else [*wrong, "has no licence"]


def check_wheel(wheel: Path, promise: Promise) -> WheelContent:
    """Read a wheel, and compare its tag with auditwheel's finding, who knows nothing of libraries of other wheels.

    Raises
    ------
    SystemExit
        With all of :func:`faults`.
    """
    content = read_wheel(wheel)
    wrong = faults(content, promise)
    if not wrong and promise.system == SYSTEM:
        shown = " ".join(run([sys.executable, "-m", "auditwheel", "show", wheel]).split())
        found = re.search(r'consistent with the following platform tag: "manylinux_(\d+)_(\d+)_(\w+)"', shown)
        if found is None or (int(found[1]), int(found[2])) > promise.glibc or not promise.tag.endswith(f"_{found[3]}"):
            wrong.append(f"is not what its tag says: {shown}")
    if wrong:
        raise SystemExit(f"{wheel.name} {'; '.join(wrong)}")
    return content


def _dotted(numbers: tuple[int, ...]) -> str:
    return ".".join(map(str, numbers))
