"""Notices of the parts of others that a compiled artifact contains, as their licences ask for."""

from __future__ import annotations

import sysconfig
from collections.abc import Sequence
from pathlib import Path

from release.project import BUNDLED, Part

NAME = "THIRD_PARTY.txt"
HEAD = "Parts of others that the compiled library of this distribution contains.\n"
ELSEWHERE = {
    "MPL-2.0": "Unchanged headers of a release, whose source code is at the address above.\n"
    "The licence: https://mozilla.org/MPL/2.0/\n",
}
RULE = "=" * 100 + "\n"


def notices(parts: Sequence[Part]) -> str:
    """A text with the name, address, licence and the licence's text of each part, or its address if it is long.

    Raises
    ------
    SystemExit
        If a text is not found.
    """
    chapters = [HEAD]
    for part in parts:
        chapters.append(f"{RULE}{part.name} {part.version}, https://{part.home}\nLicence: {part.licence}\n\n")
        if part.licence in ELSEWHERE:
            chapters.append(ELSEWHERE[part.licence])
            continue
        path = _text_of(part)
        if not path.is_file():
            raise SystemExit(f"no licence of {part.name}: {path}")
        chapters.append(path.read_text(encoding="utf-8").strip() + "\n")
    return "\n".join(chapters)


def _text_of(part: Part) -> Path:
    site = Path(sysconfig.get_path("purelib"))
    known = {
        "Highway": BUNDLED / "highway" / "LICENSE",
        "JSON for Modern C++": site / f"nlohmann_json-{part.version}.dist-info" / "licenses" / "LICENSE",
        "pybind11": site / f"pybind11-{part.version}.dist-info" / "licenses" / "LICENSE",
        "musl": Path("/usr/share/emscripten/system/lib/libc/musl/COPYRIGHT"),
        "libc++, libc++abi, libunwind": site / "ziglang" / "lib" / "libcxx" / "LICENSE.TXT",
    }
    if part.name not in known:
        raise SystemExit(f"no licence of {part.name} is known")
    return known[part.name]
